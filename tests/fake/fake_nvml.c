/*
 * An NVML of two GPUs, of which FAKE_NVML_GPU0 may name the first one's UUID. FAKE_NVML_FAIL: the
 * function of that name says "not supported" (3). Values follow from the number of the reading, so
 * that tests can tell what to expect.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID = 2, NOT_SUPPORTED = 3, UNINITIALIZED = 1 };

struct utilization {
	unsigned int gpu;
	unsigned int memory;
};

struct memory {
	unsigned long long total;
	unsigned long long free;
	unsigned long long used;
};

static int started;
static unsigned int readings;

static int state(const char *name)
{
	const char *failing = getenv("FAKE_NVML_FAIL");

	if (!started)
		return UNINITIALIZED;
	return failing && !strcmp(failing, name) ? NOT_SUPPORTED : OK;
}

/* Handles are 1 and 2. */
static int check(void *gpu, const char *name)
{
	if ((uintptr_t)gpu < 1 || (uintptr_t)gpu > 2)
		return INVALID;
	return state(name);
}

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
	const char *failing = getenv("FAKE_NVML_FAIL");

	if (failing && !strcmp(failing, "Init"))
		return 9; /* driver not loaded */
	started++;
	return OK;
}

int nvmlShutdown(void);
int nvmlShutdown(void)
{
	const char *path = getenv("FAKE_NVML_SHUTDOWN");
	FILE *file = path ? fopen(path, "w") : NULL;

	/* Proof that it was called. */
	if (file)
		fclose(file);
	started--;
	return OK;
}

int nvmlDeviceGetCount_v2(unsigned int *count);
int nvmlDeviceGetCount_v2(unsigned int *count)
{
	*count = 2;
	return state("Count");
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **gpu);
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **gpu)
{
	*gpu = (void *)(uintptr_t)(index + 1);
	return index < 2 ? state("Handle") : INVALID;
}

int nvmlDeviceGetUUID(void *gpu, char *text, unsigned int size);
int nvmlDeviceGetUUID(void *gpu, char *text, unsigned int size)
{
	const char *first = getenv("FAKE_NVML_GPU0");

	if ((uintptr_t)gpu == 1 && first)
		snprintf(text, size, "%s", first);
	else
		snprintf(text, size, "GPU-%08x-0000-0000-0000-000000000000",
			 (unsigned)(uintptr_t)gpu);
	return check(gpu, "UUID");
}

int nvmlDeviceGetPowerUsage(void *gpu, unsigned int *milliwatts);
int nvmlDeviceGetPowerUsage(void *gpu, unsigned int *milliwatts)
{
	*milliwatts = 100000 + readings++;
	return check(gpu, "Power");
}

int nvmlDeviceGetTotalEnergyConsumption(void *gpu, unsigned long long *millijoules);
int nvmlDeviceGetTotalEnergyConsumption(void *gpu, unsigned long long *millijoules)
{
	*millijoules = 5000000000ull + readings;
	return check(gpu, "Energy");
}

int nvmlDeviceGetUtilizationRates(void *gpu, struct utilization *out);
int nvmlDeviceGetUtilizationRates(void *gpu, struct utilization *out)
{
	*out = (struct utilization){ 90, 40 };
	return check(gpu, "Utilization");
}

int nvmlDeviceGetMemoryInfo(void *gpu, struct memory *out);
int nvmlDeviceGetMemoryInfo(void *gpu, struct memory *out)
{
	*out = (struct memory){ 80ull << 30, 70ull << 30, 10ull << 30 };
	return check(gpu, "Memory");
}

int nvmlDeviceGetClockInfo(void *gpu, int type, unsigned int *mhz);
int nvmlDeviceGetClockInfo(void *gpu, int type, unsigned int *mhz)
{
	*mhz = type == 1 ? 1980 : 2619;
	return type == 1 || type == 2 ? check(gpu, "Clock") : INVALID;
}

int nvmlDeviceGetTemperature(void *gpu, int sensor, unsigned int *celsius);
int nvmlDeviceGetTemperature(void *gpu, int sensor, unsigned int *celsius)
{
	*celsius = 61;
	return sensor == 0 ? check(gpu, "Temperature") : INVALID;
}

/* The older name, which drivers keep. */
int nvmlDeviceGetCurrentClocksThrottleReasons(void *gpu, unsigned long long *reasons);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *gpu, unsigned long long *reasons)
{
	*reasons = 4;
	return check(gpu, "Throttle");
}
