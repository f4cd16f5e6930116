/*
 * What deepprof's own trace file has besides operations and calls: of the recording, its
 * processes, threads and devices, of what was lost or paused, and of the devices' state.
 */
#include "import/deepprof_private.h"
#include "import/deepprof_schema.h"

#include <stdio.h>
#include <string.h>

/* GPUs that carry one UUID: one, or one per process. Beyond this it is damage. */
#define UUID_DEVICES_MOST 64

enum { MEMORY_PROCESS, MEMORY_TIME, MEMORY_OP, MEMORY_KIND, MEMORY_BYTES, MEMORY_DEVICE };

/* CUPTI's CUpti_ActivityMemoryOperationType. */
enum { MEMORY_ALLOCATED = 1, MEMORY_RELEASED = 2 };

/* What was allocated on devices without operations is nobody's. */
static int read_memory(struct deepprof *deepprof, struct dp_rows *rows)
{
	uint32_t device = dp_places__find_device(
		&deepprof->places, dp_deepprof__pid(deepprof, dp_rows__id(rows, MEMORY_PROCESS)),
		dp_rows__id(rows, MEMORY_DEVICE));
	int64_t op = dp_rows__id(rows, MEMORY_OP), time_ns;
	int64_t bytes = dp_rows__integer(rows, MEMORY_BYTES, 0, INT64_MAX, 0);

	if (dp_deepprof__memory(rows, MEMORY_KIND) != DP_MEMORY_DEVICE || device == DP_NONE ||
	    (op != MEMORY_ALLOCATED && op != MEMORY_RELEASED))
		return DP_OK;
	if (!dp_rows__time(rows, MEMORY_TIME, &time_ns))
		return dp_rows__skip(rows, "no valid time");
	return dp_builder__add_memory(deepprof->import->builder, time_ns, device,
				      op == MEMORY_ALLOCATED ? bytes : -bytes);
}

/* A UUID's number; -1 where there is none. */
static int uuid_number(struct deepprof *deepprof, struct dp_rows *rows, size_t column,
		       int64_t *number)
{
	size_t length;
	const char *text = dp_rows__text(rows, column, &length), *end;
	uint32_t id;

	*number = -1;
	if (!length)
		return DP_OK;
	end = memchr(text, '\0', length);
	id = dp_strings__intern(&deepprof->uuids, text, end ? (size_t)(end - text) : length);
	if (id == DP_NONE)
		return dp_deepprof__nomem(deepprof);
	*number = id;
	return DP_OK;
}

enum { SAMPLE_UUID, SAMPLE_TIME, SAMPLE_POWER, SAMPLE_ENERGY, SAMPLE_CLOCK, SAMPLE_THROTTLE };

static int read_sample(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_sample sample = {
		.energy_mj = dp_rows__bytes(rows, SAMPLE_ENERGY),
		.power_mw = (uint32_t)dp_rows__integer(rows, SAMPLE_POWER, 0, UINT32_MAX, 0),
		.clock_mhz = (uint32_t)dp_rows__integer(rows, SAMPLE_CLOCK, 0, UINT32_MAX, 0),
		.throttle = (uint32_t)dp_rows__integer(rows, SAMPLE_THROTTLE, 0, UINT32_MAX, 0),
	};
	struct dp_key key = { { 0 } };
	int status = DP_OK;

	if (!dp_rows__time(rows, SAMPLE_TIME, &sample.time_ns))
		return dp_rows__skip(rows, "no valid time");
	if (uuid_number(deepprof, rows, SAMPLE_UUID, &key.part[0]))
		return dp_deepprof__failed(deepprof);
	while (!status &&
	       (sample.device = dp_lookup__get(&deepprof->uuid_devices, &key)) != DP_NONE) {
		status = dp_builder__add_sample(deepprof->import->builder, &sample);
		key.part[1]++;
	}
	return status;
}

enum { UNIT_UUID, UNIT_START, UNIT_DUR, UNIT_SM, UNIT_TENSOR, UNIT_READ, UNIT_WRITE };

/* In millionths of the peak; a counter may overshoot it a little. */
static uint32_t share(struct dp_rows *rows, size_t column)
{
	return (uint32_t)dp_rows__integer(rows, column, 0, 2 * DP_ACTIVITY_PEAK,
					  DP_ACTIVITY_UNKNOWN);
}

