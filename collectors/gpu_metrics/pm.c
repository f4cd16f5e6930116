#include "gpu_metrics/pm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Samples decoded at once: at the shortest interval, 100 us, fewer arrive meanwhile. */
enum { SAMPLES = 1024 };

/* On the GPU: at some 100 bytes per sample and GPU unit, it holds seconds. */
#define BUFFER_BYTES ((size_t)64 << 20)

/* A sample is read this soon after its end if both clocks are the same. */
#define SOON_NS INT64_C(2000000000)

static const struct {
	const char *name;
	double unit;
} metrics[] = {
#define METRIC(column, name, unit) { name, unit },
	DP_GPU_METRIC_LIST(METRIC)
#undef METRIC
};

static const char *hint_of(int result)
{
	if (result == PM_HARDWARE_BUSY)
		return " (another tool uses the GPU's counters: another recording with "
		       "--gpu-metrics, ncu or DCGM's profiling)";
	if (result == PM_NO_PRIVILEGES)
		return " (needs root, CAP_SYS_ADMIN, or the driver's option "
		       "NVreg_RestrictProfilingToAdminUsers=0)";
	return "";
}

static bool fail(struct pm *pm, const char *function, int result)
{
	const char *text = NULL;

	if (pm->failure[0])
		return false;
	if (pm->result_text)
		pm->result_text(result, &text);
	snprintf(pm->failure, sizeof(pm->failure), "%s: %d%s%s%s", function, result,
		 text ? " " : "", text ? text : "", hint_of(result));
	return false;
}

