/* A recording from its start to the trace file, and the command line that describes it. */
#include "record/recording.h"
#include "base/options.h"
#include "record/convert.h"
#include "record/stacks.h"
#include "spool/secret.h"
#include "spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ZERO_TRIES = 6, ZERO_GOOD_NS = 1000 };

/* Reads time 0 on both clocks, as close together as possible: another process may interrupt. */
static void set_zero(struct dp_recording *recording)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < ZERO_TRIES && least > ZERO_GOOD_NS; i++) {
		int64_t before = dp_clock__now(CLOCK_MONOTONIC),
			realtime = dp_clock__now(CLOCK_REALTIME);
		int64_t took = dp_clock__now(CLOCK_MONOTONIC) - before;

		if (took >= least)
			continue;
		least = took;
		recording->zero_realtime = realtime;
		recording->zero_monotonic = before + took / 2;
	}
}

int dp_recording_new(struct dp_recording **out, const char *folder,
		     const struct dp_record_options *options, struct dp_error *error)
{
	struct dp_record_options all = DP_RECORD_OPTIONS_INIT;
	struct dp_recording *recording;
	int status;

	if (dp_options__take(&all, sizeof(all), options, error))
		return DP_ERR_ARGUMENT;
	status = dp_recording__make(&recording, folder, &all, error);
	if (status)
		return status;
	status = dp_recording__open_folder(recording, error);
	if (status)
		goto out;
	set_zero(recording);
	/* DP_POOL_RUN or DP_POOL_PAUSE is sent to processes when they connect. */
	dp_recording_control(recording, all.paused ? DP_RECORD_PAUSE : DP_RECORD_RUN);
	status = dp_inject__prepare(recording, &all, error);
	if (!status)
		status = dp_live__open(recording, error);
	if (!status)
		status = dp_begin__write(recording, error);
out:
	if (status)
		dp_recording_free(recording);
	else
		*out = recording;
	return status;
}

const char *dp_recording_environment(const struct dp_recording *recording, size_t index)
{
	return index < recording->variable_count ? recording->variables[index] : NULL;
}

/* Writes a message without a process to the trace file and to the caller. */
static int put_message(struct dp_recording *recording, struct dp_db *db, enum dp_log_level level,
		       const char *code, const char *text)
{
	int status = dp_db__row(db, DP_ROW_MESSAGE);

	dp_log__write(&recording->options.log, level, "%s", text);
	if (status)
		return status;
	dp_db__null(db);
	dp_db__null(db);
	dp_db__int(db, level == DP_LOG_WARNING ? DP_SPOOL_WARNING : DP_SPOOL_NOTE);
	dp_db__text(db, code);
	dp_db__text(db, text);
	return dp_db__done(db);
}

/* Reports why no context switches were recorded. */
static int put_refused(struct dp_recording *recording, struct dp_db *db)
{
	int refused = dp_host__refused(recording->host);
	char text[200];

	if (!refused)
		return DP_OK;
	snprintf(text, sizeof(text), "context switches are not recorded: perf_event_open: %s%s",
		 strerror(refused),
		 refused == EACCES || refused == EPERM
			 ? " (kernel.perf_event_paranoid above 2, or a container's seccomp profile)"
			 : "");
	return put_message(recording, db, DP_LOG_INFO, "context-switches", text);
}

/* Reports how many call stacks had no room. */
static int put_refused_stacks(struct dp_recording *recording, struct dp_db *db)
{
	uint64_t refused = dp_host__refused_stacks(recording->host);
	char text[120];

	if (!refused)
		return DP_OK;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " call stack samples are not recorded: they have more than %d distinct "
		 "functions and callers",
		 refused, DP_STACKS_MAX);
	return put_message(recording, db, DP_LOG_INFO, "call-stacks", text);
}

static int put_gpu_metrics(struct dp_recording *recording, struct dp_db *db, int64_t zero)
{
	char failure[240], text[320];
	int status = dp_gpu_sampler__write(recording->gpu_sampler, db, zero, failure);

	if (status || !failure[0])
		return status;
	snprintf(text, sizeof(text), "--gpu-metrics: hardware counters are not recorded: %s",
		 failure);
	return put_message(recording, db, DP_LOG_WARNING, "gpu-metrics", text);
}

