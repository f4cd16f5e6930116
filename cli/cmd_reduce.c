/* deepprof reduce: writes summaries of a job's traces, which deepprof ranks reads instead. */
#define _GNU_SOURCE /* O_PATH */
#include "cmd.h"
#include "message.h"
#include "ranks_read.h"
#include "reduce_shard.h"

#include <deepprof/report.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reduce {
	struct analyze_options args;
	uint64_t threads; /* 0: one per core */
	struct reduce_shard shard;
	bool detect;
	int operand_count;
	char *const *operands;
};

static bool set_threads(void *into, const char *value, struct opt_why *why)
{
	return opt_count(value, 1, &((struct reduce *)into)->threads, why);
}

static bool set_shard(void *into, const char *value, struct opt_why *why)
{
	struct reduce *reduce = into;

	reduce->detect = !strcmp(value, "auto");
	return reduce->detect || reduce_shard_parse(&reduce->shard, value) ||
	       opt_refuse(why, "'%s' is neither auto nor K/N, such as 1/8", value);
}

static const struct opt options[] = {
	{ 0, "shard", "auto|K/N",
	  "reduce only the K-th of N parts of the files; auto: from the launcher's variables",
	  set_shard },
	{ 'j', "jobs", "N", "analyze N files at a time (default: one per core)", set_threads },
	ANALYZE_LOOP_OPTIONS,
	{ 0, "level", "LEVEL", "level of nested loops to use", analyze_set_level,
	  analyze_level_name },
	COMMON_INPUT_OPTIONS,
	{ 'o', "output", "DIR|FILE",
	  "write summaries to DIR, or all of them to one FILE that ends in .dpsum",
	  common_set_output },
	{ 'f', "force", NULL, "reduce up-to-date traces again; overwrite FILE", common_set_force },
	COMMON_MODE_OPTION,
	COMMON_MESSAGE_OPTIONS,
	{ .name = NULL },
};

/* Shared by threads. */
struct work {
	const struct reduce *reduce;
	const struct ranks_reading *reading;
	const struct ranks_files *files;
	char **targets; /* per file */
	int folder;	/* that they are in; -1: each next to its trace */
	/* Protected by the lock: */
	size_t made, kept, failed, skipped;
	uint64_t bytes;
};

/* With a folder, only the last part of path counts. */
static bool write_summaries(const struct reduce *reduce, int folder, const char *path, bool force,
			    struct dp_summary *const *summaries, size_t count)
{
	struct dp_error error = DP_ERROR_INIT;
	struct output output;
	struct dp_sink sink;
	bool good;

	if (folder >= 0 ? !output_open_in(&output, folder, path, force, reduce->args.common.mode)
			: !output_open(&output, path, force, reduce->args.common.mode, false))
		return false;
	if (!strcmp(path, "-") && output_is_terminal(&output)) {
		message("summaries are binary; use -o FILE");
		output_close(&output, false);
		return false;
	}
	sink = output_sink(&output);
	good = !dp_summary_write(summaries, count, &sink, &error);
	if (!good && !output_failed(&output))
		message_error(&error);
	return output_close(&output, good) && good;
}

static bool is_operand(const struct reduce *reduce, const char *path)
{
	for (int i = 0; i < reduce->operand_count; i++)
		if (!strcmp(reduce->operands[i], path))
			return true;
	return false;
}

/* Other files in a folder are skipped with a warning; one on the command line is an error. */
static void refuse_one(struct work *work, const char *path, int status, const char *why)
{
	if (status == DP_ERR_FORMAT && !is_operand(work->reduce, path)) {
		work->skipped++;
		message_warning("%s: %s", path, why ? why : "out of memory");
	} else {
		work->failed++;
		message("%s: %s", path, why ? why : "out of memory");
	}
}

/* Call with the lock: messages and temporary files are for one thread at a time. */
static void finish_one(struct work *work, size_t index, struct dp_summary *summary)
{
	const char *target = work->targets[index];
	struct stat info;
	/* An outdated summary is replaced, but nothing else that has its name. */
	bool force = work->reduce->args.common.force || dp_summary_is_summary(target) ||
		     lstat(target, &info);
	int folder = work->folder;

	if (folder < 0)
		folder = ranks_files_open_folder(work->files, target);
	if (folder >= 0 && write_summaries(work->reduce, folder, target, force, &summary, 1)) {
		work->made++;
		if (!stat(target, &info))
			work->bytes += (uint64_t)info.st_size;
	} else {
		work->failed++;
	}
	if (folder >= 0 && folder != work->folder)
		close(folder);
}

