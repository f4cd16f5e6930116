/*
 * Buffers as CUPTI handles them: filled by the program's threads, returned by a thread of its own.
 * Times of the GPU's work are on the GPU until that thread, or a flush, reads them; a buffer with a
 * record whose time is still missing is withheld from all flushes except a forced one.
 */
#include "fake_buffers.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How often the worker looks at full buffers that wait for their times. */
#define LOOK_NS 5000000

/* A record without its times, which are on the GPU. */
struct pending {
	size_t at; /* in the buffer */
	uint64_t start, end;
	uint64_t due; /* when it ends, on a monotonic clock */
};

struct buffer {
	struct buffer *next; /* of the threads', or of a queue */
	atomic_flag lock;
	uint8_t *data;
	size_t bytes, used, most, records;
	struct pending *pending;
	size_t count, room;
	uint64_t give_at; /* of one in the queue: not before */
	bool forced;
};

static void (*request)(uint8_t **, size_t *, size_t *);
static void (*request_v2)(uint8_t **, size_t *, size_t *, void *);
static void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t);
static void (*complete_v2)(uint8_t *, size_t, size_t, void *);
static _Atomic(struct buffer *) buffers;
static _Atomic bool has_asked; /* for a buffer */
static _Atomic uint64_t device_left = UINT64_MAX / 2;
static __thread struct buffer *mine;
__thread bool fake_in_callback;

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_wake = PTHREAD_COND_INITIALIZER;
static struct buffer *queue, **queue_end = &queue;
static bool has_worker, gives; /* the latter: one that has left the queue */

void fake_set_device_records(uint64_t records)
{
	atomic_store(&device_left, records);
}

void fake_register(void *ask, void *done, bool is_v2)
{
	request = NULL;
	request_v2 = NULL;
	memcpy(is_v2 ? (void *)&request_v2 : (void *)&request, &ask, sizeof(ask));
	memcpy(is_v2 ? (void *)&complete_v2 : (void *)&complete, &done, sizeof(done));
}

bool fake_has_asked(void)
{
	return atomic_load(&has_asked);
}

