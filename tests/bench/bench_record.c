/*
 * How fast spools become a trace file.
 *
 *     bench_record [ITERATIONS]        100000: 1.5 million rows; a million needs 1 GB of disk
 *
 * tests/record/producer.c stands for a recorded program: it writes the spool of this many
 * iterations as the collector would, with ROWS events each. Timed is dp_recording_write(), from
 * opening the spool to the file's being on the disk, by the clock and by the CPU. It fails where
 * the file has not just these events.
 */
#include <deepprof/record.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of an iteration: six kernels, a copy, a call for each, a range. */
#define ROWS 15

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static pid_t start(const struct dp_recording *recording, unsigned long count)
{
	char iterations[64];
	const char *variable;
	pid_t pid = fork();

	if (pid)
		return pid;
	for (size_t i = 0; (variable = dp_recording_environment(recording, i)); i++)
		putenv((char *)(size_t)variable);
	unsetenv("LD_PRELOAD");
	snprintf(iterations, sizeof(iterations), "iterations=%lu", count);
	execl(PRODUCER, PRODUCER, iterations, (char *)NULL);
	_exit(127);
}

/* Serves the producer to its end; false where that was not a good one. */
static bool produce(struct dp_recording *recording, unsigned long count)
{
	pid_t pid = start(recording, count), ended;
	int status = 0;

	do {
		poll(NULL, 0, 10);
		dp_recording_serve(recording);
		ended = pid < 0 ? pid : waitpid(pid, &status, WNOHANG);
	} while (!ended);
	if (ended == pid && pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	fprintf(stderr, "bench_record: %s has failed\n", PRODUCER);
	return false;
}

static int measure(struct dp_recording *recording, const char *folder, unsigned long count)
{
	char path[4096];
	struct dp_record_result result = DP_RECORD_RESULT_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct stat info = { .st_size = 0 };
	double wall, cpu;
	int status;

	snprintf(path, sizeof(path), "%s/trace.db", folder);
	wall = seconds(CLOCK_MONOTONIC);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	status = dp_recording_write(recording, path, NULL, &result, &error);
	wall = seconds(CLOCK_MONOTONIC) - wall;
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	if (status) {
		fprintf(stderr, "%s\n", error.message);
		return 1;
	}
	stat(path, &info);
	unlink(path);
	if (result.events != ROWS * count || result.lost || result.unbalanced) {
		fprintf(stderr, "bench_record: %llu rows, not %llu\n",
			(unsigned long long)result.events, (unsigned long long)(ROWS * count));
		return 1;
	}
	printf("%llu rows, %.1f MB: %.2f s, %.2f million rows/s; CPU %.2f s, %.2f million rows/s\n",
	       (unsigned long long)result.events, (double)info.st_size / 1e6, wall,
	       (double)result.events / wall / 1e6, cpu, (double)result.events / cpu / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	struct dp_record_options options = DP_RECORD_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_recording *recording;
	char made[] = "/tmp/deepprof-bench-XXXXXX";
	int status = 1;

	if (!count || !mkdtemp(made))
		return 2;
	options.collector = COLLECTOR_FOLDER;
	options.sample_ms = 0;
	if (dp_recording_new(&recording, made, &options, &error)) {
		fprintf(stderr, "%s\n", error.message);
		rmdir(made);
		return 1;
	}
	if (produce(recording, count))
		status = measure(recording, made, count);
	dp_recording_free(recording);
	rmdir(made);
	return status;
}
