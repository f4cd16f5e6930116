/*
 * Threads in /proc, without privileges: how long each ran and waited for a processor (schedstat),
 * how often it gave one up and how often it was taken (status), on which it ran and how many pages
 * it had to wait for a disk for (stat); and of the machine and the process's cgroup, how long work
 * stood still for lack of processors, memory or I/O (/proc/pressure, cpu.stat).
 *
 * All are sums since the beginning. A thread has a row only where it ran, or waited, since its last
 * one: of a thousand threads that sleep nothing is written, and but one file is read.
 *
 * Cost: 0.75% of one processor for 64 threads that sleep, 20 times a second.
 */
#include "record/host.h"
#include "record/clock.h"
#include "record/host_proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The busiest threads of a process are sampled; who they are is looked up this often. */
enum { THREADS_MAX = 64, PROCESSES_MAX = 256 };
#define LOOK_NS INT64_C(1000000000)

/* What is no thread's changes slowly, and takes five files. */
#define LOAD_NS INT64_C(250000000)

/* As in the file. tid 0: of the process, and of the machine. */
struct sample {
	int64_t monotonic_ns;
	uint32_t pid; /* as the process has it */
	uint32_t tid;
	struct dp_host_thread thread;
	struct dp_host_load load;
};

struct thread {
	pid_t tid;
	uint64_t run_ns, wait_ns;
};

struct process {
	pid_t pid;
	uint32_t own_pid;
	bool gone;
	int64_t look_ns, load_ns; /* when to look again */
	struct thread threads[THREADS_MAX];
	size_t count;
	struct dp_host_load load;
};

struct dp_host {
	FILE *file;
	uint32_t every_ms;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	bool quit;
	struct process *processes[PROCESSES_MAX];
	size_t count;
};

static void write_sample(struct dp_host *host, const struct sample *sample)
{
	/* A full disk costs samples; it must not cost the recording. */
	fwrite(sample, sizeof(*sample), 1, host->file);
}

/* False where the thread is gone. */
static bool sample_thread(struct dp_host *host, const struct process *process,
			  struct thread *thread)
{
	struct sample sample = { .pid = process->own_pid, .tid = (uint32_t)thread->tid };

	if (!dp_host_proc__times(process->pid, thread->tid, &sample.thread))
		return false;
	if (sample.thread.run_ns == thread->run_ns && sample.thread.wait_ns == thread->wait_ns)
		return true;
	thread->run_ns = sample.thread.run_ns;
	thread->wait_ns = sample.thread.wait_ns;
	dp_host_proc__more(process->pid, thread->tid, &sample.thread);
	sample.monotonic_ns = dp_clock__now(CLOCK_MONOTONIC);
	write_sample(host, &sample);
	return true;
}

static void sample_load(struct dp_host *host, struct process *process, bool with_machine)
{
	struct sample sample = { .pid = process->own_pid };

	dp_host_proc__load(process->pid, with_machine, &sample.load);
	if (!memcmp(&sample.load, &process->load, sizeof(sample.load)))
		return;
	process->load = sample.load;
	sample.monotonic_ns = dp_clock__now(CLOCK_MONOTONIC);
	write_sample(host, &sample);
}

static bool is_known(const struct process *process, pid_t tid)
{
	for (size_t i = 0; i < process->count; i++)
		if (process->threads[i].tid == tid)
			return true;
	return false;
}

/* Takes a thread in, where there is room, or one that has run less may go. */
static void add_thread(struct process *process, pid_t tid)
{
	struct thread made = { .tid = tid, .run_ns = UINT64_MAX };
	struct dp_host_thread times = { 0 };
	size_t least = 0;

	if (process->count < THREADS_MAX) {
		process->threads[process->count++] = made;
		return;
	}
	for (size_t i = 1; i < process->count; i++)
		if (process->threads[i].run_ns < process->threads[least].run_ns)
			least = i;
	if (dp_host_proc__times(process->pid, tid, &times) &&
	    times.run_ns > process->threads[least].run_ns)
		process->threads[least] = made;
}

/* The threads that there are by now. False where the process is gone. */
static bool look_for_threads(struct process *process)
{
	char path[64];
	struct dirent *entry;
	bool any = false;
	DIR *stream;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process->pid);
	stream = opendir(path);
	while (stream && (entry = readdir(stream))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		any |= tid > 0;
		if (tid > 0 && !is_known(process, tid))
			add_thread(process, tid);
	}
	if (stream)
		closedir(stream);
	return any;
}

/* False where it is gone. first: of all that are not. */
static bool sample_process(struct dp_host *host, struct process *process, bool first)
{
	int64_t now = dp_clock__now(CLOCK_MONOTONIC);

	if (process->gone)
		return false;
	if (now >= process->look_ns) {
		process->look_ns = now + LOOK_NS;
		process->gone = !look_for_threads(process);
	}
	for (size_t i = process->count; i-- > 0;)
		if (!sample_thread(host, process, &process->threads[i]))
			process->threads[i] = process->threads[--process->count];
	if (now >= process->load_ns) {
		process->load_ns = now + LOAD_NS;
		sample_load(host, process, first);
	}
	return true;
}