static int read_activity(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_unit_activity activity = { .sm = share(rows, UNIT_SM),
					     .tensor = share(rows, UNIT_TENSOR),
					     .dram = share(rows, UNIT_READ) };
	uint32_t written = share(rows, UNIT_WRITE);
	struct dp_key key = { { 0 } };
	int status = DP_OK;
	bool incomplete;

	if (activity.dram == DP_ACTIVITY_UNKNOWN || written == DP_ACTIVITY_UNKNOWN)
		activity.dram = DP_ACTIVITY_UNKNOWN;
	else
		activity.dram += written;
	if (!dp_deepprof__times(rows, UNIT_START, UNIT_DUR, &activity.start_ns, &activity.end_ns,
				&incomplete))
		return DP_OK;
	if (uuid_number(deepprof, rows, UNIT_UUID, &key.part[0]))
		return dp_deepprof__failed(deepprof);
	while (!status &&
	       (activity.device = dp_lookup__get(&deepprof->uuid_devices, &key)) != DP_NONE) {
		status = dp_builder__add_activity(deepprof->import->builder, &activity);
		key.part[1]++;
	}
	return status;
}

enum { CPU_PROCESS, CPU_TID, CPU_TIME, CPU_RUN, CPU_WAIT, CPU_FAULTS };

/* Of threads that called CUDA: others launch nothing. */
static uint32_t find_thread(struct deepprof *deepprof, struct dp_rows *rows, size_t process,
			    size_t tid)
{
	return dp_places__find_thread(&deepprof->places,
				      dp_deepprof__pid(deepprof, dp_rows__id(rows, process)),
				      dp_rows__id(rows, tid));
}

static int read_cpu_sample(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_cpu_sample sample = {
		.run_ns = dp_rows__integer(rows, CPU_RUN, 0, INT64_MAX, -1),
		.wait_ns = dp_rows__integer(rows, CPU_WAIT, 0, INT64_MAX, -1),
		.faults = dp_rows__integer(rows, CPU_FAULTS, 0, INT64_MAX, -1),
		.thread = find_thread(deepprof, rows, CPU_PROCESS, CPU_TID),
	};

	if (sample.thread == DP_NONE)
		return DP_OK;
	if (!dp_rows__time(rows, CPU_TIME, &sample.time_ns))
		return dp_rows__skip(rows, "no valid time");
	return dp_builder__add_cpu_sample(deepprof->import->builder, &sample);
}

enum { OFF_PROCESS, OFF_TID, OFF_START, OFF_DUR, OFF_KIND };

static int read_off(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_off off = {
		.thread = find_thread(deepprof, rows, OFF_PROCESS, OFF_TID),
		.kind = (enum dp_off_kind)dp_rows__integer(rows, OFF_KIND, 0, DP_OFF_KINDS - 1,
							   DP_OFF_BLOCKED),
	};
	bool incomplete;

	if (off.thread == DP_NONE ||
	    !dp_deepprof__times(rows, OFF_START, OFF_DUR, &off.start_ns, &off.end_ns, &incomplete))
		return DP_OK;
	return dp_builder__add_off_cpu(deepprof->import->builder, &off);
}

enum { LOAD_PROCESS, LOAD_TIME, LOAD_THROTTLED };

static int read_load(struct deepprof *deepprof, struct dp_rows *rows)
{
	uint32_t process = dp_places__find_process(
		&deepprof->places, dp_deepprof__pid(deepprof, dp_rows__id(rows, LOAD_PROCESS)));
	int64_t time_ns;

	if (process == DP_NONE || dp_rows__is_null(rows, LOAD_THROTTLED))
		return DP_OK;
	if (!dp_rows__time(rows, LOAD_TIME, &time_ns))
		return dp_rows__skip(rows, "no valid time");
	return dp_builder__add_throttling(deepprof->import->builder, time_ns, process,
					  dp_rows__integer(rows, LOAD_THROTTLED, 0, INT64_MAX, -1));
}

