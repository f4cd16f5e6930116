/* The description of a job as KEY=VALUE, and the placement of ranks. */
#include "job.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { COUNT, TIME, SHARE, BYTES };

struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	uint64_t initial, low, high;
	const char *help;
};

#define AT(member) offsetof(struct job_options, member)
#define MS 1000000u
#define ANY UINT32_MAX

static const struct key keys[] = {
	{ "ranks", COUNT, AT(ranks), 8, 1, JOB_RANKS, "GPUs of the job" },
	{ "hosts", COUNT, AT(hosts), 0, 0, 2048, "that they are spread over (0: 8 GPUs each)" },
	{ "tensor", COUNT, AT(tensor), 1, 1, 64, "tensor parallel ranks" },
	{ "expert", COUNT, AT(expert), 1, 1, 1024, "expert parallel ranks, among the replicas" },
	{ "pipeline", COUNT, AT(pipeline), 1, 1, 64, "pipeline stages; the rest is data parallel" },
	{ "iterations", COUNT, AT(iterations), 20, 1, 1000000, "that are recorded" },
	{ "after", COUNT, AT(after), 2, 0, 1000, "iterations before the capture starts" },
	{ "layers", COUNT, AT(layers), 4, 1, 1000, "transformer layers per stage" },
	{ "microbatches", COUNT, AT(microbatches), 1, 1, 256, "of an iteration (1F1B)" },
	{ "buckets", COUNT, AT(buckets), 2, 1, 256,
	  "of gradients, reduced during the backward pass" },
	{ "sharded", COUNT, AT(sharded), 0, 0, 1,
	  "1: reduce-scatter and all-gather, as ZeRO does" },
	{ "buffers", COUNT, AT(buffers), 0, 0, 1, "1: broadcast buffers before each forward pass" },
	{ "barrier", COUNT, AT(barrier), 0, 0, ANY, "every N iterations; 0: never" },
	{ "norm", COUNT, AT(norm), 2, 0, 2,
	  "1: all ranks reduce the gradient norm; 2: if pipelined" },
	{ "sync", COUNT, AT(sync), 1, 1, 16, "the host waits for the loss every N iterations" },
	{ "kernel", TIME, AT(kernel_ns), 30000, 1000, 1000 * MS, "an ordinary kernel's time" },
	{ "host", TIME, AT(host_ns), 4000, 100, 100 * MS, "the framework's time per launch" },
	{ "input", TIME, AT(input_ns), 80000, 0, 1000 * MS, "the time to fetch a batch" },
	{ "sample", TIME, AT(sample_ns), 0, 0, 1000 * MS, "between samples of clocks; 0: none" },
	{ "jitter", SHARE, AT(jitter), 30000, 0, 500000, "of each kernel's time" },
	{ "noise", SHARE, AT(noise), 5000, 0, 500000, "of each rank's compute, per iteration" },
	{ "spread", SHARE, AT(spread), 0, 0, 500000, "by which GPUs differ for good" },
	{ "offset", TIME, AT(offset_ns), 0, 0, 5000u * (uint64_t)MS, "by which clocks differ" },
	{ "drift", SHARE, AT(drift_ppb), 0, 0, MS, "in parts per million (50ppm)" },
	{ "skew", TIME, AT(skew_ns), 8000, 0, MS, "by which ends of a collective differ" },
	{ "intra", BYTES, AT(intra), 200000, 1, UINT64_MAX, "bytes per µs within a host" },
	{ "inter", BYTES, AT(inter), 40000, 1, UINT64_MAX, "bytes per µs between hosts" },
	{ "tensor-bytes", BYTES, AT(tensor_bytes), 8000000, 4, UINT32_MAX, "per all-reduce" },
	{ "expert-bytes", BYTES, AT(expert_bytes), 4000000, 4, UINT32_MAX, "per all-to-all" },
	{ "data-bytes", BYTES, AT(data_bytes), 25000000, 4, UINT32_MAX, "per bucket" },
	{ "pipeline-bytes", BYTES, AT(pipeline_bytes), 8000000, 4, UINT32_MAX, "per send" },
	{ "sequence", SHARE, AT(sequence), 0, 0, 900000, "by which replicas' inputs differ" },
	{ "operators", COUNT, AT(operators), 1, 0, 1, "0: no framework operators in the files" },
	{ "info", COUNT, AT(info), 1, 0, 1, "0: files do not name their rank" },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

const char *const job_part_names[JOB_PARTS] = { "compute", "clock", "host", "input", "link" };

static const struct {
	const char *name;
	enum sim_operator oper;
} fault_operators[] = {
	{ "attention", SIM_OP_ATTENTION },
	{ "attention-backward", SIM_OP_ATTENTION_BACKWARD },
	{ "linear", SIM_OP_LINEAR },
	{ "linear-backward", SIM_OP_LINEAR_BACKWARD },
	{ "norm", SIM_OP_LN },
	{ "optimizer", SIM_OP_OPTIMIZER },
};

static int fail(struct job_options *options, const char *what, const char *why)
{
	snprintf(options->error, sizeof(options->error), "%.80s: %.100s", what, why);
	return -1;
}

static uint64_t *member(struct job_options *options, const struct key *key)
{
	return (uint64_t *)((char *)options + key->offset);
}

void job_options_init(struct job_options *options)
{
	memset(options, 0, sizeof(*options));
	for (size_t i = 0; i < KEYS; i++)
		*member(options, &keys[i]) = keys[i].initial;
	options->slow_stage = options->late_rank = options->missing_rank = SIM_NONE;
	strcpy(options->names, "rank");
}

void job_options_help(void (*line)(const char *text))
{
	char text[160];

	for (size_t i = 0; i < KEYS; i++) {
		snprintf(text, sizeof(text), "  %-16s %s", keys[i].name, keys[i].help);
		line(text);
	}
	line("  stage            STAGE:FACTOR: a stage that computes this many times as long");
	line("  late             RANK:N: its capture begins N collectives later");
	line("  missing          RANK:N: iteration N is not in its file");
	line("  names            of files: rank, torch or plain");
	line("  fault            PART:rank=R,first=N,every=N,factor=F,time=T,operator=O,layer=N");
	line("                   PART is compute, clock, host, input or link");
}

/* "1.5" in millionths, with the digits after the sixth left out. */
static bool parse_decimal(const char **text, uint64_t *millionths)
{
	uint64_t value = 0, scale = SIM_MILLION;
	const char *p = *text;

	for (; *p >= '0' && *p <= '9' && value < UINT64_MAX / SIM_MILLION / 100; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	value *= SIM_MILLION;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++)
			value += (uint64_t)(*p - '0') * (scale /= 10);
	if (p == *text)
		return false;
	*text = p;
	*millionths = value;
	return true;
}

static bool parse_value(const char *text, enum kind kind, uint64_t *value)
{
	static const struct {
		const char *name;
		enum kind kind;
		uint64_t scale; /* millionths of the value's unit */
	} units[] = {
		{ "", COUNT, 1 },
		{ "ns", TIME, 1 },
		{ "us", TIME, 1000 },
		{ "ms", TIME, MS },
		{ "s", TIME, 1000u * MS },
		{ "", SHARE, SIM_MILLION },
		{ "%", SHARE, SIM_MILLION / 100 },
		{ "ppm", SHARE, 1000 },
		{ "", BYTES, 1 },
		{ "k", BYTES, 1000 },
		{ "M", BYTES, MS },
		{ "G", BYTES, 1000u * MS },
	};
	uint64_t millionths;

	if (!parse_decimal(&text, &millionths))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (units[i].kind != kind || strcmp(units[i].name, text) != 0)
			continue;
		*value = millionths / 1000 * units[i].scale / 1000;
		return true;
	}
	return false;
}

