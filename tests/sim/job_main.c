/* deepprof-sim job: a job of many ranks, a file for each, and the truth next to them. */
#include "job_main.h"
#include "job_write.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
	const char *name, *help, *settings;
} presets[] = {
	{ "data", "data parallel: gradients are reduced during the backward pass",
	  "ranks=8 buckets=4" },
	{ "sharded", "data parallel with sharded parameters: reduce-scatter, all-gather",
	  "ranks=8 sharded=1" },
	{ "tensor", "tensor and data parallel", "ranks=8 tensor=4" },
	{ "expert", "expert and data parallel: all-to-all", "ranks=8 expert=4" },
	{ "pipeline", "four stages, eight microbatches",
	  "ranks=8 pipeline=4 microbatches=8 layers=2" },
	{ "mixed", "tensor, pipeline and data parallel on two hosts",
	  "ranks=16 tensor=2 pipeline=2 microbatches=4 layers=2 offset=50ms drift=50ppm" },
	{ "straggler", "one GPU's kernels take longer from iteration 8 on",
	  "ranks=8 fault=compute:rank=5,first=8,factor=1.3" },
	{ "late-host", "one rank's host is late in every iteration",
	  "ranks=4 buffers=1 fault=host:rank=3,time=4ms" },
};

struct arguments {
	const char *format, *folder;
	uint64_t seed;
	bool gzip;
	int status; /* of options that only print something */
	bool shown;
};

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "deepprof-sim job: %s: %s\n", what, why);
	return 1;
}

static void line(const char *text)
{
	puts(text);
}

static void list_format(const struct sim_writer *writer)
{
	if (writer->jobs)
		printf("  %-22s %s\n", writer->name, writer->help);
}

static void usage(void)
{
	puts("usage: deepprof-sim job [OPTION...] -o FOLDER [KEY=VALUE...]\n"
	     "Simulates a job of many ranks: writes a trace for each, and truth.json.\n\n"
	     "  -p, --preset NAME    settings to start from, see below\n"
	     "      --seed N         seed of all random numbers (default: 1)\n"
	     "  -F, --format NAME    recording format (default: kineto)\n"
	     "  -z, --gzip           compress what is text\n"
	     "  -o, --output FOLDER  where to; made where it is missing\n"
	     "  -h, --help           this text\n\n"
	     "Presets:");
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		printf("  %-16s %s\n  %-16s (%s)\n", presets[i].name, presets[i].help, "",
		       presets[i].settings);
	puts("\nFormats:");
	sim_writer_each(list_format);
	puts("\nKeys:");
	job_options_help(line);
}

static int apply_preset(struct job_options *options, const char *name)
{
	char copy[256], *rest = copy, *item;

	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		if (strcmp(presets[i].name, name) != 0)
			continue;
		strcpy(copy, presets[i].settings);
		while ((item = strsep(&rest, " ")))
			if (job_options_set(options, item))
				return complain(name, options->error);
		return 0;
	}
	return complain(name, "no such preset");
}

static bool parse_seed(const char *text, uint64_t *seed)
{
	char *end;

	errno = 0;
	*seed = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == 0 && errno == 0;
}

static int parse(struct arguments *arguments, struct job_options *options, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "preset", required_argument, NULL, 'p' },
		{ "seed", required_argument, NULL, 'S' },
		{ "format", required_argument, NULL, 'F' },
		{ "gzip", no_argument, NULL, 'z' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "p:F:zo:h", long_options, NULL)) != -1) {
		if (c == 'p' && apply_preset(options, optarg))
			return 1;
		if (c == 'S' && !parse_seed(optarg, &arguments->seed))
			return complain(optarg, "is no seed");
		if (c == 'F')
			arguments->format = optarg;
		arguments->gzip |= c == 'z';
		if (c == 'o')
			arguments->folder = optarg;
		if (c == 'h') {
			usage();
			arguments->shown = true;
			return 0;
		}
		if (c == '?')
			return complain("options", "try --help");
	}
	for (; optind < argc; optind++)
		if (job_options_set(options, argv[optind]))
			return complain(argv[optind], options->error);
	if (job_options_finish(options))
		return complain("settings", options->error);
	return arguments->folder ? 0 : complain("-o", "give a folder");
}

