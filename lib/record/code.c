#define _GNU_SOURCE
#include "record/code.h"
#include "base/lookup.h"
#include "base/search.h"
#include "base/strings.h"
#include "record/clock.h"
#include "record/elf.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux lets a process have 65,530 mappings (vm.max_map_count). */
enum { MAPPINGS_MAX = 1 << 16, FILES_MAX = 1 << 12 };

/* Functions of all files together, 64 MB: libtorch_cuda.so has 200,000. */
enum { FUNCTIONS_MAX = 1 << 22 };

/* Functions made at run time: at most 6 MB of memory, and their names. */
enum { MADE_MAX = 1 << 18 };
#define MADE_BYTES_MAX ((off_t)64 << 20)

/*
 * An unknown address may be new, or no code at all: look again, but not for each. 2,000 mappings
 * take 3 ms to read, and programs add most of them when they start; of the perf map only what is
 * new is read.
 */
#define MAPPINGS_NS INT64_C(100000000)
#define MAPPINGS_SHARE 8 /* of the time since the first look */
#define MAPPINGS_MOST_NS INT64_C(10000000000)
#define MADE_NS INT64_C(50000000)

struct dp_code_files {
	struct dp_lookup index; /* by device and inode */
	struct dp_elf *files;
	size_t count, room;
	size_t functions; /* of all */
};

struct mapping {
	uint64_t start, end, offset;
	ino_t inode;
	uint32_t path; /* in paths */
};

/* Code made at run time. */
struct made {
	uint64_t start, bytes;
	uint32_t name;	/* in names */
	uint32_t order; /* the last one at an address counts */
};

struct dp_mappings {
	char folder[64];
	uint32_t own_pid;
	int64_t first_ns;	      /* of the first look */
	int64_t mappings_ns, made_ns; /* when to look again */
	struct dp_strings paths, names;
	struct mapping *mappings; /* executable ones of files, by address */
	size_t count, room;
	struct made *made; /* by address */
	size_t made_count, made_room;
	off_t made_bytes; /* read of the perf map */
};

struct dp_code_files *dp_code_files__new(void)
{
	return dp_alloc__zeroed(1, sizeof(struct dp_code_files));
}

void dp_code_files__free(struct dp_code_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->count; i++)
		dp_elf__fini(&files->files[i]);
	free(files->files);
	dp_lookup__fini(&files->index);
	free(files);
}

struct dp_mappings *dp_mappings__new(const char *folder, uint32_t own_pid)
{
	struct dp_mappings *made = dp_alloc__zeroed(1, sizeof(*made));

	if (!made)
		return NULL;
	snprintf(made->folder, sizeof(made->folder), "%s", folder);
	made->own_pid = own_pid;
	return made;
}

void dp_mappings__free(struct dp_mappings *mappings)
{
	if (!mappings)
		return;
	dp_strings__fini(&mappings->paths);
	dp_strings__fini(&mappings->names);
	free(mappings->mappings);
	free(mappings->made);
	free(mappings);
}

