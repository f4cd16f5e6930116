#define _GNU_SOURCE /* pipe2() */
#include "record/gpu_sampler.h"
#include "record/bulk.h"
#include "record/clock.h"
#include "record/recording_folder.h"
#include "spool/gpu_metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Enough to read the last samples and disable the counters; then the process is killed. */
#define STOP_NS INT64_C(5000000000)

struct dp_gpu_sampler {
	FILE *file;
	pid_t pid;    /* 0: none, or it has ended */
	int lifeline; /* closing it ends the child */
};

/* Signals are reset, and a process group of its own keeps Ctrl-C away. */
static int spawn(pid_t *pid, const char *path, char *const *arguments, int input, int output)
{
	extern char **environ;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int failed;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	failed = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
	if (!failed)
		failed = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	if (!failed)
		failed = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null",
							  O_WRONLY, 0);
	if (!failed)
		failed = posix_spawn(pid, path, &files, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return failed;
}

static int start(struct dp_gpu_sampler *sampler, const char *programs, pid_t recorded,
		 uint32_t every_us)
{
	char path[PATH_MAX], pid[24], interval[24], name[] = DP_GPU_METRICS_PROGRAM;
	char *arguments[] = { name, pid, interval, NULL };
	int ends[2], failed;

	snprintf(path, sizeof(path), "%s/" DP_GPU_METRICS_PROGRAM, programs);
	snprintf(pid, sizeof(pid), "%ld", (long)recorded);
	snprintf(interval, sizeof(interval), "%" PRIu64, every_us * UINT64_C(1000));
	if (pipe2(ends, O_CLOEXEC))
		return DP_ERR_IO;
	failed = spawn(&sampler->pid, path, arguments, ends[0], fileno(sampler->file));
	close(ends[0]);
	if (!failed) {
		sampler->lifeline = ends[1];
		return DP_OK;
	}
	close(ends[1]);
	sampler->pid = 0;
	errno = failed;
	return DP_ERR_IO;
}

int dp_gpu_sampler__start(struct dp_gpu_sampler **out, int folder_fd, const char *programs,
			  pid_t recorded, uint32_t every_us)
{
	struct dp_gpu_sampler *sampler = dp_alloc__zeroed(1, sizeof(*sampler));
	int status, failed;

	if (!sampler)
		return DP_ERR_NOMEM;
	sampler->lifeline = -1;
	sampler->file =
		dp_recording_folder__open_samples(folder_fd, DP_GPU_METRICS_FILE, O_CREAT | O_EXCL);
	status = sampler->file ? start(sampler, programs, recorded, every_us) : DP_ERR_IO;
	if (!status) {
		*out = sampler;
		return DP_OK;
	}
	failed = errno;
	dp_gpu_sampler__free(sampler);
	errno = failed;
	return status;
}

int dp_gpu_sampler__open(struct dp_gpu_sampler **out, int folder_fd)
{
	FILE *file = dp_recording_folder__open_samples(folder_fd, DP_GPU_METRICS_FILE, 0);

	*out = NULL;
	if (!file)
		return errno == ENOENT ? DP_OK : DP_ERR_IO;
	*out = dp_alloc__zeroed(1, sizeof(**out));
	if (!*out) {
		fclose(file);
		return DP_ERR_NOMEM;
	}
	(*out)->file = file;
	(*out)->lifeline = -1;
	return DP_OK;
}

void dp_gpu_sampler__stop(struct dp_gpu_sampler *sampler)
{
	const struct timespec pause = { 0, 5000000 };
	int64_t until = dp_clock__now(CLOCK_MONOTONIC) + STOP_NS;

	if (!sampler || !sampler->pid)
		return;
	close(sampler->lifeline);
	sampler->lifeline = -1;
	/* There is no status left if the caller has taken it. */
	while (!waitpid(sampler->pid, NULL, WNOHANG)) {
		if (dp_clock__now(CLOCK_MONOTONIC) >= until)
			kill(sampler->pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
	sampler->pid = 0;
}

void dp_gpu_sampler__free(struct dp_gpu_sampler *sampler)
{
	if (!sampler)
		return;
	dp_gpu_sampler__stop(sampler);
	if (sampler->file)
		fclose(sampler->file);
	free(sampler);
}

pid_t dp_gpu_sampler__pid(const struct dp_gpu_sampler *sampler)
{
	return sampler ? sampler->pid : 0;
}

struct contents {
	struct dp_gpu_metrics_header header;
	char uuids[DP_GPU_METRICS_GPUS][DP_GPU_METRICS_UUID];
};

/* Reads to where the samples begin. Returns false if the header is invalid. */
static bool read_header(FILE *file, struct contents *contents)
{
	struct dp_gpu_metrics_header *header = &contents->header;

	rewind(file);
	if (fread(header, sizeof(*header), 1, file) != 1 ||
	    memcmp(header->magic, DP_GPU_METRICS_MAGIC, sizeof(header->magic)) ||
	    header->gpus > DP_GPU_METRICS_GPUS ||
	    header->sample_bytes != sizeof(struct dp_gpu_metrics_sample) ||
	    fread(contents->uuids, DP_GPU_METRICS_UUID, header->gpus, file) != header->gpus)
		return false;
	header->failure[sizeof(header->failure) - 1] = '\0';
	for (uint32_t i = 0; i < header->gpus; i++)
		contents->uuids[i][DP_GPU_METRICS_UUID - 1] = '\0';
	return true;
}

static int put_sample(struct dp_db *db, const char *uuid, int64_t zero,
		      const struct dp_gpu_metrics_sample *sample)
{
	int status = dp_db__row(db, DP_ROW_GPU_METRIC);

	if (status)
		return status;
	dp_db__text(db, uuid);
	/* Recorded processes can write to the file, so its values may be anything. */
	dp_db__int(db, (int64_t)((uint64_t)sample->start_ns - (uint64_t)zero));
	dp_db__int(db, sample->dur_ns);
	for (int i = 0; i < DP_GPU_METRICS; i++)
		dp_db__known(db, sample->has & 1u << i, sample->values[i]);
	return dp_db__done(db);
}

static int drop_unused(struct dp_db *db)
{
	static const char sql[] =
		"DELETE FROM gpu_metric WHERE device_uuid NOT IN "
		"(SELECT uuid FROM device WHERE uuid IS NOT NULL) AND EXISTS "
		"(SELECT 1 FROM device WHERE uuid IN (SELECT device_uuid FROM gpu_metric))";

	return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) ? dp_db__fail(db) : DP_OK;
}

int dp_gpu_sampler__write(struct dp_gpu_sampler *sampler, struct dp_db *db, int64_t zero,
			  char failure[240])
{
	struct dp_gpu_metrics_sample sample;
	struct contents contents;
	int status = DP_OK;

	failure[0] = '\0';
	if (!sampler || !read_header(sampler->file, &contents))
		return DP_OK;
	memcpy(failure, contents.header.failure, sizeof(contents.header.failure));
	while (!status && fread(&sample, sizeof(sample), 1, sampler->file) == 1)
		if (sample.gpu < contents.header.gpus)
			status = put_sample(db, contents.uuids[sample.gpu], zero, &sample);
	return status ? status : drop_unused(db);
}
