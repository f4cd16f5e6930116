/*
 * NVTX events go into a ring of their thread in the shared pool: no lock, no allocation, no system
 * call. Definitions (strings, domains, schemas) share ring 0 under a lock, held for a copy and, if
 * the ring is full, until the writer has made room: at most a tenth of a second.
 */
#include "cupti/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_RING UINT32_MAX

/* The thread's ring; life counts forks, so that a child does not use its parent's ring. */
static __thread uint32_t my_ring __attribute__((tls_model("initial-exec")));
static __thread uint32_t my_life __attribute__((tls_model("initial-exec")));

static uint32_t current_life = 1;
static pthread_key_t thread_end;
static bool have_key;
static atomic_flag definitions = ATOMIC_FLAG_INIT;
static bool backed; /* ring 0 */

static void on_thread_end(void *value)
{
	if (live() && my_life == current_life && my_ring != NO_RING)
		atomic_store(&dp_collector.rings[my_ring].done, 1);
	my_life = 0;
}

bool dp_ring__init(void)
{
	atomic_flag_clear(&definitions);
	backed = false;
	current_life++;
	if (!have_key)
		have_key = !pthread_key_create(&thread_end, on_thread_end);
	if (dp_collector.pool->rings)
		atomic_store(&dp_collector.rings[0].tid, (uint32_t)dp_collector.pid);
	return have_key;
}

void dp_ring__after_fork(void)
{
	current_life++;
	atomic_flag_clear(&definitions);
}

/* Allocates memory first, so that a full machine causes no SIGBUS. */
static bool back_ring(uint32_t index)
{
	const struct dp_pool_header *pool = dp_collector.pool;
	int status;

	do
		status = fallocate(dp_descriptor__get(&dp_collector.pool_file), 0,
				   (off_t)(pool->ring_data + (uint64_t)index * pool->ring_bytes),
				   (off_t)pool->ring_bytes);
	while (status && errno == EINTR);
	return !status || errno == EOPNOTSUPP;
}

static uint32_t find_ring(void)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);
	int kept_errno = errno;

	my_life = current_life;
	my_ring = NO_RING;
	for (uint32_t i = 1; i < dp_collector.pool->rings; i++) {
		uint32_t none = 0;

		if (!atomic_compare_exchange_strong(&dp_collector.rings[i].tid, &none, tid))
			continue;
		if (back_ring(i)) {
			my_ring = i;
			pthread_setspecific(thread_end, &my_ring);
		}
		break;
	}
	errno = kept_errno;
	return my_ring;
}

static void copy_parts(uint8_t *to, const struct event_parts *parts)
{
	size_t schema = parts->schema ? sizeof(*parts->schema) : 0;

	memcpy(to, &parts->head, sizeof(parts->head));
	to += sizeof(parts->head);
	if (schema)
		memcpy(to, parts->schema, schema);
	if (parts->head.text_bytes > schema + parts->more_bytes)
		memcpy(to + schema, parts->text,
		       parts->head.text_bytes - schema - parts->more_bytes);
	if (parts->more_bytes)
		memcpy(to + parts->head.text_bytes - parts->more_bytes, parts->more_text,
		       parts->more_bytes);
	if (parts->head.payload_bytes)
		memcpy(to + parts->head.text_bytes, parts->payload, parts->head.payload_bytes);
}

static void put(uint32_t index, struct event_parts *parts)
{
	struct dp_pool_ring *ring = &dp_collector.rings[index];
	uint64_t size = dp_collector.pool->ring_bytes;
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
	uint64_t at = head & (size - 1), pad = 0, bytes;
	uint8_t *data = dp_collector.ring_data + index * size;

	bytes = sizeof(parts->head) + parts->head.text_bytes + parts->head.payload_bytes;
	bytes = (bytes + 7) & ~(uint64_t)7;
	parts->head.bytes = (uint32_t)bytes;
	if (at + bytes > size)
		pad = size - at;
	if (head + pad + bytes - tail > size) {
		atomic_fetch_add_explicit(&ring->lost, 1, memory_order_relaxed);
		return;
	}
	if (pad) {
		/* The first 8 bytes of an event are its size and type. */
		uint64_t first = pad | (uint64_t)DP_EVENT_PAD << 32;

		memcpy(data + at, &first, sizeof(first));
		at = 0;
	}
	copy_parts(data + at, parts);
	atomic_store_explicit(&ring->head, head + pad + bytes, memory_order_release);
	if ((head ^ (head + pad + bytes)) & (size / 4))
		dp_wake(&dp_collector.writer_wake);
}

void dp_ring__event(struct event_parts *parts)
{
	uint32_t index = my_life == current_life ? my_ring : find_ring();

	if (index == NO_RING)
		atomic_fetch_add(&dp_collector.thread_lost,
				 parts->head.type != DP_SPOOL_NVTX_CATEGORY);
	else
		put(index, parts);
}

/* Definitions are rare and worth waiting for the writer: without one, its users have no name. */
void dp_ring__definition(struct event_parts *parts)
{
	struct dp_pool_ring *ring = &dp_collector.rings[0];
	uint64_t used;

	while (atomic_flag_test_and_set_explicit(&definitions, memory_order_acquire))
		sched_yield();
	if (!backed)
		backed = back_ring(0);
	for (int i = 0; i < 1000 && live(); i++) {
		struct timespec pause = { 0, 100000 };

		used = atomic_load(&ring->head) - atomic_load(&ring->tail);
		if (used < dp_collector.pool->ring_bytes / 2)
			break;
		dp_wake(&dp_collector.writer_wake);
		nanosleep(&pause, NULL);
	}
	if (backed)
		put(0, parts);
	atomic_flag_clear_explicit(&definitions, memory_order_release);
}
