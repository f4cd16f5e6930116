/* Reads summaries and reduces traces to them, in threads. */
#include "ranks_read.h"
#include "folder.h"
#include "message.h"
#include "progress.h"
#include "spawn.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More threads gain nothing: they share one disk. */
enum { THREADS_MOST = 256 };

/* Returns the settings that determine what an analysis finds. */
static char *settings_of(const struct analyze_options *args)
{
	const struct dp_analysis_options *options = &args->options;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "deepprof %s", dp_version());
	for (size_t i = 0; i < options->iterations_count; i++)
		fprintf(out, "%s%llu", i ? "," : " -n ",
			(unsigned long long)options->iterations[i]);
	if (options->marks)
		fprintf(out, " --marks=%s", options->marks);
	if (options->ignore_marks)
		fprintf(out, " --ignore-marks");
	if (options->level)
		fprintf(out, " --level=%s", analyze_level_name((size_t)options->level));
	if (args->common.source.input_format)
		fprintf(out, " --input-format=%s", args->common.source.input_format);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

bool ranks_reading_init(struct ranks_reading *reading, const struct analyze_options *args,
			uint64_t threads)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (!threads)
		threads = cores > 0 ? (uint64_t)cores : 1;
	*reading =
		(struct ranks_reading){ args, settings_of(args),
					threads < THREADS_MOST ? (unsigned)threads : THREADS_MOST };
	if (!reading->settings)
		message("out of memory");
	return reading->settings != NULL;
}

void ranks_reading_fini(struct ranks_reading *reading)
{
	free(reading->settings);
}

