/* Finds the files of a job. */
#include "ranks_files.h"
#include "message.h"

#include <deepprof/deepprof.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Depth of folders in a folder: profilers create one per host or per rank. */
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
			else if (S_ISREG(stat_of.st_mode) && dp_trace_is_trace_name(entry->d_name))
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

bool ranks_is_summary_name(const char *path)
{
	size_t length = strlen(path), ending = strlen(RANKS_SUMMARY_ENDING);

	return length > ending && !strcmp(path + length - ending, RANKS_SUMMARY_ENDING);
}

/* Returns true if this is the summary of a trace in the list, which is sorted. */
static bool has_trace(const struct ranks_files *files, const char *path)
{
	char *trace = strndup(path, strlen(path) - strlen(RANKS_SUMMARY_ENDING));
	bool found = trace && bsearch(&trace, files->paths, files->count, sizeof(*files->paths),
				      compare_paths);

	free(trace);
	return found;
}

/* A trace's own summary is found when the trace is read. */
static bool drop_summaries_of_traces(struct ranks_files *files)
{
	bool *drop = calloc(files->count + 1, sizeof(*drop));
	size_t kept = 0;

	if (!drop) {
		message("out of memory");
		return false;
	}
	for (size_t i = 0; i < files->count; i++)
		drop[i] =
			ranks_is_summary_name(files->paths[i]) && has_trace(files, files->paths[i]);
	for (size_t i = 0; i < files->count; i++) {
		if (drop[i])
			free(files->paths[i]);
		else
			files->paths[kept++] = files->paths[i];
	}
	files->count = kept;
	free(drop);
	return true;
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
			good = add_file(files, argv[i]); /* listed as missing with the others */
	}
	drop_doubles(files);
	good = good && drop_summaries_of_traces(files);
	if (good && !files->count) {
		message("%s: contains no trace files", argv[0]);
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
