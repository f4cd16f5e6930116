/*
 * Finds the libcupti that belongs to the program: the one that DEEPPROF_CUPTI names; one that is
 * mapped or linked; one next to mapped CUDA libraries (wheels have it in nvidia/cuda_cupti/lib, for
 * CUDA 13 in nvidia/cu13/lib, toolkits next to cudart or in extras/CUPTI); the default search;
 * installed toolkits. This order avoids two copies in one process, which conflict. Wheels that
 * bundle one put a hash in its name. A libcupti newer than the driver is not used, as it would
 * fail, or worse: the search continues. But the search ends at one that is named or mapped: the
 * program may use it, and another one would be a second copy.
 */
#include "cupti/collector.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACES 64
#define UNFITS 16
#define MESSAGE_BYTES 800

struct search {
	char places[PLACES][PATH_MAX]; /* files, or folders */
	size_t count;
	bool mapped;	  /* places[0] is one that is mapped already */
	char looked[640]; /* for the message */
	char error[256];
	char path[PATH_MAX]; /* of the last one opened */
	const char *unfit;   /* code of the message: why the first one found is unsuitable */
	char unfit_text[MESSAGE_BYTES];
};

/*
 * The addresses of opened libraries that are unsuitable. They stay loaded: the constructors of 11.8
 * to 12.8 create a thread key that dlclose() does not delete, and 13.5 cannot be unloaded. The next
 * search, in a child of fork(), must distinguish them from the program's own.
 */
static ElfW(Addr) unfits[UNFITS];
static size_t unfit_count;

static bool is_unfit(ElfW(Addr) address)
{
	for (size_t i = 0; i < unfit_count; i++)
		if (unfits[i] == address)
			return true;
	return false;
}

static void keep_unfit(ElfW(Addr) address)
{
	if (unfit_count < UNFITS && !is_unfit(address))
		unfits[unfit_count++] = address;
}

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

/* libcupti.so, libcupti.so.12, libcupti-ab12cd34.so.12. */
static bool is_cupti(const char *file)
{
	return starts(file, "libcupti.so") || (starts(file, "libcupti-") && strstr(file, ".so"));
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	static const char *const neighbours[] = {
		"libcudart", "libcublas",   "libcudnn", "libnvrtc",
		"libcufft",  "libcusparse", "libnccl",	"libtorch_cuda",
	};
	struct search *search = data;
	const char *path = info->dlpi_name, *base = base_of(path);
	size_t folder = (size_t)(base - path);

	if (is_cupti(base) && !is_unfit(info->dlpi_addr)) {
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
		add(search, path, folder, "../../nvidia/cuda_cupti/lib/");
		add(search, path, folder, "../../nvidia/cu13/lib/");
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

/* libcuda is mapped, as it called the collector, but mostly where RTLD_DEFAULT does not look. */
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

/* Returns the 12 of libcupti.so.12 by its soname, whatever the file's name; 0: unknown. */
static int major_of(const struct link_map *map)
{
	static const char stem[] = "libcupti.so.";
	uintptr_t strings = 0;
	size_t name = 0;

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			strings = entry->d_un.d_ptr;
		else if (entry->d_tag == DT_SONAME)
			name = entry->d_un.d_val;
	}
	if (!strings || !name)
		return 0;
	/* Not all dynamic linkers have relocated this address. */
	if (strings < map->l_addr)
		strings += map->l_addr;
	return starts((const char *)strings + name, stem)
		       ? atoi((const char *)strings + name + sizeof(stem) - 1)
		       : 0;
}

/* Returns true if libcuda is a real driver, not a stub. */
static bool is_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	bool found = dlsym(library ? library : RTLD_DEFAULT, "cuGetExportTable") != NULL;

	if (library)
		dlclose(library);
	return found;
}

/*
 * If 13.2 finds no usable driver, its functions call each other until the stack overflows. It is
 * recognized by a function that it has, and one of 13.3 that it lacks.
 */
static bool may_crash(void *library)
{
	return dlsym(library, "cuptiActivityEnable_v2") && !dlsym(library, "cuptiGetTimestamp_v2");
}

/* The first unsuitable library is reported if none is suitable. */
static void note_newer(struct search *search, const char *path, int major, int driver)
{
	if (search->unfit)
		return;
	search->unfit = "old-driver";
	snprintf(search->unfit_text, sizeof(search->unfit_text),
		 "%.600s is of CUDA %d, and the driver is of CUDA %d.%d, which is older; "
		 "--cupti=PATH names another",
		 path, major, driver / 1000, driver % 1000 / 10);
}

