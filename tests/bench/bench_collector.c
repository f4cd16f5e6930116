/*
 * What the collector costs: launches made by the fake libcupti (tests/fake) in a process that the
 * collector is in, as fast as one thread can, or at a rate.
 *
 *     bench_collector [SECONDS [RATE]]        launches a second; 0: as fast as it goes
 *
 * A launch is two records, a runtime call and a kernel. The cost per record is the processor time
 * of the whole process less that of the same launches without the collector (the fake's own: the
 * same records into a buffer that nobody reads).
 */
#include "fake.h"
#include "cupti/cupti_abi.h"
#include "spool/pool.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {
	"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_",
	"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
	"_ZN2at6native12_GLOBAL__N_119softmax_warp_forwardIffLi9ELb0EEEvPT0_PKT_iiiPKbib",
	"triton_poi_fused_add_mul_0",
	"ncclDevKernel_AllReduce_Sum_f32_RING_LL",
};

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t launch(const struct fake_interface *fake, double seconds, double rate)
{
	double start = now(CLOCK_MONOTONIC), end = start + seconds;
	uint64_t count = 0;

	for (;;) {
		double time = now(CLOCK_MONOTONIC);

		if (time >= end)
			return count;
		if (rate > 0 && (double)count > (time - start) * rate)
			continue;
		for (int i = 0; i < 64; i++, count++)
			fake->launch(names[count % 5], (uint32_t)count + 1, 7, 0);
	}
}

static uint64_t spool_bytes(const char *folder)
{
	DIR *list = opendir(folder);
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat info;
	char path[512];

	while (list && (entry = readdir(list))) {
		snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
		if (strstr(entry->d_name, ".spool") && !stat(path, &info))
			bytes += (uint64_t)info.st_size;
		if (entry->d_name[0] != '.')
			unlink(path);
	}
	if (list)
		closedir(list);
	return bytes;
}

/* The other side of the fake's callbacks, for the cost without the collector. */
static uint8_t plain[1 << 20];

static void give_plain(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = plain;
	*bytes = sizeof(plain);
	*most = 0;
}

static void take_plain(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	memset(buffer, 0, bytes);
}

static double plain_cost(void *library, const struct fake_interface *fake)
{
	int (*enable)(uint32_t) =
		(int (*)(uint32_t))(uintptr_t)dlsym(library, "cuptiActivityEnable");
	int (*callbacks)(void *, void *) = (int (*)(void *, void *))(uintptr_t)dlsym(
		library, "cuptiActivityRegisterCallbacks");
	int (*thread_ids)(uint32_t) =
		(int (*)(uint32_t))(uintptr_t)dlsym(library, "cuptiSetThreadIdType");
	double start = now(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t count;

	/* As the collector asks for them: it is the fake that calls the system for each. */
	thread_ids(CUPTI_THREAD_ID_SYSTEM);
	callbacks((void *)(uintptr_t)give_plain, (void *)(uintptr_t)take_plain);
	enable(5);
	enable(10);
	count = launch(fake, 2, 0);
	return (now(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)count / 2;
}

static int child(double seconds, double rate, int out)
{
	void *library = dlopen(FAKE_CUPTI, RTLD_NOW), *collector;
	const struct fake_interface *fake;
	int (*initialize)(void);
	double cpu, wall, result[4];
	uint64_t count;

	if (!library)
		return 1;
	fake = dlsym(library, "fake_interface");
	result[0] = plain_cost(library, fake);
	collector = dlopen(COLLECTOR, RTLD_NOW);
	if (!collector)
		return 1;
	initialize = (int (*)(void))(uintptr_t)dlsym(collector, "InitializeInjection");
	initialize();
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	wall = now(CLOCK_MONOTONIC);
	count = launch(fake, seconds, rate);
	wall = now(CLOCK_MONOTONIC) - wall;
	usleep(1200000);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	result[1] = cpu / (double)count / 2;
	result[2] = (double)count;
	result[3] = wall;
	if (write(out, result, sizeof(result)) != sizeof(result))
		return 1;
	exit(0);
}

static void report(const char *folder, const double *result, bool paced)
{
	struct dp_pool_header head;
	uint64_t completed = 0, stored = 0, lost = 0, bytes;
	struct rusage usage;
	char path[512];
	struct dirent **list;
	int n = scandir(folder, &list, NULL, alphasort), fd;

	memset(&head, 0, sizeof(head));
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%.200s", folder, list[i]->d_name);
		fd = strstr(list[i]->d_name, ".pool") ? open(path, O_RDONLY) : -1;
		if (fd >= 0 && dp_pool__read(fd, &head))
			for (int k = 0; k < DP_SPOOL_KINDS; k++) {
				completed += head.banks[head.bank & 1].completed[k];
				stored += head.banks[head.bank & 1].stored[k];
				lost += head.banks[head.bank & 1].lost[k];
			}
		if (fd >= 0)
			close(fd);
		free(list[i]);
	}
	free(list);
	bytes = spool_bytes(folder);
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("%.2f million launches/s, %.1f million records, %llu lost, %.1f bytes a record\n",
	       result[2] / result[3] * 1e-6, (double)completed * 1e-6, (unsigned long long)lost,
	       (double)bytes / (double)stored);
	if (!paced)
		printf("%.1f ns a record, %.1f of them the fake's own: %.1f are the collector's\n",
		       result[1] * 1e9, result[0] * 1e9, (result[1] - result[0]) * 1e9);
	printf("%u slots of %u KiB in use at most, %ld MiB resident\n", head.peak_slots,
	       head.slot_bytes >> 10, usage.ru_maxrss >> 10);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 3, rate = argc > 2 ? atof(argv[2]) : 0,
	       result[4];
	char folder[] = "/tmp/deepprof-bench.XXXXXX", id[64];
	struct stat info;
	int ends[2], status;
	pid_t pid;

	if (!mkdtemp(folder) || stat(folder, &info) || pipe(ends))
		return 1;
	setenv("DEEPPROF_SPOOL", folder, 1);
	snprintf(id, sizeof(id), DP_SPOOL_ID, (uintmax_t)info.st_dev, (uintmax_t)info.st_ino);
	setenv(DP_SPOOL_ENV_ID, id, 1);
	setenv("DEEPPROF_CUPTI", FAKE_CUPTI, 1);
	pid = fork();
	if (!pid)
		_exit(child(seconds, rate, ends[1]));
	close(ends[1]);
	if (read(ends[0], result, sizeof(result)) != sizeof(result) ||
	    waitpid(pid, &status, 0) != pid)
		return 1;
	report(folder, result, rate > 0);
	spool_bytes(folder);
	rmdir(folder);
	return 0;
}
