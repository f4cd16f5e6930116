/*
 * Runs a fuzz target where libFuzzer is not there: every file of the corpus as it is, then
 * mutations of them, half of them by the format's grammar, the same ones every time for one seed.
 *
 *     fuzz_<word> [--runs=N] [--seconds=N] [--seed=N] [--artifacts=DIR] FILE|DIR…
 *
 * Stops after N runs or N seconds, whichever comes first. An input that crashes the target, or
 * keeps it for ten seconds of processor time, is kept as DIR/crash-<target>.
 */
#include "../sanitized.h"
#include "mutate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define INPUT_LIMIT ((size_t)16 << 20)
/* What the grammar may add to an input. */
#define GRAMMAR_ROOM ((size_t)256 << 10)
#define RUN_SECONDS 10
#define MEMORY_LIMIT ((rlim_t)4 << 30)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* From the sanitizers' runtime, if linked. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

struct input {
	uint8_t *data;
	size_t size;
	char *path;
};

static struct input *corpus;
static size_t corpus_count;
static struct input current; /* in INPUT_LIMIT bytes */
static char crash_path[4096];
static uint64_t random_state;

/* Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t next_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static size_t below(size_t limit)
{
	return limit ? (size_t)(next_random() % limit) : 0;
}

static void fail(const char *what)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* Uses only functions that a signal handler may call. */
static void keep_input(void)
{
	static const char text[] = "\nfuzz: the input is kept as ";
	int fd = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	size_t at = 0;
	ssize_t n;

	while (fd >= 0 && at < current.size) {
		n = write(fd, current.data + at, current.size - at);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ||
	    write(STDERR_FILENO, crash_path, strlen(crash_path)) < 0 ||
	    write(STDERR_FILENO, "\n", 1) < 0)
		return;
}

static void on_signal(int number)
{
	static const char text[] = "\nfuzz: more than ten seconds";

	if (number == SIGPROF && write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(3);
	keep_input();
	signal(number, SIG_DFL);
	raise(number);
}

static void guard(void)
{
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF };
	struct rlimit limit = { MEMORY_LIMIT, MEMORY_LIMIT };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!DP_SANITIZED || numbers[i] == SIGPROF)
			sigaction(numbers[i], &action, NULL);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(keep_input);
	if (!DP_SANITIZED)
		setrlimit(RLIMIT_AS, &limit);
}

static void add_file(const char *path)
{
	struct input input = { .path = strdup(path) };
	FILE *file = fopen(path, "rb");
	struct stat info;

	if (!file || !input.path || fstat(fileno(file), &info))
		fail(path);
	input.size = (size_t)info.st_size < INPUT_LIMIT ? (size_t)info.st_size : INPUT_LIMIT;
	input.data = malloc(input.size + 1);
	corpus = realloc(corpus, (corpus_count + 1) * sizeof(*corpus));
	if (!input.data || !corpus)
		fail(path);
	input.size = fread(input.data, 1, input.size, file);
	fclose(file);
	corpus[corpus_count++] = input;
}

