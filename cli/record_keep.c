/* What was recorded becomes the trace file, at its name. */
#include "message.h"
#include "progress.h"
#include "record.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* As a shell has it. */
int record_exit_status(const struct record_end *end)
{
	return WIFSIGNALED(end->wait_status) ? 128 + WTERMSIG(end->wait_status)
					     : WEXITSTATUS(end->wait_status);
}

static bool write_file(struct record *record, const struct record_end *end, const char *command,
		       const char *path, struct dp_record_result *result)
{
	struct dp_record_about about = DP_RECORD_ABOUT_INIT;
	struct dp_error error = DP_ERROR_INIT;
	char host[256] = "";
	int status;

	if (!gethostname(host, sizeof(host) - 1))
		about.hostname = host;
	about.command = command;
	/* The status of a program that another process has started is not to be had. */
	if (!end->recovered) {
		about.pid = end->pid;
		about.exit_status = record_exit_status(end);
	}
	about.progress = progress_bytes;
	progress_begin(record->target, record->verbosity >= 0);
	status = dp_recording_write(record->recording, path, &about, result, &error);
	progress_end();
	if (status) {
		/* The temporary name says nothing to anybody. */
		snprintf(error.path, sizeof(error.path), "%s", record->target);
		message_error(&error);
	}
	return !status;
}

bool record_keep(struct record *record, const struct record_end *end, const char *command)
{
	struct dp_record_result result = { 0 };
	char *path;
	size_t size = strlen(record->folder) + sizeof("/trace.db");
	bool done = false;

	/* A limit on the size of files is then an error to tell of. */
	signal(SIGXFSZ, SIG_IGN);
	path = malloc(size);
	if (!path) {
		message("record: %s", strerror(ENOMEM));
		return false;
	}
	snprintf(path, size, "%s/trace.db", record->folder);
	/* What a killed process has begun to write. */
	unlink(path);
	record->unwritten = !write_file(record, end, command, path, &result);
	if (record->unwritten)
		goto out;
	done = true;
	if (!result.events && !result.samples) {
		record_say_nothing(record, end, &result);
	} else if ((done = record_place(record, path))) {
		record_say_done(record, end, &result);
		done = !result.unbalanced;
	} else {
		record->unwritten = true;
	}
out:
	free(path);
	return done;
}