static void note_crash(struct search *search, const char *path)
{
	if (search->unfit)
		return;
	search->unfit = "no-driver";
	snprintf(search->unfit_text, sizeof(search->unfit_text),
		 "CUPTI finds no driver it can use, and %.600s would crash without one", path);
}

/*
 * Rejects a library that is newer than the driver or would crash. map is NULL if unknown, and then
 * so is the version.
 */
static bool suits_driver(struct search *search, void *library, const struct link_map *map)
{
	int driver = dp_load__driver_version(), major = map ? major_of(map) : 0;

	if (driver && major > driver / 1000)
		note_newer(search, search->path, major, driver);
	else if (may_crash(library) && !is_driver())
		note_crash(search, search->path);
	else
		return true;
	return false;
}

static void *open_file(struct search *search, const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct link_map *map = NULL;
	const char *error;

	note_looked(search, path);
	if (!library) {
		error = dlerror();
		snprintf(search->error, sizeof(search->error), "%s", error ? error : "");
		return NULL;
	}
	if (dlinfo(library, RTLD_DI_LINKMAP, &map))
		map = NULL;
	snprintf(search->path, sizeof(search->path), "%s", map ? map->l_name : path);
	if (suits_driver(search, library, map))
		return library;
	if (map && !search->mapped)
		keep_unfit(map->l_addr);
	return NULL;
}

/* The names of libcupti. */
static const struct {
	const char *name;
	int major; /* 0: any */
} names[] = {
	{ "libcupti.so.13", 13 },   { "libcupti.so.12", 12 }, { "libcupti.so.11.8", 11 },
	{ "libcupti.so.11.7", 11 }, { "libcupti.so", 0 },
};

#define NAMES (sizeof(names) / sizeof(names[0]))

/*
 * Searches a folder, which ends in a slash, or with "" where the dynamic linker does. Begins with
 * the driver's own major version: it supports no newer one, and a newer name is not even loaded.
 */
static void *open_name(struct search *search, const char *folder)
{
	int driver = dp_load__driver_version();
	char path[PATH_MAX + 32];
	void *library = NULL;

	for (size_t i = 0; i < NAMES && !library; i++) {
		bool newer = driver && names[i].major > driver / 1000;

		snprintf(path, sizeof(path), "%s%s", folder, names[i].name);
		if (*folder ? faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) : newer)
			continue;
		if (newer)
			note_newer(search, path, names[i].major, driver);
		else
			library = open_file(search, path);
	}
	return library;
}

static bool is_other_name(const char *file)
{
	for (size_t i = 0; i < NAMES; i++)
		if (!strcmp(file, names[i].name))
			return false;
	return is_cupti(file);
}

/* Opens a file, or a libcupti.so or libcupti.so.N in a folder, also under another name. */
static void *open_place(struct search *search, const char *place)
{
	const char *slash = place[strlen(place) - 1] == '/' ? "" : "/";
	char path[PATH_MAX + 300];
	struct dirent *entry;
	void *library = NULL;
	DIR *folder = opendir(place);

	if (!folder)
		return *slash ? open_file(search, place) : NULL;
	snprintf(path, sizeof(path), "%s%s", place, slash);
	library = open_name(search, path);
	while (!library && (entry = readdir(folder))) {
		if (!is_other_name(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s%s%s", place, slash, entry->d_name);
		library = open_file(search, path);
	}
	closedir(folder);
	return library;
}

/* Tries folders that match a pattern, from the last: the newest version. */
static void *open_pattern(struct search *search, const char *root, const char *pattern)
{
	char path[PATH_MAX];
	void *library = NULL;
	glob_t found;

	if (snprintf(path, sizeof(path), "%s%s", root, pattern) >= (int)sizeof(path) ||
	    glob(path, GLOB_ONLYDIR, NULL, &found))
		return NULL;
	for (size_t i = found.gl_pathc; i-- > 0 && !library;)
		library = open_place(search, found.gl_pathv[i]);
	globfree(&found);
	return library;
}

/* Tries the folders of a toolkit in which a libcupti may be. */
static void *open_toolkit(struct search *search, const char *root)
{
	/* The HPC SDK has toolkits of several versions; it or their folder may be the root. */
	static const char *const below[] = {
		"/extras/CUPTI/lib64/",
		"/lib64/",
		"/lib/",
		"/targets/*/lib/",
		"/*/extras/CUPTI/lib64/",
		"/cuda/extras/CUPTI/lib64/",
		"/cuda/*/extras/CUPTI/lib64/",
		"/target-linux-*/",
	};
	void *library = NULL;

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]) && !library; i++)
		library = open_pattern(search, root, below[i]);
	return library;
}

