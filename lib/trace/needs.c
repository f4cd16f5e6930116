/* What a trace lacks, and how to record it. */
#include <deepprof/trace.h>

#include "base/base.h"

#include <string.h>

static const struct dp_need_info infos[DP_NEEDS] = {
	[DP_NEED_LAUNCHES] = { "launches",
			       "idle time by cause, launch delay, queue depth, the host's time",
			       "record API calls with their correlation: deepprof record does, nsys "
			       "with --trace=cuda, PyTorch with ProfilerActivity.CPU (also on AMD and "
			       "Intel GPUs), rocprofv3 with --hip-trace, nvprof with --export-profile" },
	[DP_NEED_KINDS] = { "memory kinds of copies", "copies of pageable memory",
			    "record what memory is copied: deepprof record, nsys and PyTorch do, for NVIDIA's "
			    "GPUs" },
	[DP_NEED_MEMORY] = { "device memory", "live and peak bytes",
			     "record allocations: deepprof record does, nsys with "
			     "--cuda-memory-usage=true, PyTorch with profile_memory=True (also on AMD "
			     "and Intel GPUs), rocprofv3 with --memory-allocation-trace" },
	[DP_NEED_SAMPLES] = { "clocks and power", "energy, power, clocks, throttling",
			      "record samples of the device: deepprof record does, on NVIDIA GPUs with "
			      "NVML" },
	[DP_NEED_HOST] = { "host samples",
			   "how long the launching thread runs, waits for a processor, is blocked",
			   "record with deepprof record" },
	[DP_NEED_ACTIVITY] = { "unit activity", "activity of SMs, tensor cores and memory",
			       "record with deepprof record --gpu-metrics=1ms" },
};

/* For traces of ROCm's own tools. */
static const struct dp_need_info rocm_infos[DP_NEEDS] = {
	[DP_NEED_LAUNCHES] = { "launches",
			       "idle time by cause, launch delay, queue depth, the host's time",
			       "record with rocprofv3 --sys-trace, or add --hip-trace" },
	[DP_NEED_KINDS] = { "memory kinds of copies", "copies of pageable memory",
			    "rocprofv3 does not record what memory is copied" },
	[DP_NEED_MEMORY] = { "device memory", "live and peak bytes",
			     "record with rocprofv3 --sys-trace, or add --memory-allocation-trace" },
	[DP_NEED_SAMPLES] = { "clocks and power", "energy, power, clocks, throttling",
			      "rocprofv3 does not record samples of the device" },
};

/* For rocprofv3's CSV, which has calls and allocations in files of their own. */
static const struct dp_need_info rocm_csv_infos[DP_NEEDS] = {
	[DP_NEED_LAUNCHES] = { "launches",
			       "idle time by cause, launch delay, queue depth, the host's time",
			       "record with rocprofv3 --sys-trace --output-format rocpd, or join "
			       "kernel_trace.csv and hip_api_trace.csv (cat) and analyze both" },
	[DP_NEED_KINDS] = { "memory kinds of copies", "copies of pageable memory",
			    "rocprofv3 does not record what memory is copied" },
	[DP_NEED_MEMORY] = { "device memory", "live and peak bytes",
			     "record with rocprofv3 --sys-trace --output-format rocpd" },
	[DP_NEED_SAMPLES] = { "clocks and power", "energy, power, clocks, throttling",
			      "rocprofv3 does not record samples of the device" },
};

/* For rocmProfileData. */
static const struct dp_need_info rpd_infos[DP_NEEDS] = {
	[DP_NEED_LAUNCHES] = { "launches",
			       "idle time by cause, launch delay, queue depth, the host's time",
			       "record HIP calls, as rocmProfileData's runTracer.sh does" },
	[DP_NEED_KINDS] = { "memory kinds of copies", "copies of pageable memory",
			    "rocmProfileData does not record what memory is copied" },
	[DP_NEED_MEMORY] = { "device memory", "live and peak bytes",
			     "record with rocprofv3 --sys-trace, or add --memory-allocation-trace" },
	[DP_NEED_SAMPLES] = { "clocks and power", "energy, power, clocks, throttling",
			      "the clocks in an RPD database are not read" },
};

/* For rocprof, which rocprofv3 replaces. */
static const struct dp_need_info rocprof_infos[DP_NEEDS] = {
	[DP_NEED_LAUNCHES] = { "launches",
			       "idle time by cause, launch delay, queue depth, the host's time",
			       "record with rocprofv3 --sys-trace, or with rocprof --hip-trace, and "
			       "analyze its results.json" },
	[DP_NEED_KINDS] = { "memory kinds of copies", "copies of pageable memory",
			    "rocprof does not record what memory is copied" },
	[DP_NEED_MEMORY] = { "device memory", "live and peak bytes",
			     "record with rocprofv3 --sys-trace, or add --memory-allocation-trace" },
	[DP_NEED_SAMPLES] = { "clocks and power", "energy, power, clocks, throttling",
			      "rocprof does not record samples of the device" },
};

