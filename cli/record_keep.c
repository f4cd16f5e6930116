/* Writes the recording as the trace file, and puts it in place. */
#include "message.h"
#include "progress.h"
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* As a shell has it. */
int record_exit_status(const struct record_end *end)
{
	return WIFSIGNALED(end->wait_status) ? 128 + WTERMSIG(end->wait_status)
					     : WEXITSTATUS(end->wait_status);
}

/* Sets the permissions of --mode. Until then only the owner can read the file. */
static bool widen(const struct record *record, const char *path)
{
	int fd = record->mode ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	bool done = !record->mode || (fd >= 0 && !fchmod(fd, record->mode));

	if (!done)
		message("%s: %s", record->target, strerror(errno));
	if (fd >= 0)
		close(fd);
	return done;
}

static bool write_file(struct record *record, const struct record_end *end, const char *path,
		       struct dp_record_result *result)
{
	struct dp_record_about about = DP_RECORD_ABOUT_INIT;
	struct dp_error error = DP_ERROR_INIT;
	char host[256] = "";
	int status;

	if (!gethostname(host, sizeof(host) - 1))
		about.hostname = host;
	/* An earlier recording without a command has stored an empty one. */
	about.command = record->line && *record->line ? record->line : NULL;
	/* The status of a program started by another process is unknown. */
	if (!end->recovered && !end->early) {
		about.pid = end->pid;
		about.exit_status = record_exit_status(end);
	}
	about.progress = progress_bytes;
	progress_begin(record->target, record->verbosity >= 0);
	status = dp_recording_write(record->recording, path, &about, result, &error);
	progress_end();
	if (!status && result->processes && !widen(record, path))
		return false;
	if (status) {
		/* The temporary name would not help anybody. */
		snprintf(error.path, sizeof(error.path), "%s", record->target);
		message_error(&error);
	}
	return !status;
}

bool record_keep(struct record *record, const struct record_end *end)
{
	const struct folder *from = record->other.fd >= 0 ? &record->other : &record->folder;
	struct dp_record_result result = DP_RECORD_RESULT_INIT;
	char path[64];
	bool done = false;

	if (!record_find_folder(record))
		return false;
	/* By descriptor: the folder's name may lead elsewhere by now. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d/" RECORD_TRACE, from->fd);
	/* A killed process may have started writing it. */
	unlinkat(from->fd, RECORD_TRACE, 0);
	record->unwritten = !write_file(record, end, path, &result);
	if (record->unwritten)
		return false;
	done = true;
	if (!result.events && !result.samples) {
		record_say_nothing(record, end, &result);
	} else if ((done = record_place(record, from))) {
		record_say_done(record, end, &result);
		done = !result.unbalanced;
	} else {
		record->unwritten = true;
	}
	unlinkat(from->fd, RECORD_TRACE, 0);
	return done;
}

void record_close(struct record *record)
{
	bool leave = record->recording && record->unwritten && record->noted;

	if (leave) {
		dp_recording_keep_folder(record->recording);
		record_say_kept(&record->folder);
	}
	dp_recording_free(record->recording);
	record->recording = NULL;
	if (record->folder.fd >= 0 && !record->closed)
		janitor_finish(&record->folder, leave);
	record->closed = true;
}

void record_fini(struct record *record)
{
	record_close(record);
	folder_close(&record->folder);
	place_close(&record->place);
	free(record->target);
	free(record->line);
}

/* The other thread handles signals, except SIGXFSZ, which belongs to the writing thread. */
static void *keep(void *ctx)
{
	struct record_keeping *keeping = ctx;
	sigset_t limit;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	signal(SIGXFSZ, SIG_IGN);
	pthread_sigmask(SIG_UNBLOCK, &limit, NULL);
	keeping->kept = record_keep(keeping->record, &keeping->end);
	record_close(keeping->record);
	if (keeping->fd >= 0)
		eventfd_write(keeping->fd, 1);
	return NULL;
}

void record_keep_begin(struct record_keeping *keeping, struct record *record,
		       const struct record_end *end)
{
	*keeping = (struct record_keeping){ .record = record, .end = *end };
	keeping->name = strdup(record->target);
	keeping->folder = record->folder;
	keeping->folder.path = strdup(record->folder.path);
	keeping->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (keeping->name && keeping->folder.path && keeping->fd >= 0 &&
	    !pthread_create(&keeping->thread, NULL, keep, keeping))
		return;
	/* Without a thread, signals wait. */
	keep(keeping);
	keeping->done = true;
}

void record_keep_look(struct record_keeping *keeping)
{
	eventfd_t count;

	if (keeping->done || eventfd_read(keeping->fd, &count))
		return;
	pthread_join(keeping->thread, NULL);
	keeping->done = true;
}

void record_keep_fini(struct record_keeping *keeping)
{
	if (keeping->fd >= 0)
		close(keeping->fd);
	free(keeping->name);
	free(keeping->folder.path);
}
