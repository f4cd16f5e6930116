/*
 * Samples power, clocks and utilization. Declares the part of NVML's interface that is used, from
 * its documentation ("NVML API Reference Guide"); all of it has been stable since version 2.
 */
#include "record/nvml.h"
#include "record/clock.h"
#include "record/recording_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { GPUS_MAX = 64, CLOCK_SM = 1, CLOCK_MEM = 2, SENSOR_GPU = 0 };

typedef void *gpu_handle;

struct utilization {
	unsigned int gpu;
	unsigned int memory;
};

struct memory {
	unsigned long long total;
	unsigned long long free;
	unsigned long long used;
};

struct functions {
	int (*init)(void);
	int (*shutdown)(void);
	int (*count)(unsigned int *count);
	int (*by_index)(unsigned int index, gpu_handle *gpu);
	int (*uuid)(gpu_handle gpu, char *text, unsigned int size);
	int (*power)(gpu_handle gpu, unsigned int *milliwatts);
	int (*energy)(gpu_handle gpu, unsigned long long *millijoules);
	int (*utilization)(gpu_handle gpu, struct utilization *out);
	int (*memory)(gpu_handle gpu, struct memory *out);
	int (*clock)(gpu_handle gpu, int type, unsigned int *mhz);
	int (*temperature)(gpu_handle gpu, int sensor, unsigned int *celsius);
	int (*throttle)(gpu_handle gpu, unsigned long long *reasons);
};

static const struct {
	const char *name;
	const char *older; /* its earlier or later name */
	size_t offset;
	bool needed;
} symbols[] = {
#define SYMBOL(field, name, older, needed)                                    \
	{                                                                     \
		"nvml" name, older, offsetof(struct functions, field), needed \
	}
	SYMBOL(init, "Init_v2", "nvmlInit", true),
	SYMBOL(shutdown, "Shutdown", NULL, true),
	SYMBOL(count, "DeviceGetCount_v2", "nvmlDeviceGetCount", true),
	SYMBOL(by_index, "DeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex", true),
	SYMBOL(uuid, "DeviceGetUUID", NULL, true),
	SYMBOL(power, "DeviceGetPowerUsage", NULL, false),
	SYMBOL(energy, "DeviceGetTotalEnergyConsumption", NULL, false),
	SYMBOL(utilization, "DeviceGetUtilizationRates", NULL, false),
	SYMBOL(memory, "DeviceGetMemoryInfo", NULL, false),
	SYMBOL(clock, "DeviceGetClockInfo", NULL, false),
	SYMBOL(temperature, "DeviceGetTemperature", NULL, false),
	SYMBOL(throttle, "DeviceGetCurrentClocksEventReasons",
	       "nvmlDeviceGetCurrentClocksThrottleReasons", false),
#undef SYMBOL
};

/* The header of the file of samples; the GPUs' UUIDs follow, then the samples. */
#define MAGIC "DPNVML01"

struct header {
	char magic[8];
	uint32_t gpus;
	uint32_t sample_bytes;
};

struct dp_nvml {
	struct functions call;
	void *library;
	char *library_name;
	FILE *file;
	uint32_t every_ms;
	unsigned int gpu_count;
	gpu_handle gpus[GPUS_MAX];
	char uuids[GPUS_MAX][DP_NVML_UUID_SIZE];
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool quit;
};

static bool load(struct dp_nvml *nvml)
{
	nvml->library = dlopen(nvml->library_name, RTLD_NOW | RTLD_LOCAL);
	if (!nvml->library)
		return false;
	for (size_t i = 0; i < DP_COUNT(symbols); i++) {
		void *found = dlsym(nvml->library, symbols[i].name);

		if (!found && symbols[i].older)
			found = dlsym(nvml->library, symbols[i].older);
		if (!found && symbols[i].needed)
			return false;
		memcpy((char *)&nvml->call + symbols[i].offset, &found, sizeof(found));
	}
	return true;
}

static bool find_gpus(struct dp_nvml *nvml)
{
	unsigned int count = 0;

	if (nvml->call.count(&count))
		return false;
	for (unsigned int i = 0; i < count && nvml->gpu_count < GPUS_MAX; i++) {
		gpu_handle gpu;

		if (nvml->call.by_index(i, &gpu) ||
		    nvml->call.uuid(gpu, nvml->uuids[nvml->gpu_count], DP_NVML_UUID_SIZE))
			continue;
		nvml->uuids[nvml->gpu_count][DP_NVML_UUID_SIZE - 1] = '\0';
		nvml->gpus[nvml->gpu_count++] = gpu;
	}
	return nvml->gpu_count > 0;
}

static void set(struct dp_nvml_sample *sample, int value, int failed, uint64_t number)
{
	if (failed)
		return;
	sample->has |= 1u << value;
	sample->values[value] = number;
}

