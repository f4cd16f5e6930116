/* What record reports at the end: what was recorded, or why nothing was. */
#define _GNU_SOURCE /* O_PATH */
#include "message.h"
#include "record.h"
#include "source.h"
#include "tty.h"

#include <deepprof/deepprof.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a count and the words after it. */
#define COUNTED_SIZE (DP_LABEL_NUMBER_SIZE + 60)

/* Of larger files, counting iterations takes longer than anybody would wait for a number. */
#define OPERATIONS_MAX UINT64_C(4000000)

/* Returns true if the driver's device exists: of a graphics card, of WSL, or of Tegra. */
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

/* Prints all warnings: unlike an importer's, each has another subject. */
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

/* Writes a count and the word after it. */
static const char *counted(char buf[COUNTED_SIZE], uint64_t count, const char *one,
			   const char *many)
{
	char number[DP_LABEL_NUMBER_SIZE];

	snprintf(buf, COUNTED_SIZE, "%s %s", dp_label_count(number, sizeof(number), count),
		 count == 1 ? one : many);
	return buf;
}

/* Reports why events were lost, and what can be done. */
static void say_losses(const struct dp_record_result *result)
{
	const struct {
		uint64_t count;
		const char *why;
	} parts[] = {
		{ result->lost_buffers, "buffers were full; increase --max-memory" },
		{ result->lost_nvtx,
		  "NVTX ranges and marks came faster than they could be stored" },
		{ result->lost_limit, "--max-spool was reached" },
		{ result->lost_disk, "the temporary file could not be written" },
		{ result->lost_cupti, "CUPTI had no memory for them" },
	};
	char count[COUNTED_SIZE];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].count)
			message("%s lost: %s",
				counted(count, parts[i].count, "event was", "events were"),
				parts[i].why);
}

/* A file in the outer recording's folder. */
#define INNER_FILE "inner"

/* The folder's path may lead elsewhere by now: the other variable identifies it. */
void record_tell_outer(void)
{
	const char *path = getenv("DEEPPROF_SPOOL"), *id = getenv("DEEPPROF_SPOOL_ID");
	int folder = -1, fd = -1;
	struct stat info;
	char found[64];

	if (path && id)
		folder = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return;
	if (!fstat(folder, &info)) {
		snprintf(found, sizeof(found), "%ju:%ju", (uintmax_t)info.st_dev,
			 (uintmax_t)info.st_ino);
		if (!strcmp(found, id))
			fd = openat(folder, INNER_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				    0600);
	}
	if (fd >= 0)
		close(fd);
	close(folder);
}

static bool inner_one_records(const struct record *record)
{
	return !faccessat(record->folder.fd, INNER_FILE, F_OK, 0);
}

/* Returns why nothing can be recorded on this machine; NULL if it may be possible. */
static const char *lacking(void)
{
	if (!has_driver() && !access("/proc/driver/nvidia/version", F_OK))
		return "the devices of the NVIDIA driver are not visible; start a container with "
		       "its GPUs, such as docker run --gpus all";
	if (!has_driver())
		return "there is no NVIDIA driver on this machine (no /dev/nvidiactl)";
	if (!may_use_driver())
		return "this user may not use /dev/nvidiactl";
	return NULL;
}

/* It makes PyTorch's profiler subscribe to CUPTI on import of torch, and only one tool can. */
static void say_kineto(const struct record *record)
{
	const char *daemon = getenv("KINETO_USE_DAEMON");
	char word[8300];

	if (!daemon || !*daemon || !strcmp(daemon, "0"))
		return;
	message_warning("KINETO_USE_DAEMON is set: PyTorch's profiler may hold CUPTI, and no "
			"kernels would be recorded; put env -u KINETO_USE_DAEMON in front of %s",
			message_word(word, sizeof(word), record->command[0]));
}

void record_say_ahead(const struct record *record)
{
	const char *why = lacking();

	say_kineto(record);
	if (why)
		message_warning("%s: %.80s will probably not be recorded", why, record->command[0]);
}

/* Returns true if a process was started with this environment variable. */
static bool has_variable(const char *pid, const char *variable)
{
	size_t length = strlen(variable) + 1, room = 0;
	char path[300], *text = NULL;
	bool found = false;
	ssize_t bytes;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.200s/environ", pid);
	file = fopen(path, "re");
	while (file && !found && (bytes = getdelim(&text, &room, 0, file)) > 0)
		found = (size_t)bytes == length && !memcmp(text, variable, length);
	free(text);
	if (file)
		fclose(file);
	return found;
}

