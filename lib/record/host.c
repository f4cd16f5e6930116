/*
 * Samples threads in /proc, without privileges: how long each ran and waited for a processor
 * (schedstat), how often it gave one up and how often it was preempted (status), on which it ran
 * and how many pages it waited for a disk for (stat). For the machine and the process's cgroup: how
 * long work stalled for lack of processors, memory or I/O (/proc/pressure, cpu.stat).
 *
 * All values are sums since the start. A thread that neither ran nor waited since its last sample
 * gets no sample, and only one of its files is read, more rarely after a second. When it runs
 * again, it first gets a sample at the time it was last seen idle, so that each interval between
 * samples has a uniform rate.
 *
 * For threads that run, the kernel also records when each was off a processor (switches.h), if it
 * allows that. Such a thread's times are not read while it stays off, and less often if many run.
 * While it is on a processor, its call stack is sampled and named at once (stacks.h): what a
 * process has mapped is known only while it lives.
 *
 * Cost of 64 threads, 20 times a second: tests/bench/host_cost.py, RESULTS.md.
 */
#include "record/host.h"
#include "record/clock.h"
#include "record/host_file.h"
#include "record/host_proc.h"
#include "record/recording_folder.h"
#include "record/stacks.h"
#include "record/switches.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * The busiest threads of a process are sampled; they are looked up this often: PyTorch starts the
 * thread that launches the backward pass with the loop, which may be over in a second.
 */
enum { THREADS_MAX = 64, PROCESSES_MAX = 256 };
#define LOOK_NS INT64_C(100000000)

/* What does not belong to a thread changes slowly, and takes five files. */
#define LOAD_NS INT64_C(250000000)

/*
 * Switches, faults and the processor of a thread, which no metric of iterations needs: two files
 * that take nearly twenty times as long to read as its times. They are read this often while it
 * runs, and when it pauses; less often if each of its switches and faults is recorded anyway.
 */
#define MORE_NS INT64_C(1000000000)
#define MORE_FOLLOWED_NS INT64_C(5000000000)

/*
 * Threads whose switches are recorded and whose times are read in one sample; if more run, each is
 * read in every second sample, or more rarely. What reading them adds is how long each waited for a
 * processor after wake-ups, at about 4 us a thread.
 */
enum { TIMES_MAX = 32 };

/*
 * A thread that is not followed and that did not run in this many samples in a row, a second by
 * default, is read in every fourth only: a process often has dozens that sleep for good. What one
 * runs when it wakes up is then spread over up to four intervals, and is not recorded if it ends
 * within these.
 */
enum { ASLEEP_SAMPLES = 20, ASLEEP_STRIDE = 4 };

/* The switches of many threads in a tenth of a second; 4 KiB would be written 30 times. */
#define BUFFER_BYTES ((size_t)128 << 10)

/*
 * Threads followed, over all processes: each takes four of the 1,024 descriptors that a process
 * usually has, and 36 KiB of the memory that a user may lock.
 */
enum { FOLLOWED_MAX = 128 };

struct thread {
	pid_t tid;
	struct dp_host_thread last; /* as last read */
	int64_t last_ns;
	bool written;	 /* last was written */
	bool behind;	 /* it ran since, but was not read */
	size_t asleep;	 /* times in a row that it was read and had not run */
	int64_t more_ns; /* when the rest was last read */
	bool followed, tried;
	int fd;			      /* of its times */
	struct dp_switches *switches; /* NULL: not followed */
};

struct process {
	pid_t pid;
	uint32_t own_pid;
	uint32_t index;		      /* in the host */
	struct dp_mappings *mappings; /* NULL: no call stack was sampled yet */
	bool gone;
	int64_t look_ns, load_ns; /* when to look again */
	struct thread threads[THREADS_MAX];
	size_t count;
};

struct dp_host {
	FILE *file;
	uint64_t bytes; /* written */
	uint32_t every_ms;
	bool follows; /* switches and call stacks are requested */
	struct dp_stacks *stacks;
	size_t followed; /* threads followed */
	size_t samples;	 /* taken so far */
	size_t awake;	 /* followed threads that ran in this sample */
	size_t stride;	 /* in samples: how often each of them is read */
	int refused;	 /* errno if no thread could be followed */
	pthread_t thread;
	bool running;
	pthread_mutex_t lock; /* protects what follows */
	pthread_cond_t wake;
	bool quit;
	struct process *processes[PROCESSES_MAX];
	size_t count;
};

