/*
 * deepprof-sim: writes traces with planted iterations, and the truth next to them. From a seed and
 * a description of a program it simulates host, queues and streams, and records what a profiler
 * would see in one of its formats. The same arguments give the same bytes.
 */
#include "job_main.h"
#include "truth.h"
#include "writer.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SETTINGS = 64 };

struct options {
	const char *preset, *file, *format, *output, *truth, *iterations;
	const char *settings[MAX_SETTINGS];
	size_t setting_count;
	uint64_t seed;
	uint64_t run_seed; /* 0: the same */
	bool gzip, no_truth;
};

struct progress {
	struct sim_sink *sink;
	struct sim_truth *truth;
};

static void line(const char *text)
{
	puts(text);
}

static void list_format(const struct sim_writer *writer)
{
	if (!writer->only_jobs)
		printf("  %-16s %s\n", writer->name, writer->help);
}

static void list_presets(void)
{
	for (size_t i = 0; i < sim_preset_count; i++)
		printf("  %-22s %s\n", sim_presets[i].name, sim_presets[i].help);
}

static void usage(void)
{
	puts("usage: deepprof-sim [OPTION...] -o FILE\n"
	     "       deepprof-sim job --help\n"
	     "Writes a trace with planted iterations, and the truth about it.\n\n"
	     "  -p, --preset NAME       a built-in program (default: clean)\n"
	     "  -f, --program FILE      a program described in a file\n"
	     "  -s, --set KEY=VALUE     changes a key: SECTION.KEY, or KEY of [program]\n"
	     "  -n, --iterations N      iterations of the default loop, or of a range A..B\n"
	     "      --seed N            seed of all random numbers (default: 1)\n"
	     "      --run-seed N        seed of all but the networks: another run of the same program\n"
	     "  -F, --format NAME       recording format (default: kineto)\n"
	     "  -o, --output FILE       output file; .gz compresses text, - is standard output\n"
	     "  -t, --truth FILE        file for the truth (default: FILE.truth.json)\n"
	     "      --no-truth          do not write it\n"
	     "      --list-presets      the programs, one per line\n"
	     "      --list-formats      the formats, one per line\n"
	     "      --dump-preset NAME  a preset's description, as a start for your own\n"
	     "      --help-program      the keys and actions of a description\n"
	     "  -h, --help              this text");
}

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == 0 && errno == 0;
}

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "deepprof-sim: %s: %s\n", what, why);
	return 1;
}

static int report(const char *error)
{
	fprintf(stderr, "deepprof-sim: %s\n", error);
	return 1;
}

