/*
 * What deepprof's own trace file has besides operations and calls: the recording, its processes,
 * threads and devices, losses and pauses, and the state of the devices.
 */
#include "base/text.h"
#include "import/deepprof_private.h"
#include "format/schema.h"

#include <stdio.h>
#include <string.h>

/* Devices with the same UUID: one, or one per process. More than this is damage. */
#define UUID_DEVICES_MOST 64

/* Sets *number to the number of a UUID, -1 if there is none. */
static int uuid_number(struct dp_cupti *cupti, struct dp_rows *rows, size_t column, int64_t *number)
{
	size_t length;
	const char *text = dp_rows__text(rows, column, &length), *end;
	uint32_t id;

	*number = -1;
	if (!length)
		return DP_OK;
	end = memchr(text, '\0', length);
	id = dp_strings__intern(&dp_deepprof__of(cupti)->uuids, text,
				end ? (size_t)(end - text) : length);
	if (id == DP_NONE)
		return dp_cupti__nomem(cupti);
	*number = id;
	return DP_OK;
}

enum { UUID = DP_CUPTI_OWN, POWER, ENERGY, CLOCK, THROTTLE };

static int read_sample(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_sample sample = {
		.energy_mj = dp_rows__bytes(rows, ENERGY),
		.power_mw = (uint32_t)dp_rows__integer(rows, POWER, 0, UINT32_MAX, 0),
		.clock_mhz = (uint32_t)dp_rows__integer(rows, CLOCK, 0, UINT32_MAX, 0),
		.throttle = (uint32_t)dp_rows__integer(rows, THROTTLE, 0, UINT32_MAX, 0),
	};
	struct dp_key key = { { 0 } };
	int status = DP_OK;

	if (!dp_rows__time(rows, DP_CUPTI_START, &sample.time_ns))
		return dp_rows__skip(rows, "no valid time");
	if (uuid_number(cupti, rows, UUID, &key.part[0]))
		return dp_cupti__failed(cupti);
	while (!status && (sample.device = dp_lookup__get(&dp_deepprof__of(cupti)->uuid_devices,
							  &key)) != DP_NONE) {
		status = dp_builder__add_sample(cupti->import->builder, &sample);
		key.part[1]++;
	}
	return status;
}

enum { SM = UUID + 1, TENSOR, READ, WRITE };

/* Reads a share in millionths of the peak; a counter may exceed it a little. */
static uint32_t share(struct dp_rows *rows, size_t column)
{
	return (uint32_t)dp_rows__integer(rows, column, 0, 2 * DP_ACTIVITY_PEAK,
					  DP_ACTIVITY_UNKNOWN);
}

static int read_activity(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_unit_activity activity = { .sm = share(rows, SM),
					     .tensor = share(rows, TENSOR),
					     .dram = share(rows, READ) };
	uint32_t written = share(rows, WRITE);
	struct dp_key key = { { 0 } };
	int status = DP_OK;

	if (activity.dram == DP_ACTIVITY_UNKNOWN || written == DP_ACTIVITY_UNKNOWN)
		activity.dram = DP_ACTIVITY_UNKNOWN;
	else
		activity.dram += written;
	if (!dp_cupti__times(cupti, rows, &activity.start_ns, &activity.end_ns))
		return DP_OK;
	if (uuid_number(cupti, rows, UUID, &key.part[0]))
		return dp_cupti__failed(cupti);
	while (!status && (activity.device = dp_lookup__get(&dp_deepprof__of(cupti)->uuid_devices,
							    &key)) != DP_NONE) {
		status = dp_builder__add_activity(cupti->import->builder, &activity);
		key.part[1]++;
	}
	return status;
}

enum { RUN = DP_CUPTI_OWN, WAIT, FAULTS };

/* Finds a thread among those that called CUDA: others launch nothing. */
static uint32_t find_thread(struct dp_cupti *cupti, struct dp_rows *rows)
{
	return dp_places__find_thread(&cupti->places, dp_deepprof__pid(cupti, rows),
				      dp_rows__id(rows, DP_CUPTI_THREAD));
}