/* A full disk may cost samples, but not the recording. */
static void write_record(struct dp_host *host, const struct dp_host_head *head, const void *rest)
{
	char record[sizeof(*head) + sizeof(union dp_host_rest)];

	if (host->bytes >= DP_HOST_FILE_MOST)
		return;
	memcpy(record, head, sizeof(*head));
	memcpy(record + sizeof(*head), rest, head->bytes);
	/* Only this thread writes to the file. */
	host->bytes += fwrite_unlocked(record, 1, sizeof(*head) + head->bytes, host->file);
}

static void write_thread(struct dp_host *host, const struct process *process, struct thread *thread)
{
	struct dp_host_head head = { thread->last_ns, process->own_pid, (uint32_t)thread->tid,
				     DP_HOST_THREAD, sizeof(thread->last) };

	if (!thread->written)
		write_record(host, &head, &thread->last);
	thread->written = true;
}

/* Adds an interval to a record that ends at end_ns; false: it does not fit. */
static bool pack_off(uint64_t *out, const struct dp_switches_off *off, int64_t end_ns)
{
	uint64_t gap = (uint64_t)(off->start_ns - end_ns);
	uint64_t took = (uint64_t)(off->end_ns - off->start_ns);

	if (gap >> DP_HOST_GAP_BITS || took >> (64 - DP_HOST_GAP_BITS - DP_HOST_KIND_BITS))
		return false;
	*out = (took << DP_HOST_GAP_BITS | gap) << DP_HOST_KIND_BITS | off->kind;
	return true;
}

/* Writes an entry of the tree of call stacks. */
static void put_function(void *ctx, uint32_t parent, const struct dp_code_name *code)
{
	struct dp_host_function function = { .parent = parent };
	int length =
		snprintf(function.text, sizeof(function.text), "%s\n%s", code->module, code->name);
	struct dp_host_head head = { 0, 0, 0, DP_HOST_FUNCTION,
				     (uint32_t)(sizeof(function.parent) + (size_t)length) };

	write_record(ctx, &head, &function);
}

/* Call stacks of a thread that are not written yet. */
struct samples {
	struct dp_host *host;
	struct process *process;
	struct dp_host_head head;
	struct dp_host_stack stacks[DP_HOST_STACKS];
};

static void write_samples(struct samples *samples)
{
	if (samples->head.bytes)
		write_record(samples->host, &samples->head, samples->stacks);
	samples->head.bytes = 0;
}

/* Names a call stack, and adds it to the samples. */
static void add_sample(void *ctx, int64_t time_ns, const uint64_t *addresses, size_t count)
{
	struct samples *samples = ctx;
	struct process *process = samples->process;
	size_t used = samples->head.bytes / sizeof(*samples->stacks);
	char folder[32];
	uint32_t stack;

	if (!process->mappings) {
		snprintf(folder, sizeof(folder), "/proc/%d", (int)process->pid);
		process->mappings = dp_mappings__new(folder, process->own_pid);
	}
	if (!process->mappings)
		return;
	stack = dp_stacks__find(samples->host->stacks, process->mappings, process->index, addresses,
				count);
	if (!stack)
		return;
	if (used == DP_HOST_STACKS || (used && time_ns - samples->head.monotonic_ns > UINT32_MAX)) {
		write_samples(samples);
		used = 0;
	}
	if (!used)
		samples->head.monotonic_ns = time_ns;
	samples->stacks[used] =
		(struct dp_host_stack){ (uint32_t)(time_ns - samples->head.monotonic_ns), stack };
	samples->head.bytes += sizeof(*samples->stacks);
}

