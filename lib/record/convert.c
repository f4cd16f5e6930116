/*
 * Converts spools to the trace file, in two passes over each: the first reads how the clocks ran
 * and how the process ended, the second writes rows.
 */
#include "record/convert.h"
#include "format/schema.h"
#include "spool/pool.h"
#include "trace/demangle.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Reports why a reader stopped before the end. */
static int reader_failed(struct dp_source *source, int code)
{
	if (code == DP_SPOOL_NO_MEMORY)
		return dp_error__nomem(source->convert->error, 0);
	return dp_error__set(source->convert->error, DP_ERR_IO, "what was recorded: %s",
			     strerror(errno));
}

static void tell_progress(struct dp_source *source, uint64_t before)
{
	const struct dp_record_about *about = source->convert->about;
	struct dp_spool_health health;

	if (!about->progress)
		return;
	dp_spool__health(source->spool, &health);
	about->progress(about->progress_ctx, before + health.bytes_read,
			2 * source->convert->spool_bytes);
}

/* Passes every record to take, salvaged ones last. */
static int read_all(struct dp_source *source, int pool_fd,
		    int (*take)(struct dp_source *source, const struct dp_spool_record *record))
{
	uint64_t before = source->convert->done_bytes, count = 0;
	struct dp_spool_record record;
	struct dp_spool_health health;
	bool salvage = pool_fd >= 0;
	int status = DP_OK, code;

	for (;;) {
		code = dp_spool__next(source->spool, &record);
		if (code == DP_SPOOL_OK) {
			status = take(source, &record);
			if (status)
				return status;
			if (!(++count & 0xffff))
				tell_progress(source, before);
			continue;
		}
		if (code != DP_SPOOL_END)
			return reader_failed(source, code);
		dp_spool__health(source->spool, &health);
		if (!salvage || health.ended)
			break;
		salvage = false;
		/* A file that is not a pool has nothing to salvage. */
		code = dp_spool__salvage(source->spool, pool_fd);
		if (code == DP_SPOOL_NOT_SPOOL)
			break;
		if (code != DP_SPOOL_OK)
			return reader_failed(source, code);
	}
	source->convert->done_bytes = before + health.bytes_read;
	return DP_OK;
}

static int first_pass(struct dp_source *source, const struct dp_spool_record *record)
{
	if (record->type == DP_SPOOL_CLOCK && record->clock.cupti &&
	    dp_clock__add(&source->clock, (int64_t)record->clock.cupti, record->clock.monotonic))
		return dp_error__nomem(source->convert->error, 0);
	return DP_OK;
}

/* A number of records that is not known. */
#define UNKNOWN UINT64_MAX

static int put_loss(struct dp_source *source, const char *reason, int64_t time, bool timed,
		    uint64_t records, uint64_t bytes)
{
	struct dp_db *db = &source->convert->db;
	int status = dp_db__row(db, DP_ROW_LOSS);

	if (status)
		return status;
	dp_db__int(db, source->process);
	dp_db__known(db, timed, time);
	dp_db__text(db, reason);
	dp_db__known(db, records != UNKNOWN, (int64_t)records);
	dp_db__known(db, bytes != 0, (int64_t)bytes);
	return dp_db__done(db);
}

static int put_message(struct dp_source *source, const struct dp_spool_message *message)
{
	struct dp_db *db = &source->convert->db;
	int status = dp_db__row(db, DP_ROW_MESSAGE);

	if (status)
		return status;
	source->facts.refused |= message->level >= DP_SPOOL_ERROR;
	dp_db__int(db, source->process);
	dp_db__int(db, dp_source__moment(source, message->realtime_ns));
	dp_db__int(db, message->level);
	dp_db__text(db, dp_spool__string(source->spool, message->code, NULL));
	dp_db__text(db, dp_spool__string(source->spool, message->text, NULL));
	return dp_db__done(db);
}