static uint32_t find_process(struct dp_cupti *cupti, struct dp_rows *rows)
{
	return dp_places__find_process(&cupti->places, dp_deepprof__pid(cupti, rows));
}

static int read_cpu_sample(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_cpu_sample sample = {
		.run_ns = dp_rows__integer(rows, RUN, 0, INT64_MAX, -1),
		.wait_ns = dp_rows__integer(rows, WAIT, 0, INT64_MAX, -1),
		.faults = dp_rows__integer(rows, FAULTS, 0, INT64_MAX, -1),
		.thread = find_thread(cupti, rows),
	};

	if (sample.thread == DP_NONE)
		return DP_OK;
	if (!dp_rows__time(rows, DP_CUPTI_START, &sample.time_ns))
		return dp_rows__skip(rows, "no valid time");
	return dp_builder__add_cpu_sample(cupti->import->builder, &sample);
}

static int read_off(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_off off = {
		.thread = find_thread(cupti, rows),
		.kind = (enum dp_off_kind)dp_rows__integer(rows, DP_CUPTI_KIND, 0, DP_OFF_KINDS - 1,
							   DP_OFF_BLOCKED),
	};

	if (off.thread == DP_NONE || !dp_cupti__times(cupti, rows, &off.start_ns, &off.end_ns))
		return DP_OK;
	return dp_builder__add_off_cpu(cupti->import->builder, &off);
}

enum { THROTTLED = DP_CUPTI_OWN };

static int read_load(struct dp_cupti *cupti, struct dp_rows *rows)
{
	uint32_t process = find_process(cupti, rows);
	int64_t time_ns;

	if (process == DP_NONE || dp_rows__is_null(rows, THROTTLED))
		return DP_OK;
	if (!dp_rows__time(rows, DP_CUPTI_START, &time_ns))
		return dp_rows__skip(rows, "no valid time");
	return dp_builder__add_throttling(cupti->import->builder, time_ns, process,
					  dp_rows__integer(rows, THROTTLED, 0, INT64_MAX, -1));
}

static int add_fact(struct dp_cupti *cupti, const char *name, struct dp_rows *rows, size_t column)
{
	size_t length;
	const char *text = dp_rows__text(rows, column, &length);

	return dp_builder__fact(cupti->import->builder, name, text, length);
}

static int add_number(struct dp_cupti *cupti, const char *name, struct dp_rows *rows, size_t column)
{
	char text[24];
	int n;

	if (dp_rows__is_null(rows, column))
		return DP_OK;
	n = snprintf(text, sizeof(text), "%lld", (long long)dp_rows__id(rows, column));
	return dp_builder__fact(cupti->import->builder, name, text, (size_t)n);
}

static int read_meta(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_builder *builder = cupti->import->builder;
	char recorder[80];
	int64_t epoch_ns;
	size_t length;
	const char *key = dp_rows__text(rows, 0, &length), *text;

	if (dp_text__is(key, length, "t0_realtime_ns") && dp_rows__time(rows, 1, &epoch_ns)) {
		dp_builder__epoch(builder, epoch_ns);
		return DP_OK;
	}
	if (dp_text__is(key, length, "hostname"))
		return add_fact(cupti, "host", rows, 1);
	if (dp_text__is(key, length, "command"))
		return add_fact(cupti, "command", rows, 1);
	if (!dp_text__is(key, length, "version"))
		return DP_OK;
	text = dp_rows__text(rows, 1, &length);
	length = (size_t)snprintf(recorder, sizeof(recorder), "deepprof %.*s",
				  (int)DP_MIN(length, (size_t)60), text);
	return dp_builder__fact(builder, "recorder", recorder, length);
}

enum {
	PROCESS_ID,
	PROCESS_PID,
	PROCESS_RANK,
	PROCESS_COMMAND,
	PROCESS_EXIT,
	PROCESS_DRIVER,
	PROCESS_CUPTI
};

