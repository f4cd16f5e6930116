/*
 * Trains nothing, on a real GPU, in the shape of a training loop: kernels that take as long as they
 * are known, copies, waits, CUDA graphs, and the faults that deepprof is to find. It needs the
 * driver and nothing else, and knows exactly what it did. Arguments are NAME=VALUE:
 *
 *   iterations=N (50)    layers=N (4)         busy=US (10), of each kernel
 *   copy=BYTES (65536)   uploaded for each batch, from pinned memory, or with pageable=1 not
 *   accumulate=N (1)     batches to an iteration
 *   evaluate=N           after every N iterations, batches=N (5) of the forward pass alone
 *   graph=1              an iteration's kernels are one CUDA graph
 *   wait=1               for the loss, before each backward pass, and think=US (0) about it
 *   grow=N               a list is appended to by N in each iteration, and walked
 *   free=1               nobody waits between iterations
 *   threads=N, processes=N (1)   each does all of it, on a stream of its own
 *   range=1              cudaProfilerStart() after the first half
 *   forever=1            until killed
 *   truth=FILE           what was done, as JSON; of further processes FILE.1, FILE.2 …
 *   count=FILE           kernels launched and known to have ended, two numbers, at any time
 *   cuda=FILE            another libcuda
 *
 * It ends with 77 where there is no driver or no GPU.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_RATE 13 /* CU_DEVICE_ATTRIBUTE_CLOCK_RATE */
#define CAPTURE_THREAD 1
#define THREADS 512
#define NO_GPU 77

enum { CONV, RELU, GEMM, SOFTMAX, LOSS, LOSS_GRAD, DGRAD, WGRAD, ADAM, KERNELS };

static const char *const names[KERNELS] = {
	"_Z12conv_forwardPKfS0_Pf", "_Z9bias_reluPfPKf",
	"_Z12gemm_forwardPKfS0_Pf", "_Z7softmaxPf",
	"_Z4lossPKfPKiPf",	    "_Z9loss_gradPKfPf",
	"_Z10conv_dgradPKfS0_Pf",   "_Z10conv_wgradPKfS0_Pf",
	"_Z9adam_stepPfPKfS_S_f",
};

/* What of libcuda is used, by the names that it exports. */
#define FUNCTIONS(X)                                                                            \
	X(cuInit, (unsigned int))                                                               \
	X(cuDriverGetVersion, (int *))                                                          \
	X(cuDeviceGetCount, (int *))                                                            \
	X(cuDeviceGet, (int *, int))                                                            \
	X(cuDeviceGetName, (char *, int, int))                                                  \
	X(cuDeviceGetAttribute, (int *, int, int))                                              \
	X(cuDevicePrimaryCtxRetain, (void **, int))                                             \
	X(cuCtxSetCurrent, (void *))                                                            \
	X(cuModuleLoadData, (void **, const void *))                                            \
	X(cuModuleGetFunction, (void **, void *, const char *))                                 \
	X(cuStreamCreate, (void **, unsigned int))                                              \
	X(cuMemAlloc_v2, (uint64_t *, size_t))                                                  \
	X(cuMemAllocHost_v2, (void **, size_t))                                                 \
	X(cuMemcpyHtoDAsync_v2, (uint64_t, const void *, size_t, void *))                       \
	X(cuMemcpyDtoHAsync_v2, (void *, uint64_t, size_t, void *))                             \
	X(cuMemsetD32Async, (uint64_t, unsigned int, size_t, void *))                           \
	X(cuLaunchKernel, (void *, unsigned int, unsigned int, unsigned int, unsigned int,      \
			   unsigned int, unsigned int, unsigned int, void *, void **, void **)) \
	X(cuStreamSynchronize, (void *))                                                        \
	X(cuStreamBeginCapture_v2, (void *, int))                                               \
	X(cuStreamEndCapture, (void *, void **))                                                \
	X(cuGraphInstantiateWithFlags, (void **, void *, unsigned long long))                   \
	X(cuGraphLaunch, (void *, void *))                                                      \
	X(cuProfilerStart, (void))                                                              \
	X(cuProfilerStop, (void))

static struct {
#define MEMBER(name, arguments) int(*name) arguments;
	FUNCTIONS(MEMBER)
#undef MEMBER
} cuda;

static struct {
	long iterations, layers, busy_us, copy, accumulate, evaluate, batches, grow, threads,
		processes, think_us;
	bool pageable, graph, wait, is_free, range, forever;
	const char *truth, *count, *library;
} config = {
	.iterations = 50,
	.layers = 4,
	.busy_us = 10,
	.copy = 65536,
	.accumulate = 1,
	.batches = 5,
	.threads = 1,
	.processes = 1,
};

