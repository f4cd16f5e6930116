/* Finds the files of a job. */
#define _GNU_SOURCE /* O_PATH */
#include "ranks_files.h"
#include "message.h"
#include "place.h"

#include <deepprof/deepprof.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Depth of folders in a folder: profilers create one per host or per rank. */
enum { DEPTH = 3 };

static bool add_file(struct ranks_files *files, const char *path)
{
	size_t room = files->room ? files->room * 2 : 64;
	char **paths = files->paths;

	if (files->count == files->room) {
		paths = realloc(paths, room * sizeof(*paths));
		if (paths) {
			files->paths = paths;
			files->room = room;
		}
	}
	if (paths)
		paths[files->count] = strdup(path);
	if (!paths || !paths[files->count]) {
		message("out of memory");
		return false;
	}
	files->count++;
	return true;
}

/* Notes which folder has this path, without the slash that files have after it. */
static bool note_folder(struct ranks_files *files, const char *path, DIR *folder)
{
	size_t length = strlen(path);
	struct ranks_folder *all = files->folders;
	struct stat info;

	if (files->folder_count == files->folder_room) {
		files->folder_room = files->folder_room ? files->folder_room * 2 : 16;
		all = realloc(all, files->folder_room * sizeof(*all));
		if (!all)
			return false;
		files->folders = all;
	}
	if (fstat(dirfd(folder), &info))
		return false;
	all += files->folder_count;
	*all = (struct ranks_folder){ .device = info.st_dev, .inode = info.st_ino };
	all->path = strndup(path, length > 1 && path[length - 1] == '/' ? length - 1 : length);
	files->folder_count += all->path != NULL;
	return all->path != NULL;
}

static bool add_folder(struct ranks_files *files, const char *path, int depth)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	bool good = folder && note_folder(files, path, folder);

	if (!good)
		message("%s: %s", path, strerror(errno));
	if (!folder)
		return false;
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

static int compare_folders(const void *a, const void *b)
{
	const struct ranks_folder *one = a, *other = b;

	return strcmp(one->path, other->path);
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

	*files = (struct ranks_files){ .paths = NULL };
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
	if (files->folder_count)
		qsort(files->folders, files->folder_count, sizeof(*files->folders),
		      compare_folders);
	good = good && drop_summaries_of_traces(files);
	if (good && !files->count) {
		message("%s: contains no trace files", argv[0]);
		good = false;
	}
	return good;
}

/* Returns true if the open folder is the one that was listed by this path, or none was. */
static bool is_listed(const struct ranks_files *files, char *path, int fd)
{
	const struct ranks_folder key = { .path = path }, *listed = NULL;
	struct stat info;

	if (files->folder_count)
		listed = bsearch(&key, files->folders, files->folder_count, sizeof(key),
				 compare_folders);
	return !listed ||
	       (!fstat(fd, &info) && info.st_dev == listed->device && info.st_ino == listed->inode);
}

int ranks_files_open_folder(const struct ranks_files *files, const char *path)
{
	char *above = place_above(path);
	int fd = above ? open(above, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0) {
		message("%s: %s", path, strerror(errno));
	} else if (!is_listed(files, above, fd)) {
		message("%s: the folder was replaced in the meantime", above);
		close(fd);
		fd = -1;
	}
	free(above);
	return fd;
}

void ranks_files_free(struct ranks_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
	for (size_t i = 0; i < files->folder_count; i++)
		free(files->folders[i].path);
	free(files->folders);
}