static bool parse_number(const char *text, uint32_t *value)
{
	uint64_t wide;

	if (!parse_value(text, COUNT, &wide) || wide >= SIM_NONE)
		return false;
	*value = (uint32_t)wide;
	return true;
}

/* "A:B", where parse reads B. */
static bool parse_pair(const char *text, uint32_t *number, enum kind kind, uint32_t *value)
{
	const char *colon = strchr(text, ':');
	char head[16] = "";
	uint64_t wide;

	if (!colon || (size_t)(colon - text) >= sizeof(head))
		return false;
	memcpy(head, text, (size_t)(colon - text));
	if (!parse_number(head, number) || !parse_value(colon + 1, kind, &wide))
		return false;
	*value = (uint32_t)wide;
	return wide < SIM_NONE;
}

static bool set_fault_key(struct job_fault *fault, const char *key, const char *value)
{
	uint64_t wide;

	if (strcmp(key, "rank") == 0)
		return parse_number(value, &fault->rank);
	if (strcmp(key, "first") == 0)
		return parse_number(value, &fault->first);
	if (strcmp(key, "every") == 0)
		return parse_number(value, &fault->every) && fault->every;
	if (strcmp(key, "layer") == 0)
		return parse_number(value, &fault->layer);
	if (strcmp(key, "time") == 0)
		return parse_value(value, TIME, &fault->time_ns);
	if (strcmp(key, "factor") == 0) {
		bool is = parse_value(value, SHARE, &wide) && wide <= 1000u * SIM_MILLION;

		fault->factor = is ? (uint32_t)wide : 0;
		return is;
	}
	for (size_t i = 0; i < sizeof(fault_operators) / sizeof(fault_operators[0]); i++)
		if (strcmp(key, "operator") == 0 && strcmp(value, fault_operators[i].name) == 0) {
			fault->oper = fault_operators[i].oper;
			return true;
		}
	return false;
}

