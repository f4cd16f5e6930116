/* The environment variables that load the collector into the program. */
#define _GNU_SOURCE /* dladdr() */
#include "record/recording.h"
#include "spool/spool.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Appends "NAME=value". */
static int add(struct dp_recording *recording, struct dp_error *error, const char *format, ...)
	DP_PRINTF(3, 4);

static int add(struct dp_recording *recording, struct dp_error *error, const char *format, ...)
{
	char text[4 * PATH_MAX];
	char **grown, *copy;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(text))
		return dp_error__set(error, DP_ERR_ARGUMENT, "a path is too long");
	copy = strdup(text);
	grown = realloc(recording->variables,
			(recording->variable_count + 1) * sizeof(*recording->variables));
	if (grown)
		recording->variables = grown;
	if (!copy || !grown) {
		free(copy);
		return dp_error__nomem(error, 0);
	}
	recording->variables[recording->variable_count++] = copy;
	return DP_OK;
}

/* Returns the folder of the library that contains this code; false if unknown. */
static bool own_folder(char folder[PATH_MAX])
{
	static const char here;
	Dl_info info;
	char *slash;

	if (!dladdr(&here, &info) || !info.dli_fname || !realpath(info.dli_fname, folder))
		return false;
	slash = strrchr(folder, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

/* Returns true if the folder contains the library; path is then its real folder. */
static bool look(char path[PATH_MAX], const char *folder, const char *below)
{
	char name[PATH_MAX];
	int length = snprintf(name, sizeof(name), "%s%s/%s", folder, below, DP_SPOOL_LIBRARY);
	char *slash;

	if (length < 0 || (size_t)length >= sizeof(name) || access(name, R_OK) ||
	    !realpath(name, path))
		return false;
	slash = strrchr(path, '/');
	*slash = '\0';
	return true;
}

/* Searches where it was installed, relative to this library or not, or built. */
static int find_collector(const char *requested, char folder[PATH_MAX], struct dp_error *error)
{
	static const char *const below[] = { "/deepprof", "", "/../collectors", NULL };
	char own[PATH_MAX];

	if (requested && look(folder, requested, ""))
		return DP_OK;
	if (requested)
		return dp_error__set(error, DP_ERR_UNSUPPORTED, "no %s in %.180s", DP_SPOOL_LIBRARY,
				     requested);
	if (own_folder(own))
		for (int i = 0; below[i]; i++)
			if (look(folder, own, below[i]))
				return DP_OK;
	if (look(folder, DP_COLLECTOR_FOLDER, ""))
		return DP_OK;
	return dp_error__set(error, DP_ERR_UNSUPPORTED, "%s is not installed: it is not in %.180s",
			     DP_SPOOL_LIBRARY, DP_COLLECTOR_FOLDER);
}

/* The dynamic linker splits LD_PRELOAD at blanks and colons. */
static int add_guard(struct dp_recording *recording, const char *folder, struct dp_error *error)
{
	char path[PATH_MAX + 64];

	if (!recording->options.exit_guard || strpbrk(folder, " :"))
		return DP_OK;
	snprintf(path, sizeof(path), "%s/%s", folder, DP_SPOOL_EXIT_LIBRARY);
	if (access(path, R_OK))
		return DP_OK;
	return add(recording, error, "LD_PRELOAD=%s", path);
}

/* Adds the folder, and the identity of the folder that its name must lead to. */
static int add_folder(struct dp_recording *recording, struct dp_error *error)
{
	struct stat info;
	int status;

	if (fstat(recording->folder_fd, &info))
		return dp_error__system(error, NULL);
	status = add(recording, error, DP_SPOOL_ENV "=%s", recording->folder);
	return status ? status
		      : add(recording, error, DP_SPOOL_ENV_ID "=" DP_SPOOL_ID,
			    (uintmax_t)info.st_dev, (uintmax_t)info.st_ino);
}

static int add_options(struct dp_recording *recording, const char *chain, struct dp_error *error)
{
	const struct dp_record_options *o = &recording->options;
	static const char *const calls[] = { "0", "1", "all" };
	char limits[160] = "";
	int used = 0;

	/* follow.c relies on this period, but buffers may be held for longer. */
	if (o->iterations)
		used = snprintf(limits, sizeof(limits), ",flush-ms=%d,read-held=1",
				DP_FOLLOW_FLUSH_MS);
	if (o->first_launch)
		used += snprintf(limits + used, sizeof(limits) - (size_t)used, ",first=1");
	if (o->max_memory_bytes)
		used += snprintf(limits + used, sizeof(limits) - (size_t)used,
				 ",max-memory=%" PRIu64, o->max_memory_bytes);
	if (o->max_spool_bytes)
		snprintf(limits + used, sizeof(limits) - (size_t)used, ",max-spool=%" PRIu64,
			 o->max_spool_bytes);
	return add(recording, error,
		   DP_SPOOL_ENV_OPTIONS
		   "=api=%s,nvtx=%d,memory=%d,cmdline=%d,graph=%s,start=%s,capture=%s%s%s%s",
		   calls[o->api ? 1 + o->all_calls : 0], o->nvtx, o->memory, o->command_lines,
		   o->graph_nodes ? "node" : "graph", o->paused ? "pause" : "run",
		   o->capture_profiler ? "profiler" : "all", limits, chain ? ",chain=" : "",
		   chain ? chain : "");
}

/*
 * Adds a path that is still right if the program changes its folder. A name without a folder is
 * left to the program's dynamic linker.
 */
static int add_cupti(struct dp_recording *recording, const char *path, struct dp_error *error)
{
	char folder[PATH_MAX] = "";
	struct stat info;
	bool relative = path[0] != '/' &&
			(strchr(path, '/') || (!stat(path, &info) && S_ISDIR(info.st_mode)));

	if (relative && !getcwd(folder, sizeof(folder)))
		return dp_error__system(error, NULL);
	return add(recording, error, DP_SPOOL_ENV_CUPTI "=%s%s%s", folder, relative ? "/" : "",
		   path);
}

int dp_inject__prepare(struct dp_recording *recording, const struct dp_record_options *options,
		       struct dp_error *error)
{
	char folder[PATH_MAX];
	int status;

	if (options->chain && strchr(options->chain, ','))
		return dp_error__set(error, DP_ERR_ARGUMENT, "a comma in %.180s", options->chain);
	status = find_collector(options->collector, folder, error);
	if (!status)
		status = add_folder(recording, error);
	if (!status)
		status = add(recording, error, DP_SPOOL_ENV_CUDA_INJECTION "=%s/" DP_SPOOL_LIBRARY,
			     folder);
	if (!status && options->nvtx)
		status = add(recording, error, DP_SPOOL_ENV_NVTX_INJECTION "=%s/" DP_SPOOL_LIBRARY,
			     folder);
	if (!status && options->cupti)
		status = add_cupti(recording, options->cupti, error);
	if (!status)
		status = add_options(recording, options->chain, error);
	if (!status)
		status = add_guard(recording, folder, error);
	recording->programs = status ? NULL : strdup(folder);
	return status || recording->programs ? status : dp_error__nomem(error, 0);
}
