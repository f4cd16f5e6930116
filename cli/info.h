/* What a trace holds, and what this program is: as text and as JSON. */
#ifndef DP_CLI_INFO_H
#define DP_CLI_INFO_H

#include "output.h"

#include <deepprof/report.h>
#include <deepprof/trace.h>

/* Kernels of one name. */
struct info_kernel {
	uint32_t name;
	uint64_t count;
	int64_t total_ns;
};

/* A trace and what is counted in it. */
struct info {
	const struct dp_trace *trace;
	const char *path;
	uint64_t kernels;
	uint64_t copies;
	uint64_t sets;
	uint64_t copy_bytes;
	uint64_t synchronizations; /* records of them, or without any synchronizing calls */
	int64_t kernel_ns;	   /* sum of durations */
	struct info_kernel *names; /* by total time, the longest first */
	size_t name_count;
	size_t top;   /* of them are shown */
	bool verbose; /* names in full length */
};

/* False without memory. */
bool info_init(struct info *info, const struct dp_trace *trace, const char *path, size_t top);
void info_fini(struct info *info);

void info_write_text(const struct info *info, struct output *output);
void info_write_json(const struct info *info, struct output *output);

void info_build_text(struct output *output);
void info_build_json(struct output *output);

/* "main", "copy", "assist" */
const char *info_class_name(enum dp_stream_class stream_class);

#endif
