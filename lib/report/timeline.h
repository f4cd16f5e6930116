/*
 * A timeline: which parts of a trace and of the results are shown, in which order, with which names
 * and arguments. An encoder writes it in a format. Cost: linear.
 */
#ifndef DP_REPORT_TIMELINE_H
#define DP_REPORT_TIMELINE_H

#include "report/label.h"
#include "report/number.h"
#include "report/report.h"

/* Rows of results, and of the trace. */
enum dp_timeline_row {
	DP_ROW_ITERATIONS, /* of a loop, like the next two */
	DP_ROW_PHASES,
	DP_ROW_WAITS,
	DP_ROW_FINDING,
	DP_ROWS_OF_LOOP = DP_ROW_FINDING,
	DP_ROW_IDLE,   /* of a device */
	DP_ROW_THREAD, /* of a known thread, or of unknown ones (an index past the last) */
	DP_ROWS_FOUND = DP_ROW_THREAD,
	DP_ROW_STREAM,
	DP_ROW_SYNC /* of a stream; DP_NONE: of none */
};

enum dp_timeline_category {
	DP_SLICE_NO_CATEGORY,
	DP_SLICE_KERNEL,
	DP_SLICE_COPY,
	DP_SLICE_MEMSET,
	DP_SLICE_CALL,
	DP_SLICE_NVTX,
	DP_SLICE_ANNOTATION,
	DP_SLICE_OPERATOR,
	DP_SLICE_SYNC,
	DP_SLICE_FOUND /* "deepprof" */
};

/*
 * Names of arguments. Those up to OF_CHROME are only in Chrome's format: in Perfetto's, rows and
 * arrows express the same.
 */
enum dp_timeline_key {
	DP_KEY_NONE,
	DP_KEY_DEVICE,
	DP_KEY_CONTEXT,
	DP_KEY_CORRELATION,
	DP_KEY_PARTIAL,
	DP_KEY_WARMUP,
	DP_KEY_OF_CHROME = DP_KEY_WARMUP,
	DP_KEY_BYTES,
	DP_KEY_DURATION,
	DP_KEY_STREAM,
	DP_KEY_KERNELS,
	DP_KEY_INSERTED,
	DP_KEY_DELETED,
	DP_KEY_SUBSTITUTED,
	DP_KEY_VARIANT,
	DP_KEY_ITERATIONS,
	DP_KEY_FOREIGN,
	DP_KEY_ADVICE,
	DP_KEY_API_CALL,
	DP_KEY_SEVERITY,
	DP_KEY_CONFIDENCE,
	DP_KEY_RECOVERABLE,
	DP_KEY_METRICS /* this one and those of the other metrics, in order */
};

extern const char *const dp_timeline__keys[DP_KEY_METRICS];

struct dp_timeline_slice {
	enum dp_timeline_row row;
	enum dp_timeline_category category;
	uint32_t index;	 /* of the row's loop, finding, device, thread or stream */
	uint32_t string; /* its name in the trace, if the next member is NULL */
	const char *name;
	size_t item; /* of the trace: which operation, call, range or synchronization */
	int64_t start_ns, end_ns;
};

/*
 * A format. One row or curve of results is open at a time. Arguments come between begin() and
 * end(), which write the arrows from calls to operations.
 */
struct dp_timeline_encoder {
	void (*open_row)(struct dp_render *render, enum dp_timeline_row row, size_t index,
			 const char *name);
	void (*begin)(struct dp_render *render, const struct dp_timeline_slice *slice);
	/* Writes where an operation or a synchronization was. */
	void (*place)(struct dp_render *render, const struct dp_timeline_slice *slice);
	void (*integer)(struct dp_render *render, enum dp_timeline_key key, int64_t value);
	void (*text)(struct dp_render *render, enum dp_timeline_key key, const char *text);
	/* Write an argument by key and name; the key is 0 for those that only have a name. */
	void (*number)(struct dp_render *render, size_t key, const char *name, double value,
		       const char *unit);
	void (*end)(struct dp_render *render, const struct dp_timeline_slice *slice);
	/* Rows of the trace: closes all rows of a kind. */
	void (*close_row)(struct dp_render *render, enum dp_timeline_row row);
	void (*open_curve)(struct dp_render *render, const struct dp_loop *loop,
			   const struct dp_metric_info *info);
	void (*point)(struct dp_render *render, const struct dp_metric_info *info, int64_t time_ns,
		      double value);
};

/* Write the trace itself; each loop and each finding; the devices' idle time, by cause. */
void dp_timeline__trace(struct dp_render *render, const struct dp_timeline_encoder *encoder);
void dp_timeline__loop(struct dp_render *render, const struct dp_timeline_encoder *encoder,
		       size_t loop);
void dp_timeline__finding(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			  size_t finding);
void dp_timeline__idle(struct dp_render *render, const struct dp_timeline_encoder *encoder);

/*
 * The earliest time of a trace, which times in a file are relative to: viewers accept none below 0.
 */
int64_t dp_timeline__zero(const struct dp_trace *trace);

/* The difference of two times, clamped to the type's range for hostile ones. */
int64_t dp_timeline__since(int64_t time_ns, int64_t from_ns);

/* "loop 0: 50 x 1462 kernels, GPU 0 stream 7" */
void dp_timeline__loop_name(char name[DP_LABEL_SIZE], const struct dp_trace *trace,
			    const struct dp_loop *loop);

/* "GPU 0: Tesla V100", "GPU 0", or "GPU 0 (pid 7)" if there are several processes. */
void dp_timeline__device_name(char name[DP_LABEL_SIZE], const struct dp_trace *trace,
			      size_t device);

/* Returns true if a device has streams of several contexts; first is its first stream. */
bool dp_timeline__has_contexts(const struct dp_trace *trace, size_t first);

/*
 * "stream 7", or "stream 7, context 1" if there are several contexts: viewers show rows with the
 * same name as one.
 */
void dp_timeline__stream_name(char name[DP_NUMBER_SIZE], const struct dp_trace *trace,
			      size_t stream, bool several);

/* The index of a stream's device; that of no stream is one past the last. */
size_t dp_timeline__device(const struct dp_trace *trace, uint32_t stream);

/* Returns true if a device has a loop. Idle time of others is not shown. */
bool dp_timeline__has_loop(const struct dp_render *render, size_t device);

#endif