static struct {
	_Atomic uint64_t kernels[KERNELS];
	_Atomic uint64_t uploads, upload_bytes, downloads, download_bytes, sets, waits, replays;
	uint64_t per_iteration, per_evaluation;
	uint64_t loop_ns;
	char device[128];
	int driver;
} truth;

struct counts {
	_Atomic uint64_t launched, ended;
};

static struct counts own_counts, *counts = &own_counts;
static void *context, *functions[KERNELS];
static uint64_t busy_cycles;

/* What each thread has. */
struct worker {
	pthread_t thread;
	void *stream;
	uint64_t memory;
	char *host;
	float *loss;
	void *replay;
	bool capturing;
	uint64_t launched;
	struct entry *list;
};

struct entry {
	struct entry *next;
	uint64_t value;
};

static void check(int status, const char *what)
{
	if (!status)
		return;
	fprintf(stderr, "work: %s: CUDA's error %d\n", what, status);
	exit(1);
}

#define CALL(function, ...) check(cuda.function(__VA_ARGS__), #function)

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool open_cuda(void)
{
	const char *name = config.library ? config.library : "libcuda.so.1";
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL), *symbol;
	int devices = 0;

	if (!library) {
		fprintf(stderr, "work: %s\n", dlerror());
		return false;
	}