/* Calls a function with the parameters p, or returns after noting why it failed. */
#define TRY(pm, function)                                          \
	do {                                                       \
		int result_ = (pm)->call.function(&p);             \
		if (result_)                                       \
			return fail(pm, #function, result_);       \
	} while (0)

bool pm_open(struct pm *pm, void *library)
{
	void *found;

	memset(pm, 0, sizeof(*pm));
#define LOAD(name, parameters, last)                                                             \
	found = dlsym(library, #name);                                                           \
	if (!found) {                                                                            \
		snprintf(pm->failure, sizeof(pm->failure),                                       \
			 "this libcupti has no " #name ": CUPTI 12.6 or later is needed");       \
		return false;                                                                    \
	}                                                                                        \
	memcpy(&pm->call.name, &found, sizeof(found));
	PM_FUNCTIONS(LOAD)
#undef LOAD
	found = dlsym(library, "cuptiGetTimestamp");
	memcpy(&pm->timestamp, &found, sizeof(found));
	found = dlsym(library, "cuptiGetResultString");
	memcpy(&pm->result_text, &found, sizeof(found));
	return true;
}

static bool begin_host(struct pm *pm, struct pm_gpu *gpu, const char *chip,
		       const uint8_t *availability)
{
	struct pm_host p = { PM_BYTES(pm_host, host), NULL, PM_PROFILER_PM_SAMPLING, chip,
			     availability, NULL };

	TRY(pm, cuptiProfilerHostInitialize);
	gpu->host = p.host;
	return true;
}

static void end_host(struct pm *pm, struct pm_gpu *gpu)
{
	struct pm_host_end p = { PM_BYTES(pm_host_end, host), NULL, gpu->host };

	if (gpu->host)
		pm->call.cuptiProfilerHostDeinitialize(&p);
	gpu->host = NULL;
}

/* Adding metrics one by one would take a pass each; an unknown one spoils the host object. */
static bool add(struct pm *pm, struct pm_gpu *gpu, const char **names, size_t count)
{
	struct pm_add p = { PM_BYTES(pm_add, count), NULL, gpu->host, names, count };

	return !pm->call.cuptiProfilerHostConfigAddMetrics(&p);
}

static bool find_known(struct pm *pm, struct pm_gpu *gpu, const char *chip,
		       const uint8_t *availability)
{
	gpu->count = 0;
	for (unsigned int i = 0; i < DP_GPU_METRICS; i++) {
		const char *name = metrics[i].name;

		if (!begin_host(pm, gpu, chip, availability))
			return false;
		if (add(pm, gpu, &name, 1)) {
			gpu->names[gpu->count] = name;
			gpu->which[gpu->count++] = i;
		}
		end_host(pm, gpu);
	}
	return true;
}

/* Sets the configuration of the added metrics, and the number of its passes. */
static bool configure(struct pm *pm, struct pm_gpu *gpu, size_t *passes)
{
	{
		struct pm_config_size p = { PM_BYTES(pm_config_size, image_bytes), NULL, gpu->host,
					    0 };

		TRY(pm, cuptiProfilerHostGetConfigImageSize);
		gpu->config_bytes = p.image_bytes;
	}
	free(gpu->config);
	gpu->config = calloc(1, gpu->config_bytes);
	if (!gpu->config)
		return fail(pm, "calloc", 0);
	{
		struct pm_config p = { PM_BYTES(pm_config, image), NULL, gpu->host,
				       gpu->config_bytes, gpu->config };

		TRY(pm, cuptiProfilerHostGetConfigImage);
	}
	{
		struct pm_passes p = { PM_BYTES(pm_passes, passes), NULL, gpu->config_bytes,
				       gpu->config, 0 };

		TRY(pm, cuptiProfilerHostGetNumOfPasses);
		*passes = p.passes;
	}
	return true;
}

bool pm_choose(struct pm *pm, struct pm_gpu *gpu, const char *chip, const uint8_t *availability)
{
	size_t passes = 0;

	if (!find_known(pm, gpu, chip, availability))
		return false;
	for (; gpu->count; gpu->count--) {
		if (!begin_host(pm, gpu, chip, availability))
			return false;
		if (add(pm, gpu, gpu->names, gpu->count) && !configure(pm, gpu, &passes))
			return false;
		if (passes == 1)
			return true;
		end_host(pm, gpu);
	}
	snprintf(pm->failure, sizeof(pm->failure), "CUPTI has no metrics of a %s", chip);
	return false;
}

/* Returns which counters of the GPU are free. The caller frees it; NULL: unknown. */
static uint8_t *availability(struct pm *pm, size_t device)
{
	struct pm_availability p = { PM_BYTES(pm_availability, image), NULL, device, 0, NULL };

	if (pm->call.cuptiPmSamplingGetCounterAvailability(&p))
		return NULL;
	p.image = calloc(1, p.image_bytes);
	if (p.image && pm->call.cuptiPmSamplingGetCounterAvailability(&p)) {
		free(p.image);
		p.image = NULL;
	}
	return p.image;
}

static bool choose_of_device(struct pm *pm, struct pm_gpu *gpu)
{
	struct pm_chip p = { PM_BYTES(pm_chip, name), NULL, gpu->device, NULL };
	uint8_t *image;
	bool done;

	TRY(pm, cuptiDeviceGetChipName);
	image = availability(pm, gpu->device);
	done = pm_choose(pm, gpu, p.name, image);
	free(image);
	return done;
}

/* Also makes the image reusable: its samples are lost. */
static bool clear_image(struct pm *pm, struct pm_gpu *gpu)
{
	struct pm_image p = { PM_BYTES(pm_image, image), NULL, gpu->object, gpu->image_bytes,
			      gpu->image };

	TRY(pm, cuptiPmSamplingCounterDataImageInitialize);
	return true;
}

static bool make_image(struct pm *pm, struct pm_gpu *gpu)
{
	struct pm_image_size p = { PM_BYTES(pm_image_size, image_bytes), NULL, gpu->object,
				   gpu->names, gpu->count, SAMPLES, 0 };

	TRY(pm, cuptiPmSamplingGetCounterDataSize);
	gpu->image_bytes = p.image_bytes;
	gpu->image = calloc(1, gpu->image_bytes);
	return gpu->image ? clear_image(pm, gpu) : fail(pm, "calloc", 0);
}

static bool enable(struct pm *pm, struct pm_gpu *gpu)
{
	struct pm_enable p = { PM_BYTES(pm_enable, object), NULL, gpu->device, NULL };

	TRY(pm, cuptiPmSamplingEnable);
	gpu->object = p.object;
	return true;
}

static bool set(struct pm *pm, struct pm_gpu *gpu, uint64_t interval_ns)
{
	struct pm_set p = { PM_BYTES(pm_set, append), NULL, gpu->object, gpu->config_bytes,
			    gpu->config, BUFFER_BYTES, interval_ns, PM_TRIGGER_TIME,
			    PM_KEEP_LATEST };

	TRY(pm, cuptiPmSamplingSetConfig);
	return true;
}

static bool initialize(struct pm *pm)
{
	struct pm_initialize p = { PM_BYTES(pm_initialize, unused), NULL };

	TRY(pm, cuptiProfilerInitialize);
	return true;
}

bool pm_start(struct pm *pm, struct pm_gpu *gpu, size_t device, uint64_t interval_ns)
{
	struct pm_object p = { PM_BYTES(pm_object, object), NULL, NULL };

	gpu->device = device;
	if (!initialize(pm) || !choose_of_device(pm, gpu) || !enable(pm, gpu) ||
	    !set(pm, gpu, interval_ns) || !make_image(pm, gpu))
		return false;
	p.object = gpu->object;
	TRY(pm, cuptiPmSamplingStart);
	return true;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/*
 * Samples may have CUPTI's clock or the GPU's own. It is CUPTI's if its time is just past the end
 * of the newest sample. Otherwise the offset is taken from the sample read soonest after its end.
 */
static void set_clock(struct pm *pm, struct pm_gpu *gpu, uint64_t end)
{
	int64_t now = now_ns(), offset = now - (int64_t)end, since;
	uint64_t cupti = 0;

	if (pm->timestamp && !pm->timestamp(&cupti)) {
		since = (int64_t)(cupti - end);
		if (since > -SOON_NS && since < SOON_NS) {
			gpu->offset_ns = now - (int64_t)cupti;
			gpu->offset_known = true;
			return;
		}
	}
	if (!gpu->offset_known || offset < gpu->offset_ns)
		gpu->offset_ns = offset;
	gpu->offset_known = true;
}

static bool get_times(struct pm *pm, struct pm_gpu *gpu, size_t sample, uint64_t *start,
		      uint64_t *end)
{
	struct pm_sample p = { PM_BYTES(pm_sample, end), NULL, gpu->object, gpu->image,
			       gpu->image_bytes, sample, 0, 0 };

	TRY(pm, cuptiPmSamplingCounterDataGetSampleInfo);
	*start = p.start;
	*end = p.end;
	return true;
}

static bool get_values(struct pm *pm, struct pm_gpu *gpu, size_t sample,
		       struct dp_gpu_metrics_sample *out)
{
	double values[DP_GPU_METRICS] = { 0 };
	struct pm_values p = { PM_BYTES(pm_values, values), NULL, gpu->host, gpu->image,
			       gpu->image_bytes, sample, gpu->names, gpu->count, values };

	TRY(pm, cuptiProfilerHostEvaluateToGpuValues);
	for (size_t i = 0; i < gpu->count; i++) {
		unsigned int which = gpu->which[i];

		/* Excludes NaN, and values of a counter that was reset. */
		if (!(values[i] >= 0 && values[i] < 1e14))
			continue;
		out->values[which] = (int64_t)(values[i] * metrics[which].unit);
		out->has |= 1u << which;
	}
	return true;
}

/* The first sample may have started at any time, and is not used. */
static bool read_sample(struct pm *pm, struct pm_gpu *gpu, size_t at,
			struct dp_gpu_metrics_sample *out)
{
	uint64_t start, end;

	*out = (struct dp_gpu_metrics_sample){ .has = 0 };
	if (!get_times(pm, gpu, at, &start, &end))
		return false;
	if (gpu->last_end && end > start && start >= gpu->last_end) {
		out->start_ns = (int64_t)(start + (uint64_t)gpu->offset_ns);
		out->dur_ns = (int64_t)(end - start);
		if (!get_values(pm, gpu, at, out))
			return false;
	}
	gpu->last_end = end;
	return true;
}

static bool decode(struct pm *pm, struct pm_gpu *gpu, size_t *count, bool *more)
{
	{
		struct pm_decode p = { PM_BYTES(pm_decode, overflow), NULL, gpu->object, gpu->image,
				       gpu->image_bytes, 0, 0 };

		TRY(pm, cuptiPmSamplingDecodeData);
		*more = p.reason == PM_STOP_DATA_FULL;
	}
	{
		struct pm_info p = { PM_BYTES(pm_info, completed), NULL, gpu->image,
				     gpu->image_bytes, 0, 0, 0 };

		TRY(pm, cuptiPmSamplingGetCounterDataInfo);
		*count = p.completed;
	}
	return true;
}

bool pm_read(struct pm *pm, struct pm_gpu *gpu,
	     bool (*put)(void *ctx, const struct pm_gpu *gpu,
			 const struct dp_gpu_metrics_sample *sample),
	     void *ctx)
{
	struct dp_gpu_metrics_sample sample;
	bool more = true, good = true;
	uint64_t start, end;
	size_t count = 0;

	while (more && good) {
		if (!decode(pm, gpu, &count, &more))
			return false;
		if (count && get_times(pm, gpu, count - 1, &start, &end))
			set_clock(pm, gpu, end);
		for (size_t i = 0; i < count && good; i++) {
			good = read_sample(pm, gpu, i, &sample);
			if (good && sample.has)
				good = put(ctx, gpu, &sample);
		}
		good = good && clear_image(pm, gpu);
	}
	return good;
}

bool pm_stop(struct pm *pm, struct pm_gpu *gpu)
{
	struct pm_object p = { PM_BYTES(pm_object, object), NULL, gpu->object };

	TRY(pm, cuptiPmSamplingStop);
	return true;
}

void pm_end(struct pm *pm, struct pm_gpu *gpu)
{
	struct pm_object p = { PM_BYTES(pm_object, object), NULL, gpu->object };

	if (gpu->object)
		pm->call.cuptiPmSamplingDisable(&p);
	end_host(pm, gpu);
	free(gpu->config);
	free(gpu->image);
	memset(gpu, 0, sizeof(*gpu));
}
