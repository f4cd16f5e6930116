/*
 * deepprof-gpu-metrics PID INTERVAL_NS: samples the hardware counters of all GPUs for a recording,
 * in a process of its own, because CUPTI's profiler has crashed processes at their end. Standard
 * output is the file (spool/gpu_metrics.h), standard input a pipe: when its other end is closed,
 * for example because the launcher died, this process ends.
 *
 * PID is the first recorded process: its libcuda and libcupti, which its memory map shows, are
 * used.
 */
#include "gpu_metrics/pm.h"

#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often it looks for libraries and samples: at 100 us, 200 samples arrive meanwhile. */
enum { STEP_MS = 20 };

struct sampler {
	struct pm pm;
	struct pm_gpu gpus[DP_GPU_METRICS_GPUS];
	char uuids[DP_GPU_METRICS_GPUS][DP_GPU_METRICS_UUID];
	uint32_t count;
	FILE *file;
};

struct driver {
	int (*init)(unsigned int flags);
	int (*count)(int *count);
	int (*get)(int *device, int index);
	int (*uuid)(unsigned char uuid[16], int device);
};

static bool write_header(struct sampler *sampler)
{
	struct dp_gpu_metrics_header header = { DP_GPU_METRICS_MAGIC, sampler->count,
						sizeof(struct dp_gpu_metrics_sample), "" };

	memcpy(header.failure, sampler->pm.failure, sizeof(header.failure));
	return fwrite(&header, sizeof(header), 1, sampler->file) == 1 &&
	       fwrite(sampler->uuids, DP_GPU_METRICS_UUID, sampler->count, sampler->file) ==
		       sampler->count &&
	       !fflush(sampler->file);
}

/* Overwrites the message in the header. */
static void write_failure(struct sampler *sampler)
{
	fflush(sampler->file);
	if (pwrite(fileno(sampler->file), sampler->pm.failure, sizeof(sampler->pm.failure),
		   offsetof(struct dp_gpu_metrics_header, failure)) < 0)
		_exit(1);
}

/* Waits for a step. Returns false if it is time to end. */
static bool goes_on(void)
{
	struct pollfd launcher = { STDIN_FILENO, POLLIN, 0 };

	return poll(&launcher, 1, STEP_MS) == 0;
}

/* Finds the path, valid here, of a library that the process has mapped. */
static bool find_mapped(const char *pid, const char *name, char path[PATH_MAX])
{
	char line[PATH_MAX + 128], *at, *base;
	bool found = false;
	FILE *maps;

	snprintf(line, sizeof(line), "/proc/%s/maps", pid);
	maps = fopen(line, "re");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		at = strchr(line, '/');
		base = at ? strrchr(at, '/') + 1 : NULL;
		if (!base || strncmp(base, name, strlen(name)))
			continue;
		/* In a container, the path is that of another file system. */
		snprintf(path, PATH_MAX, "%s", at);
		if (access(path, R_OK))
			snprintf(path, PATH_MAX, "/proc/%s/root%.*s", pid, PATH_MAX - 40, at);
		found = true;
	}
	if (maps)
		fclose(maps);
	return found;
}

/* Returns true for a process with the rights of this one: another user's may have mapped anything.
 */
static bool is_own(const char *pid)
{
	unsigned int id[4], own = geteuid();
	char line[256];
	bool same = false;
	FILE *status;

	snprintf(line, sizeof(line), "/proc/%s/status", pid);
	status = fopen(line, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Uid: %u %u %u %u", &id[0], &id[1], &id[2], &id[3]) == 4)
			same = id[0] == own && id[1] == own && id[2] == own && id[3] == own;
	if (status)
		fclose(status);
	return same;
}

static void *load(struct sampler *sampler, const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);

	if (!library)
		snprintf(sampler->pm.failure, sizeof(sampler->pm.failure), "%s", dlerror());
	return library;
}

/* Waits for the process to map both. Returns false if it never did, or they cannot be loaded. */
static bool load_both(struct sampler *sampler, const char *pid, void **cuda, void **cupti)
{
	char cuda_path[PATH_MAX], cupti_path[PATH_MAX];

	while (!find_mapped(pid, "libcupti", cupti_path) ||
	       !find_mapped(pid, "libcuda.so", cuda_path))
		if (!goes_on()) {
			snprintf(sampler->pm.failure, sizeof(sampler->pm.failure),
				 "the first process that was recorded ended before its libcupti "
				 "was found");
			return false;
		}
	/* Asked last: it may have changed its user before it mapped them. */
	if (!is_own(pid)) {
		snprintf(
			sampler->pm.failure, sizeof(sampler->pm.failure),
			"the first process that was recorded runs as another user, whose libraries "
			"are not loaded");
		return false;
	}
	*cuda = load(sampler, cuda_path);
	*cupti = *cuda ? load(sampler, cupti_path) : NULL;
	return *cupti && pm_open(&sampler->pm, *cupti);
}

