/*
 * Runs the program and serves the recording. To the program it must look as if deepprof were not
 * between it and its parent: descriptors, signal mask and dispositions are unchanged, and signals
 * sent to deepprof are passed on. Those of the terminal (SI_KERNEL) reach the program directly, as
 * it is in the same process group.
 */
#include "cleanup.h"
#include "message.h"
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long to wait for processes that the program leaves behind to end. */
#define LINGER_NS 2000000000
/* And to stop recording, once requested. */
#define STOP_NS 1000000000
/*
 * If the program continues: until a flush has returned what was in progress on the GPU, and the
 * longest wait for processes that do not stop.
 */
#define FLUSH_NS 1500000000
#define FLUSH_MOST_NS 10000000000
#define LOOK_MS 100

struct run {
	struct record *record;
	struct record_end *end;
	int signals; /* a signalfd */
	sigset_t mask_before;
	struct sigaction child_before;
	struct rlimit files_before;
	pid_t sampler; /* a child that belongs to the recording */
	bool paused;
	bool stopped;
	bool over;	     /* the program has ended */
	bool interrupted;    /* by a signal after that */
	unsigned interrupts; /* Ctrl-C while the file was written */
	bool delayed;	     /* --delay has not passed */
	int64_t recorded_at; /* when recording began, at or after the first kernel; 0: not yet */
	int64_t resume_at;   /* 0: unknown, or past */
	int64_t stop_at;     /* 0: unknown, or never */
	int64_t give_up_at;  /* on processes left behind; 0: never */
	int64_t stopped_at;  /* 0: not yet */
	int failure;	     /* the first one reported */
	bool stuck;	     /* the last round failed */
	bool keeping;	     /* the file is or was being written */
	struct record_keeping keep;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns true for signals by which the kernel ends or stops a process, or that nobody sends. */
static bool is_left_alone(int number)
{
	static const int list[] = {
		SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP,  SIGABRT, SIGSYS,
		SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH, SIGURG,  SIGCONT
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (list[i] == number)
			return true;
	return false;
}

/* From now on, signals are read from a descriptor. */
static bool catch_signals(struct run *run)
{
	struct sigaction normal;
	sigset_t set;

	memset(&normal, 0, sizeof(normal));
	normal.sa_handler = SIG_DFL;
	sigemptyset(&normal.sa_mask);
	sigaction(SIGCHLD, &normal, &run->child_before);
	sigemptyset(&set);
	for (int number = 1; number <= SIGRTMAX; number++)
		if (!is_left_alone(number))
			sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, &run->mask_before);
	run->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return run->signals >= 0;
}

/* Each process takes two descriptors here while it runs. */
static void raise_files(struct run *run)
{
	struct rlimit most;

	getrlimit(RLIMIT_NOFILE, &run->files_before);
	most = run->files_before;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
}

/*
 * Returns true while processes that the program left behind run. They become children of this
 * process (PR_SET_CHILD_SUBREAPER); reaps those that have ended.
 */
static bool has_descendants(const struct run *run)
{
	FILE *children = fopen("/proc/thread-self/children", "re");
	bool any = false;
	long pid;

	while (children && fscanf(children, "%ld", &pid) == 1)
		if (pid != run->record->janitor && pid != run->sampler &&
		    waitpid((pid_t)pid, NULL, WNOHANG) != pid)
			any = true;
	if (children)
		fclose(children);
	return any;
}

/* Sets "NAME=value"; an existing LD_PRELOAD is appended to the new value. */
static bool set_variable(const char *text)
{
	const char *equals = strchr(text, '='), *before;
	char name[64], value[8192];
	size_t length = (size_t)(equals - text);

	if (length >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)length, text);
	before = getenv(name);
	if (strcmp(name, "LD_PRELOAD") || !before || !*before)
		return !setenv(name, equals + 1, 1);
	if (snprintf(value, sizeof(value), "%s:%s", equals + 1, before) >= (int)sizeof(value))
		return true;
	return !setenv(name, value, 1);
}