static void write_switches(struct dp_host *host, struct process *process, struct thread *thread,
			   bool finish)
{
	struct dp_switches_off offs[DP_HOST_OFFS];
	uint64_t packed[DP_HOST_OFFS];
	size_t count = DP_HOST_OFFS;
	struct samples samples = { .host = host,
				   .process = process,
				   .head = { .pid = process->own_pid,
					     .tid = (uint32_t)thread->tid,
					     .kind = DP_HOST_STACK } };
	const struct dp_switches_sink sink = { add_sample, &samples };

	while (thread->switches && count == DP_HOST_OFFS) {
		count = dp_switches__take(thread->switches, offs, DP_HOST_OFFS, finish, &sink);
		for (size_t i = 0, n; i < count; i += n) {
			struct dp_host_head head = { offs[i].start_ns, process->own_pid,
						     (uint32_t)thread->tid, DP_HOST_OFF, 0 };

			packed[0] = (uint64_t)(offs[i].end_ns - offs[i].start_ns)
					    << DP_HOST_KIND_BITS |
				    offs[i].kind;
			for (n = 1; i + n < count; n++)
				if (!pack_off(&packed[n], &offs[i + n], offs[i + n - 1].end_ns))
					break;
			head.bytes = (uint32_t)(n * sizeof(*packed));
			write_record(host, &head, packed);
		}
	}
	write_samples(&samples);
}

/* Keeps a file of the first threads open, and follows their switches from their first run on. */
static void follow_thread(struct dp_host *host, const struct process *process,
			  struct thread *thread)
{
	if (!thread->followed && host->followed < FOLLOWED_MAX) {
		thread->followed = true;
		host->followed++;
		thread->fd = dp_host_proc__open(process->pid, thread->tid);
		return;
	}
	if (!thread->followed || !thread->written || thread->tried || !host->follows)
		return;
	thread->tried = true;
	thread->switches = dp_switches__open(thread->tid);
	if (!thread->switches && errno != ESRCH && !host->refused)
		host->refused = errno;
}

/* Ends a thread: writes its last values. */
static void end_thread(struct dp_host *host, struct process *process, struct thread *thread)
{
	if (thread->last_ns)
		write_thread(host, process, thread);
	write_switches(host, process, thread, true);
	host->followed -= thread->followed;
	if (thread->fd >= 0)
		close(thread->fd);
	dp_switches__close(thread->switches);
}

static void read_more(const struct process *process, struct thread *thread,
		      struct dp_host_thread *out, int64_t now_ns, int64_t every_ns)
{
	if (now_ns < thread->more_ns + every_ns)
		return;
	dp_host_proc__more(process->pid, thread->tid, out);
	thread->more_ns = now_ns;
}

/* Returns whether it is the turn of a thread that is not known to have slept. */
static bool has_turn(struct dp_host *host, const struct thread *thread)
{
	size_t turn = host->samples + (size_t)thread->tid;

	if (!thread->switches)
		return thread->asleep < ASLEEP_SAMPLES || turn % ASLEEP_STRIDE == 0;
	host->awake++;
	return turn % host->stride == 0;
}

/* Samples a thread. Returns false if it is gone. */
static bool sample_thread(struct dp_host *host, struct process *process, struct thread *thread)
{
	struct dp_host_thread now = { 0 };
	int64_t now_ns = dp_clock__now(CLOCK_MONOTONIC);
	bool slept = !thread->behind && thread->switches && dp_switches__slept(thread->switches);

	write_switches(host, process, thread, false);
	if (!slept && !has_turn(host, thread)) {
		thread->behind = thread->switches;
		return true;
	}
	thread->behind = false;
	if (!slept && !dp_host_proc__times(process->pid, thread->tid, thread->fd, &now))
		return false;
	if (slept || (thread->last_ns && now.run_ns == thread->last.run_ns &&
		      now.wait_ns == thread->last.wait_ns)) {
		if (thread->written)
			read_more(process, thread, &thread->last, now_ns, LOAD_NS);
		thread->written = false;
		thread->last_ns = now_ns;
		thread->asleep++;
		return true;
	}
	thread->asleep = 0;
	if (thread->last_ns)
		write_thread(host, process, thread);
	follow_thread(host, process, thread);
	read_more(process, thread, &now, now_ns, thread->switches ? MORE_FOLLOWED_NS : MORE_NS);
	thread->last = now;
	thread->last_ns = now_ns;
	thread->written = false;
	write_thread(host, process, thread);
	return true;
}