static int convert_all(struct dp_recording *recording, struct dp_convert *convert)
{
	int status = DP_OK, spool;
	bool unusable;

	for (size_t i = 0; i < recording->member_count && !status; i++) {
		const struct dp_member *member = &recording->members[i];

		spool = dp_recording_folder__open(recording->folder_fd, member->name, O_RDONLY);
		if (spool < 0)
			return dp_error__set(convert->error, DP_ERR_IO, "%s: %s", member->name,
					     strerror(errno));
		status = dp_convert__spool(convert, spool, member->pool,
					   dp_live__cut(recording, member), &unusable);
		close(spool);
	}
	if (!status)
		status = dp_nvml__write(recording->nvml, &convert->db, convert->zero_monotonic,
					&convert->result.samples);
	if (!status)
		status = dp_host__write(recording->host, &convert->db, convert->zero_monotonic,
					convert->processes, convert->result.processes);
	if (!status)
		status = put_gpu_metrics(recording, &convert->db, convert->zero_monotonic);
	if (!status)
		status = put_refused(recording, &convert->db);
	if (!status)
		status = put_refused_stacks(recording, &convert->db);
	return status ? status : dp_convert__finish(convert);
}

int dp_recording_write(struct dp_recording *recording, const char *path,
		       const struct dp_record_about *about, struct dp_record_result *result,
		       struct dp_error *error)
{
	struct dp_record_about all = DP_RECORD_ABOUT_INIT;
	struct dp_error inner = DP_ERROR_INIT;
	struct dp_convert convert = { .zero_realtime = recording->zero_realtime,
				      .zero_monotonic = recording->zero_monotonic,
				      .first_ns = INT64_MAX };
	int status;

	if (dp_options__take(&all, sizeof(all), about, error))
		return DP_ERR_ARGUMENT;
	if (!dp_options__is_known(result->size, sizeof(*result)))
		return dp_error__set(error, DP_ERR_ARGUMENT, "a result of an unknown size: %zu",
				     result->size);
	convert.about = &all;
	dp_nvml__stop(recording->nvml);
	dp_host__stop(recording->host);
	dp_gpu_sampler__stop(recording->gpu_sampler);
	dp_watch__stop(recording->watch);
	if (recording->listener < 0)
		dp_recover__wait(recording);
	status = dp_live__collect(recording);
	if (status)
		return dp_error__set(error, status, "%s: %s", recording->folder, strerror(errno));
	dp_options__give(result, &convert.result);
	if (!recording->member_count)
		return DP_OK;
	convert.spool_bytes = dp_recording__spool_bytes(recording);
	status = dp_convert__open(&convert, path, &inner);
	if (!status) {
		status = convert_all(recording, &convert);
		if (status)
			unlink(path);
	}
	dp_convert__fini(&convert);
	if (status) {
		if (error && !error->status)
			*error = inner;
		return status;
	}
	if (convert.last_ns > convert.first_ns)
		convert.result.duration_ns = (uint64_t)convert.last_ns - (uint64_t)convert.first_ns;
	dp_options__give(result, &convert.result);
	return DP_OK;
}

/* Joins arguments, each followed by a NUL, as in /proc/PID/cmdline. */
static int join(char **joined, size_t *bytes, char *const *arguments)
{
	size_t used = 0;

	*bytes = 0;
	for (size_t i = 0; arguments[i]; i++)
		*bytes += strlen(arguments[i]) + 1;
	*joined = malloc(*bytes + 1);
	if (!*joined)
		return DP_ERR_NOMEM;
	for (size_t i = 0; arguments[i]; i++) {
		size_t length = strlen(arguments[i]) + 1;

		memcpy(*joined + used, arguments[i], length);
		used += length;
	}
	return DP_OK;
}

int dp_record_command_line(char **line, char *const *arguments, struct dp_error *error)
{
	char *joined, *text;
	size_t bytes, room;

	if (join(&joined, &bytes, arguments))
		return dp_error__nomem(error, bytes);
	room = dp_secret__command(NULL, 0, joined, bytes, ' ') + 1;
	text = malloc(room);
	if (text)
		dp_secret__command(text, room, joined, bytes, ' ');
	free(joined);
	if (!text)
		return dp_error__nomem(error, room);
	*line = text;
	return DP_OK;
}
