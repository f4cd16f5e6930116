/* deepprof record: runs a program under the collector and writes its trace file. */
#include "cleanup.h"
#include "cmd.h"
#include "message.h"
#include "record.h"
#include "source.h"
#include "spawn.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *switch_name(size_t index)
{
	static const char *const names[] = { "on", "off", NULL };

	return names[index];
}

static const char *calls_name(size_t index)
{
	static const char *const names[] = { "on", "off", "all", NULL };

	return names[index];
}

static bool set_api(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->options.api = strcmp(value, "off") != 0;
	((struct record *)into)->options.all_calls = !strcmp(value, "all");
	return true;
}

static bool set_nvtx(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->options.nvtx = !strcmp(value, "on");
	return true;
}

static bool set_memory(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->options.memory = !strcmp(value, "on");
	return true;
}

static bool set_exit_guard(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->options.exit_guard = !strcmp(value, "on");
	return true;
}

static const char *graph_name(size_t index)
{
	static const char *const names[] = { "graph", "node", NULL };

	return names[index];
}

static bool set_cuda_graph(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->options.graph_nodes = !strcmp(value, "node");
	return true;
}

static const char *capture_name(size_t index)
{
	static const char *const names[] = { "all", "profiler", NULL };

	return names[index];
}

static bool set_capture(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->options.capture_profiler = !strcmp(value, "profiler");
	return true;
}

static bool set_sample_gpu(void *into, const char *value, struct opt_why *why)
{
	int64_t ns;

	if (!strcmp(value, "off")) {
		((struct record *)into)->options.sample_ms = 0;
		return true;
	}
	if (!opt_time(value, &ns, why))
		return false;
	if (ns < 1000000 || ns > INT64_C(3600000000000))
		return opt_refuse(why, "expected 1ms to 3600s, or off");
	((struct record *)into)->options.sample_ms = (uint32_t)(ns / 1000000);
	return true;
}

static bool set_sample_host(void *into, const char *value, struct opt_why *why)
{
	int64_t ns = 0;

	if (strcmp(value, "off") && !opt_time(value, &ns, why))
		return false;
	/* More often would cost more than it shows: the kernel's time slices take milliseconds. */
	if (ns && (ns < 10000000 || ns > INT64_C(3600000000000)))
		return opt_refuse(why, "expected 10ms to 3600s, or off");
	((struct record *)into)->options.host_ms = (uint32_t)(ns / 1000000);
	return true;
}

static bool set_switches(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->options.switches = !strcmp(value, "on");
	return true;
}

static bool set_gpu_metrics(void *into, const char *value, struct opt_why *why)
{
	int64_t ns = 0;

	if (strcmp(value, "off") && !opt_time(value, &ns, why))
		return false;
	/* Counters cannot be read faster: a sample occupies the GPU's bus for some microseconds. */
	if (ns && (ns < 100000 || ns > INT64_C(1000000000)))
		return opt_refuse(why, "expected 100us to 1s, or off");
	((struct record *)into)->options.gpu_metrics_us = (uint32_t)(ns / 1000);
	return true;
}

static bool set_delay(void *into, const char *value, struct opt_why *why)
{
	return opt_time(value, &((struct record *)into)->delay_ns, why);
}

static bool set_duration(void *into, const char *value, struct opt_why *why)
{
	if (!opt_time(value, &((struct record *)into)->duration_ns, why))
		return false;
	return ((struct record *)into)->duration_ns > 0 ||
	       opt_refuse(why, "expected a time above 0");
}

static bool set_iterations(void *into, const char *value, struct opt_why *why)
{
	return opt_count(value, 1, &((struct record *)into)->options.iterations, why);
}

static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "USR1", SIGUSR1 },
	{ "USR2", SIGUSR2 },
	{ "HUP", SIGHUP },
	{ "ALRM", SIGALRM },
};

static const char *signal_name(size_t index)
{
	return index < sizeof(signals) / sizeof(signals[0]) ? signals[index].name : NULL;
}