static int scan_host_state(struct deepprof *deepprof)
{
	static const struct dp_column cpu[] = {
		[CPU_PROCESS] = { "process", true },  [CPU_TID] = { "tid", true },
		[CPU_TIME] = { "ts", true },	      [CPU_RUN] = { "run_ns", true },
		[CPU_WAIT] = { "wait_ns", false },    [CPU_FAULTS] = { "major_faults", false },
	};
	static const struct dp_column off[] = {
		[OFF_PROCESS] = { "process", true }, [OFF_TID] = { "tid", true },
		[OFF_START] = { "start", true },     [OFF_DUR] = { "dur_ns", true },
		[OFF_KIND] = { "kind", true },
	};
	static const struct dp_column load[] = {
		[LOAD_PROCESS] = { "process", true },
		[LOAD_TIME] = { "ts", true },
		[LOAD_THROTTLED] = { "throttled_ns", true },
	};
	int status = dp_deepprof__scan(deepprof, "host_sample", cpu, DP_COUNT(cpu),
				       read_cpu_sample);

	if (!status)
		status = dp_deepprof__scan(deepprof, "off_cpu", off, DP_COUNT(off), read_off);
	if (!status)
		status = dp_deepprof__scan(deepprof, "host_load", load, DP_COUNT(load), read_load);
	return status;
}

static bool is(const char *text, size_t length, const char *word)
{
	return length == strlen(word) && !memcmp(text, word, length);
}

static int add_fact(struct deepprof *deepprof, const char *name, struct dp_rows *rows,
		    size_t column)
{
	size_t length;
	const char *text = dp_rows__text(rows, column, &length);

	return dp_builder__fact(deepprof->import->builder, name, text, length);
}

static int add_number(struct deepprof *deepprof, const char *name, struct dp_rows *rows,
		      size_t column)
{
	char text[24];
	int n;

	if (dp_rows__is_null(rows, column))
		return DP_OK;
	n = snprintf(text, sizeof(text), "%lld", (long long)dp_rows__id(rows, column));
	return dp_builder__fact(deepprof->import->builder, name, text, (size_t)n);
}

static int read_meta(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_builder *builder = deepprof->import->builder;
	char recorder[80];
	int64_t epoch_ns;
	size_t length;
	const char *key = dp_rows__text(rows, 0, &length), *text;

	if (is(key, length, "t0_realtime_ns") && dp_rows__time(rows, 1, &epoch_ns)) {
		dp_builder__epoch(builder, epoch_ns);
		return DP_OK;
	}
	if (is(key, length, "hostname"))
		return add_fact(deepprof, "host", rows, 1);
	if (is(key, length, "command"))
		return add_fact(deepprof, "command", rows, 1);
	if (!is(key, length, "version"))
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

static int read_process(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, PROCESS_ID) } };
	int64_t pid = dp_rows__integer(rows, PROCESS_PID, 0, UINT32_MAX - 1, -1);

	if (add_number(deepprof, "exit_status", rows, PROCESS_EXIT) ||
	    add_fact(deepprof, "driver", rows, PROCESS_DRIVER) ||
	    add_number(deepprof, "cupti", rows, PROCESS_CUPTI))
		return dp_deepprof__failed(deepprof);
	if (pid < 0)
		return dp_rows__skip(rows, "no valid pid");
	return dp_lookup__set(&deepprof->processes, &key, (uint32_t)pid)
		       ? dp_deepprof__nomem(deepprof)
		       : DP_OK;
}

/* Only processes that did something are in the trace; those have their names and ranks now. */
static int label_process(struct deepprof *deepprof, struct dp_rows *rows)
{
	int64_t pid = dp_rows__integer(rows, PROCESS_PID, 0, UINT32_MAX - 1, -1);
	uint32_t process = dp_places__find_process(&deepprof->places, pid), name = DP_NONE;
	size_t length;
	const char *text = dp_rows__text(rows, PROCESS_COMMAND, &length);

	if (process == DP_NONE)
		return DP_OK;
	if (length) {
		name = dp_builder__string(deepprof->import->builder, text, length);
		if (name == DP_NONE)
			return dp_deepprof__failed(deepprof);
	}
	dp_builder__name_process(deepprof->import->builder, process, name,
				 dp_rows__integer(rows, PROCESS_RANK, 0, INT32_MAX, -1));
	return DP_OK;
}