static int read_process(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, PROCESS_ID) } };
	int64_t pid = dp_rows__integer(rows, PROCESS_PID, 0, UINT32_MAX - 1, -1);

	if (add_number(cupti, "exit_status", rows, PROCESS_EXIT) ||
	    add_fact(cupti, "driver", rows, PROCESS_DRIVER) ||
	    add_number(cupti, "cupti", rows, PROCESS_CUPTI))
		return dp_cupti__failed(cupti);
	if (pid < 0)
		return dp_rows__skip(rows, "no valid pid");
	return dp_lookup__set(&dp_deepprof__of(cupti)->processes, &key, (uint32_t)pid)
		       ? dp_cupti__nomem(cupti)
		       : DP_OK;
}

/* Sets the name and rank of a process, if it is in the trace: idle ones are not. */
static int label_process(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t pid = dp_rows__integer(rows, PROCESS_PID, 0, UINT32_MAX - 1, -1);
	uint32_t process = dp_places__find_process(&cupti->places, pid), name;

	if (process == DP_NONE)
		return DP_OK;
	if (dp_cupti__string(cupti, rows, PROCESS_COMMAND, &name))
		return dp_cupti__failed(cupti);
	dp_builder__name_process(cupti->import->builder, process, name,
				 dp_rows__integer(rows, PROCESS_RANK, 0, INT32_MAX, -1));
	return DP_OK;
}

static int label_thread(struct dp_cupti *cupti, struct dp_rows *rows)
{
	uint32_t thread = find_thread(cupti, rows), name;

	if (thread == DP_NONE)
		return DP_OK;
	if (dp_cupti__string(cupti, rows, DP_CUPTI_NAME, &name))
		return dp_cupti__failed(cupti);
	if (name != DP_NONE)
		dp_builder__name_thread(cupti->import->builder, thread, name);
	return DP_OK;
}

/* Remembers which device has a UUID, for the samples. */
static int note_uuid(struct dp_cupti *cupti, struct dp_rows *rows, uint32_t device)
{
	struct dp_key key = { { 0 } };

	if (uuid_number(cupti, rows, UUID, &key.part[0]))
		return dp_cupti__failed(cupti);
	if (key.part[0] < 0 || device == DP_NONE)
		return DP_OK;
	while (key.part[1] < UUID_DEVICES_MOST &&
	       dp_lookup__get(&dp_deepprof__of(cupti)->uuid_devices, &key) != DP_NONE)
		key.part[1]++;
	if (key.part[1] < UUID_DEVICES_MOST &&
	    dp_lookup__set(&dp_deepprof__of(cupti)->uuid_devices, &key, device))
		return dp_cupti__nomem(cupti);
	return DP_OK;
}

static int label_device(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t pid = dp_deepprof__pid(cupti, rows);
	int64_t id = (int64_t)cupti->gpus.count, device = dp_rows__id(rows, DP_CUPTI_DEVICE);
	size_t length;
	const char *text;
	struct dp_gpu gpu = { .total_bytes = dp_rows__bytes(rows, DP_CUPTI_BYTES) };

	if (dp_cupti__string(cupti, rows, DP_CUPTI_NAME, &gpu.name))
		return dp_cupti__failed(cupti);
	text = dp_rows__text(rows, UUID, &length);
	gpu.uuid = dp_builder__uuid(cupti->import->builder, text, length);
	if (note_uuid(cupti, rows, dp_places__find_device(&cupti->places, pid, device)))
		return dp_cupti__failed(cupti);
	if (dp_gpus__add(&cupti->gpus, id, device, &gpu) ||
	    dp_gpus__map(&cupti->gpus, pid, device, id))
		return dp_cupti__nomem(cupti);
	return DP_OK;
}

/* Reads what was lost while recording. */
static int read_loss(struct dp_cupti *cupti, struct dp_rows *rows)
{
	char reason[128];
	size_t length;
	const char *text = dp_rows__text(rows, 0, &length);

	text = text ? dp_schema__explain_loss(text) : "";
	length = strlen(text);
	snprintf(reason, sizeof(reason), "while recording: %.*s", (int)DP_MIN(length, (size_t)96),
		 text);
	return dp_builder__loss(cupti->import->builder, reason,
				(uint64_t)dp_rows__integer(rows, 1, 0, INT64_MAX, 0), 0);
}