/* Counts running processes of the program: they have its environment, whoever their parent is. */
static unsigned count_left(const struct record *record)
{
	DIR *stream = opendir("/proc");
	struct dirent *entry;
	unsigned count = 0;
	char variable[8300];

	snprintf(variable, sizeof(variable), "DEEPPROF_SPOOL=%.8000s", record->folder.path);
	while (stream && (entry = readdir(stream)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			count += has_variable(entry->d_name, variable);
	if (stream)
		closedir(stream);
	return count;
}

/* Explains that no process used CUDA. */
static void say_no_process(const struct record *record, const struct record_end *end)
{
	const char *why = end->recovered ? NULL : lacking();
	unsigned left = end->recovered ? 0 : count_left(record);

	if (end->recovered)
		message("nothing was recorded: no process had started to record");
	else if (inner_one_records(record))
		message("nothing was recorded here; the deepprof record that %.80s ran recorded it",
			record->command[0]);
	else if (why)
		message("nothing was recorded: %s", why);
	else if (left)
		message("nothing was recorded: %.80s never used CUDA; use --wait to wait for %u "
			"process%s that it left running",
			record->command[0], left, left == 1 ? "" : "es");
	else
		message("nothing was recorded: no process of this user and environment used CUDA; "
			"with sudo, docker, ssh, srun or env -i, run deepprof record inside");
}

/* Explains why CUPTI recorded nothing. */
static void say_no_work(const struct record *record, const struct record_end *end, const char *name)
{
	if (end->delayed)
		message("nothing was recorded: --delay was not over when %.80s ended", name);
	else if (record->options.capture_profiler)
		message("nothing was recorded: %.80s did not call cudaProfilerStart(), or did no "
			"GPU work before cudaProfilerStop()",
			name);
	else
		message("nothing was recorded: %.80s started CUDA, but did no GPU work", name);
}

void record_say_nothing(const struct record *record, const struct record_end *end,
			const struct dp_record_result *result)
{
	const char *name = end->recovered ? "the program" : record->command[0];
	char lost[DP_LABEL_NUMBER_SIZE];

	if (record->verbosity < 0)
		return;
	if (result->lost)
		message("nothing was recorded: all %s events were lost",
			dp_label_count(lost, sizeof(lost), result->lost));
	else if (result->processes && !result->cupti)
		message("nothing was recorded: CUPTI could not be used in %.80s", name);
	else if (result->processes)
		say_no_work(record, end, name);
	else
		say_no_process(record, end);
	say_losses(result);
	/* An existing file is not from this run. */
	if (!end->recovered && record_target_is_old(record))
		message("%s is from an earlier run", record->target);
}

/* Returns the disk space of the files in the folder. */
static uint64_t bytes_in(const struct folder *folder)
{
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
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

void record_say_kept(const struct folder *folder)
{
	char bytes[DP_LABEL_NUMBER_SIZE], word[8300];

	message("the recording (%s) is kept for later; next: deepprof "
		"record --recover=%s",
		dp_label_bytes(bytes, sizeof(bytes), bytes_in(folder)),
		message_word(word, sizeof(word), folder->path));
}

static const char *losses(char *buf, size_t size, const struct dp_record_result *result)
{
	char count[DP_LABEL_NUMBER_SIZE];

	if (result->lost)
		snprintf(buf, size, "%s lost%s", dp_label_count(count, sizeof(count), result->lost),
			 result->unsalvaged ? " or more" : "");
	else if (result->unsalvaged)
		return "unknown losses";
	else if (result->untimed)
		snprintf(buf, size, "%s without times",
			 dp_label_count(count, sizeof(count), result->untimed));
	else
		return "nothing lost";
	return buf;
}

/* Returns the complete iterations of the loop with most kernels. */
static uint64_t of_main_loop(const struct dp_analysis *analysis)
{
	uint64_t most = 0, iterations = 0;

	for (size_t i = 0; i < dp_analysis_loop_count(analysis); i++) {
		const struct dp_loop *loop = dp_analysis_loop(analysis, i);
		uint64_t kernels = (uint64_t)loop->length * loop->complete;

		if (!loop->selected || kernels <= most)
			continue;
		most = kernels;
		iterations = loop->complete;
	}
	return iterations;
}

/*
 * Counts the iterations in a trace file like deepprof analyze: a recording stops by a detector's
 * count, which is certain of a loop only after a while, so more iterations have been recorded.
 * Returns false if the number is unknown.
 */
static bool count_iterations(const char *path, const struct dp_record_result *result,
			     uint64_t *iterations)
{
	/* Computes only one metric, as metrics take most of the time. */
	const char *const metrics[] = { dp_metric(0)->name };
	struct dp_open_options open = DP_OPEN_OPTIONS_INIT;
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	bool done = false;

	if (!result->operations || result->operations > OPERATIONS_MAX)
		return false;
	options.metrics = metrics;
	options.metrics_count = 1;
	if (!dp_trace_open(&trace, path, &open, NULL) &&
	    !dp_analysis_run(&analysis, trace, &options, NULL)) {
		*iterations = of_main_loop(analysis);
		done = true;
	}
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return done;
}

/* With --iterations, reports the result, and writes how many there are. */
static const char *say_iterations(char *buf, size_t size, const struct record *record,
				  const struct record_end *end,
				  const struct dp_record_result *result)
{
	uint64_t wanted = record->options.iterations, count = 0;
	const char *what = end->early ? "the recording" : "the program";
	char number[DP_LABEL_NUMBER_SIZE];
	bool counted;

	buf[0] = '\0';
	if (!wanted)
		return buf;
	dp_label_count(number, sizeof(number), wanted);
	counted = count_iterations(record->target, result, &count);
	if (end->enough && !counted)
		snprintf(buf, size, "%llu iterations or more, ",
			 (unsigned long long)end->iterations);
	else if (counted && count)
		snprintf(buf, size, "%llu iteration%s, ", (unsigned long long)count,
			 count == 1 ? "" : "s");
	/* There are enough, found while it ran or when it had ended. */
	if (end->enough || result->beyond)
		return buf;
	if (!counted || count >= wanted)
		message("%s ended before a loop was detected: all of it was recorded, not only %s "
			"iterations",
			what, number);
	else
		message("%s ended before %s iterations", what, number);
	return buf;
}

/* Reports processes that the program left running, or that it runs itself. */
static void say_what_goes_on(const struct record *record, const struct record_end *end)
{
	const char *hint = record->wait ? "" : " (--wait waits for it)";
	const char *hints = record->wait ? "" : " (--wait waits for them)";

	if (end->early)
		message("recording has ended; %.80s continues", record->command[0]);
	else if (end->left == 1)
		message("a process that the program left behind still runs, and is no longer "
			"recorded%s",
			hint);
	else if (end->left)
		message("%u processes that the program left behind still run, and are no longer "
			"recorded%s",
			(unsigned)end->left, hints);
}

static const char *why_untimed(const struct dp_record_result *result)
{
	if (result->salvaged)
		return "a process ended before they were read from the GPU";
	if (result->graph_failures)
		return "their launch failed, or CUPTI had no memory for them";
	return "CUPTI had no memory for them, or they were still running";
}

/* Reports what is missing, and why. */
static void say_gaps(const struct record *record, const struct record_end *end,
		     const struct dp_record_result *result)
{
	char events[COUNTED_SIZE];

	if (!result->operations && end->delayed)
		message("no GPU operation was recorded: the program ended before --delay");
	else if (!result->operations && record->options.capture_profiler)
		message("no GPU operation was recorded: there was none between cudaProfilerStart() "
			"and cudaProfilerStop(), or they were not called");
	else if (!result->operations)
		message("no GPU operation was recorded, only other events");
	if (result->unsalvaged)
		message("%u process%s died without leaving its buffers: about its last second is "
			"missing",
			(unsigned)result->unsalvaged, result->unsalvaged == 1 ? " has" : "es have");
	if (result->salvaged)
		message("%s recovered from processes that were killed, ended abruptly or called "
			"exec()",
			counted(events, result->salvaged, "event was", "events were"));
	say_losses(result);
	if (result->untimed)
		message("%s no times: %s",
			counted(events, result->untimed, "operation has", "operations have"),
			why_untimed(result));
	if (result->graph_failures)
		message("\"unspecified launch failure\" in %s: CUPTI may cause it in CUDA graphs on "
			"several GPUs; to avoid them in JAX, set "
			"XLA_FLAGS=--xla_gpu_enable_command_buffer=",
			counted(events, result->graph_failures, "CUDA call", "CUDA calls"));
	if (result->graph_launches)
		message("%s; --cuda-graph=node records the kernels inside",
			counted(events, result->graph_launches,
				"CUDA graph launch is recorded as one operation",
				"CUDA graph launches are recorded as one operation each"));
}

void record_say_done(const struct record *record, const struct record_end *end,
		     const struct dp_record_result *result)
{
	char count[64], events[COUNTED_SIZE], time[DP_LABEL_NUMBER_SIZE],
		bytes[DP_LABEL_NUMBER_SIZE], lost[DP_LABEL_NUMBER_SIZE + 16], word[4300];
	bool named = strcmp(record->target, SOURCE_DEFAULT) || !result->operations;
	struct stat info = { .st_size = 0 };

	if (result->unbalanced)
		message("%s: the counts of %llu kinds of records do not add up: some records are "
			"missing without being counted as lost",
			record->target, (unsigned long long)result->unbalanced);
	if (record->verbosity < 0)
		return;
	say_what_goes_on(record, end);
	say_gaps(record, end, result);
	say_iterations(count, sizeof(count), record, end, result);
	stat(record->target, &info);
	/* Without operations there is nothing to analyze. */
	message("%s: %s in %s, %s%s, %s; next: deepprof %s%s%s", record->target,
		counted(events, result->events, "event", "events"),
		dp_label_duration(time, sizeof(time), (double)result->duration_ns, !tty_utf8()),
		count, dp_label_bytes(bytes, sizeof(bytes), (uint64_t)info.st_size),
		losses(lost, sizeof(lost), result), result->operations ? "analyze" : "info",
		named ? " " : "", named ? message_word(word, sizeof(word), record->target) : "");
}
