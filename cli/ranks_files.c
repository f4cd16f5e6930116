/* Files of a job, in threads. */
#include "ranks_files.h"
#include "folder.h"
#include "message.h"
#include "progress.h"
#include "spawn.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Folders in a folder: profilers make one per host or per rank, not more. */
enum { DEPTH = 3 };

static bool add_file(struct ranks_files *files, const char *path)
{
	if (files->count == files->room) {
		size_t room = files->room ? files->room * 2 : 64;
		char **paths = realloc(files->paths, room * sizeof(*paths));

		if (!paths)
			return false;
		files->paths = paths;
		files->room = room;
	}
	files->paths[files->count] = strdup(path);
	return files->paths[files->count++] != NULL;
}

/* Is it named as a trace is? In folders lie logs, checkpoints and reports, too. */
static bool is_trace_name(const char *name)
{
	static const char *const endings[] = {
		".json", ".json.gz", ".trace", ".sqlite", ".sqlite3",  ".sqlite.gz", ".db",
		".db.gz", ".csv",    ".csv.gz", ".nvvp",  ".nvprof", ".xplane.pb",  ".jsonl",
		".jsonl.gz", ".nsys-rep", ".qdrep",
	};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t ending = strlen(endings[i]);

		if (length > ending && name[0] != '.' &&
		    !strcasecmp(name + length - ending, endings[i]))
			return true;
	}
	return false;
}

/* "node7-pid4711.log": how the NCCL Inspector names its logs. Others in a folder are no traces. */
static bool is_inspector_name(const char *name)
{
	const char *pid = strstr(name, "-pid");
	size_t digits = pid ? strspn(pid + 4, "0123456789") : 0;

	return digits && (!strcmp(pid + 4 + digits, ".log") || !strcmp(pid + 4 + digits, ".log.gz"));
}

static bool add_folder(struct ranks_files *files, const char *path, int depth)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	bool good = true;

	if (!folder) {
		message("%s: %s", path, strerror(errno));
		return false;
	}
	while (good && (entry = readdir(folder))) {
		char *below = NULL;
		struct stat stat_of;

		if (entry->d_name[0] == '.')
			continue;
		below = malloc(strlen(path) + strlen(entry->d_name) + 2);
		if (!below) {
			message("out of memory");
			good = false;
			break;
		}
		sprintf(below, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/",
			entry->d_name);
		if (!stat(below, &stat_of)) {
			if (S_ISDIR(stat_of.st_mode) && depth < DEPTH)
				good = add_folder(files, below, depth + 1);
			else if (S_ISREG(stat_of.st_mode) &&
				 (is_trace_name(entry->d_name) ||
				  is_inspector_name(entry->d_name)))
				good = add_file(files, below);
		}
		free(below);
	}
	closedir(folder);
	return good;
}