static bool open_driver(struct driver *driver, void *library)
{
	const struct {
		const char *name;
		void *into;
	} functions[] = {
		{ "cuInit", &driver->init },
		{ "cuDeviceGetCount", &driver->count },
		{ "cuDeviceGet", &driver->get },
		{ "cuDeviceGetUuid_v2", &driver->uuid },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(library, functions[i].name);

		if (!found)
			return false;
		memcpy(functions[i].into, &found, sizeof(found));
	}
	return true;
}

static void write_uuid(char text[DP_GPU_METRICS_UUID], const unsigned char uuid[16])
{
	int used = snprintf(text, DP_GPU_METRICS_UUID, "GPU");

	for (int i = 0; i < 16; i++)
		used += snprintf(text + used, (size_t)(DP_GPU_METRICS_UUID - used), "%s%02x",
				 i == 0 || (i >= 4 && i <= 10 && !(i & 1)) ? "-" : "", uuid[i]);
}

/* Starts all GPUs that can be sampled; notes why another cannot. */
static void start_all(struct sampler *sampler, const struct driver *driver, uint64_t interval_ns)
{
	unsigned char uuid[16];
	int count = 0, device;

	if (driver->init(0) || driver->count(&count))
		snprintf(sampler->pm.failure, sizeof(sampler->pm.failure), "cuInit failed");
	for (int i = 0; i < count && sampler->count < DP_GPU_METRICS_GPUS; i++) {
		struct pm_gpu *gpu = &sampler->gpus[sampler->count];

		if (driver->get(&device, i) || driver->uuid(uuid, device))
			continue;
		if (!pm_start(&sampler->pm, gpu, (size_t)i, interval_ns)) {
			pm_end(&sampler->pm, gpu);
			continue;
		}
		write_uuid(sampler->uuids[sampler->count++], uuid);
	}
}

static bool put(void *ctx, const struct pm_gpu *gpu, const struct dp_gpu_metrics_sample *sample)
{
	struct sampler *sampler = ctx;
	struct dp_gpu_metrics_sample copy = *sample;

	copy.gpu = (uint32_t)(gpu - sampler->gpus);
	/* A full disk may cost samples, but not the recording. */
	return fwrite(&copy, sizeof(copy), 1, sampler->file) == 1;
}

static bool read_all(struct sampler *sampler)
{
	bool good = true;

	for (uint32_t i = 0; i < sampler->count && good; i++)
		good = pm_read(&sampler->pm, &sampler->gpus[i], put, sampler);
	return !fflush(sampler->file) && good;
}

/* Drops everything of the program that could be recorded, or held open. */
static void cut_off(void)
{
	unsetenv("CUDA_INJECTION64_PATH");
	unsetenv("NVTX_INJECTION64_PATH");
	signal(SIGPIPE, SIG_IGN);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
}

int main(int argc, char **argv)
{
	static struct sampler sampler;
	struct driver driver;
	void *cuda, *cupti;
	bool good;

	if (argc != 3) {
		fprintf(stderr, "usage: " DP_GPU_METRICS_PROGRAM " PID INTERVAL_NS\n"
				"deepprof record --gpu-metrics runs this\n");
		return 2;
	}
	cut_off();
	sampler.file = fdopen(STDOUT_FILENO, "w");
	if (!sampler.file)
		return 1;
	if (load_both(&sampler, argv[1], &cuda, &cupti) && open_driver(&driver, cuda))
		start_all(&sampler, &driver, strtoull(argv[2], NULL, 10));
	good = write_header(&sampler) && sampler.count;
	while (good && goes_on())
		good = read_all(&sampler);
	for (uint32_t i = 0; i < sampler.count; i++)
		pm_stop(&sampler.pm, &sampler.gpus[i]);
	if (good)
		read_all(&sampler);
	write_failure(&sampler);
	for (uint32_t i = 0; i < sampler.count; i++)
		pm_end(&sampler.pm, &sampler.gpus[i]);
	/* Avoids exit(): what the libraries do there has crashed other processes. */
	_exit(0);
}
