/* Output: standard output, pager, or a file by rename. */
#include "output.h"
#include "cleanup.h"
#include "folder.h"
#include "message.h"
#include "tty.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name(const struct output *output)
{
	return output->path ? output->path : "standard output";
}

static bool refuse(const struct output *output, const char *why)
{
	message("%s: %s", name(output), why);
	return false;
}

/*
 * Creates ".NAME.XXXXXX" next to the target: rename() requires the same file system. Only the owner
 * can read it, because a report contains command lines and names chosen by the user. The
 * permissions of an existing file do not matter; another user may have set them.
 */
static bool open_temporary(struct output *output)
{
	char stem[NAME_MAX + 2];
	sigset_t before;
	int saved;

	snprintf(stem, sizeof(stem), ".%s", place_name(&output->place));
	cleanup_hold(&before);
	output->fd = folder_make_file(output->place.folder, stem, output->temporary,
				      sizeof(output->temporary));
	saved = errno;
	if (output->fd >= 0)
		cleanup_add(output->place.folder, output->temporary);
	else
		output->temporary[0] = '\0';
	cleanup_release(&before);
	if (output->fd < 0)
		return refuse(output, strerror(saved));
	if (output->mode && fchmod(output->fd, output->mode))
		return refuse(output, strerror(errno));
	return true;
}