static int dump_preset(const char *name)
{
	const struct sim_preset *preset = sim_preset_get(name);

	if (!preset)
		return complain(name, "no such preset");
	fputs(preset->text, stdout);
	return 0;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t length = 0, room = 0, n;

	if (!file)
		return NULL;
	do {
		char *grown = realloc(text, room += 65536);

		if (!grown) {
			free(text);
			text = NULL;
			break;
		}
		text = grown;
		n = fread(text + length, 1, room - length - 1, file);
		length += n;
		text[length] = 0;
	} while (n && length < 1 << 24);
	if (ferror(file)) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

enum { LIST_PRESETS = 256, LIST_FORMATS, DUMP_PRESET, HELP_PROGRAM, SEED, RUN_SEED, NO_TRUTH };

static const struct option long_options[] = {
	{ "preset", required_argument, NULL, 'p' },
	{ "program", required_argument, NULL, 'f' },
	{ "set", required_argument, NULL, 's' },
	{ "iterations", required_argument, NULL, 'n' },
	{ "seed", required_argument, NULL, SEED },
	{ "run-seed", required_argument, NULL, RUN_SEED },
	{ "format", required_argument, NULL, 'F' },
	{ "output", required_argument, NULL, 'o' },
	{ "truth", required_argument, NULL, 't' },
	{ "no-truth", no_argument, NULL, NO_TRUTH },
	{ "list-presets", no_argument, NULL, LIST_PRESETS },
	{ "list-formats", no_argument, NULL, LIST_FORMATS },
	{ "dump-preset", required_argument, NULL, DUMP_PRESET },
	{ "help-program", no_argument, NULL, HELP_PROGRAM },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Handles the options that only print something. Returns whether c is one of them. */
static bool show(int c, int *status)
{
	*status = 0;
	switch (c) {
	case LIST_PRESETS:
		list_presets();
		return true;
	case LIST_FORMATS:
		sim_writer_each(list_format);
		return true;
	case DUMP_PRESET:
		*status = dump_preset(optarg);
		return true;
	case HELP_PROGRAM:
		sim_program_help(line);
		return true;
	case 'h':
		usage();
		return true;
	default:
		return false;
	}
}

static bool take(struct options *options, int c)
{
	switch (c) {
	case 'p':
		options->preset = optarg;
		return true;
	case 'f':
		options->file = optarg;
		return true;
	case 's':
		if (options->setting_count == MAX_SETTINGS)
			return false;
		options->settings[options->setting_count++] = optarg;
		return true;
	case 'n':
		options->iterations = optarg;
		return true;
	case SEED:
		return parse_number(optarg, &options->seed);
	case RUN_SEED:
		return parse_number(optarg, &options->run_seed);
	case 'F':
		options->format = optarg;
		return true;
	case 'o':
		options->output = optarg;
		return true;
	case 't':
		options->truth = optarg;
		return true;
	case NO_TRUTH:
		options->no_truth = true;
		return true;
	default:
		return false;
	}
}

static int apply_setting(struct sim_program *program, const char *setting)
{
	char key[96];
	const char *value = strchr(setting, '=');

	if (!value || (size_t)(value - setting) >= sizeof(key))
		return complain(setting, "not KEY=VALUE");
	memcpy(key, setting, (size_t)(value - setting));
	key[value - setting] = 0;
	return sim_program_set(program, key, value + 1) ? complain(setting, program->error) : 0;
}

static int load_program(struct sim_program *program, const struct options *options)
{
	const struct sim_preset *preset = sim_preset_get(options->preset);
	const char *name = options->file ? options->file : options->preset;
	char *text = NULL;
	int status;

	if (options->file) {
		text = read_file(options->file);
		if (!text)
			return complain(options->file, strerror(errno));
	} else if (!preset) {
		return complain(options->preset, "no such preset");
	}
	status = sim_program_parse(program, text ? text : preset->text);
	free(text);
	if (status)
		return complain(name, program->error);
	for (size_t i = 0; i < options->setting_count; i++)
		if (apply_setting(program, options->settings[i]))
			return 1;
	if (options->iterations && sim_program_set_count(program, options->iterations))
		return complain(options->iterations, program->error);
	return sim_program_finish(program) ? complain(name, program->error) : 0;
}

static int on_event(void *context, const struct sim_event *event)
{
	struct progress *progress = context;
	struct sim_sink *sink = progress->sink;

	return sink->writer->event(sink, event) ? -2 : 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static int write_truth(struct sim_truth *truth, const struct options *options)
{
	char path[4096];
	int n;

	if (options->no_truth || (!options->truth && strcmp(options->output, "-") == 0))
		return 0;
	n = snprintf(path, sizeof(path), "%s%s", options->truth ? options->truth : options->output,
		     options->truth ? "" : ".truth.json");
	if (n < 0 || (size_t)n >= sizeof(path))
		return complain(options->output, "the name is too long");
	return sim_truth_write(truth, path, options->format) ? complain(path, strerror(errno)) : 0;
}

static int simulate(const struct sim_run *run, const struct sim_writer *writer,
		    const struct options *options)
{
	struct sim_sink sink = {
		.writer = writer,
		.run = run,
		.path = options->output,
		.gzip = writer->text && ends_with(options->output, ".gz"),
	};
	struct progress progress = { &sink, sim_truth_new(run) };
	int status;

	if (!progress.truth)
		return complain(options->output, "out of memory");
	status = writer->open(&sink);
	if (status == 0)
		status = sim_model_run(run, progress.truth, on_event, &progress);
	sink.first_ns = sim_truth_first_ns(progress.truth);
	if (writer->close(&sink, status == 0))
		status = -2;
	if (status)
		status = sink.error[0] ? report(sink.error) : report("out of memory");
	else
		status = write_truth(progress.truth, options);
	sim_truth_free(progress.truth);
	return status;
}

static int run(const struct options *options)
{
	const struct sim_writer *writer = sim_writer_get(options->format);
	struct sim_program program;
	struct sim_catalogue catalogue = { 0 };
	struct sim_nets nets = { 0 };
	struct sim_run run = { .program = &program, .catalogue = &catalogue, .nets = &nets };
	int status;

	if (!writer)
		return complain(options->format, "no such format");
	sim_program_init(&program);
	status = load_program(&program, options);
	if (status == 0 && (sim_catalogue_init(&catalogue) ||
			    sim_nets_init(&nets, &program, &catalogue, options->seed)))
		status = complain("catalogue", "out of memory");
	if (status == 0) {
		run.seed = options->run_seed ? options->run_seed : options->seed;
		run.start_quantum_ns = writer->start_quantum_ns;
		run.length_quantum_ns = writer->length_quantum_ns;
		run.state = writer->state;
		run.graphs = program.graphs && writer->graphs;
		run.no_sets = writer->no_sets;
		/* A time in 2024, with whole milliseconds: all formats resolve those. */
		run.epoch_ns = 1712195495000000000u + run.seed % 100000 * 1000000;
		status = simulate(&run, writer, options);
	}
	sim_nets_fini(&nets);
	sim_catalogue_fini(&catalogue);
	sim_program_fini(&program);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { .preset = "clean", .format = "kineto", .seed = 1 };
	int c, status;

	if (argc > 1 && strcmp(argv[1], "job") == 0)
		return job_main(argc - 1, argv + 1);
	while ((c = getopt_long(argc, argv, "p:f:s:n:F:o:t:h", long_options, NULL)) != -1) {
		if (show(c, &status))
			return status;
		if (!take(&options, c)) {
			fputs("deepprof-sim: try --help\n", stderr);
			return 2;
		}
	}
	if (optind < argc || !options.output) {
		fputs("deepprof-sim: give one output with -o FILE, see --help\n", stderr);
		return 2;
	}
	return run(&options);
}