/* Shared by threads. */
struct work {
	void (*each)(void *ctx, size_t index);
	void *ctx;
	size_t count;
	size_t next; /* protected by the lock */
	size_t done; /* likewise */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ranks_lock(void)
{
	pthread_mutex_lock(&lock);
}

void ranks_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static void *work_on(void *ctx)
{
	struct work *work = ctx;

	for (;;) {
		char text[64];
		size_t index;

		ranks_lock();
		index = work->next++;
		snprintf(text, sizeof(text), "%zu of %zu files", work->done, work->count);
		if (index < work->count)
			progress_step(text);
		ranks_unlock();
		if (index >= work->count)
			return NULL;
		work->each(work->ctx, index);
		ranks_lock();
		work->done++;
		ranks_unlock();
	}
}

/* If a thread cannot be started there is one less; the calling thread works as well. */
void ranks_each(const struct ranks_reading *reading, size_t count, const char *label,
		void (*each)(void *ctx, size_t index), void *ctx)
{
	pthread_t *started = calloc(reading->threads, sizeof(*started));
	struct work work = { .each = each, .ctx = ctx, .count = count };
	size_t threads = 0;

	progress_begin(label, !reading->args->common.quiet);
	for (unsigned i = 1; started && i < reading->threads && i < count; i++)
		if (!pthread_create(&started[threads], NULL, work_on, &work))
			threads++;
	work_on(&work);
	for (size_t i = 0; i < threads; i++)
		pthread_join(started[i], NULL);
	progress_end();
	free(started);
}

/* Notes the state of the trace file of a summary. */
static void stamp(struct dp_summary_source *source, const char *path)
{
	struct stat info;

	if (stat(path, &info) || !S_ISREG(info.st_mode))
		return;
	source->bytes = (uint64_t)info.st_size;
	source->modified_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
}

static void keep_first(void *ctx, enum dp_log_level level, const char *text)
{
	char **warning = ctx;

	if (level == DP_LOG_WARNING && !*warning)
		*warning = strdup(text);
}

static int summarize(struct dp_summary **summary, const struct ranks_reading *reading,
		     const char *path, char **warning, struct dp_error *error)
{
	struct dp_open_options open = DP_OPEN_OPTIONS_INIT;
	struct dp_analysis_options options = reading->args->options;
	struct dp_summary_source source = DP_SUMMARY_SOURCE_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	int status;

	source.name = path;
	source.settings = reading->settings;
	/* Before reading: if the file changes meanwhile, the summary counts as outdated. */
	stamp(&source, path);
	open.input_format = reading->args->common.source.input_format;
	open.temporary_folder = folder_for_temporary();
	options.log = (struct dp_log){ NULL, NULL };
	if (warning && options.iterations_count)
		options.log = (struct dp_log){ keep_first, warning };
	status = dp_trace_open(&trace, path, &open, error);
	if (!status)
		status = dp_analysis_run(&analysis, trace, &options, error);
	if (!status)
		status = dp_summary_run(summary, analysis, &source, error);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return status;
}

int ranks_summarize(struct dp_summary **summary, const struct ranks_reading *reading,
		    const char *path, char **why, char **warning)
{
	struct dp_error error = DP_ERROR_INIT;
	int status = summarize(summary, reading, path, warning, &error);

	if (status == DP_ERR_FORMAT && spawn_is_nsys_recording(path))
		*why = strdup("is an Nsight Systems recording; export it first (nsys export --type "
			      "sqlite)");
	else if (status)
		*why = strdup(error.message[0] ? error.message : dp_status_name(status));
	return status;
}

/* Returns true if reducing the trace at path would give the same. */
static bool is_up_to_date(const struct ranks_reading *reading,
			  const struct dp_summary_source *source, const char *path)
{
	struct dp_summary_source now = DP_SUMMARY_SOURCE_INIT;

	stamp(&now, path);
	return now.modified_ns && source->bytes == now.bytes &&
	       source->modified_ns == now.modified_ns &&
	       !strcmp(source->settings, reading->settings);
}

struct dp_summary *ranks_find_summary(const struct ranks_reading *reading, const char *path,
				      const char *summary)
{
	struct dp_summary *found = NULL;

	/* Another user may have put a pipe there, which would never end. */
	if (!dp_summary_is_summary(summary) || dp_summary_open(&found, summary, NULL))
		return NULL;
	if (dp_summary_source(found, 0) && !dp_summary_source(found, 1) &&
	    is_up_to_date(reading, dp_summary_source(found, 0), path))
		return found;
	dp_summary_free(found);
	return NULL;
}

char *ranks_summary_name(const char *path)
{
	size_t length = strlen(path);
	char *name = malloc(length + sizeof(RANKS_SUMMARY_ENDING));

	if (name) {
		memcpy(name, path, length);
		memcpy(name + length, RANKS_SUMMARY_ENDING, sizeof(RANKS_SUMMARY_ENDING));
	}
	return name;
}

/* Files are read in two steps: summaries, then traces without one. */
struct job {
	const struct ranks_files *files;
	const struct ranks_reading *reading;
	struct dp_summary **summaries; /* per file, NULL if it cannot be read */
	char **why;		       /* and the reason */
	char **warnings;	       /* per file, NULL if there is none */
	int *statuses;		       /* and the library's status */
	size_t *order;		       /* of the files of this step */
	bool *done;		       /* per file: in an earlier step */
};

static void read_summary(void *ctx, size_t index)
{
	struct job *job = ctx;
	size_t file = job->order[index];
	struct dp_error error = DP_ERROR_INIT;

	job->statuses[file] =
		dp_summary_open(&job->summaries[file], job->files->paths[file], &error);
	if (job->statuses[file])
		job->why[file] = strdup(error.message);
}

static void read_trace(void *ctx, size_t index)
{
	struct job *job = ctx;
	size_t file = job->order[index];
	const char *path = job->files->paths[file];
	char *name = ranks_summary_name(path);

	if (name)
		job->summaries[file] = ranks_find_summary(job->reading, path, name);
	if (!job->summaries[file])
		job->statuses[file] = ranks_summarize(&job->summaries[file], job->reading, path,
						      &job->why[file], &job->warnings[file]);
	free(name);
}

static int compare_path(const void *path, const void *other)
{
	return strcmp(path, *(char *const *)other);
}

/*
 * Traces that a summary covers need not be read. If one of them is newer, all traces of that
 * summary are read again.
 */
static void take_summary(struct job *job, size_t file)
{
	const struct dp_summary_source *source;
	char *const *paths = job->files->paths;
	char *const *trace;

	for (size_t i = 0; (source = dp_summary_source(job->summaries[file], i)); i++) {
		trace = bsearch(source->name, paths, job->files->count, sizeof(*paths),
				compare_path);
		if (trace && !is_up_to_date(job->reading, source, *trace)) {
			dp_summary_free(job->summaries[file]);
			job->summaries[file] = NULL;
			job->why[file] = strdup("is a summary older than its traces, or made with "
						"other options");
			return;
		}
	}
	for (size_t i = 0; (source = dp_summary_source(job->summaries[file], i)); i++) {
		trace = bsearch(source->name, paths, job->files->count, sizeof(*paths),
				compare_path);
		if (trace)
			job->done[trace - paths] = true;
	}
}

static void read_all(struct job *job, const char *label)
{
	const struct ranks_files *files = job->files;
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++) {
		job->done[i] = ranks_is_summary_name(files->paths[i]) ||
			       dp_summary_is_summary(files->paths[i]);
		if (job->done[i])
			job->order[count++] = i;
	}
	ranks_each(job->reading, count, label, read_summary, job);
	for (size_t i = 0; i < count; i++)
		if (job->summaries[job->order[i]])
			take_summary(job, job->order[i]);
	count = 0;
	for (size_t i = 0; i < files->count; i++)
		if (!job->done[i])
			job->order[count++] = i;
	ranks_each(job->reading, count, label, read_trace, job);
}

