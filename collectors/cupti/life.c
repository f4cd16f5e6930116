/*
 * Starts and ends recording in a process.
 *
 * In a child of fork(), however forked, the kernel zeroes the page that says "on", if it can (Linux
 * 4.14; not gVisor); otherwise the handler of pthread_atfork() does. The handler also replaces the
 * pool by private memory, so that nothing in the child can write into the parent's, and closes what
 * the child should not keep. The child can start again.
 */
#include "cupti/collector.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)512 << 10)
#define DRAIN_MS 10000

#define EXPORT __attribute__((visibility("default")))

struct collector dp_collector;
struct live *dp_live;

enum { NOT_STARTED = 0, STARTING, STARTED, FAILED };
static _Atomic uint32_t phase;
static bool handlers; /* installed: they remain after forks */

EXPORT int InitializeInjection(void);

/* Waits up to ms for the word. Returns true once it is not 0. */
static bool wait_for(_Atomic uint32_t *word, uint64_t ms)
{
	int64_t limit = clock_ns(CLOCK_MONOTONIC) + (int64_t)ms * 1000000, now;

	while (!atomic_load(word)) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= limit)
			return false;
		dp_wait(word, 0, (uint64_t)(limit - now) / 1000000 + 1);
	}
	return true;
}

/* Runs in the child. */
static void after_fork(void)
{
	struct collector *c = &dp_collector;

	if (atomic_load(&phase) != STARTED)
		goto out;
	atomic_store(&dp_live->on, 0);
	atomic_store(&dp_live->nvtx, 0);
	if (c->pool)
		mmap(c->pool, c->pool_bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	dp_descriptor__close(&c->spool_file);
	dp_descriptor__close(&c->pool_file);
	dp_descriptor__close(&c->socket);
	dp_ring__after_fork();
out:
	atomic_store(&phase, NOT_STARTED);
}

static void (**exit_hook)(void);

/* This handler was registered before CUPTI was loaded, so CUPTI's objects are gone by now. */
static void finish_late(void)
{
	atomic_store(&dp_collector.cupti_ended, 1);
	dp_life__finish();
}

static bool install_handlers(void)
{
	if (handlers)
		return true;
	dp_live = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (dp_live == MAP_FAILED) {
		dp_live = NULL;
		return false;
	}
	(void)madvise(dp_live, 4096, MADV_WIPEONFORK);
	errno = pthread_atfork(NULL, NULL, after_fork);
	if (errno)
		return false;
	if (atexit(finish_late) || at_quick_exit(dp_life__finish)) {
		/* These do not set errno; only memory can be missing. */
		errno = ENOMEM;
		return false;
	}
	exit_hook = (void (**)(void))dlsym(RTLD_DEFAULT, "deepprof_exit_hook");
	if (exit_hook)
		*exit_hook = dp_life__finish;
	handlers = true;
	return true;
}

/* Opens the launcher's own folder, not one that another user put in its place. */
static bool open_folder(struct collector *c)
{
	const char *id = secure_getenv(DP_SPOOL_ENV_ID);
	int fd = open(c->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char found[64];

	dp_descriptor__take(&c->folder_file, fd);
	if (c->folder_file.fd < 0)
		return false;
	snprintf(found, sizeof(found), DP_SPOOL_ID, (uintmax_t)c->folder_file.device,
		 (uintmax_t)c->folder_file.inode);
	return id && !strcmp(found, id);
}

/* Uses the first name that no image of this process has used. */
static bool open_spool(char *name, size_t room)
{
	struct collector *c = &dp_collector;
	int folder = dp_descriptor__get(&c->folder_file), fd;

	for (c->serial = 0; c->serial < 100000; c->serial++) {
		snprintf(name, room, "%d.%u.spool", (int)c->pid, c->serial);
		fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
		if (fd < 0 && errno == EEXIST)
			continue;
		dp_descriptor__take(&c->spool_file, fd);
		return c->spool_file.fd >= 0;
	}
	return false;
}

static bool start_thread(void *(*function)(void *), const char *name)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool started;

	if (pthread_attr_init(&attributes))
		return false;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	started = !pthread_create(&thread, &attributes, function, NULL);
	pthread_attr_destroy(&attributes);
	if (started)
		pthread_setname_np(thread, name);
	return started;
}

static bool start_threads(void)
{
	struct collector *c = &dp_collector;

	c->writing = start_thread(dp_writer_thread, "deepprof-write");
	if (!c->writing)
		return false;
	if (start_thread(dp_control_thread, "deepprof-ctl"))
		return true;
	/* The program may end at any time: what the writer has counted must be stored by then. */
	atomic_store(&c->writer_quit, 1);
	dp_wake(&c->writer_wake);
	wait_for(&c->writer_done, DRAIN_MS);
	return false;
}

/* Clears what is left from before a fork. */
static void reset(void)
{
	struct collector *c = &dp_collector;

	if (c->pool)
		munmap(c->pool, c->pool_bytes);
	if (c->trash)
		munmap(c->discards[0].data, (DISCARDS + 1) * DISCARD_BYTES);
	if (c->writer.buffer)
		dp_writer__fini(&c->writer);
	memset(c, 0, sizeof(*c));
	c->finish = dp_life__finish;
	c->folder_file.fd = c->spool_file.fd = c->pool_file.fd = c->socket.fd = -1;
}

static bool begin(const char *folder)
{
	struct collector *c = &dp_collector;
	struct dp_spool_header header = { .magic = DP_SPOOL_MAGIC };
	char name[64];

	reset();
	if (folder[0] != '/' || strlen(folder) >= sizeof(c->folder))
		return false;
	memcpy(c->folder, folder, strlen(folder) + 1);
	c->pid = getpid();
	dp_options__read(&c->options, secure_getenv(DP_SPOOL_ENV_OPTIONS));
	/* Without the folder there is nobody to notify. */
	if (!open_folder(c))
		return false;
	dp_message__open();
	if (!install_handlers()) {
		dp_message__say(DP_SPOOL_ERROR, "no-memory", "out of memory at the start: %s",
				strerror(errno));
		return false;
	}
	if (!open_spool(name, sizeof(name))) {
		dp_message__say(DP_SPOOL_ERROR, "no-spool", "%s: %s", c->folder, strerror(errno));
		return false;
	}
	if (!dp_pool__create()) {
		dp_message__say(DP_SPOOL_ERROR, "no-memory", "no memory for buffers: %s",
				strerror(errno));
		return false;
	}
	header.version = DP_SPOOL_VERSION;
	header.bytes = sizeof(header);
	header.pid = (uint32_t)c->pid;
	header.ppid = (uint32_t)getppid();
	header.serial = c->serial;
	dp_info__begin(&header);
	c->writer.limit = c->options.max_spool;
	c->writer.read_text = dp_info__read_text;
	if (!dp_writer__open(&c->writer, c->spool_file.fd, &header, c->pool)) {
		dp_message__say(DP_SPOOL_ERROR, "disk-full",
				"the spool in %s cannot be written: %s", c->folder,
				strerror(c->writer.fail_errno));
		return false;
	}
	c->translate = (struct dp_translate){
		.owner = &c->writer,
		.text = dp_writer__text,
		.address = dp_writer__address,
		.number = dp_writer__number,
	};
	/* Until the launcher says more; unless it is unreachable, as nobody would end the wait. */
	if (c->options.start_paused)
		atomic_store(&c->pool->control, DP_POOL_PAUSE);
	if (!dp_message__hello(name))
		atomic_store(&c->pool->control, DP_POOL_RUN);
	if (!dp_ring__init() || !start_threads()) {
		dp_message__say(DP_SPOOL_ERROR, "no-thread", "no thread to record with");
		return false;
	}
	return true;
}

static void close_all(void)
{
	struct collector *c = &dp_collector;

	dp_pool__destroy();
	dp_descriptor__close(&c->spool_file);
	dp_descriptor__close(&c->socket);
}

/* Blocks signals in the collector's threads, and SIGXFSZ, which would kill the program. */
static bool start_quietly(const char *folder)
{
	struct timespec no_time = { 0, 0 };
	sigset_t all, old, limit;
	int kept_errno = errno;
	bool started;

	sigfillset(&all);
	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	started = begin(folder);
	dp_descriptor__close(&dp_collector.folder_file);
	if (!sigismember(&old, SIGXFSZ))
		while (sigtimedwait(&limit, NULL, &no_time) == SIGXFSZ)
			;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = kept_errno;
	return started;
}

bool dp_life__start(void)
{
	const char *folder = secure_getenv(DP_SPOOL_ENV);
	uint32_t state = NOT_STARTED;

	if (!folder || !*folder)
		return false;
	if (!atomic_compare_exchange_strong(&phase, &state, STARTING)) {
		while (atomic_load(&phase) == STARTING)
			sched_yield();
		return atomic_load(&phase) == STARTED && live();
	}
	if (!start_quietly(folder)) {
		/* What the writer uses must stay. */
		if (!dp_collector.writing)
			close_all();
		atomic_store(&phase, FAILED);
		return false;
	}
	atomic_store(&dp_live->nvtx, dp_collector.options.nvtx &&
					     !dp_collector.options.start_paused &&
					     !dp_collector.options.capture_profiler);
	atomic_store(&dp_live->on, 1);
	atomic_store(&phase, STARTED);
	return true;
}

/* Runs once, in the process that was started. Abandons what hangs after a while. */
void dp_life__finish(void)
{
	struct collector *c = &dp_collector;
	int kept_errno = errno;

	if (!live() || getpid() != c->pid || atomic_exchange(&c->ending, 1))
		return;
	atomic_store(&dp_live->nvtx, 0);
	atomic_store(&c->final, 1);
	dp_wake(&c->control_wake);
	if (!wait_for(&c->final_done, c->options.exit_ms))
		dp_message__say(DP_SPOOL_WARNING, "flush-hangs",
				"CUPTI did not end its flush within %llu ms",
				(unsigned long long)c->options.exit_ms);
	atomic_store(&c->writer_quit, 1);
	dp_wake(&c->writer_wake);
	if (wait_for(&c->writer_done, DRAIN_MS)) {
		atomic_store(&dp_live->on, 0);
		dp_message__bye();
	}
	errno = kept_errno;
}

static void call_chained(void)
{
	void *library = dlopen(dp_collector.options.chain, RTLD_NOW | RTLD_LOCAL);
	const char *reason = library ? NULL : dlerror();
	int (*initialize)(void) = NULL;

	if (library)
		initialize = (int (*)(void))(uintptr_t)dlsym(library, "InitializeInjection");
	if (initialize)
		initialize();
	else
		dp_message__say(DP_SPOOL_WARNING, "chain",
				"%s cannot be loaded by CUDA as well: %s",
				dp_collector.options.chain,
				library ? "it has no InitializeInjection" : reason);
}

/* Called by libcuda within cuInit(). The program continues whatever happens here. */
int InitializeInjection(void)
{
	int kept_errno = errno;

	if (dp_life__start()) {
		if (dp_collector.options.chain[0])
			call_chained();
		dp_attach__cupti();
		dp_threads__finish_first();
	}
	errno = kept_errno;
	return 1;
}