static void read_clocks(const struct functions *call, gpu_handle gpu, struct dp_nvml_sample *sample)
{
	unsigned int number = 0;
	unsigned long long large = 0;
	int failed;

	if (call->clock) {
		failed = call->clock(gpu, CLOCK_SM, &number);
		set(sample, DP_NVML_SM_CLOCK, failed, number);
		failed = call->clock(gpu, CLOCK_MEM, &number);
		set(sample, DP_NVML_MEM_CLOCK, failed, number);
	}
	if (call->temperature) {
		failed = call->temperature(gpu, SENSOR_GPU, &number);
		set(sample, DP_NVML_TEMPERATURE, failed, number);
	}
	if (call->throttle) {
		failed = call->throttle(gpu, &large);
		set(sample, DP_NVML_THROTTLE, failed, large);
	}
}

static void read_use(const struct functions *call, gpu_handle gpu, struct dp_nvml_sample *sample)
{
	unsigned int number = 0;
	unsigned long long large = 0;
	struct utilization use = { 0, 0 };
	struct memory memory = { 0, 0, 0 };
	int failed;

	if (call->power) {
		failed = call->power(gpu, &number);
		set(sample, DP_NVML_POWER, failed, number);
	}
	if (call->energy) {
		failed = call->energy(gpu, &large);
		set(sample, DP_NVML_ENERGY, failed, large);
	}
	if (call->utilization) {
		failed = call->utilization(gpu, &use);
		set(sample, DP_NVML_SM, failed, use.gpu);
		set(sample, DP_NVML_MEM, failed, use.memory);
	}
	if (call->memory) {
		failed = call->memory(gpu, &memory);
		set(sample, DP_NVML_USED, failed, memory.used);
	}
}

static void sample_all(struct dp_nvml *nvml)
{
	for (unsigned int i = 0; i < nvml->gpu_count; i++) {
		struct dp_nvml_sample sample = { .gpu = i };
		int64_t before = dp_clock__now(CLOCK_MONOTONIC), after;

		read_use(&nvml->call, nvml->gpus[i], &sample);
		read_clocks(&nvml->call, nvml->gpus[i], &sample);
		after = dp_clock__now(CLOCK_MONOTONIC);
		sample.monotonic_ns = before + (after - before) / 2;
		sample.took_ns = after - before;
		/* A full disk may cost samples, but not the recording. */
		if (sample.has)
			fwrite(&sample, sizeof(sample), 1, nvml->file);
	}
	/* If this process is killed, another one finishes the recording without its memory. */
	fflush(nvml->file);
}

static void write_header(struct dp_nvml *nvml)
{
	struct header header = { MAGIC, nvml->gpu_count, sizeof(struct dp_nvml_sample) };

	fwrite(&header, sizeof(header), 1, nvml->file);
	fwrite(nvml->uuids, DP_NVML_UUID_SIZE, nvml->gpu_count, nvml->file);
}

/* Reads to where the samples begin. Returns false if the header is invalid. */
static bool read_header(struct dp_nvml *nvml)
{
	struct header header;

	rewind(nvml->file);
	if (fread(&header, sizeof(header), 1, nvml->file) != 1 ||
	    memcmp(header.magic, MAGIC, sizeof(header.magic)) || header.gpus > GPUS_MAX ||
	    header.sample_bytes != sizeof(struct dp_nvml_sample) ||
	    fread(nvml->uuids, DP_NVML_UUID_SIZE, header.gpus, nvml->file) != header.gpus)
		return false;
	for (uint32_t i = 0; i < header.gpus; i++)
		nvml->uuids[i][DP_NVML_UUID_SIZE - 1] = '\0';
	nvml->gpu_count = header.gpus;
	return true;
}

/* Waits until the moment. Returns true if it is time to stop. */
static bool wait_until(struct dp_nvml *nvml, int64_t moment)
{
	struct timespec until = { .tv_sec = moment / 1000000000, .tv_nsec = moment % 1000000000 };
	int failed = 0;
	bool quit;

	pthread_mutex_lock(&nvml->lock);
	while (!nvml->quit && !failed)
		failed = pthread_cond_timedwait(&nvml->wake, &nvml->lock, &until);
	quit = nvml->quit;
	pthread_mutex_unlock(&nvml->lock);
	return quit;
}

/* Makes all calls of NVML: starting it alone takes longer than a caller should wait. */
static void *run(void *argument)
{
	struct dp_nvml *nvml = argument;
	int64_t every = (int64_t)nvml->every_ms * 1000000, moment = dp_clock__now(CLOCK_MONOTONIC);

	if (!load(nvml) || nvml->call.init())
		return NULL;
	if (find_gpus(nvml)) {
		write_header(nvml);
		do {
			sample_all(nvml);
			moment += every;
			/* Skips samples if reading takes too long. */
			if (moment < dp_clock__now(CLOCK_MONOTONIC))
				moment = dp_clock__now(CLOCK_MONOTONIC) + every;
		} while (!wait_until(nvml, moment));
		sample_all(nvml);
	}
	nvml->call.shutdown();
	return NULL;
}

/* Creates a condition that waits by a clock that cannot be set. */
static int make_condition(struct dp_nvml *nvml)
{
	pthread_condattr_t attributes;
	int failed = pthread_condattr_init(&attributes);

	if (failed)
		return failed;
	failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	if (!failed)
		failed = pthread_cond_init(&nvml->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	return failed;
}

/* Signals are for the caller's threads. */
static bool start_thread(struct dp_nvml *nvml)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	nvml->running = !pthread_create(&nvml->thread, NULL, run, nvml);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return nvml->running;
}