/* Stores what the program counted as lost, and why. */
static int take_loss(struct dp_source *source, const struct dp_spool_loss *loss)
{
	struct dp_record_result *result = &source->convert->result;
	const char *reason = dp_spool__string(source->spool, loss->reason, NULL);
	uint64_t *const sums[] = { [DP_LOSS_POOL_FULL] = &result->lost_buffers,
				   [DP_LOSS_CUPTI] = &result->lost_cupti,
				   [DP_LOSS_DISK] = &result->lost_disk,
				   [DP_LOSS_SPOOL_LIMIT] = &result->lost_limit,
				   [DP_LOSS_RING_FULL] = &result->lost_nvtx };

	for (unsigned int i = 0; i < DP_COUNT(sums); i++)
		if (sums[i] && !strcmp(reason, dp_pool__loss_word(i)))
			*sums[i] += loss->records;
	return put_loss(source, reason, dp_source__moment(source, loss->realtime_ns),
			loss->realtime_ns != 0, loss->records, loss->bytes);
}

/* Returns true for a record after the time at which the recording was to end. */
static bool is_cut(struct dp_source *source, const struct dp_spool_record *record)
{
	int64_t time_ns;

	if (!source->cut_ns)
		return false;
	if (record->type == DP_SPOOL_NVTX)
		return dp_clock__monotonic(&source->clock, (int64_t)record->nvtx.monotonic_ns) >=
		       dp_clock__time(&source->clock, (uint64_t)source->cut_ns);
	/* A record without a time is from the end: all before it was read from the GPU. */
	time_ns = (int64_t)dp_records__time(record);
	return !time_ns || time_ns >= source->cut_ns;
}

static int second_pass(struct dp_source *source, const struct dp_spool_record *record)
{
	uint64_t before = source->convert->result.events;
	bool taken;
	int status = dp_facts__take(source, record, &taken);

	if (status || taken)
		return status;
	if (is_cut(source, record)) {
		source->cut[dp_spool__kind(record) % DP_SPOOL_KINDS]++;
		source->convert->result.beyond++;
		return DP_OK;
	}
	switch (record->type) {
	case DP_SPOOL_NVTX:
		status = dp_nvtx__event(source, &record->nvtx);
		break;
	case DP_SPOOL_SCHEMA:
		status = dp_nvtx__schema(source, &record->schema);
		break;
	case DP_SPOOL_LOSS:
		status = take_loss(source, &record->loss);
		break;
	case DP_SPOOL_MESSAGE:
		status = put_message(source, &record->message);
		break;
	default:
		status = dp_records__put(source, record);
	}
	if (record->salvaged)
		source->convert->result.salvaged += source->convert->result.events - before;
	return status;
}

/* Stores losses that the program did not count. memory: its shared memory was available. */
static int put_faults(struct dp_source *source, bool memory)
{
	struct dp_spool_health health;
	int status = DP_OK;

	dp_spool__health(source->spool, &health);
	if (source->graphs)
		source->convert->result.graph_failures += source->failures;
	if (source->untimed)
		status = put_loss(source, "no-time", 0, false, source->untimed, 0);
	if (!status && source->unknown)
		status = put_loss(source, "unknown-kind", 0, false, source->unknown, 0);
	if (!status && health.damaged_bytes)
		status = put_loss(source, "damaged-spool", 0, false, UNKNOWN, health.damaged_bytes);
	if (!status && !source->ended && !memory) {
		source->convert->result.unsalvaged++;
		status = put_loss(source, "died", 0, false, UNKNOWN, 0);
	}
	return status;
}

static int open_spool(struct dp_source *source, int fd, bool *unusable)
{
	int code = dp_spool__open(&source->spool, fd);

	if (code == DP_SPOOL_NOT_SPOOL) {
		*unusable = true;
		return DP_OK;
	}
	return code == DP_SPOOL_OK ? DP_OK : reader_failed(source, code);
}

/* Reads the spool once; a spool that can be opened once can be opened again. */
static int pass(struct dp_source *source, int fd, int pool_fd, bool *unusable,
		int (*take)(struct dp_source *source, const struct dp_spool_record *record))
{
	int status = open_spool(source, fd, unusable);

	if (status || *unusable)
		return status;
	return read_all(source, pool_fd, take);
}

static void begin_clock(struct dp_source *source)
{
	const struct dp_spool_header *header = dp_spool__header(source->spool);

	source->clock.zero = source->convert->zero_monotonic;
	/* Times from a spool may have any value. */
	source->clock.fallback =
		(int64_t)((uint64_t)header->monotonic_ns - (uint64_t)header->realtime_ns);
	source->noted_realtime = header->realtime_ns;
	source->noted_monotonic = header->monotonic_ns;
}

