#include "import/plain_open.h"
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file opened for reading. */
struct file {
	sqlite3_file base;
	int fd;
};

static int close_file(sqlite3_file *base)
{
	close(((struct file *)base)->fd);
	return SQLITE_OK;
}

/* Fills the rest with zeros beyond the end. */
static int read_file(sqlite3_file *base, void *out, int size, sqlite3_int64 at)
{
	int done = 0;

	while (done < size) {
		ssize_t n = pread(((struct file *)base)->fd, (char *)out + done,
				  (size_t)(size - done), (off_t)at + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return SQLITE_IOERR_READ;
		if (!n)
			break;
		done += (int)n;
	}
	memset((char *)out + done, 0, (size_t)(size - done));
	return done == size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *base, const void *data, int size, sqlite3_int64 at)
{
	return SQLITE_READONLY;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size)
{
	return SQLITE_READONLY;
}

static int measure_file(sqlite3_file *base, sqlite3_int64 *size)
{
	struct stat info;

	if (fstat(((struct file *)base)->fd, &info))
		return SQLITE_IOERR_FSTAT;
	*size = info.st_size;
	return SQLITE_OK;
}

/* For syncing and locking. */
static int do_nothing(sqlite3_file *base, int how)
{
	return SQLITE_OK;
}

static int is_reserved(sqlite3_file *base, int *reserved)
{
	*reserved = 0;
	return SQLITE_OK;
}

static int control_file(sqlite3_file *base, int what, void *argument)
{
	return SQLITE_NOTFOUND;
}

static int sector_bytes(sqlite3_file *base)
{
	return 4096;
}

static int describe_file(sqlite3_file *base)
{
	return SQLITE_IOCAP_IMMUTABLE;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags,
		     int *out_flags)
{
	static const sqlite3_io_methods methods = {
		1,
		close_file,
		read_file,
		write_file,
		truncate_file,
		do_nothing,
		measure_file,
		do_nothing,
		do_nothing,
		is_reserved,
		control_file,
		sector_bytes,
		describe_file,
	};
	struct dp_plain_vfs *own = (struct dp_plain_vfs *)vfs;
	struct file *file = (struct file *)base;

	/* A file that SQLite needs for itself, for example for sorting. */
	if (!(flags & SQLITE_OPEN_MAIN_DB))
		return own->normal->xOpen(own->normal, name, base, flags, out_flags);
	base->pMethods = NULL;
	file->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return SQLITE_CANTOPEN;
	base->pMethods = &methods;
	if (out_flags)
		*out_flags = flags;
	return SQLITE_OK;
}

static int same_name(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
	return snprintf(out, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* The VFS is registered only while opening: SQLite's list of them is global. */
int dp_plain__open(sqlite3 **handle, struct dp_plain_vfs *own, const char *name, int flags)
{
	int code;

	own->normal = sqlite3_vfs_find(NULL);
	if (!own->normal)
		return SQLITE_ERROR;
	snprintf(own->name, sizeof(own->name), "deepprof-%p", (void *)own);
	own->vfs = *own->normal;
	own->vfs.pNext = NULL;
	own->vfs.zName = own->name;
	own->vfs.xFullPathname = same_name;
	if (flags & SQLITE_OPEN_READONLY) {
		own->vfs.szOsFile = DP_MAX(own->vfs.szOsFile, (int)sizeof(struct file));
		own->vfs.xOpen = open_file;
	}
	code = sqlite3_vfs_register(&own->vfs, 0);
	if (code)
		return code;
	code = sqlite3_open_v2(name, handle, flags, own->name);
	sqlite3_vfs_unregister(&own->vfs);
	return code;
}
