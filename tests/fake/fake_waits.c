/*
 * The program under test: words that wait, for an event rather than for a time, since no time
 * suffices on a busy machine.
 */
#include "fake_app.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The collector's threads look for work, then wait: a few more times than either needs. */
#define LOOKS 10

/* How often a thread has waited; false if it has ended, or is not one of the collector's. */
static bool count_waits(const char *tid, unsigned long long *out)
{
	char path[300], line[256];
	bool ours = false, found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.32s/status", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		ours |= !strncmp(line, "Name:\tdeepprof", 14);
		found |= sscanf(line, "voluntary_ctxt_switches: %llu", out) == 1;
	}
	if (file)
		fclose(file);
	return ours && found;
}

static void wait_for_looks(const char *tid)
{
	unsigned long long now = 0, first;

	if (!count_waits(tid, &first))
		return;
	while (count_waits(tid, &now) && now < first + LOOKS)
		usleep(1000);
}

void app_looked(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;

	while (tasks && (entry = readdir(tasks)))
		wait_for_looks(entry->d_name);
	if (tasks)
		closedir(tasks);
}

/* The next flush to end may have begun before. */
void app_flushed(void)
{
	struct fake_truth *truth = app_fake->truth();
	uint64_t enough = atomic_load(&truth->flushes) + 2;

	while (atomic_load(&truth->flushes) < enough || app_fake->gives_back())
		usleep(1000);
	app_looked();
}

void app_go(void)
{
	struct fake_truth *truth = app_fake->truth();
	uint64_t turn = atomic_fetch_add(&truth->waits, 1) + 1;

	while (atomic_load(&truth->goes_on) < turn)
		usleep(1000);
}
