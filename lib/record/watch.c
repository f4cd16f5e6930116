/* The thread that follows all processes: a search for loops may take it a second. */
#include "record/watch.h"
#include "record/clock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* How often spools are read, and how long one may delay the others. */
#define PERIOD_NS INT64_C(100000000)
#define TURN_NS INT64_C(100000000)

/* How much later than the first process others may start a loop. */
#define GRACE_NS INT64_C(2000000000)

struct followed {
	int fd;
	bool gone;   /* the process is */
	bool failed; /* it cannot be followed, or was to its end */
	struct dp_follow *follow;
	struct dp_follow_state state;
};

struct dp_watch {
	uint64_t wanted;
	int event;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock; /* protects all that follows */
	pthread_cond_t wake;
	bool quit;
	struct followed *list; /* only grows; the thread owns follow */
	size_t count;
	size_t room;
	int64_t first_ns; /* when the first process had enough, 0: not yet */
	bool enough;
};

/* Reads on in one spool, without the lock. */
static void follow(struct dp_watch *watch, struct followed *one)
{
	int status = DP_OK;

	if (!one->follow)
		status = dp_follow__new(&one->follow, one->fd, watch->wanted);
	/* Its header may not have been written yet. */
	if (status == DP_ERR_UNSUPPORTED && !one->gone)
		return;
	if (!status)
		status = dp_follow__read(
			one->follow,
			dp_clock__now(CLOCK_MONOTONIC) + TURN_NS * (one->gone ? 10 : 1), one->gone);
	if (one->follow)
		one->state = dp_follow__state(one->follow);
	one->failed = status || one->gone || one->state.enough;
	if (!one->failed)
		return;
	dp_follow__free(one->follow);
	one->follow = NULL;
}

/* Returns true if no process may still have iterations to come. Call with the lock. */
static bool all_done(const struct dp_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		if (!watch->list[i].gone && !watch->list[i].state.enough)
			return false;
	return true;
}

/* Decides whether all have enough. Call with the lock. */
static void judge(struct dp_watch *watch)
{
	bool waiting = false;

	for (size_t i = 0; i < watch->count; i++) {
		const struct followed *one = &watch->list[i];

		if (one->state.enough && !watch->first_ns)
			watch->first_ns = dp_clock__now(CLOCK_MONOTONIC);
		waiting |= !one->failed && !one->state.enough && one->state.looping;
	}
	if (!watch->enough && watch->first_ns &&
	    (all_done(watch) ||
	     (!waiting && dp_clock__now(CLOCK_MONOTONIC) >= watch->first_ns + GRACE_NS))) {
		watch->enough = true;
		eventfd_write(watch->event, 1);
	}
}

/* Call with the lock, which is released while reading: the list may move meanwhile. */
static void read_all(struct dp_watch *watch)
{
	for (size_t i = 0; i < watch->count && !watch->quit; i++) {
		struct followed one = watch->list[i];
		bool had_enough = one.state.enough;

		if (one.failed)
			continue;
		pthread_mutex_unlock(&watch->lock);
		follow(watch, &one);
		pthread_mutex_lock(&watch->lock);
		watch->list[i].follow = one.follow;
		watch->list[i].failed = one.failed;
		watch->list[i].state = one.state;
		if (one.state.enough && !had_enough)
			eventfd_write(watch->event, 1);
	}
}

static void *run(void *ctx)
{
	struct dp_watch *watch = ctx;
	struct timespec until;
	int64_t at;

	pthread_mutex_lock(&watch->lock);
	while (!watch->quit) {
		read_all(watch);
		judge(watch);
		at = dp_clock__now(CLOCK_MONOTONIC) + PERIOD_NS;
		until = (struct timespec){ at / 1000000000, at % 1000000000 };
		while (!watch->quit &&
		       pthread_cond_timedwait(&watch->wake, &watch->lock, &until) != ETIMEDOUT)
			continue;
	}
	pthread_mutex_unlock(&watch->lock);
	return NULL;
}

/* This thread handles no signals. */
static bool start_thread(struct dp_watch *watch)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	watch->running = !pthread_create(&watch->thread, NULL, run, watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return watch->running;
}

int dp_watch__start(struct dp_watch **out, uint64_t wanted)
{
	struct dp_watch *watch = dp_alloc__zeroed(1, sizeof(*watch));
	pthread_condattr_t clock;

	if (!watch)
		return DP_ERR_NOMEM;
	watch->wanted = wanted;
	pthread_mutex_init(&watch->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&watch->wake, &clock);
	pthread_condattr_destroy(&clock);
	watch->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (watch->event < 0 || !start_thread(watch)) {
		dp_watch__free(watch);
		return DP_ERR_IO;
	}
	*out = watch;
	return DP_OK;
}

void dp_watch__stop(struct dp_watch *watch)
{
	if (!watch || !watch->running)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->quit = true;
	pthread_cond_signal(&watch->wake);
	pthread_mutex_unlock(&watch->lock);
	pthread_join(watch->thread, NULL);
	watch->running = false;
	/* Spools of processes that ended last may not have been read to their end. */
	for (size_t i = 0; i < watch->count; i++) {
		watch->list[i].gone = true;
		if (!watch->list[i].failed)
			follow(watch, &watch->list[i]);
	}
}

void dp_watch__free(struct dp_watch *watch)
{
	if (!watch)
		return;
	dp_watch__stop(watch);
	for (size_t i = 0; i < watch->count; i++) {
		dp_follow__free(watch->list[i].follow);
		close(watch->list[i].fd);
	}
	free(watch->list);
	if (watch->event >= 0)
		close(watch->event);
	pthread_cond_destroy(&watch->wake);
	pthread_mutex_destroy(&watch->lock);
	free(watch);
}

int dp_watch__fd(const struct dp_watch *watch)
{
	return watch->event;
}

void dp_watch__clear(struct dp_watch *watch)
{
	eventfd_t count;

	eventfd_read(watch->event, &count);
}

int dp_watch__add(struct dp_watch *watch, int spool_fd, size_t *index)
{
	int status;

	pthread_mutex_lock(&watch->lock);
	status = dp_array__reserve(&watch->list, &watch->room, watch->count + 1,
				   sizeof(*watch->list));
	if (!status) {
		*index = watch->count;
		watch->list[watch->count++] = (struct followed){ .fd = spool_fd };
	}
	pthread_mutex_unlock(&watch->lock);
	return status;
}

void dp_watch__end(struct dp_watch *watch, size_t index)
{
	pthread_mutex_lock(&watch->lock);
	watch->list[index].gone = true;
	pthread_mutex_unlock(&watch->lock);
}

struct dp_follow_state dp_watch__state(struct dp_watch *watch, size_t index)
{
	struct dp_follow_state state;

	pthread_mutex_lock(&watch->lock);
	state = watch->list[index].state;
	pthread_mutex_unlock(&watch->lock);
	return state;
}

bool dp_watch__enough(struct dp_watch *watch)
{
	bool enough;

	pthread_mutex_lock(&watch->lock);
	enough = watch->enough || (watch->first_ns && all_done(watch));
	pthread_mutex_unlock(&watch->lock);
	return enough;
}
