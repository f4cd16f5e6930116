/*
 * The part of CUPTI's PM sampling that is used: parameters of cupti_pmsampling.h, cupti_target.h
 * and cupti_profiler_host.h (12.6 to 13.5; the last does not compile as C before 13.3). Later
 * versions only add members at the end, and bytes says which are present.
 */
#ifndef DP_GPU_METRICS_PM_ABI_H
#define DP_GPU_METRICS_PM_ABI_H

#include <stddef.h>
#include <stdint.h>

/* The size up to the last member, without padding. */
#define PM_BYTES(name, last) (offsetof(struct name, last) + sizeof(((struct name *)0)->last))

enum { PM_PROFILER_PM_SAMPLING = 1 };
enum { PM_TRIGGER_TIME = 1, PM_KEEP_LATEST = 1 };
enum { PM_STOP_DATA_FULL = 1, PM_STOP_END_OF_RECORDS = 2 };
enum { PM_HARDWARE_BUSY = 26, PM_NO_PRIVILEGES = 35 };

struct pm_initialize {
	size_t bytes;
	void *unused;
};

struct pm_chip {
	size_t bytes;
	void *unused;
	size_t device;
	const char *name;
};

struct pm_availability {
	size_t bytes;
	void *unused;
	size_t device;
	size_t image_bytes; /* returned if image is NULL */
	uint8_t *image;
};

struct pm_host {
	size_t bytes;
	void *unused;
	int type;
	const char *chip;
	const uint8_t *availability;
	void *host;
};

struct pm_host_end {
	size_t bytes;
	void *unused;
	void *host;
};

struct pm_add {
	size_t bytes;
	void *unused;
	void *host;
	const char **names;
	size_t count;
};

struct pm_config_size {
	size_t bytes;
	void *unused;
	void *host;
	size_t image_bytes;
};

struct pm_config {
	size_t bytes;
	void *unused;
	void *host;
	size_t image_bytes;
	uint8_t *image;
};

struct pm_passes {
	size_t bytes;
	void *unused;
	size_t image_bytes;
	uint8_t *image;
	size_t passes;
};

struct pm_values {
	size_t bytes;
	void *unused;
	void *host;
	const uint8_t *image;
	size_t image_bytes;
	size_t sample;
	const char **names;
	size_t count;
	double *values;
};

struct pm_enable {
	size_t bytes;
	void *unused;
	size_t device;
	void *object;
};

/* For cuptiPmSamplingStart(), Stop() and Disable(). */
struct pm_object {
	size_t bytes;
	void *unused;
	void *object;
};

struct pm_set {
	size_t bytes;
	void *unused;
	void *object;
	size_t config_bytes;
	const uint8_t *config;
	size_t buffer_bytes;
	uint64_t interval_ns;
	int trigger;
	int append;
};

struct pm_image_size {
	size_t bytes;
	void *unused;
	void *object;
	const char **names;
	size_t count;
	uint32_t samples;
	size_t image_bytes;
};

struct pm_image {
	size_t bytes;
	void *unused;
	void *object;
	size_t image_bytes;
	uint8_t *image;
};

struct pm_decode {
	size_t bytes;
	void *unused;
	void *object;
	uint8_t *image;
	size_t image_bytes;
	int reason;
	uint8_t overflow;
};

struct pm_info {
	size_t bytes;
	void *unused;
	const uint8_t *image;
	size_t image_bytes;
	size_t total;
	size_t populated;
	size_t completed;
};

struct pm_sample {
	size_t bytes;
	void *unused;
	void *object;
	const uint8_t *image;
	size_t image_bytes;
	size_t sample;
	uint64_t start;
	uint64_t end;
};

/* The functions, their parameters, and the last member of these. */
#define PM_FUNCTIONS(X)                                                     \
	X(cuptiProfilerInitialize, pm_initialize, unused)                   \
	X(cuptiDeviceGetChipName, pm_chip, name)                            \
	X(cuptiPmSamplingGetCounterAvailability, pm_availability, image)    \
	X(cuptiProfilerHostInitialize, pm_host, host)                       \
	X(cuptiProfilerHostDeinitialize, pm_host_end, host)                 \
	X(cuptiProfilerHostConfigAddMetrics, pm_add, count)                 \
	X(cuptiProfilerHostGetConfigImageSize, pm_config_size, image_bytes) \
	X(cuptiProfilerHostGetConfigImage, pm_config, image)                \
	X(cuptiProfilerHostGetNumOfPasses, pm_passes, passes)               \
	X(cuptiProfilerHostEvaluateToGpuValues, pm_values, values)          \
	X(cuptiPmSamplingEnable, pm_enable, object)                         \
	X(cuptiPmSamplingDisable, pm_object, object)                        \
	X(cuptiPmSamplingSetConfig, pm_set, append)                         \
	X(cuptiPmSamplingStart, pm_object, object)                          \
	X(cuptiPmSamplingStop, pm_object, object)                           \
	X(cuptiPmSamplingGetCounterDataSize, pm_image_size, image_bytes)    \
	X(cuptiPmSamplingCounterDataImageInitialize, pm_image, image)       \
	X(cuptiPmSamplingDecodeData, pm_decode, overflow)                   \
	X(cuptiPmSamplingGetCounterDataInfo, pm_info, completed)            \
	X(cuptiPmSamplingCounterDataGetSampleInfo, pm_sample, end)

#endif