static void become_program(const struct run *run, int report)
{
	const struct record *record = run->record;
	const char *text;
	int failure;

	for (size_t i = 0; (text = dp_recording_environment(record->recording, i)); i++)
		set_variable(text);
	sigaction(SIGCHLD, &run->child_before, NULL);
	setrlimit(RLIMIT_NOFILE, &run->files_before);
	cleanup_restore();
	sigprocmask(SIG_SETMASK, &run->mask_before, NULL);
	execvp(record->command[0], record->command);
	failure = errno;
	if (write(report, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

/* Waits until the program runs; exec closes the pipe, otherwise it contains the failure. */
static bool start_program(struct run *run)
{
	int ends[2], failure = 0;
	ssize_t bytes;

	/* Above the standard ones, which the child closes if they were closed. */
	if (pipe(ends))
		return false;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	run->end->pid = fork();
	if (!run->end->pid)
		become_program(run, ends[1]);
	close(ends[1]);
	if (run->end->pid < 0) {
		close(ends[0]);
		return false;
	}
	do
		bytes = read(ends[0], &failure, sizeof(failure));
	while (bytes < 0 && errno == EINTR);
	close(ends[0]);
	run->end->started = bytes != (ssize_t)sizeof(failure);
	run->end->failure = run->end->started ? 0 : failure;
	return true;
}

static void control(struct run *run, enum dp_record_control state)
{
	dp_recording_control(run->record->recording, state);
	run->paused = state == DP_RECORD_PAUSE;
	run->stopped = state == DP_RECORD_STOP;
}

static void toggle(struct run *run)
{
	if (run->stopped)
		return;
	run->delayed = false;
	run->resume_at = 0;
	control(run, run->paused ? DP_RECORD_RUN : DP_RECORD_PAUSE);
	message("recording %s", run->paused ? "paused" : "resumed");
}

static void pass_on(const struct run *run, const struct signalfd_siginfo *info)
{
	union sigval value;

	/* From the kernel: the terminal has sent it to the program as well. */
	if (info->ssi_code > 0)
		return;
	if (info->ssi_code == SI_QUEUE) {
		value.sival_ptr = (void *)(uintptr_t)info->ssi_ptr;
		sigqueue(run->end->pid, (int)info->ssi_signo, value);
		return;
	}
	kill(run->end->pid, (int)info->ssi_signo);
}

/* With --wait, processes left by the program become children once their parent is gone. */
static void reap_orphans(const struct run *run)
{
	siginfo_t info = { .si_pid = 0 };

	while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid &&
	       info.si_pid != run->end->pid && info.si_pid != run->record->janitor &&
	       info.si_pid != run->sampler) {
		waitpid(info.si_pid, NULL, WNOHANG);
		info.si_pid = 0;
	}
}

/* Raises the signal as if it had not been caught; returns only if that has no effect. */
static void heed(const struct run *run, int number)
{
	sigset_t caught;

	sigprocmask(SIG_SETMASK, &run->mask_before, &caught);
	raise(number);
	sigprocmask(SIG_SETMASK, &caught, NULL);
}

/*
 * Handles a signal while the file is written and no program runs. A second interrupt ends this
 * without waiting for the file, but keeps the recording. If another signal ends this process, the
 * janitor (janitor.c) writes the file.
 */
static void interrupt_keeping(struct run *run, int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) || action.sa_handler == SIG_IGN ||
	    sigismember(&run->mask_before, number))
		return;
	if (number == SIGINT && !run->interrupts++) {
		message("writing %s; interrupt again to do that later", run->keep.name);
		return;
	}
	if (number == SIGINT) {
		janitor_put_away();
		record_say_kept(&run->keep.folder);
	}
	heed(run, number);
}

static void take_signal(struct run *run, const struct signalfd_siginfo *info)
{
	int number = (int)info->ssi_signo;

	if (number == SIGCHLD)
		return;
	if (number == run->record->pause_signal)
		toggle(run);
	else if (!run->over)
		pass_on(run, info);
	else if (run->keeping && !run->keep.done)
		interrupt_keeping(run, number);
	else
		run->interrupted = true;
}

static void take_signals(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		take_signal(run, &info);
	if (run->record->wait)
		reap_orphans(run);
	if (!run->over &&
	    waitpid(run->end->pid, &run->end->wait_status, WNOHANG) == run->end->pid) {
		run->over = true;
		run->give_up_at = run->record->wait ? 0 : now_ns() + LINGER_NS;
	}
}

/* Does what is due by the clock. */
static void keep_time(struct run *run, const struct dp_record_status *status)
{
	const struct record *record = run->record;
	int64_t now = now_ns();

	if (run->delayed && status->first_launch_ns)
		run->resume_at = status->first_launch_ns + record->delay_ns;
	if (run->resume_at && now >= run->resume_at) {
		run->delayed = false;
		run->resume_at = 0;
		run->recorded_at = now;
		if (run->paused)
			control(run, DP_RECORD_RUN);
	}
	if (!run->recorded_at && !run->paused)
		run->recorded_at = status->first_launch_ns;
	/* The recording may have stopped by itself. */
	run->stopped |= status->enough;
	if (record->duration_ns && !run->stop_at && run->recorded_at)
		run->stop_at = run->recorded_at + record->duration_ns;
	if (run->stop_at && now >= run->stop_at && !run->stopped)
		control(run, DP_RECORD_STOP);
	if (run->stopped && !run->stopped_at)
		run->stopped_at = now;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return !a ? b : !b ? a : a < b ? a : b;
}

/* Returns when to check again whether a stopped recording can be written; 0: not stopped. */
static int64_t next_look(const struct run *run)
{
	int64_t flushed = run->stopped_at + FLUSH_NS, soon = now_ns() + LOOK_MS * INT64_C(1000000);

	if (!run->stopped_at)
		return 0;
	return flushed > soon ? flushed : soon;
}

