/*
 * How fast spools become a trace file: bench_record PRODUCER COLLECTOR-FOLDER [ITERATIONS]
 *
 * A producer records 15 events per iteration; timed is dp_recording_write() from opening the file
 * to its being on the disk, by the clock and by the CPU.
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

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static pid_t start(const struct dp_recording *recording, const char *producer, const char *count)
{
	char iterations[64];
	const char *variable;
	pid_t pid = fork();

	if (pid)
		return pid;
	for (size_t i = 0; (variable = dp_recording_environment(recording, i)); i++)
		putenv((char *)(size_t)variable);
	unsetenv("LD_PRELOAD");
	snprintf(iterations, sizeof(iterations), "iterations=%s", count);
	execl(producer, producer, iterations, (char *)NULL);
	_exit(127);
}

static int measure(struct dp_recording *recording, const char *folder)
{
	char path[4096];
	struct dp_record_result result;
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
	printf("%llu rows, %.1f MB: %.2f s, %.2f million rows/s; CPU %.2f s, %.2f million rows/s\n",
	       (unsigned long long)result.events, (double)info.st_size / 1e6, wall,
	       (double)result.events / wall / 1e6, cpu, (double)result.events / cpu / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	struct dp_record_options options = DP_RECORD_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_recording *recording;
	char made[] = "/tmp/deepprof-bench-XXXXXX";
	int status = 1;
	pid_t pid;

	if (argc < 3 || !mkdtemp(made))
		return 2;
	options.collector = argv[2];
	options.sample_ms = 0;
	if (dp_recording_new(&recording, made, &options, &error)) {
		fprintf(stderr, "%s\n", error.message);
		rmdir(made);
		return 1;
	}
	pid = start(recording, argv[1], argc > 3 ? argv[3] : "100000");
	while (waitpid(pid, NULL, WNOHANG) != pid) {
		poll(NULL, 0, 10);
		dp_recording_serve(recording);
	}
	status = measure(recording, made);
	dp_recording_free(recording);
	rmdir(made);
	return status;
}