int dp_nvml__start(struct dp_nvml **out, const char *library, int folder, uint32_t every_ms)
{
	struct dp_nvml *nvml = dp_alloc__zeroed(1, sizeof(*nvml));
	int status = DP_ERR_IO;

	*out = NULL;
	if (!nvml)
		return DP_ERR_NOMEM;
	nvml->every_ms = every_ms;
	nvml->library_name = strdup(library ? library : "libnvidia-ml.so.1");
	if (!nvml->library_name) {
		free(nvml);
		return DP_ERR_NOMEM;
	}
	nvml->file = dp_recording_folder__open_samples(folder, DP_NVML_FILE, O_CREAT | O_EXCL);
	if (!nvml->file)
		goto out;
	if (make_condition(nvml))
		goto out;
	pthread_mutex_init(&nvml->lock, NULL);
	if (!start_thread(nvml)) {
		pthread_cond_destroy(&nvml->wake);
		pthread_mutex_destroy(&nvml->lock);
		goto out;
	}
	*out = nvml;
	return DP_OK;
out:
	if (nvml->file)
		fclose(nvml->file);
	free(nvml->library_name);
	free(nvml);
	return status;
}

int dp_nvml__open(struct dp_nvml **out, int folder)
{
	struct dp_nvml *nvml;
	FILE *file = dp_recording_folder__open_samples(folder, DP_NVML_FILE, 0);

	*out = NULL;
	if (!file)
		return errno == ENOENT ? DP_OK : DP_ERR_IO;
	nvml = dp_alloc__zeroed(1, sizeof(*nvml));
	if (!nvml) {
		fclose(file);
		return DP_ERR_NOMEM;
	}
	nvml->file = file;
	pthread_mutex_init(&nvml->lock, NULL);
	pthread_cond_init(&nvml->wake, NULL);
	*out = nvml;
	return DP_OK;
}

void dp_nvml__stop(struct dp_nvml *nvml)
{
	if (!nvml || !nvml->running)
		return;
	pthread_mutex_lock(&nvml->lock);
	nvml->quit = true;
	pthread_cond_signal(&nvml->wake);
	pthread_mutex_unlock(&nvml->lock);
	pthread_join(nvml->thread, NULL);
	nvml->running = false;
}

void dp_nvml__free(struct dp_nvml *nvml)
{
	if (!nvml)
		return;
	dp_nvml__stop(nvml);
	pthread_cond_destroy(&nvml->wake);
	pthread_mutex_destroy(&nvml->lock);
	fclose(nvml->file);
	if (nvml->library)
		dlclose(nvml->library);
	free(nvml->library_name);
	free(nvml);
}

static int put_sample(const struct dp_nvml *nvml, struct dp_db *db, int64_t zero,
		      const struct dp_nvml_sample *sample)
{
	int status = dp_db__row(db, DP_ROW_SAMPLE);

	if (status)
		return status;
	dp_db__text(db, nvml->uuids[sample->gpu]);
	/* Recorded processes can write to the file, so its values may be anything. */
	dp_db__int(db, (int64_t)((uint64_t)sample->monotonic_ns - (uint64_t)zero));
	for (int i = 0; i < DP_NVML_VALUES; i++)
		dp_db__known(db, sample->has & 1u << i, (int64_t)sample->values[i]);
	return dp_db__done(db);
}

/* Finds the GPUs that the program has used; all of them if that is unknown. */
static int find_used(const struct dp_nvml *nvml, struct dp_db *db, bool used[GPUS_MAX])
{
	sqlite3_stmt *statement = NULL;
	bool any = false;
	int code;

	if (sqlite3_prepare_v2(db->handle, "SELECT DISTINCT uuid FROM device", -1, &statement,
			       NULL))
		return DP_ERR_NOMEM;
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		const char *uuid = (const char *)sqlite3_column_text(statement, 0);

		for (unsigned int i = 0; uuid && i < nvml->gpu_count; i++) {
			if (!strcmp(uuid, nvml->uuids[i]))
				used[i] = any = true;
		}
	}
	sqlite3_finalize(statement);
	for (unsigned int i = 0; !any && i < nvml->gpu_count; i++)
		used[i] = true;
	return code == SQLITE_DONE ? DP_OK : DP_ERR_NOMEM;
}

int dp_nvml__write(struct dp_nvml *nvml, struct dp_db *db, int64_t zero, uint64_t *rows)
{
	bool used[GPUS_MAX] = { false };
	struct dp_nvml_sample sample;
	int status;

	*rows = 0;
	if (!nvml || !read_header(nvml))
		return DP_OK;
	status = find_used(nvml, db, used);
	if (status)
		return dp_error__nomem(db->error, 0);
	while (!status && fread(&sample, sizeof(sample), 1, nvml->file) == 1) {
		if (sample.gpu >= nvml->gpu_count || !used[sample.gpu])
			continue;
		status = put_sample(nvml, db, zero, &sample);
		(*rows)++;
	}
	return status;
}
