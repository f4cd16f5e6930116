/*
 * Copies the pools of processes next to their spools, for another process that finishes the
 * recording; and reserves space for the part that a full disk must not cost: how many records were
 * lost.
 */
#define _GNU_SOURCE /* SEEK_DATA, fallocate() */
#include "record/recording.h"
#include "spool/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes copied at once. */
#define BLOCK_BYTES ((size_t)16384)

/* The counts and the tables of slots and rings take less in any collector's pool. */
#define RESERVE_MOST ((uint64_t)256 << 10)

static bool is_zero(const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i])
			return false;
	return true;
}

/* Returns where data begins from at on, or end. A file that cannot report holes is read whole. */
static off_t next_data(int fd, off_t at, off_t end)
{
	off_t data = lseek(fd, at, SEEK_DATA);

	if (data >= 0)
		return data;
	return errno == ENXIO ? end : at;
}

/* Copies bytes [at, end); sparse: except zeros, which to has there already. */
static bool copy_part(int from, int to, off_t at, off_t end, bool sparse)
{
	uint64_t block[BLOCK_BYTES / sizeof(uint64_t)];

	while ((at = sparse ? next_data(from, at, end) : at) < end) {
		size_t want = (size_t)DP_MIN(end - at, (off_t)sizeof(block));
		ssize_t have;

		memset(block, 0, sizeof(block));
		have = pread(from, block, want, at);
		if (have <= 0)
			return false;
		if (!(sparse && is_zero(block, DP_COUNT(block))) &&
		    pwrite(to, block, (size_t)have, at) != have)
			return false;
		at += have;
	}
	return true;
}

/*
 * Copies the counts into the space reserved for them, then the rest, which is omitted if there is
 * no space for it. The file may have a part of an earlier copy.
 */
static bool copy_pool(int from, int to)
{
	struct dp_pool_header head;
	off_t counts, all;

	if (!dp_pool__read(from, &head) || head.pool_bytes > INT64_MAX)
		return false;
	counts = (off_t)head.slot_data;
	all = (off_t)head.pool_bytes;
	return !ftruncate(to, counts) && copy_part(from, to, 0, counts, false) &&
	       !ftruncate(to, all) &&
	       (copy_part(from, to, counts, all, true) ||
		(!ftruncate(to, counts) && !ftruncate(to, all)));
}

/* The names of a pool's copy next to its spool: once it is complete, and until then. */
struct pool_names {
	char whole[300];
	char part[300];
};

static struct pool_names pool_names(const struct dp_member *member)
{
	int stem = (int)(strlen(member->name) - strlen(".spool"));
	struct pool_names names;

	snprintf(names.whole, sizeof(names.whole), "%.*s.pool", stem, member->name);
	snprintf(names.part, sizeof(names.part), "%.*s" DP_POOL_NEW, stem, member->name);
	return names;
}

static int open_part(const struct dp_recording *recording, const struct pool_names *names)
{
	return openat(recording->folder_fd, names->part,
		      O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

void dp_pool_copy__reserve(const struct dp_recording *recording, const struct dp_member *member)
{
	struct pool_names names = pool_names(member);
	struct dp_pool_header head;
	int fd;

	if (member->pool < 0 || !dp_pool__read(member->pool, &head) ||
	    head.slot_data > RESERVE_MOST)
		return;
	fd = open_part(recording, &names);
	if (fd < 0)
		return;
	/* Not posix_fallocate(): without support, that would write every block. */
	if (fallocate(fd, 0, 0, (off_t)head.slot_data))
		dp_pool_copy__release(recording, member);
	close(fd);
}

void dp_pool_copy__release(const struct dp_recording *recording, const struct dp_member *member)
{
	unlinkat(recording->folder_fd, pool_names(member).part, 0);
}

void dp_pool_copy__keep(const struct dp_recording *recording, const struct dp_member *member)
{
	struct pool_names names = pool_names(member);
	int folder = recording->folder_fd, fd;
	struct stat info;

	if (member->pool < 0)
		return;
	/* If it exists already, it is complete. */
	if (!fstatat(folder, names.whole, &info, AT_SYMLINK_NOFOLLOW))
		return;
	fd = open_part(recording, &names);
	if (fd < 0)
		return;
	if (!copy_pool(member->pool, fd) || renameat(folder, names.part, folder, names.whole))
		dp_pool_copy__release(recording, member);
	close(fd);
}
