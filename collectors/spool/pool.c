/* The launcher's access to a pool in use: it is read and written as a file, never mapped. */
#include "spool/pool.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *dp_pool__loss_word(unsigned int reason)
{
	static const char *const words[DP_LOSS_REASONS] = {
		[DP_LOSS_POOL_FULL] = "pool-full",	[DP_LOSS_CUPTI] = "cupti-dropped",
		[DP_LOSS_DISK] = "disk-full",		[DP_LOSS_SPOOL_LIMIT] = "spool-limit",
		[DP_LOSS_RING_FULL] = "nvtx-ring-full", [DP_LOSS_THREADS] = "nvtx-threads",
		[DP_LOSS_DAMAGED] = "damaged",
	};

	return reason < DP_LOSS_REASONS ? words[reason] : "unknown";
}

static bool read_at(int fd, void *out, size_t bytes, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, out, bytes, (off_t)offset) == (ssize_t)bytes;
}

static bool is_pool(const struct dp_pool_header *head)
{
	return !memcmp(head->magic, DP_POOL_MAGIC, sizeof(head->magic)) &&
	       head->version == DP_POOL_VERSION && head->bytes == sizeof(*head);
}

/* Returns true if a table of count entries at the offset is within the file. */
static bool within(const struct dp_pool_header *head, uint64_t offset, uint64_t count,
		   uint64_t bytes)
{
	return offset <= head->pool_bytes && count * bytes <= head->pool_bytes - offset;
}

bool dp_pool__read(int pool_fd, struct dp_pool_header *out)
{
	struct stat info;

	/* Anything but a regular file from a process could block when read. */
	if (fstat(pool_fd, &info) || !S_ISREG(info.st_mode) ||
	    !read_at(pool_fd, out, sizeof(*out), 0) || !is_pool(out))
		return false;
	return out->pool_bytes <= (uint64_t)info.st_size && out->slots <= DP_POOL_SLOTS_LIMIT &&
	       out->rings <= DP_POOL_RINGS_LIMIT && out->slot_bytes <= DP_POOL_SLOT_LIMIT &&
	       out->slot_bytes % 8 == 0 && out->ring_bytes <= DP_POOL_SLOT_LIMIT &&
	       out->ring_bytes && !(out->ring_bytes & (out->ring_bytes - 1)) &&
	       within(out, out->slot_table, out->slots, sizeof(struct dp_pool_slot)) &&
	       within(out, out->ring_table, out->rings, sizeof(struct dp_pool_ring)) &&
	       within(out, out->slot_data, out->slots, out->slot_bytes) &&
	       within(out, out->ring_data, out->rings, out->ring_bytes);
}

bool dp_pool__status(int pool_fd, struct dp_pool_status *out)
{
	struct dp_pool_header head;
	const struct dp_pool_bank *bank;

	if (!dp_pool__read(pool_fd, &head))
		return false;
	*out = (struct dp_pool_status){
		.pid = head.pid,
		.state = head.state,
		.spool_bytes = head.spool_bytes,
		.first_launch_ns = head.first_launch_ns,
	};
	bank = &head.banks[head.bank & 1];
	for (int i = 0; i < DP_SPOOL_KINDS; i++) {
		out->completed += bank->completed[i];
		out->stored += bank->stored[i];
		out->lost += bank->lost[i];
	}
	return true;
}

bool dp_pool__control(int pool_fd, uint32_t control)
{
	struct dp_pool_header head;

	if (!read_at(pool_fd, &head, sizeof(head), 0) || !is_pool(&head))
		return false;
	return pwrite(pool_fd, &control, sizeof(control),
		      offsetof(struct dp_pool_header, control)) == sizeof(control);
}
