/* The truth about a job, as JSON. Times are those of a clock without error. */
#include "job_write.h"
#include "out.h"

#include <stdio.h>
#include <stdlib.h>

struct text {
	FILE *file;
	bool second;
};

static void open_item(struct text *text, const char *indent)
{
	fprintf(text->file, "%s\n%s", text->second ? "," : "", indent);
	text->second = true;
}

static void put_groups(struct text *text, const struct job_options *options)
{
	static const char *const names[JOB_AXES] = { "tensor", "expert", "data", "pipeline",
						     "world" };

	fprintf(text->file, ",\n  \"groups\": [");
	text->second = false;
	for (int axis = 0; axis < JOB_AXES; axis++) {
		uint32_t size = job_group_size(options, (enum job_axis)axis);

		for (uint32_t i = 0; size > 1 && i < job_group_count(options, (enum job_axis)axis);
		     i++) {
			open_item(text, "    ");
			fprintf(text->file, "{\"name\": \"%u\", \"kind\": \"%s\", \"ranks\": [",
				(unsigned)job_group_number(options, (enum job_axis)axis, i),
				names[axis]);
			for (uint32_t j = 0; j < size; j++)
				fprintf(text->file, "%s%u", j ? ", " : "",
					(unsigned)job_group_member(options, (enum job_axis)axis, i,
								   j));
			fprintf(text->file, "]}");
		}
	}
	fprintf(text->file, "\n  ]");
}

static void put_ranks(struct text *text, const struct job_files *files)
{
	const struct job_options *options = files->options;
	char name[128];

	fprintf(text->file, ",\n  \"ranks\": [");
	text->second = false;
	for (uint32_t i = 0; i < options->ranks; i++) {
		struct job_place place = job_place(options, i);

		job_file_name(files, i, name, sizeof(name));
		open_item(text, "    ");
		fprintf(text->file,
			"{\"rank\": %u, \"file\": \"%s\", \"host\": \"node%03u\", \"stage\": %u, "
			"\"replica\": %u, \"kernels\": %llu, \"collectives\": %llu, "
			"\"starts_ns\": [",
			(unsigned)i, name, (unsigned)place.host, (unsigned)place.stage,
			(unsigned)place.data, (unsigned long long)files->kernels[i],
			(unsigned long long)files->collectives[i]);
		for (uint32_t j = 0; j < options->iterations; j++)
			fprintf(text->file, "%s%llu", j ? ", " : "",
				(unsigned long long)job_iteration_start_ns(files->job, i, j));
		fprintf(text->file, "]}");
	}
	fprintf(text->file, "\n  ]");
}

static void put_hosts(struct text *text, const struct job_files *files)
{
	fprintf(text->file, ",\n  \"hosts\": [");
	text->second = false;
	for (uint32_t i = 0; i < files->options->hosts; i++) {
		open_item(text, "    ");
		fprintf(text->file,
			"{\"name\": \"node%03u\", \"offset_ns\": %lld, \"drift_ppb\": %lld, "
			"\"zero_ns\": %llu}",
			(unsigned)i, (long long)job_clock_offset_ns(files->job, i),
			(long long)job_clock_drift_ppb(files->job, i),
			(unsigned long long)(files->epoch_ns + job_clock_ns(files->job, i, 0)));
	}
	fprintf(text->file, "\n  ]");
}

static void put_fault(struct text *text, const struct job_files *files, uint32_t i, int64_t cost_ns)
{
	const struct job_options *options = files->options;
	const struct job_fault *fault = &options->faults[i];
	uint32_t count = 0;

	for (uint32_t j = 0; j < options->iterations; j++)
		count += job_fault_in(fault, j);
	open_item(text, "    ");
	fprintf(text->file, "{\"part\": \"%s\", \"rank\": %u, \"first\": %u, \"every\": %u, ",
		job_part_names[fault->part], (unsigned)fault->rank, (unsigned)fault->first,
		(unsigned)fault->every);
	fprintf(text->file,
		"\"iterations\": %u, \"cost_ns\": %lld, \"cost_per_iteration_ns\": %lld",
		(unsigned)count, (long long)cost_ns, (long long)(count ? cost_ns / count : 0));
	if (fault->oper != SIM_NONE)
		fprintf(text->file, ", \"operator\": \"%s\"",
			sim_operator_name((enum sim_operator)fault->oper, false));
	if (fault->layer != SIM_NONE)
		fprintf(text->file, ", \"layer\": %u", (unsigned)fault->layer);
	fprintf(text->file, "}");
}

int job_write_truth(const struct job_files *files, const int64_t *costs)
{
	const struct job_options *options = files->options;
	char path[4096];
	struct text text = { 0 };
	bool failed;

	snprintf(path, sizeof(path), "%s/truth.json", files->folder);
	text.file = fopen(path, "w");
	if (!text.file)
		return -1;
	fprintf(text.file,
		"{\n  \"format\": \"%s\", \"seed\": %llu, \"iterations\": %llu, \"after\": %llu,\n"
		"  \"tensor\": %llu, \"expert\": %llu, \"pipeline\": %llu, \"data\": %llu",
		files->writer->name, (unsigned long long)files->seed,
		(unsigned long long)options->iterations, (unsigned long long)options->after,
		(unsigned long long)options->tensor, (unsigned long long)options->expert,
		(unsigned long long)options->pipeline, (unsigned long long)job_replicas(options));
	if (options->slow_stage != SIM_NONE)
		fprintf(text.file, ",\n  \"slow_stage\": %u", (unsigned)options->slow_stage);
	if (options->sequence)
		fprintf(text.file, ",\n  \"sequence\": %.6f", (double)options->sequence / 1e6);
	if (options->late_rank != SIM_NONE)
		fprintf(text.file, ",\n  \"late\": {\"rank\": %u, \"collectives\": %u}",
			(unsigned)options->late_rank, (unsigned)options->late_calls);
	if (options->missing_rank != SIM_NONE)
		fprintf(text.file, ",\n  \"missing\": {\"rank\": %u, \"iteration\": %u}",
			(unsigned)options->missing_rank, (unsigned)options->missing_iteration);
	fprintf(text.file, ",\n  \"faults\": [");
	for (uint32_t i = 0; i < options->fault_count; i++)
		put_fault(&text, files, i, costs[i]);
	fprintf(text.file, "%s]", options->fault_count ? "\n  " : "");
	fprintf(text.file, ",\n  \"ends_ns\": [");
	for (uint32_t i = 0; i < options->iterations; i++)
		fprintf(text.file, "%s%llu", i ? ", " : "",
			(unsigned long long)job_iteration_end_ns(files->job, i));
	fprintf(text.file, "]");
	put_hosts(&text, files);
	put_groups(&text, options);
	put_ranks(&text, files);
	fprintf(text.file, "\n}\n");
	failed = ferror(text.file);
	return fclose(text.file) || failed ? -1 : 0;
}
