/*
 * The program under test. Its words are done in order; those that make records are in
 * fake_launches.c, those that make processes in fake_processes.c, those that wait in fake_waits.c:
 *
 *   open=PATH       loads a library
 *   init            cuInit()
 *   find=PATH       the fake libcupti is this one, which is loaded already
 *   launch=N        N launches, of five kernels in turn
 *   threads=T,N     T threads, N launches each
 *   loop=N,US       N iterations, US microseconds each: three layers of two kernels, four more
 *                   kernels that a second thread launches
 *   busy=N,US       N iterations of ten kernels of US microseconds each, one iteration ahead of
 *                   the GPU: something is always under way
 *   calls           cudaGetDeviceCount, cudaGetLastError, cuCtxGetCurrent, cuLaunchKernel
 *   queries=N       N records of events that were not ready when they were asked
 *   events=N        N launches, each with an event that is recorded behind it
 *   waits=N,US[,K]  N iterations of four kernels; the last waits, by an event, for a kernel K of US
 *                   microseconds in another stream
 *   nodes=N         N kernels of a graph
 *   compute=N,US    N iterations of eight launches, US microseconds of processor time before each
 *   shares=N,US     the same with 70% of that time in function seventy(), 30% in thirty()
 *   made=MS         works for so long in code made at run time, for x86-64, with a perf map
 *   pages=N,FILE    the same with page faults of a file's in place of work; files=N,FILE: with
 *                   writes to a disk
 *   bind            the thread binds itself to one processor
 *   spin=MS         works for so long; idle=N: N threads that sleep; wake=N: N that wake
 *                   up a thousand times a second; turning=N: N that run all the time
 *   processors      exits with 94 if a thread of the collector's is bound to that one
 *   devices=N       N devices get a context
 *   facts           a record each of a device, a context, a stream and a name
 *   takeover        the program's own profiler registers for CUPTI's buffers
 *   kinds=N         N records of each kind that is decoded
 *   failed=N        N copies with the times of a CUDA graph whose launch failed
 *   odd             a record of a new kind, a kernel without times
 *   unwalkable      a record of a size that nobody knows
 *   twice=MS        the buffer is given back, and again so much later
 *   foreign         a buffer is given back that is nobody's
 *   hold            the buffer is given back with the next flush, after later ones
 *   drop=N names wrap; gone: a kernel whose name is nowhere any more
 *   nvtx=N          N pushes and pops, marks; schema: a payload as NCCL makes it
 *   shortlived=N    N threads, one after the other, with NVTX's events
 *   profiler=1      cudaProfilerStart; profiler=0: cudaProfilerStop
 *   range           cudaProfilerStart, 100 launches, cudaProfilerStop, 100 launches
 *   fork=N          N children, each doing nothing; forkinit=N: each starting CUDA, 100 launches
 *   clone=N         N children of the bare system call, each with NVTX's events
 *   vfork=N         N children that end as those do that can't find their program
 *   leave=MS        a child that does nothing for so long, and is not waited for
 *   ranks=N         N children at once, 1,000 launches each
 *   exec            goes on as the rest of its words in a new image
 *   --              what follows are arguments that mean nothing
 *   race=T          T threads that launch while the process ends
 *   daemon          goes on as one: the process that was started ends
 *   spawn=N         N programs by posix_spawn()
 *   inherited       what a program that is started has open
 *   masks           no thread of the collector's takes the program's signals, or it is left
 *   own=FILE        opens a file by all numbers from 3 on, whatever had them
 *   close=N         closes the first N descriptors
 *   until=FILE      waits for a file to be there; go: for the test, which does what it is to do
 *   looked          waits until the collector's threads have looked at what was made
 *   flushed         waits until it was flushed, too
 *   age             the clock goes on as trouble.c has it
 *   say             a line to stdout; sleep=MS; forever: launches until it is killed
 *   exit=N _exit=N quick=N abort kill term segv
 */
#include "fake_app.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *sleep_on(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

static void *wake_up(void *unused)
{
	for (;;)
		usleep(1000);
	return NULL;
}

static void start_threads(uint64_t count, void *(*run)(void *))
{
	pthread_t thread;

	for (uint64_t i = 0; i < count; i++)
		if (pthread_create(&thread, NULL, run, NULL))
			abort();
}

static void *turn(void *argument)
{
	static _Thread_local volatile uint64_t turns;

	for (;;)
		turns = turns + 1;
	return argument;
}

static void turning(uint64_t count)
{
	start_threads(count, turn);
}

static void idle(uint64_t count)
{
	start_threads(count, sleep_on);
}

static void wake(uint64_t count)
{
	start_threads(count, wake_up);
}

static void age(void)
{
	void *function = dlsym(RTLD_DEFAULT, "trouble_age");

	if (!function)
		abort();
	((void (*)(void))(uintptr_t)function)();
}

static int first_processor(const cpu_set_t *set)
{
	int at = 0;

	while (at < CPU_SETSIZE && !CPU_ISSET(at, set))
		at++;
	return at;
}

static void bind_thread(void)
{
	cpu_set_t all, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(all), &all))
		abort();
	CPU_SET(first_processor(&all), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		abort();
}

/* Whether one of the collector's threads blocks every signal that can be blocked. */
static int is_deaf(const char *tid)
{
	static const uint64_t all = 0x7fffffff & ~(1u << (SIGKILL - 1)) & ~(1u << (SIGSTOP - 1));
	unsigned long long blocked = 0;
	char path[300], line[256];
	bool ours = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.32s/status", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		ours |= !strncmp(line, "Name:\tdeepprof", 14);
		sscanf(line, "SigBlk: %llx", &blocked);
	}
	if (file)
		fclose(file);
	return ours ? (blocked & all) == all : -1;
}

