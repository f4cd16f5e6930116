/*
 * Finishes a recording whose process was killed or could not write its file: the folder has the
 * spools, and a file with time 0. A process that uses the folder has it locked, so that no other
 * takes it; the lock ends with the process.
 */
#include "record/recording.h"
#include "base/options.h"
#include "spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BEGIN_FORMAT "deepprof recording 1\n%" SCNd64 " %" SCNd64 "\n"

/* The time that processes have to stop. */
enum { STOP_ROUNDS = 100, ROUND_NS = 10000000 };

/* If a file system cannot lock, the folder is taken anyway. */
static bool lock_folder(struct dp_recording *recording)
{
	recording->owned = !flock(recording->folder_fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK;
	return recording->owned;
}

static int folder_failed(const struct dp_recording *recording, struct dp_error *error)
{
	dp_error__system(error, NULL);
	dp_error__where(error, recording->folder, NULL, 0, 0);
	return DP_ERR_IO;
}

static int folder_taken(const struct dp_recording *recording, struct dp_error *error)
{
	dp_error__set(error, DP_ERR_ARGUMENT, "a recording is in progress there");
	dp_error__where(error, recording->folder, NULL, 0, 0);
	return DP_ERR_ARGUMENT;
}

int dp_begin__write(struct dp_recording *recording, struct dp_error *error)
{
	int fd;

	if (!lock_folder(recording))
		return folder_taken(recording, error);
	fd = openat(recording->folder_fd, DP_BEGIN_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return folder_failed(recording, error);
	if (dprintf(fd, BEGIN_FORMAT, recording->zero_realtime, recording->zero_monotonic) < 0) {
		close(fd);
		return folder_failed(recording, error);
	}
	close(fd);
	return DP_OK;
}

static bool read_begin(struct dp_recording *recording)
{
	int fd = dp_recording_folder__open(recording->folder_fd, DP_BEGIN_FILE, O_RDONLY);
	char text[128];
	ssize_t bytes;

	if (fd < 0)
		return false;
	bytes = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (bytes <= 0)
		return false;
	text[bytes] = '\0';
	return sscanf(text, BEGIN_FORMAT, &recording->zero_realtime, &recording->zero_monotonic) ==
	       2;
}

static int open_folder(struct dp_recording *recording, struct dp_error *error)
{
	int status = dp_recording__open_folder(recording, error);

	if (status)
		return status;
	if (!read_begin(recording)) {
		dp_error__set(error, DP_ERR_UNSUPPORTED, "no recording was started there");
		dp_error__where(error, recording->folder, NULL, 0, 0);
		return DP_ERR_UNSUPPORTED;
	}
	return lock_folder(recording) ? DP_OK : folder_taken(recording, error);
}

static int collect(struct dp_recording *recording, struct dp_error *error)
{
	int status = dp_nvml__open(&recording->nvml, recording->folder_fd);

	if (!status)
		status = dp_host__open(&recording->host, recording->folder_fd);
	if (!status)
		status = dp_gpu_sampler__open(&recording->gpu_sampler, recording->folder_fd);
	if (!status)
		status = dp_live__collect(recording);
	if (status == DP_ERR_NOMEM)
		return dp_error__nomem(error, 0);
	return status ? folder_failed(recording, error) : DP_OK;
}

int dp_recording_recover(struct dp_recording **out, const char *folder,
			 const struct dp_record_options *options, struct dp_error *error)
{
	struct dp_record_options all = DP_RECORD_OPTIONS_INIT;
	struct dp_recording *recording;
	int status;

	if (dp_options__take(&all, sizeof(all), options, error))
		return DP_ERR_ARGUMENT;
	all.nvml = NULL;
	all.on_memory = NULL;
	status = dp_recording__make(&recording, folder, &all, error);
	if (status)
		return status;
	status = open_folder(recording, error);
	if (!status)
		status = collect(recording, error);
	/* Another process made what is in the folder. */
	recording->owned = false;
	if (status) {
		dp_recording_free(recording);
		return status;
	}
	*out = recording;
	return DP_OK;
}

void dp_recording_keep_folder(struct dp_recording *recording)
{
	recording->owned = false;
	for (size_t i = 0; i < recording->member_count; i++)
		dp_pool_copy__keep(recording, &recording->members[i]);
}

int dp_recording_take_memory(struct dp_recording *recording, const char *name, int fd)
{
	for (size_t i = 0; i < recording->member_count; i++) {
		struct dp_member *member = &recording->members[i];

		if (strcmp(member->name, name) || member->pool >= 0)
			continue;
		member->pool = fd;
		dp_pool__control(fd, DP_POOL_STOP);
		return DP_OK;
	}
	return DP_ERR_ARGUMENT;
}

static bool is_stopping(const struct dp_member *member)
{
	struct dp_pool_status status;

	return member->pool >= 0 && dp_pool__status(member->pool, &status) &&
	       status.state != DP_POOL_STOPPED && status.state != DP_POOL_ENDED &&
	       (!kill((pid_t)status.pid, 0) || errno != ESRCH);
}

void dp_recover__wait(const struct dp_recording *recording)
{
	const struct timespec pause = { 0, ROUND_NS };
	size_t next = 0;

	for (int i = 0; i < STOP_ROUNDS; i++) {
		while (next < recording->member_count && !is_stopping(&recording->members[next]))
			next++;
		if (next == recording->member_count)
			return;
		nanosleep(&pause, NULL);
	}
}