/* Times that count from the first kernel wait for it, and nothing notifies of its launch. */
static bool waits_for_kernel(const struct run *run)
{
	return !run->stopped && run->record->options.first_launch && !run->recorded_at &&
	       !run->resume_at;
}

/* Returns the milliseconds until something is due by the clock; -1: nothing. */
static int patience(const struct run *run)
{
	int64_t at = sooner(run->resume_at, run->stopped ? 0 : run->stop_at), now = now_ns();

	if (waits_for_kernel(run))
		at = sooner(at, now + LOOK_MS * INT64_C(1000000));

	if (run->keeping)
		return -1;
	at = sooner(at, run->over ? run->give_up_at : next_look(run));
	if (!at)
		return -1;
	if (at <= now)
		return 0;
	at = (at - now) / 1000000 + 1;
	return at > 3600000 ? 3600000 : (int)at;
}

/* Returns true if nothing more will come or is waited for. */
static bool is_done(const struct run *run, const struct dp_record_status *status)
{
	int64_t now = now_ns();

	/* The program may run for days, but the file is wanted now. */
	if (!run->over)
		return run->stopped_at && now >= run->stopped_at + FLUSH_NS &&
		       (!status->active || now >= run->stopped_at + FLUSH_MOST_NS);
	if (!status->connected && (!run->record->wait || !has_descendants(run)))
		return true;
	return run->interrupted || (run->give_up_at && now >= run->give_up_at);
}

/* Stops processes that still run, and gives them a moment. */
static void dismiss(struct run *run)
{
	const struct timespec pause = { 0, 10000000 };
	struct dp_record_status status = DP_RECORD_STATUS_INIT;
	int64_t until = now_ns() + STOP_NS;

	control(run, DP_RECORD_STOP);
	for (;;) {
		dp_recording_serve(run->record->recording);
		dp_recording_status(run->record->recording, &status);
		if (!status.active || now_ns() >= until)
			break;
		nanosleep(&pause, NULL);
	}
	run->end->left = status.connected;
	run->end->enough = status.enough;
	run->end->iterations = status.iterations;
}

static void begin_keeping(struct run *run)
{
	run->end->early = !run->over;
	run->end->delayed = run->delayed;
	dismiss(run);
	/* Signals until now were not about the file. */
	take_signals(run);
	run->keeping = true;
	record_keep_begin(&run->keep, run->record, run->end);
}

/* Serves the recording while it runs. A message that cannot be received is reported once. */
static void serve_recording(struct run *run)
{
	struct dp_record_status status = DP_RECORD_STATUS_INIT;
	int failure = dp_recording_serve(run->record->recording);

	run->stuck = failure != 0;
	if (failure && !run->failure)
		message_warning("a process cannot be recorded: %s", dp_status_name(failure));
	run->failure = run->failure ? run->failure : failure;
	dp_recording_status(run->record->recording, &status);
	run->sampler = (pid_t)status.sampler;
	keep_time(run, &status);
	if (!is_done(run, &status))
		return;
	run->stuck = false;
	begin_keeping(run);
}

/* Runs until the program has ended and the file is written. */
static void serve(struct run *run)
{
	struct pollfd waits[2] = { { run->signals, POLLIN, 0 }, { -1, POLLIN, 0 } };

	for (;;) {
		take_signals(run);
		if (!run->keeping)
			serve_recording(run);
		else
			record_keep_look(&run->keep);
		if (run->keep.done && run->over &&
		    (!run->record->wait || run->interrupted || !has_descendants(run)))
			break;
		waits[1].fd = run->keeping ? run->keep.fd : dp_recording_fd(run->record->recording);
		/* A message that could not be received, for lack of descriptors, would spin. */
		if (run->stuck)
			poll(waits, 1, LOOK_MS);
		else
			poll(waits, 2, run->keep.done ? -1 : patience(run));
	}
	run->end->kept = run->keep.kept;
	record_keep_fini(&run->keep);
}

/* Signals for the program do not concern what follows; new ones may end it. */
static void release_signals(struct run *run)
{
	struct signalfd_siginfo info;

	if (run->signals >= 0) {
		while (read(run->signals, &info, sizeof(info)) > 0)
			continue;
		close(run->signals);
	}
	sigprocmask(SIG_SETMASK, &run->mask_before, NULL);
}

bool record_run(struct record *record, struct record_end *end)
{
	struct run run = { .record = record, .end = end, .signals = -1 };
	bool done;

	raise_files(&run);
	if (record->wait)
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	done = catch_signals(&run) && start_program(&run);

	if (!done) {
		message("record: %s", strerror(errno));
	} else if (!end->started) {
		waitpid(end->pid, NULL, 0);
	} else {
		record_say_ahead(record);
		run.paused = record->options.paused;
		run.delayed = record->delay_ns > 0;
		serve(&run);
	}
	release_signals(&run);
	return done;
}
