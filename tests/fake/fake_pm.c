/*
 * PM sampling of the fake libcupti: a GPU whose units are always as busy, sampled at the interval
 * that was asked for. As the real host half does (13.0.85), it makes a pass of each call that adds
 * metrics, and after a metric that it does not know its object is of no more use. It aborts where
 * calls come in the wrong order, or a buffer is too small.
 *
 * FAKE_PM_LACKS=WORD    metrics with the word in their names are not known
 * FAKE_PM_MOST=N        more metrics than these take two passes
 * FAKE_PM_CLOCK=NS      samples' times are so far ahead of CUPTI's
 * FAKE_CUPTI_FAIL=PmSamplingEnable=35 and the like, as for all functions
 */
#include "fake_buffers.h"
#include "gpu_metrics/pm_abi.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { NAMES = 16, CONFIG_BYTES = 128, IMAGE_BYTES = 64 };

#define PM_DECLARE(name, parameters, last) EXPORT int name(struct parameters *p);
PM_FUNCTIONS(PM_DECLARE)
#undef PM_DECLARE

struct host {
	size_t metrics;
	size_t passes;
	bool broken;
};

static struct {
	bool initialized, enabled, configured, started;
	uint32_t samples; /* that fit into an image */
	uint64_t interval, next; /* when the next sample begins */
	uint64_t until; /* 0: never */
} gpu;

/* In an image: the samples that were decoded into it. */
struct image {
	uint64_t magic, first, count;
};

#define IMAGE_MAGIC 0x1111222233334444u

