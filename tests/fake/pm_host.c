/*
 * The host half of PM sampling in each named libcupti, which needs no GPU: which metrics fit into
 * one pass. pm_host [LIBCUPTI…]
 */
#include "gpu_metrics/pm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_PM_HEADER
/* It is valid C except for cuda.h, of which it needs nothing. */
#include <cupti_pmsampling.h>

#define SAME(ours, last, theirs, bytes) \
	_Static_assert(PM_BYTES(ours, last) == (bytes), #theirs)

SAME(pm_enable, object, Enable, CUpti_PmSampling_Enable_Params_STRUCT_SIZE);
SAME(pm_object, object, Start, CUpti_PmSampling_Start_Params_STRUCT_SIZE);
SAME(pm_object, object, Stop, CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
SAME(pm_object, object, Disable, CUpti_PmSampling_Disable_Params_STRUCT_SIZE);
SAME(pm_set, append, SetConfig, CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE);
SAME(pm_decode, overflow, DecodeData, CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE);
SAME(pm_availability, image, GetCounterAvailability,
     CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE);
SAME(pm_image_size, image_bytes, GetCounterDataSize,
     CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE);
SAME(pm_image, image, CounterDataImageInitialize,
     CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE);
SAME(pm_info, completed, GetCounterDataInfo,
     CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE);
SAME(pm_sample, end, CounterDataGetSampleInfo,
     CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE);
_Static_assert(PM_TRIGGER_TIME == (int)CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL, "trigger");
_Static_assert(PM_KEEP_LATEST == (int)CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_LATEST,
	       "append");
_Static_assert(PM_STOP_DATA_FULL == (int)CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL,
	       "reason");
#endif

/* Meson's exit status for a skipped test. */
#define SKIPPED 77

static const struct {
	const char *chip;
	size_t fewest; /* of its metrics */
} chips[] = {
	{ "GH100", DP_GPU_METRICS },
	{ "AD102", DP_GPU_METRICS - 2 }, /* no NVLink */
	{ "GA102", DP_GPU_METRICS },
};

/*
 * How many of our metrics of a chip fit; 0 if this libcupti's host half needs a driver (13.3 on).
 */
static size_t fit(struct pm *pm, const char *chip)
{
	struct pm_gpu gpu;
	size_t count;

	memset(&gpu, 0, sizeof(gpu));
	pm->failure[0] = '\0';
	count = pm_choose(pm, &gpu, chip, NULL) ? gpu.count : 0;
	pm_end(pm, &gpu);
	return count;
}

/* -1 if it cannot be tried. */
static int try(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int failed = 0;
	struct pm pm;

	if (!library || !pm_open(&pm, library) || !fit(&pm, "GH100")) {
		printf("%s: %s\n", path, library ? pm.failure : dlerror());
		return -1;
	}
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		size_t count = fit(&pm, chips[i].chip);

		printf("%s: %zu metrics of %s\n", path, count, chips[i].chip);
		failed |= count < chips[i].fewest;
	}
	return failed;
}

int main(int argc, char **argv)
{
	int failed = -1, one;

	for (int i = 1; i < argc; i++) {
		one = argv[i][0] ? try(argv[i]) : -1;
		failed = one > failed ? one : failed;
	}
	return failed < 0 ? SKIPPED : failed;
}
