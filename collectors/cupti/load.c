/*
 * Finds the libcupti that belongs to the program: what DEEPPROF_CUPTI names; one that is mapped;
 * one beside CUDA's libraries that are mapped (wheels keep it in nvidia/cuda_cupti/lib, for CUDA 13
 * in nvidia/cu13/lib, toolkits beside cudart or in extras/CUPTI); the default search. Two copies in
 * one process conflict, hence the order.
 */
#include "cupti/collector.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 64

struct search {
	char places[PLACES][PATH_MAX]; /* files, or folders */
	size_t count;
	bool mapped;	  /* places[0] is one that is mapped already */
	char looked[640]; /* for the message */
	char error[256];
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add(struct search *search, const char *folder, size_t length, const char *below)
{
	char *place = search->places[search->count];

	if (search->count == PLACES || length + strlen(below) + 1 > PATH_MAX)
		return;
	snprintf(place, PATH_MAX, "%.*s%s", (int)length, folder, below);
	for (size_t i = 0; i < search->count; i++)
		if (!strcmp(search->places[i], place))
			return;
	search->count++;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	static const char *const neighbours[] = {
		"libcudart.so", "libcublas",   "libcudnn", "libnvrtc",
		"libcufft",	"libcusparse", "libnccl",
	};
	struct search *search = data;
	const char *path = info->dlpi_name, *base = base_of(path);
	size_t folder = (size_t)(base - path);

	if (starts(base, "libcupti.so")) {
		snprintf(search->places[0], PATH_MAX, "%s", path);
		search->count = 1;
		search->mapped = true;
		return 1;
	}
	for (size_t i = 0; i < sizeof(neighbours) / sizeof(neighbours[0]); i++) {
		if (!starts(base, neighbours[i]) || !folder)
			continue;
		add(search, path, folder, "");
		add(search, path, folder, "../../cuda_cupti/lib/");
		add(search, path, folder, "../../cu13/lib/");
		add(search, path, folder, "../extras/CUPTI/lib64/");
		add(search, path, folder, "../../../extras/CUPTI/lib64/");
	}
	return 0;
}

static void note_looked(struct search *search, const char *path)
{
	size_t used = strlen(search->looked);

	snprintf(search->looked + used, sizeof(search->looked) - used, "%s%.200s", used ? ", " : "",
		 path);
}

static void *open_file(struct search *search, const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const char *error;

	note_looked(search, path);
	if (!library) {
		error = dlerror();
		snprintf(search->error, sizeof(search->error), "%s", error ? error : "");
	}
	return library;
}

/* A file, or a folder with a libcupti.so or libcupti.so.N in it. */
static void *open_place(struct search *search, const char *place)
{
	char path[PATH_MAX + 300];
	struct dirent *entry;
	void *library = NULL;
	DIR *folder = opendir(place);

	if (!folder)
		return place[strlen(place) - 1] == '/' ? NULL : open_file(search, place);
	while (!library && (entry = readdir(folder))) {
		if (!starts(entry->d_name, "libcupti.so"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", place, entry->d_name);
		library = open_file(search, path);
	}
	closedir(folder);
	return library;
}

/* libcuda is mapped, for it has called us; but mostly where RTLD_DEFAULT does not look. */
int dp_load__driver_version(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	int (*function)(int *);
	int number = 0;

	function = (int (*)(int *))(uintptr_t)dlsym(library ? library : RTLD_DEFAULT,
						    "cuDriverGetVersion");
	if (function && function(&number))
		number = 0;
	if (library)
		dlclose(library);
	return number;
}

/* The driver's own major version first: a newer CUPTI does not run on an older driver. */
static void *open_default(struct search *search)
{
	static const char *const names[] = {
		"libcupti.so.13",   "libcupti.so.12", "libcupti.so.11.8",
		"libcupti.so.11.7", "libcupti.so",
	};
	static const char *const folders[] = {
		"/usr/local/cuda/extras/CUPTI/lib64/",
		"/usr/local/cuda/lib64/",
	};
	int driver = dp_load__driver_version();
	void *library = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !library; i++) {
		if (i < 2 && driver && 13 - (int)i > driver / 1000)
			continue;
		library = open_file(search, names[i]);
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !library; i++)
		library = open_place(search, folders[i]);
	return library;
}

static const struct {
	const char *name;
	size_t offset;
	bool needed;
} functions[] = {
#define FUNCTION(name, needed)                                      \
	{                                                           \
		"cupti" #name, offsetof(struct cupti, name), needed \
	}
	FUNCTION(GetVersion, true),
	FUNCTION(GetTimestamp, true),
	FUNCTION(GetResultString, false),
	FUNCTION(Subscribe, true),
	FUNCTION(Subscribe_v2, false),
	FUNCTION(Unsubscribe, true),
	FUNCTION(EnableCallback, true),
	FUNCTION(GetCallbackName, true),
	FUNCTION(SetThreadIdType, false),
	FUNCTION(ActivityEnable, true),
	FUNCTION(ActivityDisable, true),
	FUNCTION(ActivityEnableRuntimeApi, false),
	FUNCTION(ActivitySetAttribute, true),
	FUNCTION(ActivityRegisterCallbacks, true),
	FUNCTION(ActivityFlushAll, true),
	FUNCTION(ActivityGetNextRecord, true),
	FUNCTION(ActivityGetNumDroppedRecords, true),
#undef FUNCTION
};

bool dp_load__functions(struct cupti *cupti)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *symbol = dlsym(cupti->library, functions[i].name);

		if (!symbol && functions[i].needed) {
			dp_message__say(DP_SPOOL_ERROR, "bad-cupti", "%s has no %s", cupti->path,
					functions[i].name);
			return false;
		}
		memcpy((char *)cupti + functions[i].offset, &symbol, sizeof(symbol));
	}
	return true;
}

bool dp_load__cupti(struct cupti *cupti)
{
	struct search *search = dp_pages__new(sizeof(*search));
	const char *named = secure_getenv(DP_SPOOL_ENV_CUPTI);
	struct link_map *map;

	if (!search)
		return false;
	if (named && *named) {
		cupti->library = open_place(search, named);
	} else {
		dl_iterate_phdr(look_at, search);
		for (size_t i = 0; i < search->count && !cupti->library; i++)
			cupti->library = open_place(search, search->places[i]);
		if (!cupti->library && !search->mapped)
			cupti->library = open_default(search);
	}
	if (!cupti->library)
		dp_message__say(DP_SPOOL_ERROR, "no-cupti",
				"no libcupti found: looked at %s (%s); the CUDA toolkit has it, and "
				"so have PyTorch's and JAX's wheels; --cupti=PATH names one",
				search->looked, search->error);
	else if (!dlinfo(cupti->library, RTLD_DI_LINKMAP, &map))
		snprintf(cupti->path, sizeof(cupti->path), "%s", map->l_name);
	dp_pages__free(search, sizeof(*search));
	return cupti->library && dp_load__functions(cupti);
}
