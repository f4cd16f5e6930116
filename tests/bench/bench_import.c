/*
 * Time and memory of reading traces, with the importer that their content asks for:
 *
 *	bench_import [-r ROUNDS] FILE…
 *
 * Each file is read in a process of its own, so that its peak is its own. Times, on the wall and of
 * the processor, are the least of ROUNDS (3); MiB/s, of the file as it lies on the disk, records/s
 * and rows/s are per second of the processor. A record is what the trace keeps: an operation, a
 * call, a synchronization, a range. A row is one of a SQLite file's tables, of all of them. B/op is
 *all that the trace holds, its host side and names too, by its operations; peak is the largest
 *resident size. import.sh makes traces of any size in all formats and runs this; peers.sh runs
 *other programs on the same files.
 */
#include <deepprof/trace.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct measure {
	double seconds;
	double cpu_seconds;
	double operations;
	double records;
	double bytes;
	char format[32];
};

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool read_once(struct measure *measure, const char *path)
{
	struct dp_open_options options = DP_OPEN_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace;
	double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	char line[600];

	options.allow_no_gpu = true;
	if (dp_trace_open(&trace, path, &options, &error)) {
		dp_error_format(&error, line, sizeof(line));
		fprintf(stderr, "%s\n", line);
		return false;
	}
	start = now(CLOCK_MONOTONIC) - start;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	if (!measure->seconds || start < measure->seconds)
		measure->seconds = start;
	if (!measure->cpu_seconds || cpu < measure->cpu_seconds)
		measure->cpu_seconds = cpu;
	measure->operations = (double)dp_trace_ops(trace)->count;
	measure->records = measure->operations + (double)dp_trace_calls(trace)->count +
			   (double)dp_trace_syncs(trace)->count +
			   (double)dp_trace_ranges(trace)->count;
	measure->bytes = (double)dp_trace_bytes(trace);
	snprintf(measure->format, sizeof(measure->format), "%s", dp_trace_format(trace));
	dp_trace_free(trace);
	return true;
}

/* Rows of all tables of a SQLite file, 0 where it is none. */
static double count_rows(const char *path)
{
	sqlite3_stmt *tables = NULL, *count;
	sqlite3 *db = NULL;
	double rows = 0;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
		sqlite3_prepare_v2(db,
				   "SELECT 'SELECT count(*) FROM \"' || name || '\"' FROM "
				   "sqlite_master WHERE type = 'table'",
				   -1, &tables, NULL);
	while (tables && sqlite3_step(tables) == SQLITE_ROW) {
		sqlite3_prepare_v2(db, (const char *)sqlite3_column_text(tables, 0), -1, &count,
				   NULL);
		if (sqlite3_step(count) == SQLITE_ROW)
			rows += (double)sqlite3_column_int64(count, 0);
		sqlite3_finalize(count);
	}
	sqlite3_finalize(tables);
	sqlite3_close(db);
	return rows;
}

static void print(const struct measure *m, const char *path)
{
	const char *name = strrchr(path, '/');
	struct rusage usage;
	struct stat status;
	double mib = stat(path, &status) ? 0 : (double)status.st_size / 1048576;

	getrusage(RUSAGE_SELF, &usage);
	printf("%-32.32s %-12s %9.1f %10.0f %10.0f %8.3f %8.3f %8.1f %8.3f %8.3f %8.1f %8.1f\n",
	       name ? name + 1 : path, m->format, mib, m->operations, m->records, m->seconds,
	       m->cpu_seconds, mib / m->cpu_seconds, m->records / m->cpu_seconds / 1e6,
	       count_rows(path) / m->cpu_seconds / 1e6,
	       m->operations > 0 ? m->bytes / m->operations : 0, (double)usage.ru_maxrss / 1024);
}

/* The child's exit status is the answer. */
static bool bench(const char *path, int rounds)
{
	struct measure measure = { 0 };
	pid_t child;
	int status = 1;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		bool good = true;

		for (int i = 0; good && i < rounds; i++)
			good = read_once(&measure, path);
		if (good)
			print(&measure, path);
		fflush(stdout);
		_exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	return status == 0;
}

int main(int argc, char **argv)
{
	int option, rounds = 3;
	bool good = true;

	while ((option = getopt(argc, argv, "r:")) != -1) {
		if (option != 'r' || (rounds = atoi(optarg)) < 1) {
			fprintf(stderr, "usage: bench_import [-r ROUNDS] FILE...\n");
			return 2;
		}
	}
	printf("%-32s %-12s %9s %10s %10s %8s %8s %8s %8s %8s %8s %8s\n", "file", "format", "MiB",
	       "operations", "records", "s", "cpu s", "MiB/s", "Mrec/s", "Mrows/s", "B/op",
	       "peak MiB");
	for (int i = optind; i < argc; i++)
		good = bench(argv[i], rounds) && good;
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