static bool set_pause_signal(void *into, const char *value, struct opt_why *why)
{
	for (size_t i = 0; signal_name(i); i++)
		if (!strcmp(value, signals[i].name))
			((struct record *)into)->pause_signal = signals[i].number;
	return true;
}

static bool set_max_memory(void *into, const char *value, struct opt_why *why)
{
	/* Some buffers, and some room for NVTX: with less, little would be recorded. */
	return opt_bytes(value, UINT64_C(5) << 20,
			 &((struct record *)into)->options.max_memory_bytes, why);
}

static bool set_max_spool(void *into, const char *value, struct opt_why *why)
{
	/* A process needs less to describe itself. */
	return opt_bytes(value, UINT64_C(16) << 10,
			 &((struct record *)into)->options.max_spool_bytes, why);
}

static bool set_cupti(void *into, const char *value, struct opt_why *why)
{
	const char *wrong = record_wrong_cupti(value);

	((struct record *)into)->options.cupti = value;
	return !wrong || opt_refuse(why, "%s", wrong);
}

static bool set_chain(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->chain = true;
	return true;
}

static bool set_wait(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->wait = true;
	return true;
}

static bool set_recover(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->recover = value;
	return true;
}

static bool set_output(void *into, const char *value, struct opt_why *why)
{
	if (!strcmp(value, "-"))
		return opt_refuse(why,
				  "the trace file is a database and cannot be written to a pipe");
	((struct record *)into)->output = value;
	return *value || opt_refuse(why, "expected a file name");
}

static bool set_force(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->force = true;
	return true;
}

static bool set_mode(void *into, const char *value, struct opt_why *why)
{
	return opt_mode(value, &((struct record *)into)->mode, why);
}

static bool set_no_cmdline(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->options.command_lines = false;
	return true;
}

static bool set_verbose(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->verbosity = 1;
	return true;
}

static bool set_quiet(void *into, const char *value, struct opt_why *why)
{
	((struct record *)into)->verbosity = -1;
	return true;
}

static const struct opt options[] = {
	{ 'o', "output", "FILE",
	  "write to FILE, which must not exist; %p is record's process id, %h the host, %q{NAME} a "
	  "variable",
	  set_output },
	{ 'f', "force", NULL, "overwrite the file that -o names", set_force },
	{ 0, "mode", "MODE",
	  "permissions of the trace file, such as 640; the umask applies (default: 600)",
	  set_mode },
	{ 0, "no-cmdline", NULL,
	  "store no command lines (default: store them with secrets replaced)", set_no_cmdline },
	{ 0, "delay", "TIME", "start recording this long after the first kernel launch",
	  set_delay },
	{ 0, "duration", "TIME",
	  "record for this long from the first kernel launch or the end of --delay; the program "
	  "continues",
	  set_duration },
	{ 'n', "iterations", "N",
	  "record N iterations of the program's loop; the program continues", set_iterations },
	{ 0, "capture", "RANGE",
	  "record all, or with profiler only from cudaProfilerStart to cudaProfilerStop",
	  set_capture, capture_name, .hide_choices = true },
	{ 0, "pause-signal", "NAME",
	  "pause and resume when record gets this signal, and do not forward it", set_pause_signal,
	  signal_name },
	{ 0, "api", "CALLS",
	  "record the CUDA calls that an analysis uses (on, the default), none or all", set_api,
	  calls_name },
	{ 0, "nvtx", "SWITCH", "record NVTX ranges and marks (default: on)", set_nvtx,
	  switch_name },
	{ 0, "memory", "SWITCH", "record memory allocations and frees (default: on)", set_memory,
	  switch_name },
	{ 0, "cuda-graph", "HOW", "record CUDA graphs as a whole (default) or each node",
	  set_cuda_graph, graph_name },
	{ 0, "sample-gpu", "TIME",
	  "sample power, clocks and use of the GPUs at this interval (default: 100ms), or off",
	  set_sample_gpu },
	{ 0, "gpu-metrics", "TIME",
	  "sample the activity of SMs, tensor cores and memory by hardware counters at this "
	  "interval (default: off)",
	  set_gpu_metrics },
	{ 0, "sample-host", "TIME",
	  "sample run and wait times of the program's threads at this interval (default: 50ms), or off",
	  set_sample_host },
	{ 0, "context-switches", "SWITCH",
	  "record when those threads are off a processor, and what they run, if the kernel allows it "
	  "(default: on)",
	  set_switches, switch_name },
	{ 0, "max-memory", "SIZE", "limit of the buffers of each process (default: 512M)",
	  set_max_memory },
	{ 0, "max-spool", "SIZE", "limit of the temporary file of each process (default: no limit)",
	  set_max_spool },
	{ 0, "cupti", "PATH", "use this libcupti.so, or the one in this folder", set_cupti },
	{ 0, "chain", NULL, "also load the library that CUDA_INJECTION64_PATH names", set_chain },
	{ 0, "exit-guard", "SWITCH", "preload a library that detects _exit() (default: on)",
	  set_exit_guard, switch_name },
	{ 0, "wait", NULL, "also wait for processes that the program leaves behind", set_wait },
	{ 0, "recover", "FOLDER", "run nothing; finish the recording that left this folder",
	  set_recover },
	{ 'v', "verbose", NULL, "show more", set_verbose },
	{ 'q', "quiet", NULL, "print only errors", set_quiet },
	{ .name = NULL },
};

