/*
 * The shared pool. Its memory is allocated before it is touched (fallocate), so that a full machine
 * is an error here, not a SIGBUS in the program.
 */
#include "cupti/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE ((uint64_t)4096)
#define RING_BYTES ((uint64_t)512 << 10)
#define LEAST_BYTES ((uint64_t)16 << 10) /* of a ring, or a slot */
#define RINGS_MOST 256u
#define RINGS_LEAST 4u
#define SLOTS_LEAST 4u
#define TABLE_BYTES ((uint64_t)64 << 10)
#define FIRST_BYTES ((uint64_t)16 << 20)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static uint64_t pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(PAGE - 1);
}

/* Allocates and maps a part, so that the program need not. */
static bool back(uint64_t offset, uint64_t bytes)
{
	int status;

	do
		status = fallocate(dp_descriptor__get(&dp_collector.pool_file), 0, (off_t)offset,
				   (off_t)bytes);
	while (status && errno == EINTR);
	if (status && errno != EOPNOTSUPP)
		return false;
	madvise((char *)dp_collector.pool + offset, bytes, MADV_POPULATE_WRITE);
	return true;
}

/* Lays the pool out within its limit and that on file sizes, which applies to it, too. */
static void lay_out(struct dp_pool_header *head)
{
	const struct options *options = &dp_collector.options;
	uint64_t room = options->max_memory, rings;
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < room)
		room = limit.rlim_cur;
	memcpy(head->magic, DP_POOL_MAGIC, sizeof(head->magic));
	head->version = DP_POOL_VERSION;
	head->bytes = sizeof(*head);
	head->pid = (uint32_t)dp_collector.pid;
	head->serial = dp_collector.serial;
	head->slot_bytes = (uint32_t)options->slot_bytes;
	head->ring_bytes = (uint32_t)RING_BYTES;
	room -= room < TABLE_BYTES ? room : TABLE_BYTES;
	while (head->ring_bytes > LEAST_BYTES && RINGS_LEAST * head->ring_bytes > room / 4)
		head->ring_bytes /= 2;
	while (head->slot_bytes > LEAST_BYTES && SLOTS_LEAST * head->slot_bytes > room / 2)
		head->slot_bytes = head->slot_bytes / 2 & ~(uint32_t)4095;
	rings = room / 4 / head->ring_bytes;
	rings = rings < RINGS_LEAST ? RINGS_LEAST : rings > RINGS_MOST ? RINGS_MOST : rings;
	/* With very little memory, the GPU's records come first. */
	head->rings = options->nvtx && rings * head->ring_bytes <= room / 2 ? (uint32_t)rings : 0;
	head->slot_table = pages(sizeof(*head));
	rings = (uint64_t)head->rings * head->ring_bytes;
	head->slots = (uint32_t)((room - (room < rings ? room : rings)) /
				 (head->slot_bytes + sizeof(struct dp_pool_slot)));
	if (head->slots > SLOTS_MOST)
		head->slots = SLOTS_MOST;
	head->ring_table = head->slot_table + pages(head->slots * sizeof(struct dp_pool_slot));
	head->slot_data = head->ring_table + pages(head->rings * sizeof(struct dp_pool_ring));
	head->ring_data = head->slot_data + (uint64_t)head->slots * head->slot_bytes;
	head->pool_bytes = head->ring_data + (uint64_t)head->rings * head->ring_bytes;
}