static int label_thread(struct deepprof *deepprof, struct dp_rows *rows)
{
	uint32_t thread = dp_places__find_thread(&deepprof->places,
						 dp_deepprof__pid(deepprof, dp_rows__id(rows, 0)),
						 dp_rows__id(rows, 1));
	size_t length;
	const char *text = dp_rows__text(rows, 2, &length);
	uint32_t name;

	if (thread == DP_NONE || !length)
		return DP_OK;
	name = dp_builder__string(deepprof->import->builder, text, length);
	if (name == DP_NONE)
		return dp_deepprof__failed(deepprof);
	dp_builder__name_thread(deepprof->import->builder, thread, name);
	return DP_OK;
}

/* Remembers which device a UUID is, for the samples. */
static int note_uuid(struct deepprof *deepprof, struct dp_rows *rows, uint32_t device)
{
	struct dp_key key = { { 0 } };

	if (uuid_number(deepprof, rows, 4, &key.part[0]))
		return dp_deepprof__failed(deepprof);
	if (key.part[0] < 0 || device == DP_NONE)
		return DP_OK;
	while (key.part[1] < UUID_DEVICES_MOST &&
	       dp_lookup__get(&deepprof->uuid_devices, &key) != DP_NONE)
		key.part[1]++;
	if (key.part[1] < UUID_DEVICES_MOST &&
	    dp_lookup__set(&deepprof->uuid_devices, &key, device))
		return dp_deepprof__nomem(deepprof);
	return DP_OK;
}

static int label_device(struct deepprof *deepprof, struct dp_rows *rows)
{
	int64_t pid = dp_deepprof__pid(deepprof, dp_rows__id(rows, 0));
	int64_t id = (int64_t)deepprof->gpus.count, device = dp_rows__id(rows, 1);
	size_t length;
	const char *text = dp_rows__text(rows, 2, &length);
	struct dp_gpu gpu = { DP_NONE, DP_NONE, dp_rows__bytes(rows, 3) };

	if (length) {
		gpu.name = dp_builder__string(deepprof->import->builder, text, length);
		if (gpu.name == DP_NONE)
			return dp_deepprof__failed(deepprof);
	}
	text = dp_rows__text(rows, 4, &length);
	gpu.uuid = dp_builder__uuid(deepprof->import->builder, text, length);
	if (note_uuid(deepprof, rows, dp_places__find_device(&deepprof->places, pid, device)))
		return dp_deepprof__failed(deepprof);
	if (dp_gpus__add(&deepprof->gpus, id, device, &gpu) ||
	    dp_gpus__map(&deepprof->gpus, pid, device, id))
		return dp_deepprof__nomem(deepprof);
	return DP_OK;
}

/* What the recording itself lost. */
static int read_loss(struct deepprof *deepprof, struct dp_rows *rows)
{
	char reason[128];
	size_t length;
	const char *text = dp_rows__text(rows, 0, &length);

	text = text ? dp_schema__explain_loss(text) : "";
	length = strlen(text);
	snprintf(reason, sizeof(reason), "while recording: %.*s", (int)DP_MIN(length, (size_t)96),
		 text);
	return dp_builder__loss(deepprof->import->builder, reason,
				(uint64_t)dp_rows__integer(rows, 1, 0, INT64_MAX, 0), 0);
}

/* Operations whose times nobody knows: an analysis has nothing of them. */
static int read_untimed(struct deepprof *deepprof, struct dp_rows *rows)
{
	deepprof->untimed++;
	return DP_OK;
}

enum { PAUSE_PROCESS, PAUSE_START, PAUSE_DUR };

/* One that never ended has nothing after it. */
static int read_pause(struct deepprof *deepprof, struct dp_rows *rows)
{
	uint32_t process = dp_places__find_process(
		&deepprof->places, dp_deepprof__pid(deepprof, dp_rows__id(rows, PAUSE_PROCESS)));
	int64_t start_ns, end_ns;
	bool open;

	if (!dp_deepprof__times(rows, PAUSE_START, PAUSE_DUR, &start_ns, &end_ns, &open) || open ||
	    process == DP_NONE)
		return DP_OK;
	return dp_builder__add_pause(deepprof->import->builder, process, start_ns, end_ns);
}

static const struct dp_column process_columns[] = {
	[PROCESS_ID] = { "id", true },
	[PROCESS_PID] = { "pid", true },
	[PROCESS_RANK] = { "rank", false },
	[PROCESS_COMMAND] = { "cmdline", false },
	[PROCESS_EXIT] = { "exit", false },
	[PROCESS_DRIVER] = { "driver", false },
	[PROCESS_CUPTI] = { "cupti_version", false },
};

