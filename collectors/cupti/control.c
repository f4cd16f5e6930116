/*
 * The thread that calls CUPTI: it flushes every second, turns recording on and off as the launcher
 * or the program's capture range want it, and makes the last flush. It may hang in CUPTI; then
 * nobody waits for it longer than life.c says, and the writer goes on. Where the program outlives
 * the recording, both threads end, and give back the room they have on disk and in memory. Their
 * descriptors stay open: a thread of the program that is about to tell something would send it to
 * whatever had the number next.
 */
#include "cupti/collector.h"

#include <poll.h>
#include <sys/stat.h>

#define TICK_MS 20
#define LOOK_TICKS 5

static struct {
	bool recording; /* the kinds are enabled */
	bool attached;
	int64_t next_flush_ns;
	uint32_t ticks;
	bool alone; /* the launcher is gone */
} my;

static void flush_now(uint32_t flag)
{
	struct collector *c = &dp_collector;

	if (c->cupti.attached && atomic_load(&c->requested))
		(void)c->cupti.ActivityFlushAll(flag);
}

static void flush_sometimes(void)
{
	struct collector *c = &dp_collector;
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!c->options.flush_ms || now < my.next_flush_ns)
		return;
	if (my.next_flush_ns)
		flush_now(0);
	my.next_flush_ns = now + (int64_t)c->options.flush_ms * 1000000;
}

static void record(bool on)
{
	struct collector *c = &dp_collector;
	int64_t before_ns = clock_ns(CLOCK_REALTIME);

	if (on != my.recording) {
		dp_attach__kinds(on);
		dp_switches__note(on, on ? clock_ns(CLOCK_REALTIME) : before_ns);
		if (!on)
			flush_now(0);
		my.recording = on;
	}
	atomic_store(&dp_live->nvtx, on && c->options.nvtx);
	atomic_store(&c->pool->state, on ? DP_POOL_RUNNING : DP_POOL_PAUSED);
}

/* Without the launcher nobody would ever read what is recorded: it would only fill the disk. */
static bool launcher_is_gone(void)
{
	struct pollfd end = { .fd = dp_collector.socket_fd };

	if (!my.alone && end.fd >= 0 && ++my.ticks % LOOK_TICKS == 0)
		my.alone = poll(&end, 1, 0) == 1 && end.revents & (POLLHUP | POLLERR);
	return my.alone;
}

/* The launcher, or who finished for it, has made its file of the spool, and the folder is gone. */
static bool is_of_no_use(void)
{
	struct stat info;

	return my.alone && my.ticks++ % LOOK_TICKS == 0 && !fstat(dp_collector.spool_fd, &info) &&
	       !info.st_nlink;
}

/* The program goes on, for hours maybe, and is not to hold what nobody will read. */
static void give_up(void)
{
	atomic_store(&dp_live->on, 0);
	atomic_store(&dp_collector.given_up, 1);
	atomic_store(&dp_collector.writer_quit, 1);
	dp_wake(&dp_collector.writer_wake);
}

static void follow_wishes(void)
{
	struct collector *c = &dp_collector;
	uint32_t control = launcher_is_gone() ? DP_POOL_STOP : atomic_load(&c->pool->control);
	uint32_t range = atomic_load(&c->in_range);
	bool on = control == DP_POOL_RUN && (!c->options.capture_profiler || range);

	if (c->cupti.attached && !my.attached) {
		my.attached = true;
		my.recording = !c->options.start_paused && !c->options.capture_profiler;
	}
	record(on);
	atomic_store(&c->range_seen, range);
	if (control == DP_POOL_STOP)
		atomic_store(&c->pool->state, DP_POOL_STOPPED);
}

void *dp_control_thread(void *unused)
{
	struct collector *c = &dp_collector;

	my.recording = !c->options.start_paused && !c->options.capture_profiler;
	if (!my.recording)
		dp_switches__note(false, clock_ns(CLOCK_REALTIME));
	my.attached = false;
	my.next_flush_ns = 0;
	my.ticks = 0;
	my.alone = false;
	while (!atomic_load(&c->final)) {
		uint32_t wake = atomic_load(&c->control_wake);

		follow_wishes();
		if (is_of_no_use()) {
			give_up();
			goto out;
		}
		flush_sometimes();
		dp_wait(&c->control_wake, wake, TICK_MS);
	}
	dp_attach__kinds(false);
	flush_now(CUPTI_FLUSH_FORCED);
out:
	atomic_store(&c->final_done, 1);
	dp_wake(&c->final_done);
	return NULL;
}
