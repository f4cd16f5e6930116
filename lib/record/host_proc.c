#include "record/host_proc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fields of proc_pid_stat(5), counted from behind the name in brackets: state is 0. */
enum { STAT_MAJOR = 9, STAT_USER = 11, STAT_SYSTEM = 12, STAT_PROCESSOR = 36 };

static bool read_at(const char *path, char *out, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t bytes = fd >= 0 ? read(fd, out, room - 1) : -1;

	out[bytes > 0 ? bytes : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return bytes > 0;
}

static bool read_task(pid_t pid, pid_t tid, const char *name, char *out, size_t room)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	return read_at(path, out, room);
}

/* Reads the numbers behind a thread's name, which may contain anything, even brackets. */
static size_t read_stat(pid_t pid, pid_t tid, int64_t *numbers, size_t most)
{
	char text[1024], *at;
	size_t count = 0;

	if (!read_task(pid, tid, "stat", text, sizeof(text)))
		return 0;
	at = strrchr(text, ')');
	/* The state is a letter. */
	if (!at || strlen(at) < 4)
		return 0;
	numbers[count++] = 0;
	at += 3;
	for (char *end; count < most && *at; at = end) {
		int64_t number = strtoll(at, &end, 10);

		if (end == at)
			break;
		numbers[count++] = number;
	}
	return count;
}

/* In ticks, if the kernel does not count nanoseconds. */
static bool read_ticks(pid_t pid, pid_t tid, struct dp_host_thread *out)
{
	int64_t numbers[STAT_SYSTEM + 1];
	long hertz = sysconf(_SC_CLK_TCK);

	if (read_stat(pid, tid, numbers, STAT_SYSTEM + 1) <= STAT_SYSTEM || hertz <= 0)
		return false;
	out->run_ns = (uint64_t)(numbers[STAT_USER] + numbers[STAT_SYSTEM]) *
		      (UINT64_C(1000000000) / (uint64_t)hertz);
	out->has_wait = false;
	return true;
}

int dp_host_proc__open(pid_t pid, pid_t tid)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

bool dp_host_proc__times(pid_t pid, pid_t tid, int fd, struct dp_host_thread *out)
{
	char text[128], *end;
	ssize_t bytes;

	if (fd >= 0) {
		bytes = pread(fd, text, sizeof(text) - 1, 0);
		text[bytes > 0 ? bytes : 0] = '\0';
	} else if (!read_task(pid, tid, "schedstat", text, sizeof(text))) {
		return read_ticks(pid, tid, out);
	}
	out->run_ns = strtoull(text, &end, 10);
	if (end == text || *end != ' ')
		return read_ticks(pid, tid, out);
	out->wait_ns = strtoull(end, NULL, 10);
	out->has_wait = true;
	return true;
}

static bool find_number(const char *text, const char *key, uint64_t *out)
{
	const char *at = strstr(text, key);

	return at && sscanf(at + strlen(key), "%" SCNu64, out) == 1;
}

void dp_host_proc__more(pid_t pid, pid_t tid, struct dp_host_thread *out)
{
	int64_t numbers[STAT_PROCESSOR + 1];
	char text[4096];

	if (read_stat(pid, tid, numbers, STAT_PROCESSOR + 1) > STAT_PROCESSOR) {
		out->has_stat = true;
		out->major_faults = (uint64_t)numbers[STAT_MAJOR];
		out->processor = (int32_t)numbers[STAT_PROCESSOR];
	}
	if (read_task(pid, tid, "status", text, sizeof(text)))
		out->has_switches =
			find_number(text, "\nvoluntary_ctxt_switches:", &out->voluntary) &&
			find_number(text, "\nnonvoluntary_ctxt_switches:", &out->involuntary);
}

/* Sets a value to the number behind key, in these units. */
static void set(struct dp_host_load *out, unsigned int which, const char *text, const char *key,
		uint64_t unit)
{
	uint64_t value;

	if (!find_number(text, key, &value))
		return;
	out->has |= 1u << which;
	out->values[which] = value * unit;
}

/* Reads for how many microseconds work stalled. */
static void read_pressure(struct dp_host_load *out, unsigned int which, const char *path)
{
	char text[256];

	if (read_at(path, text, sizeof(text)))
		set(out, which, text, "total=", 1000);
}

/* Returns the group's path in the line of /proc/PID/cgroup that contains head; NULL: none. */
static const char *group_of(char *text, const char *head)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *colon = strchr(line, ':');

		if (colon && !strncmp(colon, head, strlen(head)))
			return colon + strlen(head);
	}
	return NULL;
}

static void read_throttled(struct dp_host_load *out, const char *groups, const char *head,
			   const char *root, const char *key, uint64_t unit_ns)
{
	char copy[4096], path[4300], text[1024];
	const char *group;

	snprintf(copy, sizeof(copy), "%s", groups);
	group = group_of(copy, head);
	if (!group)
		return;
	snprintf(path, sizeof(path), "%s%s/cpu.stat", root, group);
	if (read_at(path, text, sizeof(text)))
		set(out, DP_HOST_THROTTLED, text, key, unit_ns);
}

void dp_host_proc__load(pid_t pid, bool with_machine, struct dp_host_load *out)
{
	char path[64], text[4096];

	memset(out, 0, sizeof(*out));
	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	if (read_at(path, text, sizeof(text))) {
		set(out, DP_HOST_READ_BYTES, text, "\nread_bytes: ", 1);
		set(out, DP_HOST_WRITE_BYTES, text, "\nwrite_bytes: ", 1);
	}
	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (read_at(path, text, sizeof(text))) {
		/* Version 2 counts microseconds, version 1 nanoseconds. */
		read_throttled(out, text, "::", "/sys/fs/cgroup", "throttled_usec ", 1000);
		read_throttled(out, text, ":cpu:", "/sys/fs/cgroup/cpu", "throttled_time ", 1);
		read_throttled(out, text, ":cpu,cpuacct:", "/sys/fs/cgroup/cpu,cpuacct",
			       "throttled_time ", 1);
	}
	if (!with_machine)
		return;
	read_pressure(out, DP_HOST_CPU, "/proc/pressure/cpu");
	read_pressure(out, DP_HOST_MEMORY, "/proc/pressure/memory");
	read_pressure(out, DP_HOST_IO, "/proc/pressure/io");
}