static void reduce_one(void *ctx, size_t index)
{
	struct work *work = ctx;
	const char *path = work->files->paths[index];
	struct dp_summary *summary = NULL;
	char *why = NULL;
	int status = DP_OK;
	bool found;

	if (!work->reduce->args.common.force)
		summary = ranks_find_summary(work->reading, path, work->targets[index]);
	found = summary != NULL;
	if (!found)
		status = ranks_summarize(&summary, work->reading, path, &why, NULL);
	ranks_lock();
	if (found)
		work->kept++;
	else if (status)
		refuse_one(work, path, status, why);
	else
		finish_one(work, index, summary);
	ranks_unlock();
	dp_summary_free(summary);
	free(why);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the name of a trace's summary in a folder. */
static char *name_in(const char *folder, const char *path)
{
	const char *base = base_name(path);
	size_t length = strlen(folder) + strlen(base) + sizeof("/" RANKS_SUMMARY_ENDING);
	char *name = malloc(length);

	if (name)
		snprintf(name, length, "%s%s%s" RANKS_SUMMARY_ENDING, folder,
			 folder[strlen(folder) - 1] == '/' ? "" : "/", base);
	return name;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* No two traces may have the same name in one folder. */
static bool are_apart(char *const *targets, size_t count)
{
	char **sorted = malloc((count + 1) * sizeof(*sorted));
	bool apart = true;

	if (!sorted) {
		message("out of memory");
		return false;
	}
	memcpy(sorted, targets, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_names);
	for (size_t i = 1; i < count && apart; i++) {
		apart = strcmp(sorted[i - 1], sorted[i]) != 0;
		if (!apart)
			message("%s: is a summary of several traces; write to one file instead (-o FILE%s)",
				sorted[i], RANKS_SUMMARY_ENDING);
	}
	free(sorted);
	return apart;
}

static bool name_targets(struct work *work)
{
	const char *folder = work->reduce->args.common.output;

	for (size_t i = 0; i < work->files->count; i++) {
		const char *path = work->files->paths[i];

		work->targets[i] = folder ? name_in(folder, path) : ranks_summary_name(path);
		if (!work->targets[i]) {
			message("out of memory");
			return false;
		}
	}
	return !folder || are_apart(work->targets, work->files->count);
}

static void report(const struct work *work)
{
	const struct reduce_shard *shard = &work->reduce->shard;
	char part[96] = "", bytes[DP_LABEL_NUMBER_SIZE];

	if (shard->count > 1)
		snprintf(part, sizeof(part),
			 "shard %llu of %llu: ", (unsigned long long)shard->index + 1,
			 (unsigned long long)shard->count);
	if (!work->reduce->args.common.quiet)
		message("%s%zu reduced (%s), %zu up to date, %zu failed, %zu skipped", part,
			work->made, dp_label_bytes(bytes, sizeof(bytes), work->bytes), work->kept,
			work->failed, work->skipped);
}

/* Writes a summary for each trace. */
static bool reduce_each(const struct reduce *reduce, int folder, const struct ranks_files *files,
			const struct ranks_reading *reading)
{
	struct work work = {
		.reduce = reduce, .reading = reading, .files = files, .folder = folder
	};
	bool good = false;

	work.targets = calloc(files->count + 1, sizeof(*work.targets));
	if (!work.targets) {
		message("out of memory");
		return false;
	}
	if (name_targets(&work)) {
		ranks_each(reading, files->count, "reduce", reduce_one, &work);
		report(&work);
		good = !work.failed;
	}
	for (size_t i = 0; i < files->count; i++)
		free(work.targets[i]);
	free(work.targets);
	return good;
}

/* Writes one file for all traces. */
static bool reduce_to_one(const struct reduce *reduce, const struct ranks_files *files,
			  const struct ranks_reading *reading)
{
	struct ranks_summaries read;
	bool good = ranks_read(&read, files, reading, "reduce");
	size_t failed = 0;

	for (size_t i = 0; i < read.left_out_count; i++) {
		message("%s: %s", read.left_out[i].file, read.left_out[i].why);
		failed += read.statuses[i] && (read.statuses[i] != DP_ERR_FORMAT ||
					       is_operand(reduce, read.left_out[i].file));
	}
	/* A shard without files is an empty summary, but a shard that failed is not. */
	if (files->count && !read.count)
		good = false;
	good = good && write_summaries(reduce, -1, reduce->args.common.output,
				       reduce->args.common.force, read.summaries, read.count);
	good = good && !failed;
	ranks_summaries_free(&read);
	return good;
}

/* Drops summaries among the traces: they are not needed if each trace gets its own. */
static void drop_summaries(struct ranks_files *files)
{
	size_t kept = 0;

	for (size_t i = 0; i < files->count; i++) {
		if (ranks_is_summary_name(files->paths[i]))
			free(files->paths[i]);
		else
			files->paths[kept++] = files->paths[i];
	}
	files->count = kept;
}

static bool is_one_file(const struct reduce *reduce)
{
	const char *output = reduce->args.common.output;

	return output && (!strcmp(output, "-") || ranks_is_summary_name(output));
}

/*
 * Opens the folder, and creates it if it is missing; several shards may do so at the same time.
 * What another user gives its name to later is not used. Returns -1 after printing the error.
 */
static int open_folder(const char *path)
{
	size_t length = strlen(path);
	struct place place = PLACE_INIT;
	const char *why;
	char *name;
	int fd = -1;

	while (length > 1 && path[length - 1] == '/')
		length--;
	name = strndup(path, length);
	why = name ? place_find(&place, name, false) : strerror(ENOMEM);
	if (!why && place.taken && !S_ISDIR(place.info.st_mode))
		why = strerror(ENOTDIR);
	if (!why && !place.taken && mkdirat(place.folder, place_name(&place), 0777) &&
	    errno != EEXIST)
		why = strerror(errno);
	if (!why) {
		fd = openat(place.folder, place_name(&place),
			    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		why = fd < 0 ? strerror(errno) : NULL;
	}
	if (why)
		message("%s: %s", path, why);
	place_close(&place);
	free(name);
	return fd;
}

static bool reduce_files(struct reduce *reduce, struct ranks_files *files)
{
	struct ranks_reading reading;
	bool to_one = is_one_file(reduce), good;
	int folder = -1;

	if (!to_one)
		drop_summaries(files);
	else if (!dp_summary_is_summary(reduce->args.common.output) &&
		 common_overwrites(&reduce->args.common, files->count, files->paths))
		return false;
	reduce_shard_keep(&reduce->shard, files);
	if (!ranks_reading_init(&reading, &reduce->args, reduce->threads))
		return false;
	if (!to_one && reduce->args.common.output) {
		folder = open_folder(reduce->args.common.output);
		good = folder >= 0 && reduce_each(reduce, folder, files, &reading);
	} else {
		good = to_one ? reduce_to_one(reduce, files, &reading)
			      : reduce_each(reduce, -1, files, &reading);
	}
	if (folder >= 0)
		close(folder);
	ranks_reading_fini(&reading);
	return good;
}

static bool find_shard(struct reduce *reduce)
{
	if (!reduce->detect)
		return true;
	if (!reduce_shard_detect(&reduce->shard))
		return false;
	if (!reduce->shard.count && is_one_file(reduce)) {
		message("--shard=auto: %s does not include the number of processes; write to a "
			"folder, or use --shard=K/N",
			reduce->shard.variable);
		return false;
	}
	if (!reduce->shard.variable)
		message_warning("--shard=auto: no launcher's variables are set, so all files are "
				"reduced");
	return true;
}

static enum cmd_exit run(const struct cmd *cmd, int argc, char **argv)
{
	struct reduce reduce = { .args.options = DP_ANALYSIS_OPTIONS_INIT,
				 .args.needs_all = true,
				 .args.common.writes_files = true,
				 .shard = REDUCE_SHARD_ALL };
	enum cmd_exit status = CMD_DONE;
	struct ranks_files files;

	reduce.args.common.source.verb = cmd->name;
	if (!cmd_parse(cmd, &reduce, &argc, &argv, &status))
		return status;
	if (!argc) {
		message("reduce: specify the traces of all ranks, or a folder with them");
		return CMD_USAGE;
	}
	if (!analyze_options_finish(&reduce.args, &argc, &argv) || !find_shard(&reduce))
		return CMD_USAGE;
	reduce.operand_count = argc;
	reduce.operands = argv;
	status = CMD_FAILED;
	if (ranks_files_find(&files, argc, argv) && reduce_files(&reduce, &files))
		status = CMD_DONE;
	ranks_files_free(&files);
	return status;
}

static const struct cmd_example examples[] = {
	{ "srun deepprof reduce --shard=auto traces/", "each task reduces a part" },
	{ "deepprof ranks traces/", "compare from the summaries" },
	{ "deepprof reduce -o job.dpsum traces/", "write one file" },
	{ NULL, NULL },
};

const struct cmd cmd_reduce = {
	.name = "reduce",
	.summary = "reduce traces of ranks to small summaries",
	.operands = "DIR|FILE...",
	.examples = examples,
	.options = options,
	.notes =
		"The summary of TRACE is TRACE.dpsum. Up-to-date summaries are kept, and a summary "
		"appears only when it is complete. 'deepprof ranks' reads summaries and traces.",
	.run = run,
};