static void sample_load(struct dp_host *host, struct process *process, bool with_machine)
{
	struct dp_host_load load;
	struct dp_host_head head = { 0, process->own_pid, 0, DP_HOST_LOAD, sizeof(load) };

	dp_host_proc__load(process->pid, with_machine, &load);
	if (!load.has)
		return;
	head.monotonic_ns = dp_clock__now(CLOCK_MONOTONIC);
	write_record(host, &head, &load);
}

static bool is_known(const struct process *process, pid_t tid)
{
	for (size_t i = 0; i < process->count; i++)
		if (process->threads[i].tid == tid)
			return true;
	return false;
}

/* Returns the sampled thread that has run least; the count if none was sampled. */
static size_t find_least(const struct process *process)
{
	size_t least = process->count;

	for (size_t i = 0; i < process->count; i++)
		if (process->threads[i].last_ns &&
		    (least == process->count ||
		     process->threads[i].last.run_ns < process->threads[least].last.run_ns))
			least = i;
	return least;
}

/* Adds a thread if there is room, or in place of a sampled one that has run less. */
static void add_thread(struct dp_host *host, struct process *process, pid_t tid)
{
	struct thread made = { .tid = tid, .fd = -1 };
	struct dp_host_thread times = { 0 };
	size_t least;

	if (process->count < THREADS_MAX) {
		process->threads[process->count++] = made;
		return;
	}
	least = find_least(process);
	if (least < process->count && dp_host_proc__times(process->pid, tid, -1, &times) &&
	    times.run_ns > process->threads[least].last.run_ns) {
		end_thread(host, process, &process->threads[least]);
		process->threads[least] = made;
	}
}

/* Looks for new threads. Returns false if the process is gone. */
static bool look_for_threads(struct dp_host *host, struct process *process)
{
	char path[64];
	struct dirent *entry;
	bool any = false;
	DIR *stream;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process->pid);
	stream = opendir(path);
	/* The recorder may have no descriptor left. */
	if (!stream)
		return errno != ENOENT;
	while ((entry = readdir(stream))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		any |= tid > 0;
		if (tid > 0 && !is_known(process, tid))
			add_thread(host, process, tid);
	}
	closedir(stream);
	return any;
}

static void end_threads(struct dp_host *host, struct process *process)
{
	while (process->count)
		end_thread(host, process, &process->threads[--process->count]);
}

/* Samples a process. Returns false if it is gone. first: the first of those that are not. */
static bool sample_process(struct dp_host *host, struct process *process, bool first)
{
	int64_t now = dp_clock__now(CLOCK_MONOTONIC);

	if (process->gone)
		return false;
	if (now >= process->look_ns) {
		process->look_ns = now + LOOK_NS;
		process->gone = !look_for_threads(host, process);
	}
	if (process->gone) {
		end_threads(host, process);
		return false;
	}
	for (size_t i = process->count; i-- > 0;)
		if (!sample_thread(host, process, &process->threads[i])) {
			end_thread(host, process, &process->threads[i]);
			process->threads[i] = process->threads[--process->count];
		}
	if (now >= process->load_ns) {
		process->load_ns = now + LOAD_NS;
		sample_load(host, process, first);
	}
	return true;
}

/* Waits until the moment. Returns true if it is time to stop. Call with the lock. */
static bool wait_until(struct dp_host *host, int64_t moment)
{
	struct timespec until = { .tv_sec = moment / 1000000000, .tv_nsec = moment % 1000000000 };
	int failed = 0;

	while (!host->quit && !failed)
		failed = pthread_cond_timedwait(&host->wake, &host->lock, &until);
	return host->quit;
}