/* Claims the only place that CUDA loads a library from. Returns false after printing the error. */
static bool take_slot(struct record *record)
{
	static const char ours[] = "libdeepprof-cupti.so";
	const char *cuda = getenv("CUDA_INJECTION64_PATH"), *nvtx = getenv("NVTX_INJECTION64_PATH");

	if (cuda && *cuda && !strstr(cuda, ours)) {
		if (!record->chain) {
			message("record: CUDA already loads another tool: CUDA_INJECTION64_PATH "
				"is %.300s; unset it, or use --chain to load both",
				cuda);
			return false;
		}
		record->options.chain = cuda;
	}
	if (nvtx && *nvtx && !strstr(nvtx, ours) && record->options.nvtx) {
		record->options.nvtx = false;
		message_warning("NVTX will not be recorded: NVTX_INJECTION64_PATH is %.300s", nvtx);
	}
	return true;
}

/* Prepares everything that the program needs before it is run. */
static bool prepare(struct record *record)
{
	struct dp_error error = DP_ERROR_INIT;

	if (getenv("DEEPPROF_SPOOL"))
		message_warning("another deepprof record runs this one, and will not record what "
				"this one records");
	if (!record_target(record) || !take_slot(record))
		return false;
	if (record->options.command_lines &&
	    dp_record_command_line(&record->line, record->command, &error)) {
		message_error(&error);
		return false;
	}
	if (!record_folder(record))
		return false;
	recover_hint(record);
	/* If this fails, only recovery after a kill is impossible. */
	record->noted = recover_note(record);
	record->options.on_memory = janitor_keep;
	record->options.paused = record->delay_ns > 0;
	record->options.first_launch = record->delay_ns > 0 || record->duration_ns > 0;
	record->options.log = record_log(record);
	record->options.collector = getenv("DEEPPROF_COLLECTOR");
	record->options.folder = record->folder.fd;
	if (dp_recording_new(&record->recording, record->folder.path, &record->options, &error)) {
		message_error(&error);
		return false;
	}
	record_tell_outer();
	return true;
}

/* Ends like the program: by the same signal, but without a second core file. */
static int follow(const struct record_end *end)
{
	const struct rlimit none = { 0, 0 };

	if (WIFSIGNALED(end->wait_status)) {
		setrlimit(RLIMIT_CORE, &none);
		signal(WTERMSIG(end->wait_status), SIG_DFL);
		raise(WTERMSIG(end->wait_status));
	}
	return record_exit_status(end);
}