int dp_deepprof__begin(struct deepprof *deepprof)
{
	static const struct dp_column meta[] = { { "key", true }, { "value", true } };
	int status = dp_deepprof__scan(deepprof, "meta", meta, DP_COUNT(meta), read_meta);

	if (!status)
		status = dp_deepprof__scan(deepprof, "process", process_columns,
					   DP_COUNT(process_columns), read_process);
	return status;
}

static int scan_labels(struct deepprof *deepprof)
{
	static const struct dp_column thread[] = {
		{ "process", true },
		{ "tid", true },
		{ "name", true },
	};
	static const struct dp_column device[] = {
		{ "process", true },	{ "device", true }, { "name", false },
		{ "mem_bytes", false }, { "uuid", false },
	};
	static const struct dp_column loss[] = { { "reason", true }, { "records", false } };
	static const struct dp_column untimed[] = { { "process", true } };
	static const struct dp_column pause[] = {
		[PAUSE_PROCESS] = { "process", true },
		[PAUSE_START] = { "start", true },
		[PAUSE_DUR] = { "dur_ns", true },
	};
	int status = dp_deepprof__scan(deepprof, "process", process_columns,
				       DP_COUNT(process_columns), label_process);

	if (!status)
		status = dp_deepprof__scan(deepprof, "thread", thread, DP_COUNT(thread),
					   label_thread);
	if (!status)
		status = dp_deepprof__scan(deepprof, "device", device, DP_COUNT(device),
					   label_device);
	if (!status)
		dp_places__name_devices(&deepprof->places, &deepprof->gpus);
	if (!status)
		status = dp_deepprof__scan(deepprof, "loss", loss, DP_COUNT(loss), read_loss);
	if (!status)
		status = dp_deepprof__scan(deepprof, "untimed", untimed, 1, read_untimed);
	if (!status && deepprof->untimed)
		status = dp_builder__loss(deepprof->import->builder,
					  "while recording: GPU operations without times",
					  deepprof->untimed, 0);
	if (!status)
		status = dp_deepprof__scan(deepprof, "pause", pause, DP_COUNT(pause), read_pause);
	return status;
}

static int scan_state(struct deepprof *deepprof)
{
	static const struct dp_column memory[] = {
		[MEMORY_PROCESS] = { "process", true }, [MEMORY_TIME] = { "ts", true },
		[MEMORY_OP] = { "op", true },		[MEMORY_KIND] = { "kind", true },
		[MEMORY_BYTES] = { "bytes", true },	[MEMORY_DEVICE] = { "device", true },
	};
	static const struct dp_column sample[] = {
		[SAMPLE_UUID] = { "device_uuid", true }, [SAMPLE_TIME] = { "ts", true },
		[SAMPLE_POWER] = { "power_mW", false },	 [SAMPLE_ENERGY] = { "energy_mJ", false },
		[SAMPLE_CLOCK] = { "sm_clk", false },	 [SAMPLE_THROTTLE] = { "throttle", false },
	};
	static const struct dp_column activity[] = {
		[UNIT_UUID] = { "device_uuid", true },	 [UNIT_START] = { "start", true },
		[UNIT_DUR] = { "dur_ns", true },	 [UNIT_SM] = { "sm_ppm", false },
		[UNIT_TENSOR] = { "tensor_ppm", false }, [UNIT_READ] = { "dram_read_ppm", false },
		[UNIT_WRITE] = { "dram_write_ppm", false },
	};
	int status = dp_deepprof__scan(deepprof, "mem_op", memory, DP_COUNT(memory), read_memory);

	if (!status)
		status = dp_deepprof__scan(deepprof, "gpu_sample", sample, DP_COUNT(sample),
					   read_sample);
	if (!status)
		status = dp_deepprof__scan(deepprof, "gpu_metric", activity, DP_COUNT(activity),
					   read_activity);
	return status;
}

int dp_deepprof__label(struct deepprof *deepprof)
{
	int status = scan_labels(deepprof);

	if (!status)
		status = scan_state(deepprof);
	return status ? status : scan_host_state(deepprof);
}