/* Opens a regular file of the process's file system; nothing else is even opened for reading. */
static int open_regular(const struct dp_mappings *mappings, const char *path, struct stat *about)
{
	char text[4096 + 80];
	int found, fd = -1;

	if (snprintf(text, sizeof(text), "%s/root%s", mappings->folder, path) >= (int)sizeof(text))
		return -1;
	found = open(text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (found < 0)
		return -1;
	snprintf(text, sizeof(text), "/proc/self/fd/%d", found);
	if (!fstat(found, about) && S_ISREG(about->st_mode))
		fd = open(text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(found);
	return fd;
}

/*
 * Opens a mapped file, if its path still leads to it. Its device is not compared: overlayfs and
 * btrfs list another one in maps.
 */
static int open_mapped(const struct dp_mappings *mappings, const struct mapping *mapping,
		       struct stat *about)
{
	int fd = open_regular(mappings, dp_strings__get(&mappings->paths, mapping->path), about);

	if (fd < 0 || about->st_ino == mapping->inode)
		return fd;
	close(fd);
	return -1;
}

/* Returns what is known of an open file, or NULL. */
static const struct dp_elf *find_file(struct dp_code_files *files, const struct stat *about, int fd)
{
	struct dp_key key = { { (int64_t)about->st_dev, (int64_t)about->st_ino } };
	uint32_t index = dp_lookup__get(&files->index, &key);

	if (index != DP_NONE)
		return &files->files[index];
	if (files->count == FILES_MAX || files->functions >= FUNCTIONS_MAX ||
	    dp_array__reserve(&files->files, &files->room, files->count + 1,
			      sizeof(*files->files)) ||
	    dp_lookup__set(&files->index, &key, (uint32_t)files->count))
		return NULL;
	if (dp_elf__read(&files->files[files->count], fd))
		dp_elf__fini(&files->files[files->count]);
	files->functions += files->files[files->count].count;
	return &files->files[files->count++];
}

static void name_mapped(struct dp_code_files *files, const struct dp_mappings *mappings,
			const struct mapping *mapping, uint64_t address, struct dp_code_name *out)
{
	const char *path = dp_strings__get(&mappings->paths, mapping->path);
	const struct dp_elf_function *function = NULL;
	struct stat about;
	int fd = open_mapped(mappings, mapping, &about);
	const struct dp_elf *file = fd >= 0 ? find_file(files, &about, fd) : NULL;

	snprintf(out->module, sizeof(out->module), "%s", strrchr(path, '/') + 1);
	if (file)
		function = dp_elf__find(file, address - mapping->start + mapping->offset);
	if (function && !dp_elf__name(file, fd, function, out->name, sizeof(out->name)))
		out->name[0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Reads a line of maps: "START-END r-xp OFFSET DEVICE INODE   PATH". */
static void read_mapping(struct dp_mappings *mappings, const char *line)
{
	struct mapping made = { 0 };
	uint64_t inode;
	char mode[5];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64 " %n",
		   &made.start, &made.end, mode, &made.offset, &inode, &at) < 5 ||
	    mode[2] != 'x' || line[at] != '/' || mappings->count == MAPPINGS_MAX)
		return;
	/* The kernel lists them in order and without overlaps. */
	if (made.start >= made.end ||
	    (mappings->count && made.start < mappings->mappings[mappings->count - 1].end))
		return;
	made.inode = (ino_t)inode;
	made.path = dp_strings__intern(&mappings->paths, line + at, strcspn(line + at, "\n"));
	if (made.path != DP_NONE &&
	    !dp_array__reserve(&mappings->mappings, &mappings->room, mappings->count + 1,
			       sizeof(*mappings->mappings)))
		mappings->mappings[mappings->count++] = made;
}

static void read_mappings(struct dp_mappings *mappings)
{
	char line[4096 + 100];
	bool whole = true;
	FILE *file;

	snprintf(line, sizeof(line), "%s/maps", mappings->folder);
	file = fopen(line, "re");
	/* A process that has ended has none: the last samples are named by what it had. */
	if (!file)
		return;
	if (fgets(line, sizeof(line), file)) {
		mappings->count = 0;
		dp_strings__fini(&mappings->paths);
		/* The rest of a line that is too long is not a line. */
		do {
			if (whole)
				read_mapping(mappings, line);
			whole = strchr(line, '\n');
		} while (fgets(line, sizeof(line), file));
	}
	fclose(file);
}

/* Adds a line of a perf map: "START BYTES NAME". */
static void read_made(struct dp_mappings *mappings, const char *line)
{
	struct made made = { .order = (uint32_t)mappings->made_count };
	int at = 0;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &made.start, &made.bytes, &at) < 2 || !at ||
	    !line[at] || mappings->made_count == MADE_MAX)
		return;
	made.name = dp_strings__intern(&mappings->names, line + at,
				       strnlen(line + at, DP_CODE_NAME_SIZE - 1));
	if (made.name != DP_NONE &&
	    !dp_array__reserve(&mappings->made, &mappings->made_room, mappings->made_count + 1,
			       sizeof(*mappings->made)))
		mappings->made[mappings->made_count++] = made;
}