static int not_started(const struct record *record, int failure)
{
	bool missing = failure == ENOENT || failure == ENOTDIR;
	const char *name = record->command[0], *why = strerror(failure);

	/* ENOENT means that the file does not exist, or the interpreter that it names. */
	if (failure == ENOENT &&
	    (strchr(name, '/') ? !access(name, F_OK) : spawn_find(name, NULL, 0)))
		why = "its interpreter does not exist";
	else if (missing)
		why = "command not found";
	message("%s: %s", name, why);
	return missing ? 127 : 126;
}

static int record_all(struct record *record)
{
	struct record_end end = { .failure = 0 };
	int status = CMD_FAILED;

	if (!prepare(record) || !record_run(record, &end))
		goto out;
	if (!end.started) {
		status = not_started(record, end.failure);
		goto out;
	}
	status = record_exit_status(&end);
	if (!end.kept && !status)
		status = CMD_FAILED;
out:
	record_fini(record);
	return end.started && WIFSIGNALED(end.wait_status) ? follow(&end) : status;
}

/* Returns true if an option says how to run a command, or what to record of it. */
static bool is_for_a_run(const struct record *record)
{
	const struct dp_record_options none = DP_RECORD_OPTIONS_INIT, *o = &record->options;

	return record->chain || record->wait || record->delay_ns || record->duration_ns ||
	       record->pause_signal || o->cupti || o->api != none.api || o->all_calls ||
	       o->nvtx != none.nvtx || o->memory != none.memory ||
	       o->graph_nodes != none.graph_nodes || o->capture_profiler != none.capture_profiler ||
	       o->exit_guard != none.exit_guard || o->sample_ms != none.sample_ms ||
	       o->host_ms != none.host_ms || o->switches != none.switches || o->gpu_metrics_us ||
	       !o->command_lines || o->max_memory_bytes || o->max_spool_bytes || o->iterations;
}

static enum cmd_exit recover(const struct record *asked, int argc)
{
	struct recovery recovery;
	struct folder folder;

	if (argc || is_for_a_run(asked)) {
		message("record: --recover takes %s",
			argc ? "no command" : "only -o, -f, --mode, -v and -q");
		return CMD_USAGE;
	}
	if (!recover_find(&folder, asked->recover))
		return CMD_FAILED;
	if (!recover_open(&recovery, &folder)) {
		folder_close(&folder);
		return CMD_FAILED;
	}
	if (!recover_to(&recovery, asked)) {
		recover_leave(&recovery);
		return CMD_FAILED;
	}
	return recover_finish(&recovery) ? CMD_DONE : CMD_FAILED;
}

static enum cmd_exit run(const struct cmd *cmd, int argc, char **argv)
{
	struct record record = RECORD_INIT;
	enum cmd_exit status = CMD_DONE;

	if (!cmd_parse(cmd, &record, &argc, &argv, &status))
		return status;
	message_level(record.verbosity);
	if (record.recover)
		return recover(&record, argc);
	if (!argc) {
		message("record: expected a command, such as deepprof record -- python train.py");
		return CMD_USAGE;
	}
	record.target = record_name(record.output ? record.output : SOURCE_DEFAULT);
	if (!record.target)
		return CMD_USAGE;
	argv[argc] = NULL;
	record.command = argv;
	return (enum cmd_exit)record_all(&record);
}

static const struct cmd_example examples[] = {
	{ "deepprof record python train.py", "run it and write deepprof.db" },
	{ "deepprof record -n 50 python train.py", "record fifty iterations" },
	{ "deepprof record --duration=30s ./serve", "record half a minute" },
	{ "deepprof record -o run.%p.db -- ./train --lr=0.1", "use the process id" },
	{ NULL, NULL },
};

const struct cmd cmd_record = {
	.name = "record",
	.summary = "run a program and record its GPU work",
	.operands = "[--] COMMAND...",
	.examples = examples,
	.options = options,
	.notes =
		"Options of record precede the command. The command keeps its input, output, signals "
		"and exit status. The default file is " SOURCE_DEFAULT
		"; an existing one becomes " SOURCE_DEFAULT ".old.",
	.run = run,
	.command = true,
};