#define FIND(function, arguments)                                             \
	symbol = dlsym(library, #function);                                   \
	if (!symbol) {                                                        \
		fprintf(stderr, "work: this libcuda has no " #function "\n"); \
		return false;                                                 \
	}                                                                     \
	memcpy(&cuda.function, &symbol, sizeof(symbol));
	FUNCTIONS(FIND)
#undef FIND
	return !cuda.cuInit(0) && !cuda.cuDeviceGetCount(&devices) && devices > 0;
}

/* A kernel that takes its time; PTX of the oldest kind that all drivers since CUDA 11 take. */
static void put_kernel(FILE *out, const char *name)
{
	fprintf(out,
		".visible .entry %s(.param .u64 cycles, .param .u64 out)\n"
		"{\n"
		".reg .u64 %%r<5>;\n"
		".reg .pred %%p;\n"
		"ld.param.u64 %%r1, [cycles];\n"
		"ld.param.u64 %%r2, [out];\n"
		"mov.u64 %%r3, %%clock64;\n"
		"again:\n"
		"mov.u64 %%r4, %%clock64;\n"
		"sub.u64 %%r4, %%r4, %%r3;\n"
		"setp.lt.u64 %%p, %%r4, %%r1;\n"
		"@%%p bra again;\n"
		"cvta.to.global.u64 %%r2, %%r2;\n"
		"st.global.u64 [%%r2], %%r4;\n"
		"ret;\n"
		"}\n",
		name);
}

static void load_kernels(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	void *module;

	if (!out)
		abort();
	fputs(".version 6.0\n.target sm_50\n.address_size 64\n", out);
	for (int i = 0; i < KERNELS; i++)
		put_kernel(out, names[i]);
	fclose(out);
	CALL(cuModuleLoadData, &module, text);
	for (int i = 0; i < KERNELS; i++)
		CALL(cuModuleGetFunction, &functions[i], module, names[i]);
	free(text);
}

static void open_device(void)
{
	int device, khz = 0;

	CALL(cuDeviceGet, &device, 0);
	CALL(cuDeviceGetName, truth.device, (int)sizeof(truth.device), device);
	CALL(cuDeviceGetAttribute, &khz, CLOCK_RATE, device);
	CALL(cuDriverGetVersion, &truth.driver);
	CALL(cuDevicePrimaryCtxRetain, &context, device);
	CALL(cuCtxSetCurrent, context);
	busy_cycles = (uint64_t)config.busy_us * (uint64_t)khz / 1000;
	load_kernels();
}

static void launch(struct worker *w, int kernel)
{
	void *parameters[] = { &busy_cycles, &w->memory };

	CALL(cuLaunchKernel, functions[kernel], 8, 1, 1, 128, 1, 1, 0, w->stream, parameters, NULL);
	if (w->capturing)
		return;
	w->launched++;
	atomic_fetch_add(&truth.kernels[kernel], 1);
	atomic_fetch_add(&counts->launched, 1);
}

static void wait_for_all(struct worker *w)
{
	CALL(cuStreamSynchronize, w->stream);
	atomic_fetch_add(&truth.waits, 1);
	atomic_fetch_add(&counts->ended, w->launched);
	w->launched = 0;
}

static void upload(struct worker *w)
{
	if (!config.copy)
		return;
	CALL(cuMemcpyHtoDAsync_v2, w->memory, w->host, (size_t)config.copy, w->stream);
	atomic_fetch_add(&truth.uploads, 1);
	atomic_fetch_add(&truth.upload_bytes, (uint64_t)config.copy);
}

static void forward(struct worker *w)
{
	for (long i = 0; i < config.layers; i++) {
		launch(w, CONV);
		launch(w, RELU);
	}
	launch(w, GEMM);
	launch(w, SOFTMAX);
	launch(w, LOSS);
}

static void backward(struct worker *w)
{
	launch(w, LOSS_GRAD);
	for (long i = 0; i < config.layers; i++) {
		launch(w, DGRAD);
		launch(w, WGRAD);
	}
}

static void read_loss(struct worker *w)
{
	CALL(cuMemcpyDtoHAsync_v2, w->loss, w->memory, sizeof(*w->loss), w->stream);
	atomic_fetch_add(&truth.downloads, 1);
	atomic_fetch_add(&truth.download_bytes, sizeof(*w->loss));
}

/* The list is as long as the program has run: the fault that the paper begins with. */
static uint64_t walk_list(struct worker *w)
{
	uint64_t sum = 0;

	for (long i = 0; i < config.grow; i++) {
		struct entry *entry = malloc(sizeof(*entry));

		if (!entry)
			abort();
		*entry = (struct entry){ w->list, (uint64_t)i };
		w->list = entry;
	}
	for (const struct entry *entry = w->list; entry; entry = entry->next)
		sum += entry->value;
	return sum;
}

/* What programs do with a number that they have waited for. */
static void think(void)
{
	uint64_t until = now_ns() + (uint64_t)config.think_us * 1000;

	while (now_ns() < until)
		;
}

/* All that a replay holds. */
static void step_kernels(struct worker *w)
{
	for (long i = 0; i < config.accumulate; i++) {
		forward(w);
		if (config.wait && !config.graph) {
			read_loss(w);
			wait_for_all(w);
			think();
		}
		backward(w);
	}
	launch(w, ADAM);
}

static void count_replay(struct worker *w)
{
	atomic_fetch_add(&truth.replays, 1);
	atomic_fetch_add(&counts->launched, truth.per_iteration);
	w->launched += truth.per_iteration;
}

static void iteration(struct worker *w)
{
	volatile uint64_t sum = walk_list(w);

	(void)sum;
	CALL(cuMemsetD32Async, w->memory, 0, 1024, w->stream);
	atomic_fetch_add(&truth.sets, 1);
	for (long i = 0; i < config.accumulate; i++)
		upload(w);
	if (config.graph) {
		CALL(cuGraphLaunch, w->replay, w->stream);
		count_replay(w);
	} else {
		step_kernels(w);
	}
	read_loss(w);
	if (!config.is_free)
		wait_for_all(w);
}

static void evaluation(struct worker *w)
{
	for (long i = 0; i < config.batches; i++) {
		upload(w);
		forward(w);
		read_loss(w);
		wait_for_all(w);
	}
}

static void capture(struct worker *w)
{
	void *graph;

	w->capturing = true;
	CALL(cuStreamBeginCapture_v2, w->stream, CAPTURE_THREAD);
	step_kernels(w);
	CALL(cuStreamEndCapture, w->stream, &graph);
	CALL(cuGraphInstantiateWithFlags, &w->replay, graph, 0);
	w->capturing = false;
}

static void set_up(struct worker *w)
{
	size_t bytes = config.copy > 1 << 20 ? (size_t)config.copy : (size_t)1 << 20;
	void *memory = NULL;

	CALL(cuCtxSetCurrent, context);
	CALL(cuStreamCreate, &w->stream, 1);
	CALL(cuMemAlloc_v2, &w->memory, bytes);
	if (config.pageable)
		memory = malloc(bytes);
	else
		CALL(cuMemAllocHost_v2, &memory, bytes);
	if (!memory)
		abort();
	w->host = memset(memory, 1, bytes);
	CALL(cuMemAllocHost_v2, &memory, 4096);
	w->loss = memory;
	if (config.graph)
		capture(w);
}

static void *work(void *argument)
{
	struct worker *w = argument;

	CALL(cuCtxSetCurrent, context);
	for (long i = 0; config.forever || i < config.iterations; i++) {
		if (config.range && i == config.iterations / 2)
			check(cuda.cuProfilerStart(), "cuProfilerStart");
		iteration(w);
		if (config.evaluate && i % config.evaluate == config.evaluate - 1)
			evaluation(w);
	}
	wait_for_all(w);
	if (config.range)
		check(cuda.cuProfilerStop(), "cuProfilerStop");
	return NULL;
}

static void put_kernels(FILE *out)
{
	const char *comma = "";

	for (int i = 0; i < KERNELS; i++) {
		if (!truth.kernels[i])
			continue;
		fprintf(out, "%s\n\t\t\"%s\": %llu", comma, names[i],
			(unsigned long long)truth.kernels[i]);
		comma = ",";
	}
}

static void put_number(FILE *out, const char *name, uint64_t number)
{
	fprintf(out, ",\n\t\"%s\": %llu", name, (unsigned long long)number);
}

static void write_truth(int process)
{
	char path[4096];
	FILE *out;

	if (!config.truth)
		return;
	snprintf(path, sizeof(path), process ? "%s.%d" : "%s", config.truth, process);
	out = fopen(path, "w");
	if (!out)
		check(-1, path);
	fprintf(out, "{\n\t\"device\": \"%s\",\n\t\"kernels\": {", truth.device);
	put_kernels(out);
	fputs("\n\t}", out);
	put_number(out, "driver", (uint64_t)truth.driver);
	put_number(out, "iterations", (uint64_t)config.iterations);
	put_number(out, "per_iteration", truth.per_iteration);
	put_number(out, "per_evaluation", truth.per_evaluation);
	put_number(out, "uploads", truth.uploads);
	put_number(out, "upload_bytes", truth.upload_bytes);
	put_number(out, "downloads", truth.downloads);
	put_number(out, "download_bytes", truth.download_bytes);
	put_number(out, "sets", truth.sets);
	put_number(out, "waits", truth.waits);
	put_number(out, "replays", truth.replays);
	put_number(out, "loop_ns", truth.loop_ns);
	fputs("\n}\n", out);
	if (fclose(out))
		check(-1, path);
}

static void map_counts(void)
{
	int fd;

	if (!config.count)
		return;
	fd = open(config.count, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*counts)))
		check(-1, config.count);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED)
		check(-1, config.count);
	close(fd);
}