static bool add_pattern(struct ranks_files *files, const char *pattern)
{
	glob_t found;
	bool good = true;

	if (glob(pattern, 0, NULL, &found)) {
		message("%s: %s", pattern, strerror(ENOENT));
		return false;
	}
	for (size_t i = 0; i < found.gl_pathc && good; i++)
		good = add_file(files, found.gl_pathv[i]);
	globfree(&found);
	return good;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void drop_doubles(struct ranks_files *files)
{
	size_t kept = 0;

	if (files->count)
		qsort(files->paths, files->count, sizeof(*files->paths), compare_paths);
	for (size_t i = 0; i < files->count; i++) {
		if (kept && !strcmp(files->paths[kept - 1], files->paths[i]))
			free(files->paths[i]);
		else
			files->paths[kept++] = files->paths[i];
	}
	files->count = kept;
}

bool ranks_files_find(struct ranks_files *files, int argc, char *const *argv)
{
	struct stat stat_of;
	bool good = true;

	*files = (struct ranks_files){ NULL, 0, 0 };
	for (int i = 0; i < argc && good; i++) {
		if (!stat(argv[i], &stat_of))
			good = S_ISDIR(stat_of.st_mode) ? add_folder(files, argv[i], 1)
							: add_file(files, argv[i]);
		else if (strpbrk(argv[i], "*?["))
			good = add_pattern(files, argv[i]);
		else
			good = add_file(files, argv[i]); /* named as missing with the others */
	}
	drop_doubles(files);
	if (good && !files->count) {
		message("%s: no trace files in it", argv[0]);
		good = false;
	}
	return good;
}

void ranks_files_free(struct ranks_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
}

/* What threads share; what is under the lock is said. */
struct work {
	const struct ranks_files *files;
	const struct ranks_reading *reading;
	struct dp_summary **summaries; /* per file, NULL where it can't be read */
	char **why;		       /* and why */
	pthread_mutex_t lock;
	size_t next; /* under the lock */
	size_t done; /* the same */
};

static int summarize(struct dp_summary **summary, const struct work *work, const char *path,
		     struct dp_error *error)
{
	struct dp_open_options open = DP_OPEN_OPTIONS_INIT;
	struct dp_analysis_options options = *work->reading->analysis;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	int status;

	open.input_format = work->reading->input_format;
	open.temporary_folder = folder_for_temporary();
	options.log = (struct dp_log){ NULL, NULL };
	status = dp_trace_open(&trace, path, &open, error);
	if (!status)
		status = dp_analysis_run(&analysis, trace, &options, error);
	if (!status)
		status = dp_summary_run(summary, analysis, path, error);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return status;
}

static void read_one(struct work *work, size_t index)
{
	struct dp_error error = DP_ERROR_INIT;
	const char *path = work->files->paths[index];
	int status = summarize(&work->summaries[index], work, path, &error);

	if (status == DP_ERR_FORMAT && spawn_is_nsys_recording(path))
		work->why[index] = strdup("a recording of Nsight Systems: export it first (nsys "
					  "export --type sqlite)");
	else if (status)
		work->why[index] =
			strdup(error.message[0] ? error.message : dp_status_name(status));
}

static void *read_files(void *ctx)
{
	struct work *work = ctx;

	for (;;) {
		char text[64];
		size_t index;

		pthread_mutex_lock(&work->lock);
		index = work->next++;
		snprintf(text, sizeof(text), "%zu of %zu files", work->done, work->files->count);
		if (index < work->files->count)
			progress_step(text);
		pthread_mutex_unlock(&work->lock);
		if (index >= work->files->count)
			return NULL;
		read_one(work, index);
		pthread_mutex_lock(&work->lock);
		work->done++;
		pthread_mutex_unlock(&work->lock);
	}
}

/* A thread that can't be started is one less: this one works as well. */
static void run_threads(struct work *work, unsigned threads)
{
	pthread_t *started = calloc(threads ? threads : 1, sizeof(*started));
	size_t count = 0;

	for (unsigned i = 1; started && i < threads && i < work->files->count; i++)
		if (!pthread_create(&started[count], NULL, read_files, work))
			count++;
	read_files(work);
	for (size_t i = 0; i < count; i++)
		pthread_join(started[i], NULL);
	free(started);
}

/* What threads found, in order of the files. */
static void collect(struct ranks_summaries *out, struct work *work)
{
	for (size_t i = 0; i < work->files->count; i++) {
		if (work->summaries[i])
			out->summaries[out->count++] = work->summaries[i];
		else
			out->left_out[out->left_out_count++] = (struct dp_left_out){
				work->files->paths[i],
				work->why[i] ? work->why[i] : "out of memory"
			};
	}
}

bool ranks_files_read(struct ranks_summaries *out, const struct ranks_files *files,
		      const struct ranks_reading *reading)
{
	struct work work = { .files = files, .reading = reading };
	bool good;

	*out = (struct ranks_summaries){ .files = files->count };
	work.summaries = calloc(files->count + 1, sizeof(*work.summaries));
	work.why = calloc(files->count + 1, sizeof(*work.why));
	out->summaries = calloc(files->count + 1, sizeof(*out->summaries));
	out->left_out = calloc(files->count + 1, sizeof(*out->left_out));
	good = work.summaries && work.why && out->summaries && out->left_out;
	if (good) {
		pthread_mutex_init(&work.lock, NULL);
		progress_begin("ranks", !reading->quiet);
		run_threads(&work, reading->threads);
		progress_end();
		pthread_mutex_destroy(&work.lock);
		collect(out, &work);
	} else {
		message("out of memory");
	}
	free(work.summaries);
	out->why = work.why;
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
}
