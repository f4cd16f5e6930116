/* Sums the time of each kind of transfer by name. */
#include "activity/transfers.h"
#include "base/search.h"

#include <math.h>

struct sums {
	const struct dp_device_timeline *timeline;
	const struct dp_attribution *attribution;
	size_t strings;
	double *ns[DP_TRANSFERS]; /* per name, the last one for no name; NULL: none of the kind */
	size_t first, end;	  /* streams of the device, which are in a row */
	double *upload_ns;	  /* per stream of these */
	/* bytes: of uploads, returned by these, downloaded but not returned, of the downloads that
	 * overlap with the latest */
	double uploaded, returned, kept, latest;
	int64_t download_end_ns; /* of the latest */
	struct dp_spans_at during; /* where kernels are among uploads */
	int64_t kernel_end_ns;	   /* of the latest */
	int64_t hidden_ns;	   /* uploads during kernels */
	double waited_ns[2];	   /* for downloads, for other copies */
};

static int add(struct sums *sums, enum dp_transfer kind, uint32_t name, size_t op)
{
	const struct dp_ops *ops = dp_trace_ops(sums->timeline->trace);

	if (!sums->ns[kind])
		sums->ns[kind] = dp_alloc__zeroed(sums->strings + 1, sizeof(*sums->ns[kind]));
	if (!sums->ns[kind])
		return DP_ERR_NOMEM;
	sums->ns[kind][DP_MIN((size_t)name, sums->strings)] +=
		(double)(ops->end_ns[op] - ops->start_ns[op]);
	return DP_OK;
}

/*
 * An upload returns bytes of downloads that ended before it began. Whether they are the same data,
 * a trace does not show.
 */
static void add_direction(struct sums *sums, size_t op)
{
	const struct dp_ops *ops = dp_trace_ops(sums->timeline->trace);
	double bytes = (double)ops->bytes[op], kept = sums->kept;

	if (dp_op__is_upload(ops, op)) {
		sums->upload_ns[ops->stream[op] - sums->first] +=
			(double)(ops->end_ns[op] - ops->start_ns[op]);
		if (ops->start_ns[op] < sums->download_end_ns)
			kept = fmax(kept - sums->latest, 0);
		sums->uploaded += bytes;
		sums->returned += fmin(bytes, kept);
		sums->kept -= fmin(bytes, kept);
	} else if (ops->copy_kind[op] == DP_COPY_DTOH) {
		sums->kept += bytes;
		sums->latest =
			ops->start_ns[op] < sums->download_end_ns ? sums->latest + bytes : bytes;
		sums->download_end_ns = DP_MAX(sums->download_end_ns, ops->end_ns[op]);
	}
}

/* Adds how long the caller of a copy waited for it. */
static void add_waited(struct sums *sums, size_t op)
{
	const struct dp_calls *calls = dp_trace_calls(sums->timeline->trace);
	const struct dp_ops *ops = dp_trace_ops(sums->timeline->trace);
	uint8_t kind = ops->copy_kind[op];
	uint32_t call = ops->call[op];

	if (call != DP_NONE && kind != DP_COPY_DTOD &&
	    dp_device_timeline__waited(sums->timeline, call))
		sums->waited_ns[kind != DP_COPY_DTOH] +=
			(double)(ops->end_ns[op] - calls->start_ns[call]);
}

static int add_copy(struct sums *sums, size_t op)
{
	const struct dp_ops *ops = dp_trace_ops(sums->timeline->trace);
	uint32_t call = ops->call[op], name;
	uint8_t kind = ops->copy_kind[op];
	int status = DP_OK;

	add_direction(sums, op);
	add_waited(sums, op);
	if (call == DP_NONE || !sums->attribution || !sums->attribution->of_call)
		return DP_OK;
	name = sums->attribution->of_call[call];
	if (kind == DP_COPY_DTOD)
		return add(sums, DP_TRANSFER_DEVICE_COPY, name, op);
	if (dp_op__is_upload(ops, op))
		status = add(sums, DP_TRANSFER_UPLOAD, name, op);
	else if (kind != DP_COPY_DTOH)
		return DP_OK;
	if (status)
		return status;
	if (dp_op__host_memory(ops, op) == DP_MEMORY_PAGEABLE)
		return add(sums, DP_TRANSFER_PAGEABLE, name, op);
	if (dp_device_timeline__waited(sums->timeline, call))
		return add(sums, DP_TRANSFER_BLOCKING, name, op);
	return DP_OK;
}

/* Adds the uploads during a kernel; kernels come in order of start. */
static void add_hidden(struct sums *sums, size_t op, int64_t limit_ns)
{
	const struct dp_ops *ops = dp_trace_ops(sums->timeline->trace);
	int64_t start_ns = DP_MAX(ops->start_ns[op], sums->kernel_end_ns);
	int64_t end_ns = DP_MIN(ops->end_ns[op], limit_ns);

	if (start_ns >= end_ns)
		return;
	sums->hidden_ns += dp_spans_at__covered(&sums->during, start_ns, end_ns);
	sums->kernel_end_ns = end_ns;
}

static void find_most(struct dp_transfers *transfers, const struct sums *sums,
		      enum dp_transfer kind)
{
	const double *ns = sums->ns[kind];
	size_t most = sums->strings;
	double all_ns = 0;