/* Creates the pool in memory; if the launcher cannot be given that, in a file next to the spool. */
static int open_pool(uint64_t bytes)
{
	char name[64];
	int fd = -1;

	if (dp_collector.socket.fd >= 0)
		fd = memfd_create("deepprof-pool", MFD_CLOEXEC);
	if (fd < 0) {
		snprintf(name, sizeof(name), "%d.%u.pool", (int)dp_collector.pid,
			 dp_collector.serial);
		fd = openat(dp_descriptor__get(&dp_collector.folder_file), name,
			    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	if (fd >= 0 && ftruncate(fd, (off_t)bytes)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool make_discards(void)
{
	struct collector *c = &dp_collector;
	uint8_t *data = dp_pages__new((DISCARDS + 1) * DISCARD_BYTES);

	if (!data)
		return false;
	for (int i = 0; i < DISCARDS; i++)
		c->discards[i].data = data + (size_t)i * DISCARD_BYTES;
	c->trash = data + DISCARDS * DISCARD_BYTES;
	return true;
}

bool dp_pool__create(void)
{
	struct collector *c = &dp_collector;
	struct dp_pool_header head;
	uint64_t first;

	memset(&head, 0, sizeof(head));
	lay_out(&head);
	c->pool_bytes = head.pool_bytes;
	dp_descriptor__take(&c->pool_file, open_pool(head.pool_bytes));
	if (c->pool_file.fd < 0 || !make_discards())
		return false;
	c->pool = mmap(NULL, c->pool_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c->pool_file.fd, 0);
	if (c->pool == MAP_FAILED) {
		c->pool = NULL;
		return false;
	}
	if (!back(0, head.slot_data))
		return false;
	memcpy(c->pool, &head, sizeof(head));
	c->slots = (struct dp_pool_slot *)((char *)c->pool + head.slot_table);
	c->rings = (struct dp_pool_ring *)((char *)c->pool + head.ring_table);
	c->slot_data = (uint8_t *)c->pool + head.slot_data;
	c->ring_data = (uint8_t *)c->pool + head.ring_data;
	first = (FIRST_BYTES + head.slot_bytes - 1) / head.slot_bytes;
	if (first > head.slots)
		first = head.slots;
	if (first && !back(head.slot_data, first * head.slot_bytes))
		return false;
	atomic_store(&c->pool->slots_ready, (uint32_t)first);
	return true;
}

void dp_pool__destroy(void)
{
	struct collector *c = &dp_collector;

	if (c->pool)
		munmap(c->pool, c->pool_bytes);
	dp_descriptor__close(&c->pool_file);
	if (c->trash)
		munmap(c->discards[0].data, (DISCARDS + 1) * DISCARD_BYTES);
	c->pool = NULL;
	c->trash = NULL;
}

/* Releases its memory. It stays mapped, as CUPTI and the program may still write to it. */
void dp_pool__give_back(void)
{
	const struct dp_pool_header *pool = dp_collector.pool;

	(void)fallocate(dp_descriptor__get(&dp_collector.pool_file),
			FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)pool->slot_data,
			(off_t)(pool->pool_bytes - pool->slot_data));
}

static bool take_one(uint32_t index)
{
	struct dp_pool_slot *slot = &dp_collector.slots[index];
	uint32_t state = DP_SLOT_FREE;

	if (atomic_load_explicit(&slot->state, memory_order_relaxed) != DP_SLOT_FREE ||
	    !atomic_compare_exchange_strong(&slot->state, &state, DP_SLOT_HELD))
		return false;
	atomic_store_explicit(&slot->consumed_bytes, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->sequence, atomic_fetch_add(&dp_collector.sequence, 1) + 1,
			      memory_order_release);
	return true;
}

/* Takes the lowest free slot, as using few slots keeps them cached. Returns -1 if none is free. */
int dp_pool__take(void)
{
	struct collector *c = &dp_collector;
	uint32_t ready = atomic_load(&c->pool->slots_ready), used, peak;

	for (uint32_t i = 0; i < c->pool->slots; i++) {
		if (i >= ready && atomic_load(&c->slots[i].state) == DP_SLOT_FREE) {
			/* The writer was too slow: a pause to zero a slot is better than a loss. */
			if (!back(c->pool->slot_data + (uint64_t)i * c->pool->slot_bytes,
				  c->pool->slot_bytes))
				return -1;
		}
		if (!take_one(i))
			continue;
		used = atomic_fetch_add(&c->slots_used, 1) + 1;
		peak = atomic_load(&c->pool->peak_slots);
		while (used > peak &&
		       !atomic_compare_exchange_weak(&c->pool->peak_slots, &peak, used))
			;
		if (used > ready - ready / 4)
			dp_wake(&c->writer_wake);
		return (int)i;
	}
	return -1;
}

void dp_pool__release(uint32_t slot)
{
	atomic_fetch_sub(&dp_collector.slots_used, 1);
	atomic_store_explicit(&dp_collector.slots[slot].state, DP_SLOT_FREE, memory_order_release);
}

/* Called by the writer: prepares more slots once three quarters are in use. */
void dp_pool__grow(void)
{
	struct dp_pool_header *pool = dp_collector.pool;
	uint32_t ready = atomic_load(&pool->slots_ready), more = ready < 16 ? ready : 16;

	if (atomic_load(&dp_collector.slots_used) <= ready - ready / 4 || ready == pool->slots)
		return;
	if (more > pool->slots - ready)
		more = pool->slots - ready;
	if (back(pool->slot_data + (uint64_t)ready * pool->slot_bytes,
		 (uint64_t)more * pool->slot_bytes))
		atomic_store(&pool->slots_ready, ready + more);
}

int dp_pool__slot_of(const uint8_t *buffer)
{
	const struct collector *c = &dp_collector;
	uintptr_t offset = (uintptr_t)buffer - (uintptr_t)c->slot_data;

	if (buffer < c->slot_data || offset % c->pool->slot_bytes ||
	    offset / c->pool->slot_bytes >= c->pool->slots)
		return -1;
	return (int)(offset / c->pool->slot_bytes);
}
