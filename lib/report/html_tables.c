/* What was measured, and the page's tables: streams, and operations by name. */
#include "report/capture.h"
#include "report/html.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

static void write_losses(struct dp_render *render, const struct dp_trace *trace)
{
	const char *doubts[DP_CAPTURE_DOUBTS];
	size_t count = dp_capture__doubts(doubts, trace);
	const struct dp_loss *loss;

	dp_render__text(render, ",\"losses\":[");
	for (size_t i = 0; (loss = dp_trace_loss(trace, i)); i++)
		dp_json__put(render, "%[%,%]", dp_json__comma(i), dp_html__cut(loss->reason),
			     dp_json__count(loss->records));
	dp_render__text(render, "],\"inexact\":[");
	for (size_t i = 0; i < count; i++)
		dp_json__put(render, "%%", dp_json__comma(i), dp_html__cut(doubts[i]));
	dp_render__text(render, "]");
}

/* Writes how often recording was off, and for how long, in the process that lacks most. */
static void write_pauses(struct dp_render *render, const struct dp_trace *trace)
{
	struct dp_paused paused;

	if (dp_capture__paused(&paused, trace))
		dp_render__format(render, ",\"paused\":[%zu,%lld]", paused.times,
				  (long long)paused.longest_ns);
}

static void write_devices(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_device *device;

	dp_render__text(render, ",\n\"devices\":[");
	for (size_t i = 0; (device = dp_trace_device(trace, i)); i++) {
		const struct dp_process *process = dp_trace_process(trace, device->process);

		dp_json__put(render, "%{'id':%,'pid':%,'rank':%,'name':%}", dp_json__comma(i),
			     dp_json__int(device->id), dp_json__int(process->pid),
			     dp_json__int(process->rank),
			     dp_html__cut(dp_trace_string(trace, device->name)));
	}
	dp_render__text(render, "]");
}

void dp_html__trace(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	int64_t t0_ns;

	dp_json__put(render,
		     ",\n'trace':{'path':%,'format':%,'detail':%,'duration':%,'resolution':%,"
		     "'operations':%,'clamped':%,'gpus':%",
		     dp_html__cut(dp_trace_path(trace)), dp_html__cut(dp_trace_format(trace)),
		     dp_html__cut(dp_trace_format_detail(trace)),
		     dp_json__int(dp_trace_duration_ns(trace)),
		     dp_json__int(dp_trace_resolution_ns(trace)),
		     dp_json__count(dp_trace_ops(trace)->count),
		     dp_json__count(dp_trace_clamped(trace)),
		     dp_json__count(dp_trace_gpu_count(trace)));
	dp_render__text(render, ",\"outside\":");
	dp_html__string(render, dp_text__outside(trace));
	/* in ms, which a script's numbers hold exactly */
	if (dp_trace_t0(trace, &t0_ns))
		dp_render__format(render, ",\"t0\":%lld", (long long)(t0_ns / 1000000));
	write_losses(render, trace);
	write_pauses(render, trace);
	dp_render__text(render, "}");
	write_devices(render, trace);
}

void dp_html__streams(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_stream *stream;

	dp_render__text(render, ",\n\"streams\":[");
	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++)
		dp_render__format(render, "%s\n[%u,%lld,%lld,\"%s\",%zu,%zu,%zu,%lld]",
				  i ? "," : "", stream->device, (long long)stream->context,
				  (long long)stream->stream,
				  dp_text__stream_class(render->analysis, i), stream->kernels,
				  stream->copies, stream->memsets, (long long)stream->busy_ns);
	dp_render__text(render, "]");
}