/* How long the same job takes without one fault. */
static int measure(const struct job_files *files, struct job_plan *plans, uint32_t fault,
		   int64_t *cost_ns)
{
	const struct job_options *options = files->options;
	uint32_t last = (uint32_t)options->iterations - 1;
	struct job *job = job_new(options, files->catalogue, plans, files->seed);
	int status = -1;

	if (job) {
		job_ignore_fault(job, fault);
		status = job_run(job);
		*cost_ns = (int64_t)(job_iteration_end_ns(files->job, last) -
				     job_iteration_end_ns(job, last));
	}
	job_free(job);
	return status;
}

static int simulate(struct job_files *files, struct job_plan *plans)
{
	int64_t costs[JOB_FAULTS] = { 0 };
	char error[256];
	int status = job_run(files->job);

	for (uint32_t i = 0; i < files->options->fault_count && !status; i++)
		status = measure(files, plans, i, &costs[i]);
	if (status)
		return complain("job",
				status == -2 ? "ranks wait for each other" : "out of memory");
	if (mkdir(files->folder, 0777) && errno != EEXIST)
		return complain(files->folder, strerror(errno));
	if (job_write(files, error, sizeof(error)))
		return complain(files->folder, error);
	if (job_write_truth(files, costs))
		return complain(files->folder, strerror(errno));
	return 0;
}

static int prepare(struct job_files *files, struct sim_catalogue *catalogue, struct sim_nets *nets,
		   struct job_plan **plans)
{
	const struct job_options *options = files->options;
	struct sim_net net = { .kind = SIM_NET_TRANSFORMER,
			       .layers = 1,
			       .optimizer = "adam",
			       .kernel_ns = options->kernel_ns,
			       .host_ns = options->host_ns };
	struct sim_program program = { .nets = &net, .net_count = 1 };

	if (sim_catalogue_init(catalogue) ||
	    sim_nets_init(nets, &program, catalogue, files->seed) ||
	    job_plans_init(plans, options, nets))
		return -1;
	files->job = job_new(options, catalogue, *plans, files->seed);
	files->kernels = calloc(options->ranks, sizeof(*files->kernels));
	files->collectives = calloc(options->ranks, sizeof(*files->collectives));
	return files->job && files->kernels && files->collectives ? 0 : -1;
}

int job_main(int argc, char **argv)
{
	struct arguments arguments = { .format = "kineto", .seed = 1 };
	struct job_options options;
	struct sim_catalogue catalogue = { 0 };
	struct sim_nets nets = { 0 };
	struct job_plan *plans = NULL;
	struct job_files files = { .options = &options, .catalogue = &catalogue, .nets = &nets };
	int status;

	job_options_init(&options);
	status = parse(&arguments, &options, argc, argv);
	if (status || arguments.shown)
		return status;
	files.writer = sim_writer_get(arguments.format);
	if (!files.writer || !files.writer->jobs)
		return complain(arguments.format, "not a format for jobs");
	files.folder = arguments.folder;
	files.seed = arguments.seed;
	files.epoch_ns = 1712195490000000000u + arguments.seed % 100000 * 1000000;
	files.gzip = arguments.gzip && files.writer->text;
	status = prepare(&files, &catalogue, &nets, &plans) ? complain("job", "out of memory")
							    : simulate(&files, plans);
	job_free(files.job);
	free(files.kernels);
	free(files.collectives);
	job_plans_fini(plans, &options);
	sim_nets_fini(&nets);
	sim_catalogue_fini(&catalogue);
	return status;
}