static int be_process(int process)
{
	static struct worker workers[THREADS];
	uint64_t begin;

	if (!open_cuda())
		return NO_GPU;
	open_device();
	truth.per_evaluation = (uint64_t)(2 * config.layers + 3);
	truth.per_iteration = (uint64_t)config.accumulate * (uint64_t)(4 * config.layers + 4) + 1;
	for (long i = 0; i < config.threads; i++)
		set_up(&workers[i]);
	begin = now_ns();
	for (long i = 1; i < config.threads; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			abort();
	work(&workers[0]);
	for (long i = 1; i < config.threads; i++)
		pthread_join(workers[i].thread, NULL);
	truth.loop_ns = now_ns() - begin;
	write_truth(process);
	return 0;
}

static bool take_number(const char *name, const char *value)
{
	const struct {
		const char *name;
		long *into, least, most;
	} numbers[] = {
		{ "iterations", &config.iterations, 1, 100000000 },
		{ "layers", &config.layers, 1, 1000 },
		{ "busy", &config.busy_us, 0, 1000000 },
		{ "copy", &config.copy, 0, 1 << 30 },
		{ "accumulate", &config.accumulate, 1, 1000 },
		{ "evaluate", &config.evaluate, 1, 1000000 },
		{ "batches", &config.batches, 1, 1000 },
		{ "grow", &config.grow, 0, 10000000 },
		{ "threads", &config.threads, 1, THREADS },
		{ "processes", &config.processes, 1, 1000 },
		{ "think", &config.think_us, 0, 1000000 },
	};
	const struct {
		const char *name;
		bool *into;
	} switches[] = {
		{ "pageable", &config.pageable }, { "graph", &config.graph },
		{ "wait", &config.wait },	  { "free", &config.is_free },
		{ "range", &config.range },	  { "forever", &config.forever },
	};
	char *end;
	long number = strtol(value, &end, 10);

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (!strcmp(name, switches[i].name)) {
			*switches[i].into = number != 0;
			return !*end;
		}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(name, numbers[i].name)) {
			*numbers[i].into = number;
			return *value && !*end && number >= numbers[i].least &&
			       number <= numbers[i].most;
		}
	return false;
}

static bool take_argument(char *argument)
{
	char *value = strchr(argument, '=');

	if (!value)
		return false;
	*value++ = 0;
	if (!strcmp(argument, "truth"))
		config.truth = value;
	else if (!strcmp(argument, "count"))
		config.count = value;
	else if (!strcmp(argument, "cuda"))
		config.library = value;
	else
		return take_number(argument, value);
	return true;
}

int main(int argc, char **argv)
{
	int status = 0, result;

	for (int i = 1; i < argc; i++)
		if (!take_argument(argv[i])) {
			fprintf(stderr, "work: not understood: %s\n", argv[i]);
			return 2;
		}
	map_counts();
	/* Before anybody has touched CUDA: it does not survive fork(). */
	for (int i = 1; i < config.processes; i++)
		if (!fork())
			return be_process(i);
	result = be_process(0);
	while (wait(&status) > 0)
		if (status && !result)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	return result;
}