/* Counts operations without times as a loss: the analysis cannot use them. */
static int read_untimed(struct dp_cupti *cupti, struct dp_rows *rows)
{
	return dp_builder__loss(cupti->import->builder,
				"while recording: GPU operations without times", 1, 0);
}

/* Ignores a pause that never ended: nothing was recorded after it. */
static int read_pause(struct dp_cupti *cupti, struct dp_rows *rows)
{
	uint32_t process = find_process(cupti, rows);
	int64_t start_ns, end_ns;

	if (!dp_cupti__times(cupti, rows, &start_ns, &end_ns) || process == DP_NONE ||
	    dp_rows__is_null(rows, DP_CUPTI_END))
		return DP_OK;
	return dp_builder__add_pause(cupti->import->builder, process, start_ns, end_ns);
}

#define PROCESS                                                                               \
	{                                                                                     \
		[PROCESS_ID] = { "id", true }, [PROCESS_PID] = { "pid", true },               \
		[PROCESS_RANK] = { "rank", false }, [PROCESS_COMMAND] = { "cmdline", false }, \
		[PROCESS_EXIT] = { "exit", false }, [PROCESS_DRIVER] = { "driver", false },   \
		[PROCESS_CUPTI] = { "cupti_version", false },                                 \
	}

const struct dp_cupti_table dp_deepprof__first[] = {
	{ "meta", read_meta, { { "key", true }, { "value", true } } },
	{ "process", read_process, PROCESS },
	{ NULL },
};

#define OF_PROCESS [DP_CUPTI_PROCESS] = { "process", true }
#define OF_THREAD OF_PROCESS, [DP_CUPTI_THREAD] = { "tid", true }
#define OF_DEVICE [UUID] = { "device_uuid", true }
#define AT [DP_CUPTI_START] = { "ts", true }
#define TIMES [DP_CUPTI_START] = { "start", true }, [DP_CUPTI_END] = { "dur_ns", true }

const struct dp_cupti_table dp_deepprof__labels[] = {
	{ "process", label_process, PROCESS },
	{ "thread", label_thread, { OF_THREAD, [DP_CUPTI_NAME] = { "name", true } } },
	{ "device",
	  label_device,
	  { OF_PROCESS, [DP_CUPTI_DEVICE] = { "device", true }, [DP_CUPTI_NAME] = { "name", false },
	    [DP_CUPTI_BYTES] = { "mem_bytes", false }, [UUID] = { "uuid", false } } },
	{ "loss", read_loss, { { "reason", true }, { "records", false } } },
	{ "untimed", read_untimed, { { "process", true } } },
	{ "pause", read_pause, { OF_PROCESS, TIMES } },
	{ "mem_op",
	  dp_cupti__read_memory,
	  { OF_PROCESS,
	    AT, [DP_CUPTI_DEVICE] = { "device", true }, [DP_CUPTI_BYTES] = { "bytes", true },
	    [DP_CUPTI_KIND] = { "op", true }, [DP_CUPTI_TARGET] = { "kind", true } } },
	{ "gpu_sample",
	  read_sample,
	  { OF_DEVICE, AT, [POWER] = { "power_mW", false }, [ENERGY] = { "energy_mJ", false },
	    [CLOCK] = { "sm_clk", false }, [THROTTLE] = { "throttle", false } } },
	{ "gpu_metric",
	  read_activity,
	  { OF_DEVICE, TIMES, [SM] = { "sm_ppm", false }, [TENSOR] = { "tensor_ppm", false },
	    [READ] = { "dram_read_ppm", false }, [WRITE] = { "dram_write_ppm", false } } },
	{ "host_sample",
	  read_cpu_sample,
	  { OF_THREAD, AT, [RUN] = { "run_ns", true }, [WAIT] = { "wait_ns", false },
	    [FAULTS] = { "major_faults", false } } },
	{ "off_cpu", read_off, { OF_THREAD, TIMES, [DP_CUPTI_KIND] = { "kind", true } } },
	{ "host_load", read_load, { OF_PROCESS, AT, [THROTTLED] = { "throttled_ns", true } } },
	{ NULL },
};