/* True where it is time to stop; waits until the moment. With the lock. */
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
		/* Processes are only added, and each stays where it is. */
		pthread_mutex_unlock(&host->lock);
		any = false;
		for (size_t i = 0; i < count; i++)
			any |= sample_process(host, host->processes[i], !any);
		/* Whoever finishes the recording if this process is killed reads the file. */
		fflush(host->file);
		moment += every;
		if (moment < dp_clock__now(CLOCK_MONOTONIC))
			moment = dp_clock__now(CLOCK_MONOTONIC) + every;
		pthread_mutex_lock(&host->lock);
	} while (!wait_until(host, moment));
	pthread_mutex_unlock(&host->lock);
	return NULL;
}

/* Who has made it does not matter: a link, or what would make us wait, is none of ours. */
static FILE *open_file(int folder_fd, int flags)
{
	int fd = openat(folder_fd, DP_HOST_FILE,
			O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0600);
	struct stat info;
	FILE *file = NULL;

	if (fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode))
		file = fdopen(fd, "r+");
	if (!file && fd >= 0)
		close(fd);
	return file;
}

static struct dp_host *new_host(FILE *file)
{
	struct dp_host *host = dp_alloc__zeroed(1, sizeof(*host));
	pthread_condattr_t clock;

	if (!host)
		return NULL;
	host->file = file;
	pthread_mutex_init(&host->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&host->wake, &clock);
	pthread_condattr_destroy(&clock);
	return host;
}

int dp_host__start(struct dp_host **out, int folder_fd, uint32_t every_ms)
{
	FILE *file = open_file(folder_fd, O_CREAT | O_EXCL);
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
	/* Signals are the caller's threads'. */
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
	FILE *file = open_file(folder_fd, 0);

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
	for (size_t i = 0; i < host->count; i++)
		free(host->processes[i]);
	fclose(host->file);
	pthread_cond_destroy(&host->wake);
	pthread_mutex_destroy(&host->lock);
	free(host);
}

/* The last process of the pid that had begun by then, as images follow each other; 0: none. */
static int64_t process_of(const struct dp_host_process *processes, size_t count, uint32_t pid,
			  int64_t time_ns)
{
	int64_t id = 0;

	for (size_t i = 0; i < count; i++)
		if (processes[i].pid == pid && (!id || processes[i].start_ns <= time_ns))
			id = processes[i].id;
	return id;
}

static int put_thread(struct dp_db *db, int64_t process, int64_t time_ns,
		      const struct sample *sample)
{
	const struct dp_host_thread *thread = &sample->thread;
	struct dp_bulk_row row;
	int status = dp_db__bulk(db, DP_BULK_HOST_SAMPLE, &row);

	if (status)
		return status;
	dp_bulk__put(&row, process);
	dp_bulk__put(&row, sample->tid);
	dp_bulk__put(&row, time_ns);
	dp_bulk__put(&row, (int64_t)thread->run_ns);
	dp_bulk__known(&row, thread->has_wait, (int64_t)thread->wait_ns);
	dp_bulk__known(&row, thread->has_switches, (int64_t)thread->voluntary);
	dp_bulk__known(&row, thread->has_switches, (int64_t)thread->involuntary);
	dp_bulk__known(&row, thread->has_stat, thread->processor);
	dp_bulk__known(&row, thread->has_stat, (int64_t)thread->major_faults);
	return DP_OK;
}

static int put_load(struct dp_db *db, int64_t process, int64_t time_ns,
		    const struct dp_host_load *load)
{
	struct dp_bulk_row row;
	int status = dp_db__bulk(db, DP_BULK_HOST_LOAD, &row);

	if (status)
		return status;
	dp_bulk__put(&row, process);
	dp_bulk__put(&row, time_ns);
	for (size_t i = 0; i < DP_HOST_LOADS; i++)
		dp_bulk__known(&row, load->has >> i & 1, (int64_t)load->values[i]);
	return DP_OK;
}

int dp_host__write(struct dp_host *host, struct dp_db *db, int64_t zero,
		   const struct dp_host_process *processes, size_t count)
{
	struct sample sample;
	int status = DP_OK;

	if (!host)
		return DP_OK;
	rewind(host->file);
	while (!status && fread(&sample, sizeof(sample), 1, host->file) == 1) {
		int64_t time_ns = (int64_t)((uint64_t)sample.monotonic_ns - (uint64_t)zero);
		int64_t process = process_of(processes, count, sample.pid, time_ns);

		if (!process)
			continue;
		status = sample.tid ? put_thread(db, process, time_ns, &sample)
				    : put_load(db, process, time_ns, &sample.load);
	}
	return status;
}