static void add_path(const char *path)
{
	struct dirent **entries;
	struct stat info;
	char name[4096];
	int n;

	if (stat(path, &info))
		fail(path);
	if (!S_ISDIR(info.st_mode)) {
		add_file(path);
		return;
	}
	n = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
			add_file(name);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* Processor time, as the machine may have other work. */
static void limit_time(time_t seconds)
{
	struct itimerval limit = { .it_value = { .tv_sec = seconds } };

	setitimer(ITIMER_PROF, &limit, NULL);
}

/* In a block of exactly its size, so that reading a byte beyond it is found. */
static void run_current(void)
{
	uint8_t *data = malloc(current.size);

	if (!data && current.size)
		fail("input");
	if (current.size)
		memcpy(data, current.data, current.size);
	limit_time(RUN_SECONDS);
	LLVMFuzzerTestOneInput(data, current.size);
	limit_time(0);
	free(data);
}

static void set_current(const struct input *input)
{
	memcpy(current.data, input->data, input->size);
	current.size = input->size;
}

/* Replaces length bytes at a place by others. */
static void splice(size_t at, size_t length, const uint8_t *bytes, size_t count)
{
	struct fuzz_input input = { current.data, current.size, INPUT_LIMIT, 0 };

	fuzz_splice(&input, at, length, bytes, count);
	current.size = input.size;
}

static void put_number(void)
{
	static const uint64_t numbers[] = { 0,		1,	    0x7f,      0x80,
					    0xff,	0x7fff,	    0xffff,    0x7fffffff,
					    0x80000000, 0xffffffff, INT64_MAX, UINT64_MAX };
	uint64_t number = numbers[below(sizeof(numbers) / sizeof(numbers[0]))];
	size_t width = (size_t)1 << below(4), at = below(current.size - width + 1);
	bool big = below(2);

	for (size_t i = 0; i < width && at + i < current.size; i++)
		current.data[at + i] = (uint8_t)(number >> 8 * (big ? width - 1 - i : i));
}

static void put_text(void)
{
	static const char *const texts[] = {
		"0",
		"-1",
		"18446744073709551616",
		"9223372036854775807",
		"1e308",
		"NaN",
		"\"",
		"\\",
		"\n",
		"\r\n",
		",",
		"{",
		"}",
		"[",
		"]",
		":",
		"null",
		"0.000",
		"\xff",
		"\xef\xbb\xbf",
		"\xe2\x82",
		"==1== ",
		" ",
		"\\u0000",
	};
	const char *text = texts[below(sizeof(texts) / sizeof(texts[0]))];
	size_t at = below(current.size + 1);

	splice(at, below(2) ? 0 : below(current.size - at + 1) % 8, (const uint8_t *)text,
	       strlen(text));
}

static void mutate_once(void)
{
	size_t at = below(current.size), rest = current.size - at;
	const struct input *other = &corpus[below(corpus_count)];
	size_t from = below(other->size), length = below(other->size - from) % 4096;

	switch (current.size ? below(10) : 9) {
	case 0:
		current.data[at] ^= (uint8_t)(1 << below(8));
		break;
	case 1:
		current.data[at] = (uint8_t)next_random();
		break;
	case 2:
		current.size = at;
		break;
	case 3:
		splice(at, below(rest) % 64, NULL, 0);
		break;
	case 4:
		splice(at, 0, current.data + below(at + 1), below(rest < at ? rest : at) % 256);
		break;
	case 5:
		if (current.size >= 8)
			put_number();
		break;
	case 6:
	case 7:
		put_text();
		break;
	case 8:
		splice(at, length < rest ? length : rest, other->data + from, length);
		break;
	default:
		splice(at, 0, other->data + from, length);
	}
}

/* The smaller of two: more small inputs run in the same time. */
static const struct input *any_input(void)
{
	const struct input *a = &corpus[below(corpus_count)], *b = &corpus[below(corpus_count)];

	return a->size < b->size ? a : b;
}

static void mutate_by_grammar(uint64_t seed)
{
	size_t room = INPUT_LIMIT - current.size < GRAMMAR_ROOM ? INPUT_LIMIT
								: current.size + GRAMMAR_ROOM;
	struct fuzz_input input = { current.data, current.size, room, seed };

	for (size_t left = 1 + below(4); left; left--)
		fuzz_grammar(&input);
	current.size = input.size;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t number_of(const char *argument)
{
	return strtoull(strchr(argument, '=') + 1, NULL, 10);
}

int main(int argc, char **argv)
{
	uint64_t runs = UINT64_MAX, seed = 1, seconds = UINT64_MAX, run;
	const char *artifacts = ".", *name = strrchr(argv[0], '/');
	double start = seconds_now();
	bool bounded = false;

	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--runs=", 7)) {
			runs = number_of(argv[i]);
			bounded = true;
		} else if (!strncmp(argv[i], "--seconds=", 10)) {
			seconds = number_of(argv[i]);
			bounded = true;
		} else if (!strncmp(argv[i], "--seed=", 7)) {
			seed = number_of(argv[i]);
		} else if (!strncmp(argv[i], "--artifacts=", 12)) {
			artifacts = argv[i] + 12;
		} else {
			add_path(argv[i]);
		}
	}
	snprintf(crash_path, sizeof(crash_path), "%s/crash-%s", artifacts,
		 name ? name + 1 : argv[0]);
	if (!corpus_count) {
		fprintf(stderr, "fuzz: no corpus\n");
		return 2;
	}
	current.data = malloc(INPUT_LIMIT);
	if (!current.data)
		fail("input");
	guard();
	for (size_t i = 0; i < corpus_count; i++) {
		set_current(&corpus[i]);
		run_current();
	}
	for (run = 0; bounded && run < runs && seconds_now() - start < (double)seconds; run++) {
		random_state = seed + run;
		next_random();
		set_current(any_input());
		if (below(2))
			mutate_by_grammar(next_random());
		else
			for (size_t left = 1 + below(8); left; left--)
				mutate_once();
		run_current();
	}
	printf("%zu files and %" PRIu64 " mutations in %.1f s\n", corpus_count, run,
	       seconds_now() - start);
	for (size_t i = 0; i < corpus_count; i++) {
		free(corpus[i].data);
		free(corpus[i].path);
	}
	free(corpus);
	free(current.data);
	current = (struct input){ 0 }; /* a leak found after this keeps no input */
	return 0;
}