/* For traces of XLA's profiler, of JAX, TensorFlow or PyTorch/XLA. */
static const struct dp_need_info xla_infos[DP_NEEDS] = {
	[DP_NEED_LAUNCHES] = { "launches",
			       "idle time by cause, launch delay, queue depth, the host's time",
			       "record launch calls (GPUs only): host_tracer_level=2 in "
			       "jax.profiler's ProfileOptions, or in tf.profiler.experimental's "
			       "ProfilerOptions; deepprof record and nsys also record them" },
	[DP_NEED_KINDS] = { "memory kinds of copies", "copies of pageable memory",
			    "XLA's profiler records what memory is copied on NVIDIA GPUs only" },
	[DP_NEED_MEMORY] = { "device memory", "live and peak bytes",
			     "XLA allocates most memory once, at the start: for what lives in it, see "
			     "jax.profiler.save_device_memory_profile()" },
	[DP_NEED_SAMPLES] = { "clocks and power", "energy, power, clocks, throttling",
			      "XLA's profiler does not record samples of the device; deepprof record "
			      "does, on NVIDIA GPUs with NVML" },
};

/* For deepprof's own files: which options may have been off, and other causes. */
static const struct dp_need_info own_infos[DP_NEEDS] = {
	[DP_NEED_LAUNCHES] = { "launches",
			       "idle time by cause, launch delay, queue depth, the host's time",
			       "record without --api=off" },
	[DP_NEED_KINDS] = { "memory kinds of copies", "copies of pageable memory",
			    "record it on an NVIDIA GPU" },
	[DP_NEED_MEMORY] = { "device memory", "live and peak bytes",
			     "record without --memory=off, and while the program allocates" },
	[DP_NEED_SAMPLES] = { "clocks and power", "energy, power, clocks, throttling",
			      "record without --sample-gpu=off, with NVML installed" },
	[DP_NEED_HOST] = { "host samples",
			   "how long the launching thread runs, waits for a processor, is blocked",
			   "record without --sample-host=off, for longer than 0.1 s" },
};

const struct dp_need_info *dp_need(enum dp_need need)
{
	return need > DP_NEED_NOTHING && need < DP_NEEDS ? &infos[need] : NULL;
}

const struct dp_need_info *dp_trace_need(const struct dp_trace *trace, enum dp_need need)
{
	static const struct {
		const char *format;
		const struct dp_need_info *infos;
	} own[] = {
		{ "deepprof_db", own_infos }, { "perfetto", rocm_infos },
		{ "rocpd", rocm_infos },      { "rocprof", rocprof_infos },
		{ "rocprofv3", rocm_infos },  { "rocprofv3_csv", rocm_csv_infos },
		{ "rpd", rpd_infos },	      { "xla_json", xla_infos },
		{ "xplane", xla_infos },
	};
	const struct dp_need_info *info = dp_need(need);

	/* Off by default. */
	if (need == DP_NEED_ACTIVITY)
		return NULL;
	/* No other recorder has it, so reports of other traces do not list it as missing. */
	if (need == DP_NEED_HOST)
		return !strcmp(dp_trace_format(trace), "deepprof_db") ? &own_infos[need] : NULL;
	for (size_t i = 0; info && i < DP_COUNT(own); i++)
		if (!strcmp(dp_trace_format(trace), own[i].format))
			info = &own[i].infos[need];
	return info;
}

/* Returns true if an operation's call is known. */
static bool has_launches(const struct dp_trace *trace)
{
	const struct dp_ops *ops = dp_trace_ops(trace);

	for (size_t i = 0; i < ops->count && dp_trace_calls(trace)->count; i++)
		if (ops->call[i] != DP_NONE)
			return true;
	return !ops->count;
}

static bool has_kinds(const struct dp_trace *trace)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	bool asked = false;

	for (size_t i = 0; i < ops->count; i++) {
		uint8_t copy_kind = ops->copy_kind[i];

		if (ops->kind[i] != DP_OP_COPY ||
		    (copy_kind != DP_COPY_HTOD && copy_kind != DP_COPY_DTOH))
			continue;
		if ((copy_kind == DP_COPY_HTOD ? ops->src_kind : ops->dst_kind)[i] !=
		    DP_MEMORY_UNKNOWN)
			return true;
		asked = true;
	}
	return !asked;
}

bool dp_trace_lacks(const struct dp_trace *trace, enum dp_need need)
{
	switch (need) {
	case DP_NEED_LAUNCHES:
		return !has_launches(trace);
	case DP_NEED_KINDS:
		return !has_kinds(trace);
	case DP_NEED_MEMORY:
		return !dp_trace_memory(trace)->count;
	case DP_NEED_SAMPLES:
		return !dp_trace_samples(trace)->count;
	case DP_NEED_ACTIVITY:
		return !dp_trace_activity(trace)->count;
	case DP_NEED_HOST:
		return !dp_trace_cpu_samples(trace)->count;
	default:
		return false;
	}
}