static bool open_path(struct output *output)
{
	struct place *place = &output->place;
	const char *slash = output->folder < 0 ? NULL : strrchr(output->path, '/');
	const char *why =
		place_find_in(place, output->folder, slash ? slash + 1 : output->path, false);
	struct stat opened;

	if (why)
		return refuse(output, why);
	if (place->taken && S_ISDIR(place->info.st_mode))
		return refuse(output, "is a directory");
	if (place->taken && S_ISREG(place->info.st_mode) && !output->force)
		return refuse(output, "already exists; -f overwrites it");
	if (!place->taken || S_ISREG(place->info.st_mode))
		return open_temporary(output);
	/* Another user who put a pipe there could read the report. */
	if (!place->trusted)
		return refuse(output, "is a pipe or device of another user, and is not written to");
	output->fd = openat(place->folder, place_name(place), O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (output->fd < 0 || fstat(output->fd, &opened))
		return refuse(output, strerror(errno));
	/* A link may have replaced it meanwhile. */
	return (opened.st_dev == place->info.st_dev && opened.st_ino == place->info.st_ino) ||
	       refuse(output, strerror(EBUSY));
}

bool output_open_in(struct output *output, int folder, const char *path, bool force, mode_t mode)
{
	*output = (struct output)OUTPUT_INIT;
	output->folder = folder;
	output->path = path;
	output->force = force;
	output->mode = mode;
	if (open_path(output))
		return true;
	output_close(output, false);
	return false;
}

bool output_open(struct output *output, const char *path, bool force, mode_t mode, bool pageable)
{
	if (path && strcmp(path, "-"))
		return output_open_in(output, -1, path, force, mode);
	*output = (struct output)OUTPUT_INIT;
	output->force = force;
	output->mode = mode;
	output->fd = STDOUT_FILENO;
	output->pageable = output->kept_all = pageable && tty_is_terminal(STDOUT_FILENO);
	return true;
}

bool output_is_terminal(const struct output *output)
{
	return tty_is_terminal(output->fd);
}

bool output_failed(const struct output *output)
{
	return output->failure != 0;
}

bool output_written(const struct output *output, int status, const struct dp_error *error)
{
	if (status && !output->failure)
		message_error(error);
	return !status || output->failure;
}

static int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Keeps a copy of what the pager gets, if memory allows. */
static void keep(struct output *output, const char *data, size_t size)
{
	char *kept = size < SIZE_MAX - output->kept_size
			     ? realloc(output->kept, output->kept_size + size)
			     : NULL;

	output->kept_all &= kept != NULL;
	if (!kept)
		return;
	memcpy(kept + output->kept_size, data, size);
	output->kept = kept;
	output->kept_size += size;
}

/*
 * Waits until the reader has quit, which ends the output. If the pager could not run, shows on the
 * terminal what it did not.
 */
static void leave_pager(struct output *output)
{
	if (pager_wait(&output->pager))
		output->has_left = output->failure == EPIPE;
	else if (output->kept_all)
		output->failure = write_all(output->fd, output->kept, output->kept_size);
	else
		output->failure = ENOMEM;
	free(output->kept);
	output->kept = NULL;
}

/* Passes what was kept to a pager; if none starts, to the terminal. */
static void start_pager(struct output *output)
{
	output->pageable = false;
	pager_start(&output->pager);
	output->failure = write_all(output->pager.fd < 0 ? output->fd : output->pager.fd,
				    output->kept, output->kept_size);
	if (output->pager.fd >= 0 && output->failure == EPIPE)
		leave_pager(output);
}

/* Returns true if more lines are kept than fit the screen. */
static bool exceeds_screen(const struct output *output)
{
	size_t lines = 0, height = tty_height(output->fd);

	for (size_t i = 0; i < output->kept_size; i++)
		lines += output->kept[i] == '\n';
	return !height || lines > height;
}

static void write_now(struct output *output, const void *data, size_t size)
{
	if (output->failure || !size)
		return;
	if (!output->pageable && output->pager.fd < 0) {
		output->failure = write_all(output->fd, data, size);
		return;
	}
	keep(output, data, size);
	/* Only for output longer than the screen, and not for an analysis that fails. */
	if (output->pageable) {
		if (!output->kept_all) {
			start_pager(output);
			write_now(output, data, size);
		} else if (exceeds_screen(output)) {
			start_pager(output);
		}
		return;
	}
	output->failure = write_all(output->pager.fd, data, size);
	if (output->failure == EPIPE)
		leave_pager(output);
}

void output_write(struct output *output, const void *data, size_t size)
{
	const char *at = data, *end = at + size;

	while (output->one_line && at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		write_now(output, at, (size_t)((stop ? stop : end) - at));
		at = stop ? stop + 1 : end;
	}
	write_now(output, at, (size_t)(end - at));
}

void output_begin_line(struct output *output)
{
	output->one_line = true;
}

void output_end_line(struct output *output)
{
	output->one_line = false;
	output_write(output, "\n", 1);
}

void output_print(struct output *output, const char *format, ...)
{
	char line[2048];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (n > 0)
		output_write(output, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

static int sink_write(void *ctx, const void *data, size_t size)
{
	struct output *output = ctx;

	output_write(output, data, size);
	return output->failure ? -1 : 0;
}

struct dp_sink output_sink(struct output *output)
{
	return (struct dp_sink){ sink_write, output };
}

static int put_in_place(const struct output *output)
{
	int folder = output->place.folder;
	const char *name = place_name(&output->place);

	if (output->force)
		return renameat(folder, output->temporary, folder, name) ? errno : 0;
	return folder_put_new(folder, output->temporary, folder, name) ? 0 : errno;
}

/* Some file systems cannot sync, but all report a full disk. */
static int finish_file(struct output *output)
{
	int failure = output->failure;

	if (!failure && output->temporary[0] && fsync(output->fd) && errno != EINVAL)
		failure = errno;
	if (close(output->fd) && !failure && errno != EINTR)
		failure = errno;
	output->fd = -1;
	return failure;
}

static bool close_file(struct output *output, bool keep)
{
	int failure = output->fd >= 0 ? finish_file(output) : 0;

	if (output->temporary[0]) {
		if (keep && !failure)
			failure = put_in_place(output);
		if (!keep || failure)
			unlinkat(output->place.folder, output->temporary, 0);
		cleanup_forget(output->temporary);
	}
	output->temporary[0] = '\0';
	place_close(&output->place);
	return !failure || refuse(output, strerror(failure));
}

static bool close_standard(struct output *output)
{
	if (output->failure == EPIPE) {
		cleanup_die_of_pipe();
		return false;
	}
	return !output->failure || refuse(output, strerror(output->failure));
}

bool output_close(struct output *output, bool keep)
{
	if (output->path)
		return close_file(output, keep);
	if (output->pageable && !output->failure)
		output->failure = write_all(output->fd, output->kept, output->kept_size);
	if (output->pager.fd >= 0)
		leave_pager(output);
	free(output->kept);
	output->kept = NULL;
	if (output->has_left)
		output->failure = 0;
	return close_standard(output);
}