/*
 * Tries the dynamic linker's folders, toolkits named by the environment, and where toolkits and
 * NVIDIA's tools are installed.
 */
static void *open_default(struct search *search)
{
	static const char *const named[] = { "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX",
					     "NVHPC_ROOT" };
	static const char *const installed[] = {
		"/usr/local/cuda",
		"/usr/local/cuda-*",
		"/opt/cuda",
		"/opt/nvidia/hpc_sdk/*/*",
		"/opt/nvidia/nsight-systems*/*",
		"/usr/local/cuda*/nsight-systems*",
	};
	void *library = open_name(search, "");

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]) && !library; i++) {
		const char *root = secure_getenv(named[i]);

		if (root && *root)
			library = open_toolkit(search, root);
	}
	for (size_t i = 0; i < sizeof(installed) / sizeof(installed[0]) && !library; i++)
		library = open_toolkit(search, installed[i]);
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
	FUNCTION(GetDeviceId, false),
	FUNCTION(ActivityEnable, true),
	FUNCTION(ActivityDisable, true),
	FUNCTION(ActivityEnableRuntimeApi, false),
	FUNCTION(ActivityEnableDriverApi, false),
	FUNCTION(ActivitySetAttribute, true),
	FUNCTION(ActivityRegisterCallbacks, true),
	FUNCTION(ActivityFlushAll, true),
	FUNCTION(ActivityGetNextRecord, true),
	FUNCTION(ActivityGetNumDroppedRecords, true),
	FUNCTION(ActivityEnableAllSyncRecords, false),
	FUNCTION(GetTimestamp_v2, false),
	FUNCTION(ActivityEnable_v2, false),
	FUNCTION(ActivityDisable_v2, false),
	FUNCTION(ActivityEnableRuntimeApi_v2, false),
	FUNCTION(ActivityEnableDriverApi_v2, false),
	FUNCTION(ActivitySetAttribute_v2, false),
	FUNCTION(ActivityRegisterCallbacks_v2, false),
	FUNCTION(ActivityGetNextRecord_v2, false),
	FUNCTION(ActivityGetNumDroppedRecords_v2, false),
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

/* Opens one that is linked into the program. */
static void *open_linked(struct search *search)
{
	void *function = dlsym(RTLD_DEFAULT, "cuptiSubscribe");
	Dl_info info;

	if (!function || !dladdr(function, &info) || !info.dli_fname)
		return NULL;
	snprintf(search->path, sizeof(search->path), "%s", info.dli_fname);
	return dlopen(NULL, RTLD_NOW);
}

static void *find(struct search *search)
{
	const char *named = secure_getenv(DP_SPOOL_ENV_CUPTI);
	void *library = NULL;

	if (named && *named)
		return open_place(search, named);
	dl_iterate_phdr(look_at, search);
	if (!search->mapped)
		library = open_linked(search);
	for (size_t i = 0; i < search->count && !library; i++)
		library = open_place(search, search->places[i]);
	if (!library && !search->mapped)
		library = open_default(search);
	return library;
}

bool dp_load__cupti(struct cupti *cupti)
{
	struct search *search = dp_pages__new(sizeof(*search));

	if (!search)
		return false;
	cupti->library = find(search);
	if (cupti->library)
		memcpy(cupti->path, search->path, sizeof(cupti->path));
	else if (search->unfit)
		dp_message__say(DP_SPOOL_ERROR, search->unfit, "%s", search->unfit_text);
	else
		dp_message__say(
			DP_SPOOL_ERROR, "no-cupti",
			"no libcupti found: looked at %s (%s); the CUDA toolkit has it, and "
			"so have PyTorch's and JAX's wheels; --cupti=PATH names one",
			search->looked, search->error);
	dp_pages__free(search, sizeof(*search));
	return cupti->library && dp_load__functions(cupti);
}