/* All operations of one name. */
struct row {
	uint32_t name;
	uint8_t kind;
	uint64_t count, bytes;
	int64_t total_ns, least_ns, most_ns;
	double known_ns, occupied_ns; /* of kernels with known occupancy, and weighted by it */
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static void gather(struct row *rows, const struct dp_ops *ops, size_t names)
{
	for (size_t i = 0; i < ops->count; i++) {
		int64_t length_ns = ops->end_ns[i] - ops->start_ns[i];
		struct row *row = &rows[DP_MIN(ops->name[i], names)];

		if (!row->count) {
			*row = (struct row){ .name = ops->name[i],
					     .kind = ops->kind[i],
					     .least_ns = length_ns,
					     .most_ns = length_ns };
		}
		row->count++;
		row->bytes = dp_sum__u64(row->bytes, ops->bytes[i]);
		row->total_ns = dp_sum__i64(row->total_ns, length_ns);
		row->least_ns = DP_MIN(row->least_ns, length_ns);
		row->most_ns = DP_MAX(row->most_ns, length_ns);
		if (ops->occupancy[i]) {
			row->known_ns += (double)length_ns;
			row->occupied_ns += (double)length_ns * ops->occupancy[i] / 100;
		}
	}
}

/*
 * Returns true if a kernel's name shows that it uses tensor cores: libraries name the matrix
 * instruction (Volta's 884, Turing's 1688, Ampere's 16816, Hopper's gmma), its kind or its tile.
 */
static bool names_tensor_cores(const char *name)
{
	static const char *const words[] = {
		"h884",	  "s884",      "h1688",	    "s1688",	 "i8816",      "16816",
		"i16832", "hmma",      "imma_",	    "gmma",	 "wmma",       "_mma_",
		"::mma",  "tensorop",  "TensorOp",  "tensor8x8", "tensor16x8", "tensor64x",
		"nvjet_", "flash_fwd", "flash_bwd",
	};

	for (size_t i = 0; i < DP_COUNT(words); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

/* The hardware counters of a kernel, from the first loop that has it; NULL if there are none. */
static const struct dp_time_stat *find_units(const struct dp_render *render, const char *name)
{
	const struct dp_time_stat *stat;

	if (dp_trace_lacks(dp_analysis_trace(render->analysis), DP_NEED_ACTIVITY))
		return NULL;
	for (size_t loop = 0; dp_analysis_loop(render->analysis, loop); loop++)
		for (size_t i = 0; (stat = dp_analysis_loop_kernel_stat(render->analysis, loop, i));
		     i++)
			if (stat->name == name)
				return stat;
	return NULL;
}

/* Writes nothing if the trace has no counters, like most. */
static void write_units(struct dp_render *render, const struct row *row)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_time_stat *stat = find_units(render, dp_trace_string(trace, row->name));

	if (stat)
		dp_json__put(render, ",%,%,%", dp_json__real(stat->sm_active, "1"),
			     dp_json__real(stat->tensor_active, "1"),
			     dp_json__real(stat->dram_active, "1"));
}

static void write_row(struct dp_render *render, const struct row *row)
{
	const char *name = dp_trace_string(dp_analysis_trace(render->analysis), row->name);

	dp_html__name(render, row->name);
	dp_json__put(render, ",%,%,%,%,%,%,%,%", dp_json__count(row->kind),
		     dp_json__count(row->count), dp_json__int(row->total_ns),
		     dp_json__int(row->least_ns), dp_json__int(row->most_ns),
		     dp_json__count(row->bytes),
		     dp_json__real(row->known_ns > 0 ? row->occupied_ns / row->known_ns : NAN, "1"),
		     dp_json__int(row->kind == DP_OP_KERNEL && names_tensor_cores(name)));
	write_units(render, row);
}

void dp_html__kernels(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t names = dp_trace_string_count(trace), used = 0;
	struct row *rows = dp_alloc__zeroed(names + 1, sizeof(*rows));
	struct row rest = { 0 };

	if (!rows) {
		if (!render->status)
			render->status = dp_error__nomem(render->error, names);
		return;
	}
	gather(rows, dp_trace_ops(trace), names);
	for (size_t i = 0; i <= names; i++)
		if (rows[i].count)
			rows[used++] = rows[i];
	if (used)
		qsort(rows, used, sizeof(*rows), compare_rows);
	dp_render__text(render, ",\n\"kernels\":[");
	for (size_t i = 0; i < used && i < DP_HTML_NAMES; i++) {
		dp_render__text(render, i ? ",\n[" : "\n[");
		write_row(render, &rows[i]);
		dp_render__text(render, "]");
	}
	for (size_t i = DP_HTML_NAMES; i < used; i++) {
		rest.count += rows[i].count;
		rest.total_ns = dp_sum__i64(rest.total_ns, rows[i].total_ns);
	}
	dp_render__format(render, "],\"others\":[%zu,%llu,%lld]",
			  used > DP_HTML_NAMES ? used - DP_HTML_NAMES : 0,
			  (unsigned long long)rest.count, (long long)rest.total_ns);
	free(rows);
}

void dp_html__operators(struct dp_render *render, size_t loop)
{
	const struct dp_time_stat *stat;

	dp_render__text(render, ",\n\"operators\":[");
	for (size_t i = 0; i < DP_HTML_OPERATORS &&
			   (stat = dp_analysis_loop_operator_stat(render->analysis, loop, i));
	     i++)
		dp_json__put(render, "%\n[%,%,%,%,%,%,%]", dp_json__comma(i),
			     dp_html__cut(stat->name), dp_json__count(stat->count),
			     dp_json__real(stat->total_ns, "ns"),
			     dp_json__real(stat->mean_ns, "ns"), dp_json__real(stat->min_ns, "ns"),
			     dp_json__real(stat->max_ns, "ns"), dp_json__real(stat->share, "1"));
	dp_render__text(render, "]");
}
