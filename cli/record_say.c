/* What record says at the end: what there is, or why there is nothing. */
#include "human.h"
#include "message.h"
#include "record.h"
#include "source.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The driver's device, of a graphics card, of WSL, or of Tegra. */
static bool has_driver(void)
{
	static const char *const devices[] = { "/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-ctrl",
					       "/dev/nvhost-ctrl-gpu" };

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (!access(devices[i], F_OK))
			return true;
	return false;
}

static bool may_use_driver(void)
{
	return access("/dev/nvidiactl", F_OK) || !access("/dev/nvidiactl", R_OK | W_OK);
}

/* All of it: unlike an importer's, each warning is about something else. */
static void write_log(void *ctx, enum dp_log_level level, const char *text)
{
	const struct record *record = ctx;

	if (level == DP_LOG_WARNING)
		message_warning("%s", text);
	else if (record->verbosity > 0)
		message("%s", text);
}

struct dp_log record_log(const struct record *record)
{
	return (struct dp_log){ write_log, (void *)(uintptr_t)record };
}

void record_say_nothing(const struct record *record, const struct record_end *end,
			const struct dp_record_result *result)
{
	char lost[HUMAN_SIZE];
	const char *name = end->recovered ? "the program" : record->command[0];

	if (record->verbosity < 0)
		return;
	if (result->lost)
		message("nothing was recorded: all of %s events were lost, to a limit or a full "
			"disk",
			human_count(lost, result->lost));
	else if (result->processes && !result->cupti)
		message("nothing was recorded: CUPTI could not be used in %.80s", name);
	else if (result->processes)
		message("nothing was recorded: %.80s started CUDA, but did nothing that could be "
			"recorded",
			name);
	else if (end->recovered)
		message("nothing was recorded: no process had begun to");
	else if (!has_driver() && !access("/proc/driver/nvidia/version", F_OK))
		message("nothing was recorded: the NVIDIA driver's devices are not visible here; a "
			"container must be started with its GPUs, as by docker run --gpus all");
	else if (!has_driver())
		message("nothing was recorded: there is no NVIDIA driver on this machine "
			"(no /dev/nvidiactl)");
	else if (!may_use_driver())
		message("nothing was recorded: /dev/nvidiactl may not be used by this user");
	else if (end->left)
		message("nothing was recorded: %.80s has ended and never used CUDA; what it left "
			"running is not waited for without --wait",
			name);
	else
		message("nothing was recorded: %.80s never used CUDA", name);
	/* What is analyzed next is not this run. */
	if (!end->recovered && record_target_is_old(record))
		message("%s is still that of an earlier run", record->target);
}

/* What the files in the folder take of the disk. */
static uint64_t bytes_in(const char *folder)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;
	struct stat info;
	uint64_t bytes = 0;

	while (stream && (entry = readdir(stream)))
		if (!fstatat(dirfd(stream), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(info.st_mode) && info.st_blocks > 0)
			bytes += (uint64_t)info.st_blocks * 512;
	if (stream)
		closedir(stream);
	return bytes;
}

void record_say_kept(const char *folder)
{
	char bytes[HUMAN_SIZE];

	message("what was recorded is kept, all %s of it, for when there is room; next: deepprof "
		"record --recover=%s",
		human_bytes(bytes, bytes_in(folder)), folder);
}

static const char *losses(char *buf, size_t size, const struct dp_record_result *result)
{
	char count[HUMAN_SIZE];

	if (!result->lost)
		return result->unsalvaged ? "what was lost is not known" : "nothing lost";
	snprintf(buf, size, "%s lost%s", human_count(count, result->lost),
		 result->unsalvaged ? " or more" : "");
	return buf;
}

/* Where their number ended the recording: how many were seen. Some more are in the file. */
static const char *iterations(char *buf, size_t size, const struct record_end *end)
{
	buf[0] = '\0';
	if (end->enough)
		snprintf(buf, size, "stopped after %llu iteration%s, ",
			 (unsigned long long)end->iterations, end->iterations == 1 ? "" : "s");
	return buf;
}

void record_say_done(const struct record *record, const struct record_end *end,
		     const struct dp_record_result *result)
{
	char count[64], events[HUMAN_SIZE], time[HUMAN_SIZE], bytes[HUMAN_SIZE],
		lost[HUMAN_SIZE + 16];
	bool named = strcmp(record->target, SOURCE_DEFAULT) || !result->operations;
	struct stat info = { .st_size = 0 };

	if (result->unbalanced)
		message("%s: the counts of %llu kinds of records do not add up: some are missing "
			"that are not listed as lost",
			record->target, (unsigned long long)result->unbalanced);
	if (record->verbosity < 0)
		return;
	if (end->early)
		message("recording has ended; %.80s goes on", record->command[0]);
	else if (end->left == 1)
		message("a process that the program left behind still runs; it is recorded no more "
			"(--wait waits for it)");
	else if (end->left)
		message("%u processes that the program left behind still run; they are recorded no "
			"more (--wait waits for them)",
			(unsigned)end->left);
	if (!result->operations)
		message("no GPU operation was recorded, only what else there was");
	if (result->unsalvaged)
		message("%u process%s died and left no memory: what was not stored is missing, "
			"about the last second",
			(unsigned)result->unsalvaged, result->unsalvaged == 1 ? " has" : "es have");
	if (result->salvaged)
		message("%s events were salvaged from processes that were killed",
			human_count(events, result->salvaged));
	if (record->options.iterations && !end->enough)
		message("fewer than %llu %s seen: nothing was left out",
			(unsigned long long)record->options.iterations,
			record->options.iterations == 1 ? "iteration was" : "iterations were");
	stat(record->target, &info);
	/* Without an operation there is nothing to analyze. */
	message("%s: %s events in %s, %s%s, %s; next: deepprof %s%s%s", record->target,
		human_count(events, result->events),
		human_time(time, (double)result->duration_ns, true),
		iterations(count, sizeof(count), end), human_bytes(bytes, (uint64_t)info.st_size),
		losses(lost, sizeof(lost), result), result->operations ? "analyze" : "info",
		named ? " " : "", named ? record->target : "");
}