	for (size_t i = 0; ns && i <= sums->strings; i++) {
		all_ns += ns[i];
		if (ns[i] > ns[most])
			most = i;
	}
	if (most == sums->strings)
		return;
	transfers->name[kind] = dp_trace_string(sums->timeline->trace, (uint32_t)most);
	transfers->share[kind] = ns[most] / all_ns;
}

static void note_migration(struct dp_transfers *transfers, const struct dp_ops *ops, size_t op)
{
	if (ops->copy_kind[op] != DP_COPY_UM_HTOD)
		return;
	transfers->migrations++;
	transfers->migrated_ns = DP_MAX(transfers->migrated_ns, ops->end_ns[op]);
}

static void find_uploads(struct dp_transfers *transfers, const struct sums *sums, int64_t start_ns,
			 int64_t end_ns)
{
	int64_t union_ns = dp_spans__covered(&sums->timeline->uploads, start_ns, end_ns);
	const struct dp_trace *trace = sums->timeline->trace;
	double apart_ns = 0, all_ns = 0;

	for (size_t i = sums->first; i < sums->end; i++) {
		const struct dp_stream *stream = dp_trace_stream(trace, i);
		double ns = sums->upload_ns[i - sums->first];

		transfers->kernel_streams += stream->kernels > 0;
		transfers->upload_streams += ns > 0;
		apart_ns += stream->kernels ? 0 : ns;
		all_ns += ns;
	}
	transfers->upload_apart = all_ns > 0 ? apart_ns / all_ns : 0;
	transfers->upload_hidden = union_ns > 0 ? (double)sums->hidden_ns / (double)union_ns : 0;
	transfers->returned = sums->uploaded > 0 ? sums->returned / sums->uploaded : 0;
}

/* Calls inside others of the same thread are part of these. */
static void count_calls(struct dp_transfers *transfers, const struct dp_device_timeline *timeline,
			int64_t start_ns, int64_t end_ns)
{
	const struct dp_calls *calls = dp_trace_calls(timeline->trace);
	int64_t until_ns = INT64_MIN;
	uint32_t thread = DP_NONE;
	size_t c;

	DP_FIND(c, 0, timeline->call_count, calls->start_ns[timeline->calls[c]] >= start_ns);
	for (; c < timeline->call_count; c++) {
		size_t i = timeline->calls[c];

		if (calls->start_ns[i] >= end_ns)
			break;
		if (calls->thread[i] == thread && calls->end_ns[i] <= until_ns)
			continue;
		thread = calls->thread[i];
		until_ns = calls->end_ns[i];
		transfers->launches += calls->kind[i] == DP_CALL_LAUNCH;
		transfers->waits += calls->kind[i] == DP_CALL_SYNC ||
				    (calls->kind[i] == DP_CALL_COPY && timeline->inside[i]);
	}
}

/* Streams are sorted by device. */
static int find_streams(struct sums *sums)
{
	const struct dp_trace *trace = sums->timeline->trace;
	uint32_t device = sums->timeline->device;
	size_t count = dp_trace_stream_count(trace);

	DP_FIND(sums->first, 0, count, dp_trace_stream(trace, sums->first)->device >= device);
	DP_FIND(sums->end, sums->first, count, dp_trace_stream(trace, sums->end)->device > device);
	sums->upload_ns = dp_alloc__zeroed(sums->end - sums->first, sizeof(*sums->upload_ns));
	return sums->upload_ns ? DP_OK : DP_ERR_NOMEM;
}

int dp_transfers__find(struct dp_transfers *transfers, const struct dp_device_timeline *timeline,
		       const struct dp_attribution *attribution, int64_t start_ns, int64_t end_ns)
{
	const struct dp_ops *ops = dp_trace_ops(timeline->trace);
	struct sums sums = { .timeline = timeline,
			     .attribution = attribution,
			     .strings = dp_trace_string_count(timeline->trace),
			     .download_end_ns = INT64_MIN,
			     .during = { &timeline->uploads, 0 },
			     .kernel_end_ns = start_ns };
	int status = find_streams(&sums);

	*transfers = (struct dp_transfers){ { NULL }, { 0 } };
	for (size_t i = 0; !status && i < timeline->count; i++) {
		size_t op = dp_device_timeline__op(timeline, i);

		if (dp_op_is_kernel(ops->kind[op]))
			add_hidden(&sums, op, end_ns);
		if (ops->start_ns[op] < start_ns || ops->start_ns[op] >= end_ns)
			continue;
		if (ops->kind[op] == DP_OP_COPY) {
			status = add_copy(&sums, op);
			note_migration(transfers, ops, op);
		} else if (ops->name[op] != DP_NONE && timeline->index->is_comm[ops->name[op]]) {
			status = add(&sums, DP_TRANSFER_COMM, ops->name[op], op);
		}
	}
	if (!status) {
		double waited_ns = sums.waited_ns[0] + sums.waited_ns[1];

		find_uploads(transfers, &sums, start_ns, end_ns);
		count_calls(transfers, timeline, start_ns, end_ns);
		transfers->downloads_waited = waited_ns > 0 ? sums.waited_ns[0] / waited_ns : 0;
	}
	free(sums.upload_ns);
	for (int kind = 0; kind < DP_TRANSFERS; kind++) {
		if (!status)
			find_most(transfers, &sums, (enum dp_transfer)kind);
		free(sums.ns[kind]);
	}
	return status;
}
