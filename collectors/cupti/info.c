/* Describes the process in the spool. */
#include "cupti/collector.h"
#include "spool/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Clocks are read again until reading took no longer than this. */
#define CLOCK_GOOD_NS 2000
#define CLOCK_TRIES 5

void dp_info__put(struct dp_spool_writer *w, const char *key, const char *value)
{
	struct dp_spool_record record = { .type = DP_SPOOL_INFO };

	record.info.key = dp_writer__text(w, key, strlen(key));
	record.info.value = dp_writer__text(w, value, strlen(value));
	dp_writer__add(w, &record, false);
}

static size_t read_file(const char *path, char *out, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	while (used < room - 1 && (n = read(fd, out + used, room - 1 - used)) > 0)
		used += (size_t)n;
	close(fd);
	out[used] = 0;
	return used;
}

/* Reads the initial environment: the program may change environ meanwhile. */
static void put_environment(struct dp_spool_writer *w)
{
	static char text[65536];
	char key[128];
	size_t bytes = read_file("/proc/self/environ", text, sizeof(text));

	for (size_t at = 0; at < bytes; at += strlen(text + at) + 1) {
		const char *equals = strchr(text + at, '=');

		if (!equals || !dp_secret__may_store(text + at, (size_t)(equals - (text + at))))
			continue;
		snprintf(key, sizeof(key), "env.%.*s", (int)(equals - (text + at)), text + at);
		dp_info__put(w, key, equals + 1);
	}
}

/* Arguments end with a NUL each; a truncated one is dropped, as it may hide a secret. */
static void put_command(struct dp_spool_writer *w)
{
	static char text[16384], shown[16384];
	size_t bytes = read_file("/proc/self/cmdline", text, sizeof(text));

	if (bytes == sizeof(text) - 1)
		while (bytes && text[bytes - 1])
			bytes--;
	while (bytes && !text[bytes - 1])
		bytes--;
	dp_secret__command(shown, sizeof(shown), text, bytes, '\n');
	dp_info__put(w, "cmdline", shown);
}

void dp_info__process(struct dp_spool_writer *w)
{
	if (dp_collector.options.cmdline)
		put_command(w);
	dp_info__put(w, "graph_mode", dp_collector.options.graph_nodes ? "node" : "graph");
	put_environment(w);
	dp_info__clock(w);
}

void dp_info__thread(struct dp_spool_writer *w, uint32_t tid)
{
	struct dp_spool_record record = { .type = DP_SPOOL_THREAD };
	char path[64], name[64];
	size_t bytes;

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
	bytes = read_file(path, name, sizeof(name));
	while (bytes && name[bytes - 1] == '\n')
		name[--bytes] = 0;
	if (!bytes)
		return;
	record.thread = (struct dp_spool_thread){ tid, dp_writer__text(w, name, bytes) };
	dp_writer__add(w, &record, false);
}

/* Reads all clocks as close together as possible; returns how long it took. */
static int64_t read_clocks(struct dp_spool_clock *out)
{
	int64_t before = clock_ns(CLOCK_MONOTONIC), after;
	uint64_t time = 0;

	out->realtime = clock_ns(CLOCK_REALTIME);
	out->cupti = 0;
	if (cupti_answers() && !dp_cupti__time(&time))
		out->cupti = time;
	out->monotonic_raw = clock_ns(CLOCK_MONOTONIC_RAW);
	after = clock_ns(CLOCK_MONOTONIC);
	out->monotonic = before + (after - before) / 2;
	return after - before;
}

/*
 * Takes the fastest of a few readings: the first call of CUPTI takes longer than others, and
 * another process may run between two reads.
 */
static void read_together(struct dp_spool_clock *out)
{
	int64_t took = read_clocks(out), least = took;
	struct dp_spool_clock next;

	for (int i = 0; i < CLOCK_TRIES && least > CLOCK_GOOD_NS; i++) {
		took = read_clocks(&next);
		if (took >= least || !next.cupti != !out->cupti)
			continue;
		least = took;
		*out = next;
	}
}

void dp_info__clock(struct dp_spool_writer *w)
{
	struct dp_spool_record record = { .type = DP_SPOOL_CLOCK };

	read_together(&record.clock);
	dp_writer__add(w, &record, false);
}

void dp_info__begin(struct dp_spool_header *header)
{
	struct dp_spool_clock clock;

	read_together(&clock);
	header->realtime_ns = clock.realtime;
	header->monotonic_ns = clock.monotonic;
}

/* A container may forbid process_vm_readv(), but not pipes; write() fails on bad addresses. */
static ssize_t read_by_pipe(void *to, const void *from, size_t bytes)
{
	int ends[2];
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -1;
	n = write(ends[1], from, bytes);
	if (n > 0)
		n = read(ends[0], to, (size_t)n);
	close(ends[0]);
	close(ends[1]);
	return n;
}

/*
 * Reads names through the kernel, because the address may belong to an unloaded module and only the
 * kernel can tell; page by page, because a name may end where its mapping does.
 */
long dp_info__read_text(void *owner, uint64_t address, char *out, size_t room)
{
	size_t used = 0;

	while (used < room) {
		size_t part = 4096 - (size_t)((address + used) & 4095);
		struct iovec from = { (void *)(uintptr_t)(address + used), 0 };
		struct iovec to = { out + used, 0 };
		char *nul;
		ssize_t n;

		if (part > room - used)
			part = room - used;
		from.iov_len = to.iov_len = part;
		n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
		if (n < 0 && (errno == EPERM || errno == ENOSYS))
			n = read_by_pipe(to.iov_base, from.iov_base, part);
		if (n <= 0)
			return used ? (long)used : -1;
		nul = memchr(out + used, 0, (size_t)n);
		if (nul)
			return (long)(nul - out);
		used += (size_t)n;
	}
	return (long)used;
}