static int set_fault(struct job_options *options, const char *value)
{
	struct job_fault *fault = &options->faults[options->fault_count];
	char copy[128], *rest = copy, *part, *item;

	if (options->fault_count == JOB_FAULTS || strlen(value) >= sizeof(copy))
		return fail(options, value, "too many faults, or too long");
	strcpy(copy, value);
	*fault = (struct job_fault){ .part = JOB_PARTS,
				     .every = 1,
				     .factor = SIM_MILLION,
				     .oper = SIM_NONE,
				     .layer = SIM_NONE };
	part = strsep(&rest, ":");
	for (int i = 0; i < JOB_PARTS; i++)
		if (strcmp(part, job_part_names[i]) == 0)
			fault->part = (enum job_part)i;
	if (fault->part == JOB_PARTS)
		return fail(options, value, "starts with compute, clock, host, input or link");
	while ((item = strsep(&rest, ","))) {
		char *equals = strchr(item, '=');

		if (equals)
			*equals = 0;
		if (!equals || !set_fault_key(fault, item, equals + 1))
			return fail(options, item, "not a key of faults, or no value for it");
	}
	options->fault_count++;
	return 0;
}

static int set_other(struct job_options *options, const char *name, const char *value)
{
	static const char *const names[] = { "rank", "torch", "plain" };

	if (strcmp(name, "fault") == 0)
		return set_fault(options, value);
	if (strcmp(name, "stage") == 0)
		return parse_pair(value, &options->slow_stage, SHARE, &options->stage_factor)
			       ? 0
			       : fail(options, value, "is not STAGE:FACTOR");
	if (strcmp(name, "late") == 0)
		return parse_pair(value, &options->late_rank, COUNT, &options->late_calls)
			       ? 0
			       : fail(options, value, "is not RANK:N");
	if (strcmp(name, "missing") == 0)
		return parse_pair(value, &options->missing_rank, COUNT, &options->missing_iteration)
			       ? 0
			       : fail(options, value, "is not RANK:N");
	for (size_t i = 0; i < 3; i++)
		if (strcmp(name, "names") == 0 && strcmp(value, names[i]) == 0) {
			strcpy(options->names, value);
			return 0;
		}
	return fail(options, name, "no such key, or no value for it");
}

int job_options_set(struct job_options *options, const char *setting)
{
	const char *value = strchr(setting, '=');
	char name[24];
	uint64_t number;

	if (!value || (size_t)(value - setting) >= sizeof(name))
		return fail(options, setting, "is not KEY=VALUE");
	memcpy(name, setting, (size_t)(value - setting));
	name[value - setting] = 0;
	value++;
	for (size_t i = 0; i < KEYS; i++) {
		if (strcmp(name, keys[i].name) != 0)
			continue;
		if (!parse_value(value, keys[i].kind, &number) || number < keys[i].low ||
		    number > keys[i].high)
			return fail(options, setting, "is no value for it");
		*member(options, &keys[i]) = number;
		return 0;
	}
	return set_other(options, name, value);
}

int job_options_finish(struct job_options *options)
{
	uint64_t model = options->tensor * options->pipeline;

	if (options->ranks % model || (options->ranks / model) % options->expert)
		return fail(options, "ranks", "must be a multiple of tensor × pipeline × expert");
	if (!options->hosts)
		options->hosts = (options->ranks + 7) / 8;
	if (options->ranks % options->hosts)
		return fail(options, "ranks", "must be a multiple of hosts");
	for (uint32_t i = 0; i < options->fault_count; i++)
		if (options->faults[i].rank >= options->ranks)
			return fail(options, "fault", "there is no such rank");
	if (options->norm == 2)
		options->norm = options->pipeline > 1;
	return 0;
}

bool job_fault_in(const struct job_fault *fault, uint32_t iteration)
{
	return iteration >= fault->first && (iteration - fault->first) % fault->every == 0;
}

/* Tensor parallel ranks are neighbors, then come the replicas, then the stages. */
struct job_place job_place(const struct job_options *options, uint32_t rank)
{
	uint32_t tensor = (uint32_t)options->tensor, data = (uint32_t)job_replicas(options);
	uint32_t per_host = (uint32_t)(options->ranks / options->hosts);

	return (struct job_place){
		.tensor = rank % tensor,
		.data = rank / tensor % data,
		.stage = rank / tensor / data,
		.host = rank / per_host,
		.local = rank % per_host,
	};
}

uint32_t job_group_size(const struct job_options *options, enum job_axis axis)
{
	const uint64_t sizes[JOB_AXES] = { options->tensor, options->expert, job_replicas(options),
					   options->pipeline, options->ranks };

	return (uint32_t)sizes[axis];
}

uint32_t job_group_count(const struct job_options *options, enum job_axis axis)
{
	return (uint32_t)options->ranks / job_group_size(options, axis);
}

/* How far apart the members of a group are. */
static uint32_t stride(const struct job_options *options, enum job_axis axis)
{
	uint32_t tensor = (uint32_t)options->tensor;

	if (axis == JOB_TENSOR || axis == JOB_WORLD)
		return 1;
	return axis == JOB_PIPELINE ? tensor * (uint32_t)job_replicas(options) : tensor;
}

uint32_t job_group_of(const struct job_options *options, enum job_axis axis, uint32_t rank)
{
	uint32_t step = stride(options, axis), size = job_group_size(options, axis);

	return rank / (step * size) * step + rank % step;
}

uint32_t job_group_member(const struct job_options *options, enum job_axis axis, uint32_t group,
			  uint32_t i)
{
	uint32_t step = stride(options, axis), size = job_group_size(options, axis);

	return group / step * step * size + group % step + i * step;
}