static void check(bool right, const char *what)
{
	if (!right)
		fake_fail(what);
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

/*
 * Checks the size of a parameter struct; returns the result that FAKE_CUPTI_FAIL sets for the
 * function, named without "cupti".
 */
#define BEGIN(name, parameters, last)                                                   \
	do {                                                                            \
		int verdict_ = fake_verdict(&#name[strlen("cupti")]);                 \
		check(p->bytes == PM_BYTES(parameters, last) && !p->unused, #name);     \
		if (verdict_)                                                           \
			return verdict_;                                                \
	} while (0)

int cuptiProfilerInitialize(struct pm_initialize *p)
{
	BEGIN(cuptiProfilerInitialize, pm_initialize, unused);
	gpu.initialized = true;
	return 0;
}

int cuptiDeviceGetChipName(struct pm_chip *p)
{
	BEGIN(cuptiDeviceGetChipName, pm_chip, name);
	p->name = "GH100";
	return 0;
}

int cuptiPmSamplingGetCounterAvailability(struct pm_availability *p)
{
	BEGIN(cuptiPmSamplingGetCounterAvailability, pm_availability, image);
	check(gpu.initialized, "counters before cuptiProfilerInitialize()");
	if (p->image)
		memset(p->image, 1, p->image_bytes);
	p->image_bytes = 16;
	return 0;
}

int cuptiProfilerHostInitialize(struct pm_host *p)
{
	BEGIN(cuptiProfilerHostInitialize, pm_host, host);
	check(p->type == PM_PROFILER_PM_SAMPLING && !strcmp(p->chip, "GH100"), "a chip");
	p->host = calloc(1, sizeof(struct host));
	return p->host ? 0 : 8;
}

int cuptiProfilerHostDeinitialize(struct pm_host_end *p)
{
	BEGIN(cuptiProfilerHostDeinitialize, pm_host_end, host);
	free(p->host);
	return 0;
}

int cuptiProfilerHostConfigAddMetrics(struct pm_add *p)
{
	struct host *host = p->host;
	const char *lacks = getenv("FAKE_PM_LACKS");

	BEGIN(cuptiProfilerHostConfigAddMetrics, pm_add, count);
	if (host->broken)
		return 999;
	for (size_t i = 0; i < p->count; i++)
		if (!strstr(p->names[i], "__") || (lacks && strstr(p->names[i], lacks))) {
			host->broken = true;
			return 1;
		}
	host->metrics += p->count;
	host->passes += 1 + (p->count > number("FAKE_PM_MOST", NAMES));
	return 0;
}

int cuptiProfilerHostGetConfigImageSize(struct pm_config_size *p)
{
	BEGIN(cuptiProfilerHostGetConfigImageSize, pm_config_size, image_bytes);
	p->image_bytes = CONFIG_BYTES;
	return ((struct host *)p->host)->broken ? 999 : 0;
}

int cuptiProfilerHostGetConfigImage(struct pm_config *p)
{
	BEGIN(cuptiProfilerHostGetConfigImage, pm_config, image);
	check(p->image_bytes == CONFIG_BYTES, "a configuration's size");
	memcpy(p->image, p->host, sizeof(struct host));
	return 0;
}

int cuptiProfilerHostGetNumOfPasses(struct pm_passes *p)
{
	struct host host;

	BEGIN(cuptiProfilerHostGetNumOfPasses, pm_passes, passes);
	memcpy(&host, p->image, sizeof(host));
	p->passes = host.passes;
	return 0;
}

int cuptiPmSamplingEnable(struct pm_enable *p)
{
	BEGIN(cuptiPmSamplingEnable, pm_enable, object);
	check(gpu.initialized && !gpu.enabled, "enabled too early, or twice");
	gpu.enabled = true;
	p->object = &gpu;
	return 0;
}

int cuptiPmSamplingDisable(struct pm_object *p)
{
	BEGIN(cuptiPmSamplingDisable, pm_object, object);
	check(p->object == &gpu && !(gpu.started && !gpu.until), "disabled while it samples");
	gpu.enabled = false;
	return 0;
}

int cuptiPmSamplingSetConfig(struct pm_set *p)
{
	struct host host;

	BEGIN(cuptiPmSamplingSetConfig, pm_set, append);
	check(gpu.enabled && p->object == &gpu && p->trigger == PM_TRIGGER_TIME, "SetConfig");
	memcpy(&host, p->config, sizeof(host));
	gpu.interval = p->interval_ns;
	gpu.configured = host.passes == 1;
	return gpu.configured ? 0 : 1;
}

int cuptiPmSamplingGetCounterDataSize(struct pm_image_size *p)
{
	BEGIN(cuptiPmSamplingGetCounterDataSize, pm_image_size, image_bytes);
	check(gpu.configured && p->count && p->names, "an image before the configuration");
	gpu.samples = p->samples;
	p->image_bytes = IMAGE_BYTES;
	return 0;
}

int cuptiPmSamplingCounterDataImageInitialize(struct pm_image *p)
{
	struct image image = { IMAGE_MAGIC, 0, 0 };

	BEGIN(cuptiPmSamplingCounterDataImageInitialize, pm_image, image);
	check(p->image_bytes == IMAGE_BYTES, "an image's size");
	memcpy(p->image, &image, sizeof(image));
	return 0;
}

int cuptiPmSamplingStart(struct pm_object *p)
{
	BEGIN(cuptiPmSamplingStart, pm_object, object);
	check(gpu.configured && gpu.samples && !gpu.started, "started too early");
	gpu.started = true;
	gpu.next = fake_now();
	return 0;
}

int cuptiPmSamplingStop(struct pm_object *p)
{
	BEGIN(cuptiPmSamplingStop, pm_object, object);
	check(gpu.started && !gpu.until, "stopped, though it was not started");
	gpu.until = fake_now();
	return 0;
}

int cuptiPmSamplingDecodeData(struct pm_decode *p)
{
	uint64_t until = gpu.until ? gpu.until : fake_now();
	struct image image;

	BEGIN(cuptiPmSamplingDecodeData, pm_decode, overflow);
	memcpy(&image, p->image, sizeof(image));
	check(image.magic == IMAGE_MAGIC && !image.count, "decoded into what is not empty");
	image.first = gpu.next;
	image.count = until > gpu.next ? (until - gpu.next) / gpu.interval : 0;
	p->reason = PM_STOP_END_OF_RECORDS;
	if (image.count > gpu.samples) {
		image.count = gpu.samples;
		p->reason = PM_STOP_DATA_FULL;
	}
	gpu.next += image.count * gpu.interval;
	memcpy(p->image, &image, sizeof(image));
	return 0;
}

int cuptiPmSamplingGetCounterDataInfo(struct pm_info *p)
{
	struct image image;

	BEGIN(cuptiPmSamplingGetCounterDataInfo, pm_info, completed);
	memcpy(&image, p->image, sizeof(image));
	p->total = gpu.samples;
	p->populated = p->completed = image.count;
	return 0;
}

int cuptiPmSamplingCounterDataGetSampleInfo(struct pm_sample *p)
{
	struct image image;

	BEGIN(cuptiPmSamplingCounterDataGetSampleInfo, pm_sample, end);
	memcpy(&image, p->image, sizeof(image));
	check(p->sample < image.count, "a sample that does not exist");
	p->start = image.first + p->sample * gpu.interval + number("FAKE_PM_CLOCK", 0);
	p->end = p->start + gpu.interval;
	return 0;
}

int cuptiProfilerHostEvaluateToGpuValues(struct pm_values *p)
{
	BEGIN(cuptiProfilerHostEvaluateToGpuValues, pm_values, values);
	check(p->host && ((struct host *)p->host)->metrics == p->count, "other metrics");
	for (size_t i = 0; i < p->count; i++)
		p->values[i] = strstr(p->names[i], "tensor")		   ? 11
			       : strstr(p->names[i], "read_throughput")	   ? 50
			       : strstr(p->names[i], "write_throughput")   ? 30
			       : strstr(p->names[i], "per_second")	   ? 1e9
									   : 90;
	return 0;
}