/* How many of the collector's threads may run on one processor only. */
static void processors(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	cpu_set_t set;

	while (tasks && (entry = readdir(tasks)))
		if (is_deaf(entry->d_name) > 0 &&
		    !sched_getaffinity((pid_t)strtol(entry->d_name, NULL, 10), sizeof(set), &set) &&
		    CPU_COUNT(&set) == 1)
			exit(94);
	if (tasks)
		closedir(tasks);
}

static void masks(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int found = 0;

	while (tasks && (entry = readdir(tasks))) {
		int deaf = is_deaf(entry->d_name);

		if (!deaf)
			exit(96);
		found += deaf > 0;
	}
	if (tasks)
		closedir(tasks);
	if (found != 2)
		exit(95);
}

static void start_cuda(void)
{
	if (cuInit(0))
		exit(99);
	app_find_fake(getenv("DEEPPROF_CUPTI"));
}

static void open_library(const char *path)
{
	if (!dlopen(path, RTLD_NOW | RTLD_LOCAL))
		exit(97);
}

static void fork_plain(uint64_t count)
{
	app_children(count, 0);
}

static void fork_with_cuda(uint64_t count)
{
	app_children(count, 1);
}

static void own(const char *path)
{
	int file = open(path, O_RDWR | O_CLOEXEC);

	for (int fd = 3; fd < 600; fd++)
		if (fd != file && dup2(file, fd) != fd)
			exit(96);
}

static void close_first(uint64_t count)
{
	for (int fd = 0; fd < (int)count; fd++)
		close(fd);
}

static void say(void)
{
	printf("hello\n");
	fflush(stdout);
}

static void until(const char *path)
{
	while (access(path, F_OK))
		usleep(10000);
}

static void sleep_ms(uint64_t ms)
{
	usleep((useconds_t)ms * 1000);
}

static void end(uint64_t status)
{
	exit((int)status);
}

static void end_at_once(uint64_t status)
{
	_exit((int)status);
}

static void end_quick(uint64_t status)
{
	quick_exit((int)status);
}

static void kill_self(void)
{
	kill(getpid(), SIGKILL);
}

static void terminate_self(void)
{
	kill(getpid(), SIGTERM);
}

static void fault(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static const struct app_word plain_words[] = {
	{ "init", .plain = start_cuda },
	{ "open", .of_text = open_library },
	{ "find", .of_text = app_find_fake },
	{ "idle", .of_number = idle },
	{ "wake", .of_number = wake },
	{ "turning", .of_number = turning },
	{ "bind", .plain = bind_thread },
	{ "compute", .of_text = app_compute },
	{ "shares", .of_text = app_shares },
	{ "made", .of_number = app_made },
	{ "pages", .of_text = app_pages },
	{ "files", .of_text = app_files },
	{ "processors", .plain = processors },
	{ "fork", .of_number = fork_plain },
	{ "forkinit", .of_number = fork_with_cuda },
	{ "clone", .of_number = app_clones },
	{ "leave", .of_number = app_leave },
	{ "vfork", .of_number = app_vforks },
	{ "ranks", .of_number = app_ranks },
	{ "say", .plain = say },
	{ "own", .of_text = own },
	{ "close", .of_number = close_first },
	{ "until", .of_text = until },
	{ "looked", .plain = app_looked },
	{ "age", .plain = age },
	{ "flushed", .plain = app_flushed },
	{ "go", .plain = app_go },
	{ "sleep", .of_number = sleep_ms },
	{ "exit", .of_number = end },
	{ "_exit", .of_number = end_at_once },
	{ "quick", .of_number = end_quick },
	{ "abort", .plain = abort },
	{ "kill", .plain = kill_self },
	{ "term", .plain = terminate_self },
	{ "segv", .plain = fault },
	{ "daemon", .plain = app_be_daemon },
	{ "spawn", .of_number = app_spawn },
	{ "inherited", .plain = app_inherited },
	{ "masks", .plain = masks },
	{ 0 },
};

static const struct app_word *find_word(const char *text, size_t length)
{
	const struct app_word *const lists[] = { app_record_words, plain_words };

	for (size_t i = 0; i < 2; i++)
		for (const struct app_word *word = lists[i]; word->name; word++)
			if (length == strlen(word->name) && !strncmp(word->name, text, length))
				return word;
	fprintf(stderr, "fake_app: no word: %s\n", text);
	exit(98);
}

static void do_word(const char *text)
{
	size_t length = strcspn(text, "=");
	const char *value = text[length] ? text + length + 1 : "";
	const struct app_word *word = find_word(text, length);

	if (word->plain)
		word->plain();
	else if (word->of_text)
		word->of_text(value);
	else
		word->of_number(strtoull(value, NULL, 10));
}

/* The remaining words go to the new image. */
static _Noreturn void go_on_again(char **argv, int i)
{
	argv[i] = argv[0];
	execv("/proc/self/exe", argv + i);
	abort();
}

/*
 * Races that ThreadSanitizer must not report. If memory runs out, all threads get one buffer that
 * nobody reads: records overwrite each other in it and are only counted
 * (collectors/cupti/buffers.c).
 */
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
	return "race:complete_discard\n";
}

int main(int argc, char **argv)
{
	app_prepare_forks();
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "exec"))
			go_on_again(argv, i);
		do_word(argv[i]);
	}
	return 0;
}