/* For readers that know processes by pid only. */
static int note_process(struct dp_source *source)
{
	const struct dp_spool_header *header = dp_spool__header(source->spool);
	struct dp_convert *convert = source->convert;
	size_t count = convert->result.processes;

	if (dp_array__reserve(&convert->processes, &convert->process_room, count,
			      sizeof(*convert->processes)))
		return dp_error__nomem(convert->error, 0);
	convert->processes[count - 1] = (struct dp_host_process){
		.pid = header->pid,
		.id = source->process,
		.start_ns = dp_clock__monotonic(&source->clock, header->monotonic_ns),
	};
	return DP_OK;
}

int dp_convert__spool(struct dp_convert *convert, int fd, int pool_fd, int64_t cut_ns,
		      bool *unusable)
{
	struct dp_source source = {
		.convert = convert,
		.cut_ns = cut_ns,
		.first_ns = INT64_MAX,
	};
	int status;

	*unusable = false;
	status = pass(&source, fd, pool_fd, unusable, first_pass);
	if (!status && !*unusable) {
		begin_clock(&source);
		dp_spool__close(source.spool);
		source.spool = NULL;
		source.process = (int64_t)convert->result.processes + 1;
		status = pass(&source, fd, pool_fd, unusable, second_pass);
	}
	if (!status && !*unusable) {
		convert->result.processes++;
		status = note_process(&source);
		if (!status)
			status = dp_nvtx__finish(&source);
		if (!status)
			status = dp_facts__write(&source);
		if (!status)
			status = put_faults(&source, pool_fd >= 0);
	}
	convert->first_ns = DP_MIN(convert->first_ns, source.first_ns);
	convert->last_ns = DP_MAX(convert->last_ns, source.last_ns);
	dp_spool__close(source.spool);
	dp_clock__fini(&source.clock);
	dp_facts__fini(&source.facts);
	dp_nvtx__fini(&source.nvtx);
	free(source.names);
	return status;
}

int dp_convert__open(struct dp_convert *convert, const char *path, struct dp_error *error)
{
	convert->error = error;
	return dp_db__open(&convert->db, path, error);
}

static int put_meta(struct dp_convert *convert, const char *key, const char *text, int64_t number)
{
	int status = dp_db__row(&convert->db, DP_ROW_META);

	if (status)
		return status;
	dp_db__text(&convert->db, key);
	if (text)
		dp_db__text(&convert->db, text);
	else
		dp_db__int(&convert->db, number);
	return dp_db__done(&convert->db);
}

static int put_string(struct dp_convert *convert, uint32_t id)
{
	const char *text = dp_strings__get(&convert->strings, id);
	char *demangled = NULL;
	int status = dp_name__demangle(&demangled, text);

	if (status)
		return dp_error__nomem(convert->error, 0);
	status = dp_db__row(&convert->db, DP_ROW_STRING);
	if (!status) {
		dp_db__int(&convert->db, (int64_t)id + 1);
		dp_db__text(&convert->db, demangled ? demangled : text);
		dp_db__text(&convert->db, demangled ? text : NULL);
		status = dp_db__done(&convert->db);
	}
	free(demangled);
	return status;
}

int dp_convert__finish(struct dp_convert *convert)
{
	int status = put_meta(convert, "schema", NULL, DP_SCHEMA_VERSION);

	if (!status)
		status = put_meta(convert, "t0_realtime_ns", NULL, convert->zero_realtime);
	if (!status)
		status = put_meta(convert, "version", dp_version(), 0);
	if (!status && convert->about->hostname)
		status = put_meta(convert, "hostname", convert->about->hostname, 0);
	if (!status && convert->about->command)
		status = put_meta(convert, "command", convert->about->command, 0);
	for (uint32_t i = 0; i < convert->strings.count && !status; i++)
		status = put_string(convert, i);
	return status ? status : dp_db__finish(&convert->db);
}

void dp_convert__fini(struct dp_convert *convert)
{
	dp_db__fini(&convert->db);
	dp_strings__fini(&convert->strings);
	dp_lookup__fini(&convert->functions);
	free(convert->processes);
}