/* Collects the results in order of the files. */
static void collect(struct ranks_summaries *out, const struct job *job)
{
	for (size_t i = 0; i < job->files->count; i++) {
		if (job->summaries[i]) {
			out->summaries[out->count++] = job->summaries[i];
		} else if (job->why[i] || !job->done[i]) {
			out->statuses[out->left_out_count] = job->statuses[i];
			out->left_out[out->left_out_count++] = (struct dp_left_out){
				job->files->paths[i], job->why[i] ? job->why[i] : "out of memory"
			};
		}
	}
}

/* Prints the first warning: those of other ranks mostly say the same. */
static void print_warning(const struct job *job)
{
	size_t first = 0, more = 0;

	while (first < job->files->count && !job->warnings[first])
		first++;
	if (first == job->files->count)
		return;
	for (size_t i = first + 1; i < job->files->count; i++)
		more += job->warnings[i] != NULL;
	if (more)
		message_warning("%s: %s (%zu more %s)", job->files->paths[first],
				job->warnings[first], more,
				more == 1 ? "file has a warning" : "files have warnings");
	else
		message_warning("%s: %s", job->files->paths[first], job->warnings[first]);
}

bool ranks_read(struct ranks_summaries *out, const struct ranks_files *files,
		const struct ranks_reading *reading, const char *label)
{
	struct job job = { .files = files, .reading = reading };
	bool good;

	*out = (struct ranks_summaries){ .files = files->count };
	job.summaries = calloc(files->count + 1, sizeof(*job.summaries));
	job.why = calloc(files->count + 1, sizeof(*job.why));
	job.warnings = calloc(files->count + 1, sizeof(*job.warnings));
	job.order = calloc(files->count + 1, sizeof(*job.order));
	job.done = calloc(files->count + 1, sizeof(*job.done));
	job.statuses = calloc(files->count + 1, sizeof(*job.statuses));
	out->summaries = calloc(files->count + 1, sizeof(*out->summaries));
	out->statuses = calloc(files->count + 1, sizeof(*out->statuses));
	out->left_out = calloc(files->count + 1, sizeof(*out->left_out));
	good = job.summaries && job.why && job.warnings && job.statuses && job.order && job.done &&
	       out->summaries && out->left_out && out->statuses;
	if (good) {
		read_all(&job, label);
		collect(out, &job);
		print_warning(&job);
	} else {
		message("out of memory");
	}
	for (size_t i = 0; job.warnings && i < files->count; i++)
		free(job.warnings[i]);
	free(job.warnings);
	free(job.summaries);
	free(job.statuses);
	free(job.order);
	free(job.done);
	out->why = job.why;
	return good;
}

void ranks_summaries_free(struct ranks_summaries *summaries)
{
	for (size_t i = 0; i < summaries->count; i++)
		dp_summary_free(summaries->summaries[i]);
	for (size_t i = 0; summaries->why && i < summaries->files; i++)
		free(summaries->why[i]);
	free(summaries->why);
	free(summaries->summaries);
	free(summaries->left_out);
	free(summaries->statuses);
}