static uint64_t monotonic(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void lock(struct buffer *b)
{
	for (int i = 0; atomic_flag_test_and_set_explicit(&b->lock, memory_order_acquire); i++)
		if (i % 64 == 63)
			sched_yield();
}

static void unlock(struct buffer *b)
{
	atomic_flag_clear_explicit(&b->lock, memory_order_release);
}

/* In a child of fork(), where neither the worker nor the holder of a lock exists. */
static void forget_all(void)
{
	pthread_mutex_init(&queue_lock, NULL);
	pthread_cond_init(&queue_wake, NULL);
	queue = NULL;
	queue_end = &queue;
	has_worker = gives = false;
	for (struct buffer *b = atomic_load(&buffers); b; b = b->next) {
		atomic_flag_clear(&b->lock);
		b->data = NULL;
		b->count = 0;
	}
}

__attribute__((constructor)) static void start(void)
{
	if (pthread_atfork(NULL, NULL, forget_all))
		fake_fail("no memory");
}

/* Fills in the times of records that have ended on the GPU. */
static void read_times(struct buffer *b)
{
	uint64_t now = monotonic();
	size_t left = 0;

	for (size_t i = 0; i < b->count; i++) {
		const struct pending *p = &b->pending[i];
		uint32_t kind;

		if (p->due > now) {
			b->pending[left++] = *p;
			continue;
		}
		memcpy(&kind, b->data + p->at, sizeof(kind));
		fake_set_times(b->data + p->at, kind, p->start, p->end);
	}
	b->count = left;
}

static void hand_over(uint8_t *data, size_t bytes, size_t used)
{
	fake_in_callback = true;
	if (request_v2)
		complete_v2(data, bytes, used, NULL);
	else
		complete(NULL, 0, data, bytes, used);
	fake_in_callback = false;
}

/* With the queue's lock: takes a buffer that can be returned now; NULL if there is none. */
static struct buffer *next_done(void)
{
	uint64_t now = monotonic();

	for (struct buffer **at = &queue; *at; at = &(*at)->next) {
		struct buffer *b = *at;

		if (!b->forced)
			read_times(b);
		if (b->give_at > now || (b->count && !b->forced))
			continue;
		*at = b->next;
		if (!b->next)
			queue_end = at;
		return b;
	}
	return NULL;
}

static void *work(void *unused)
{
	struct timespec until;
	struct buffer *b;

	pthread_mutex_lock(&queue_lock);
	for (;;) {
		b = next_done();
		if (b) {
			gives = true;
			pthread_mutex_unlock(&queue_lock);
			hand_over(b->data, b->bytes, b->used);
			free(b->pending);
			free(b);
			pthread_mutex_lock(&queue_lock);
			gives = false;
			continue;
		}
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (queue)
			pthread_cond_timedwait(&queue_wake, &queue_lock, &until);
		else
			pthread_cond_wait(&queue_wake, &queue_lock);
	}
	return NULL;
}

/* With the queue's lock. */
static void start_worker(void)
{
	pthread_t thread;

	if (has_worker)
		return;
	has_worker = true;
	if (pthread_create(&thread, NULL, work, NULL))
		fake_fail("no thread");
	/* Not that of the thread that started it. */
	pthread_setname_np(thread, "cupti");
	pthread_detach(thread);
}

/* Hands the thread's buffer to the worker, which returns it. */
static void give_back(struct buffer *b, uint64_t delay_ns, bool forced)
{
	struct buffer *done;

	if (!b->data)
		return;
	done = malloc(sizeof(*done));
	if (!done)
		fake_fail("no memory");
	*done = (struct buffer){ .data = b->data,
				 .bytes = b->bytes,
				 .used = b->used,
				 .pending = b->pending,
				 .count = b->count,
				 .give_at = delay_ns ? monotonic() + delay_ns : 0,
				 .forced = forced };
	b->data = NULL;
	b->pending = NULL;
	b->count = b->room = 0;
	pthread_mutex_lock(&queue_lock);
	start_worker();
	*queue_end = done;
	queue_end = &done->next;
	pthread_cond_signal(&queue_wake);
	pthread_mutex_unlock(&queue_lock);
}

static void get_buffer(struct buffer *b)
{
	atomic_store(&has_asked, true);
	fake_in_callback = true;
	b->most = 0;
	if (request_v2)
		request_v2(&b->data, &b->bytes, &b->most, NULL);
	else
		request(&b->data, &b->bytes, &b->most);
	fake_in_callback = false;
	if (!b->data)
		fake_fail("no buffer: before 12.9 that is a crash");
	b->used = b->records = 0;
	atomic_fetch_add(&fake_truth->buffers, 1);
	for (size_t i = 0; !b->most && i < b->bytes; i += 512)
		if (b->data[i])
			fake_fail("a buffer is not zeroed");
}

static struct buffer *my_buffer(void)
{
	if (!mine) {
		mine = calloc(1, sizeof(*mine));
		if (!mine)
			fake_fail("no memory");
		mine->next = atomic_load(&buffers);
		while (!atomic_compare_exchange_weak(&buffers, &mine->next, mine))
			;
	}
	return mine;
}

/* The record's times stay on the GPU if there is room for them. */
static void put_off(struct buffer *b, const struct fake_times *times)
{
	uint64_t left = atomic_load(&device_left), now = fake_now();
	uint64_t due = times->end == UINT64_MAX ? UINT64_MAX
		       : times->end > now	? monotonic() + (times->end - now)
						: 0;

	/* Room that graphs have used is not used again (parcagpu#23). */
	if (times->in_graph) {
		while (left && !atomic_compare_exchange_weak(&device_left, &left, left - 1))
			;
		if (!left)
			return;
	}
	if (b->count == b->room) {
		b->room = b->room ? 2 * b->room : 256;
		b->pending = realloc(b->pending, b->room * sizeof(*b->pending));
		if (!b->pending)
			fake_fail("no memory");
	}
	b->pending[b->count++] = (struct pending){ b->used, times->start, times->end, due };
}

/* Appends a record and writes its kind last, as a reader after a kill at any moment must see it. */
static void write_record(struct buffer *b, const void *record, size_t known, size_t bytes,
			 uint32_t kind)
{
	uint8_t *to = b->data + b->used;
	struct fake_times times;

	memcpy(to + 4, (const char *)record + 4, (known < bytes ? known : bytes) - 4);
	if (fake_take_times(to, kind, &times))
		put_off(b, &times);
	__atomic_store_n((uint32_t *)(void *)to, kind, __ATOMIC_RELEASE);
}

void fake_put(const void *record, size_t known)
{
	struct buffer *b = my_buffer();
	uint32_t kind;
	size_t bytes;

	memcpy(&kind, record, 4);
	if (!request && !request_v2)
		return;
	bytes = kind < FAKE_KINDS ? fake_version->sizes[kind] : 64;
	if (!bytes)
		return;
	lock(b);
	if (b->data && (b->bytes - b->used < bytes || (b->most && b->records >= b->most)))
		give_back(b, 0, false);
	if (!b->data)
		get_buffer(b);
	/*
	 * A buffer for one record is the scratch buffer that several threads may have been given.
	 */
	if (!b->most)
		write_record(b, record, known, bytes, kind);
	b->used += bytes;
	b->records++;
	atomic_fetch_add_explicit(&fake_truth->records[kind < FAKE_KINDS ? kind : 0], 1,
				  memory_order_relaxed);
	unlock(b);
}

void fake_flush(bool forced)
{
	bool withholds = fake_switches.withhold;

	for (struct buffer *b = atomic_load(&buffers); b; b = b->next) {
		lock(b);
		if (b->data)
			read_times(b);
		if (!b->count || forced || !withholds)
			give_back(b, fake_switches.delay_ns, forced || !withholds);
		unlock(b);
	}
	pthread_mutex_lock(&queue_lock);
	for (struct buffer *b = queue; forced && b; b = b->next) {
		read_times(b);
		b->forced = true;
	}
	pthread_cond_signal(&queue_wake);
	pthread_mutex_unlock(&queue_lock);
	atomic_fetch_add(&fake_truth->flushes, 1);
}

bool fake_gives_back(void)
{
	bool any;

	pthread_mutex_lock(&queue_lock);
	any = queue || gives;
	pthread_mutex_unlock(&queue_lock);
	return any;
}

void fake_complete_twice(uint64_t ms)
{
	struct buffer *b = my_buffer();
	uint8_t *data = b->data;

	if (!data)
		return;
	lock(b);
	/* All its records have ended a microsecond later. */
	usleep(1000);
	read_times(b);
	b->data = NULL;
	b->count = 0;
	hand_over(data, b->bytes, b->used);
	usleep((useconds_t)ms * 1000);
	hand_over(data, b->bytes, b->used);
	unlock(b);
}

void fake_complete_foreign(void)
{
	static uint8_t other[4096];

	hand_over(other, sizeof(other), sizeof(other));
}

/*
 * Returned with the next flush, after all that were requested later; the thread continues with a
 * new one.
 */
void fake_hold_buffer(void)
{
	mine = NULL;
}
