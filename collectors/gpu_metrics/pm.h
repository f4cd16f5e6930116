/* Samples a GPU's hardware counters by CUPTI's PM sampling, with the metrics that fit. */
#ifndef DP_GPU_METRICS_PM_H
#define DP_GPU_METRICS_PM_H

#include "gpu_metrics/pm_abi.h"
#include "spool/gpu_metrics.h"

#include <stdbool.h>

struct pm {
	struct {
#define PM_MEMBER(name, parameters, last) int (*name)(struct parameters *);
		PM_FUNCTIONS(PM_MEMBER)
#undef PM_MEMBER
	} call;
	int (*timestamp)(uint64_t *ns);
	int (*result_text)(int result, const char **text);
	char failure[sizeof(((struct dp_gpu_metrics_header *)0)->failure)]; /* the first */
};

struct pm_gpu {
	size_t device;
	void *host;   /* chooses and evaluates the metrics */
	void *object; /* samples */
	const char *names[DP_GPU_METRICS];
	unsigned int which[DP_GPU_METRICS]; /* by index in names: the metric */
	size_t count;
	uint8_t *config;
	size_t config_bytes;
	uint8_t *image; /* decoded samples */
	size_t image_bytes;
	int64_t offset_ns; /* CLOCK_MONOTONIC minus the samples' clock, if that is not CUPTI's */
	bool offset_known;
	uint64_t last_end; /* of the samples so far */
};

/* Loads the functions of a libcupti. All functions here return false after noting the failure. */
bool pm_open(struct pm *pm, void *library);

/*
 * Chooses the metrics that the chip has and that fit into one pass, and prepares them; availability
 * may be NULL. Needs no driver before CUPTI 13.3.
 */
bool pm_choose(struct pm *pm, struct pm_gpu *gpu, const char *chip, const uint8_t *availability);

/* Prepares everything and starts sampling. */
bool pm_start(struct pm *pm, struct pm_gpu *gpu, size_t device, uint64_t interval_ns);

/* Passes all samples that are available to put. */
bool pm_read(struct pm *pm, struct pm_gpu *gpu,
	     bool (*put)(void *ctx, const struct pm_gpu *gpu,
			 const struct dp_gpu_metrics_sample *sample),
	     void *ctx);

/* Stops sampling after the samples that are available, and ends it. */
bool pm_stop(struct pm *pm, struct pm_gpu *gpu);
void pm_end(struct pm *pm, struct pm_gpu *gpu);

#endif