static void *run(void *argument)
{
	struct dp_host *host = argument;
	int64_t every = (int64_t)host->every_ms * 1000000, moment = dp_clock__now(CLOCK_MONOTONIC);
	size_t count;
	bool any;

	pthread_mutex_lock(&host->lock);
	do {
		count = host->count;
		/* Processes are only added, and never move. */
		pthread_mutex_unlock(&host->lock);
		any = false;
		host->stride = DP_MAX((host->awake + TIMES_MAX - 1) / TIMES_MAX, 1);
		host->awake = 0;
		host->samples++;
		for (size_t i = 0; i < count; i++)
			any |= sample_process(host, host->processes[i], !any);
		/* If this process is killed, another reads the file to finish the recording. */
		fflush(host->file);
		moment += every;
		if (moment < dp_clock__now(CLOCK_MONOTONIC))
			moment = dp_clock__now(CLOCK_MONOTONIC) + every;
		pthread_mutex_lock(&host->lock);
	} while (!wait_until(host, moment));
	count = host->count;
	pthread_mutex_unlock(&host->lock);
	for (size_t i = 0; i < count; i++)
		end_threads(host, host->processes[i]);
	fflush(host->file);
	return NULL;
}

static struct dp_host *new_host(FILE *file)
{
	struct dp_host *host = dp_alloc__zeroed(1, sizeof(*host));
	pthread_condattr_t clock;

	if (!host)
		return NULL;
	host->file = file;
	setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
	pthread_mutex_init(&host->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&host->wake, &clock);
	pthread_condattr_destroy(&clock);
	return host;
}

int dp_host__start(struct dp_host **out, int folder_fd, uint32_t every_ms, bool switches)
{
	FILE *file = dp_recording_folder__open_samples(folder_fd, DP_HOST_FILE, O_CREAT | O_EXCL);
	struct dp_host *host = file ? new_host(file) : NULL;
	sigset_t all, before;

	*out = NULL;
	if (!host) {
		if (!file)
			return DP_ERR_IO;
		fclose(file);
		return DP_ERR_NOMEM;
	}
	host->every_ms = every_ms;
	host->stacks =
		switches ? dp_stacks__new(&(struct dp_stacks_sink){ put_function, host }) : NULL;
	host->follows = host->stacks;
	/* Signals are for the caller's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	host->running = !pthread_create(&host->thread, NULL, run, host);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!host->running) {
		dp_host__free(host);
		return DP_ERR_IO;
	}
	*out = host;
	return DP_OK;
}

int dp_host__open(struct dp_host **out, int folder_fd)
{
	FILE *file = dp_recording_folder__open_samples(folder_fd, DP_HOST_FILE, 0);

	*out = NULL;
	if (!file)
		return errno == ENOENT ? DP_OK : DP_ERR_IO;
	*out = new_host(file);
	if (*out)
		return DP_OK;
	fclose(file);
	return DP_ERR_NOMEM;
}

void dp_host__add(struct dp_host *host, pid_t pid, uint32_t own_pid)
{
	struct process *made =
		host->count < PROCESSES_MAX ? dp_alloc__zeroed(1, sizeof(*made)) : NULL;

	if (!made)
		return;
	made->pid = pid;
	made->own_pid = own_pid;
	made->index = (uint32_t)host->count;
	pthread_mutex_lock(&host->lock);
	host->processes[host->count++] = made;
	pthread_mutex_unlock(&host->lock);
}

void dp_host__stop(struct dp_host *host)
{
	if (!host || !host->running)
		return;
	pthread_mutex_lock(&host->lock);
	host->quit = true;
	pthread_cond_signal(&host->wake);
	pthread_mutex_unlock(&host->lock);
	pthread_join(host->thread, NULL);
	host->running = false;
}

void dp_host__free(struct dp_host *host)
{
	if (!host)
		return;
	dp_host__stop(host);
	for (size_t i = 0; i < host->count; i++) {
		dp_mappings__free(host->processes[i]->mappings);
		free(host->processes[i]);
	}
	dp_stacks__free(host->stacks);
	fclose(host->file);
	pthread_cond_destroy(&host->wake);
	pthread_mutex_destroy(&host->lock);
	free(host);
}

FILE *dp_host__file(struct dp_host *host)
{
	return host->file;
}

int dp_host__refused(const struct dp_host *host)
{
	return host ? host->refused : 0;
}

uint64_t dp_host__refused_stacks(const struct dp_host *host)
{
	return host && host->stacks ? dp_stacks__refused(host->stacks) : 0;
}