static int by_start(const void *a, const void *b)
{
	const struct made *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Reads whole lines from where the last ones ended. */
static void read_lines(struct dp_mappings *mappings, int fd)
{
	char text[16384], *line, *end;
	ssize_t bytes;

	while (mappings->made_bytes < MADE_BYTES_MAX &&
	       (bytes = pread(fd, text, sizeof(text), mappings->made_bytes)) > 0) {
		for (line = text; (end = memchr(line, '\n', (size_t)(text + bytes - line)));
		     line = end + 1) {
			*end = '\0';
			read_made(mappings, line);
		}
		/* no name is that long */
		if (line == text && bytes == sizeof(text))
			line += bytes;
		if (line == text)
			return;
		mappings->made_bytes += line - text;
	}
}

/* The process appends to its perf map while it runs. */
static void read_perf_map(struct dp_mappings *mappings)
{
	struct stat process, about;
	size_t before = mappings->made_count;
	char path[48];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", mappings->own_pid);
	fd = open_regular(mappings, path, &about);
	if (fd < 0)
		return;
	if (!stat(mappings->folder, &process) && process.st_uid == about.st_uid)
		read_lines(mappings, fd);
	close(fd);
	if (mappings->made_count > before)
		qsort(mappings->made, mappings->made_count, sizeof(*mappings->made), by_start);
}

static const struct mapping *find_mapping(const struct dp_mappings *mappings, uint64_t address)
{
	size_t after;

	DP_FIND(after, 0, mappings->count, mappings->mappings[after].start > address);
	return after && address < mappings->mappings[after - 1].end ? &mappings->mappings[after - 1]
								    : NULL;
}

static bool name_made(const struct dp_mappings *mappings, uint64_t address,
		      struct dp_code_name *out)
{
	const struct made *at;
	size_t after;

	DP_FIND(after, 0, mappings->made_count, mappings->made[after].start > address);
	at = after ? &mappings->made[after - 1] : NULL;
	if (!at || address - at->start >= at->bytes)
		return false;
	snprintf(out->name, sizeof(out->name), "%s", dp_strings__get(&mappings->names, at->name));
	return true;
}

static bool look_at_mappings(struct dp_mappings *mappings, int64_t now_ns)
{
	int64_t every_ns;

	if (now_ns < mappings->mappings_ns)
		return false;
	if (!mappings->first_ns)
		mappings->first_ns = now_ns;
	every_ns = (now_ns - mappings->first_ns) / MAPPINGS_SHARE;
	mappings->mappings_ns = now_ns + DP_MIN(DP_MAX(every_ns, MAPPINGS_NS), MAPPINGS_MOST_NS);
	read_mappings(mappings);
	return true;
}

bool dp_code__find(struct dp_code_files *files, struct dp_mappings *mappings, uint64_t address,
		   struct dp_code_name *out)
{
	const struct mapping *mapping = find_mapping(mappings, address);
	int64_t now_ns;

	out->name[0] = out->module[0] = '\0';
	if (!mapping && name_made(mappings, address, out))
		return true;
	now_ns = mapping ? 0 : dp_clock__now(CLOCK_MONOTONIC);
	if (!mapping && look_at_mappings(mappings, now_ns))
		mapping = find_mapping(mappings, address);
	if (mapping) {
		name_mapped(files, mappings, mapping, address, out);
		return true;
	}
	if (now_ns < mappings->made_ns)
		return false;
	mappings->made_ns = now_ns + MADE_NS;
	read_perf_map(mappings);
	return name_made(mappings, address, out);
}
