/* Declarations shared by the parts of the text renderer. */
#ifndef DP_REPORT_TEXT_H
#define DP_REPORT_TEXT_H

#include "report/label.h"
#include "report/number.h"
#include "report/report.h"

/* ANSI SGR parameters. */
#define DP_STYLE_HEAD "1"
#define DP_STYLE_DIM "2"
#define DP_STYLE_RED "1;31"
#define DP_STYLE_YELLOW "1;33"
#define DP_STYLE_GREEN "32"

#define DP_TEXT_METRICS 64

/* What is left out if the findings do not fit the screen; each includes those before it. */
enum dp_given_up {
	DP_LEAVE_NOTHING,
	DP_LEAVE_LOOPS,	  /* loops that are not shown in full: only their number is */
	DP_LEAVE_STREAMS, /* their table */
	DP_LEAVE_PARTS,	  /* of the loop: slow iterations and gaps */
	DP_LEAVE_WORDS,	  /* of headlines: what the cost is a part of, and the period without it */
	DP_LEAVE_COUNTS,  /* of operations */
};

/* The loop that is shown in full (analysis_number.c). */
#define DP_TEXT_PRIMARY 0

struct dp_text {
	size_t width;			 /* columns, 40 or more */
	size_t height;			 /* lines of the screen that the report should fit */
	bool whole;			 /* there is no screen to fit: findings in full */
	unsigned given_up;		 /* enum dp_given_up: so that findings fit */
	size_t level;			 /* number of loops at the requested level */
	bool others_shown;		 /* the loops that are not shown in full */
	size_t shown;			 /* findings: how many are shown, */
	size_t detailed;		 /* how many of them with evidence and advice, */
	size_t findings;		 /* how many already */
	size_t metrics[DP_TEXT_METRICS]; /* the columns of iterations */
	int metric_columns[DP_TEXT_METRICS]; /* how many each has */
	size_t metric_count;
	int start_columns; /* those of their starts */
	size_t rows_slow; /* of slow iterations that were written beyond the first and last ones */
	size_t rows_left; /* iterations that were left out */
};

/* The columns at which the labels of a loop's lines begin, and their text. */
#define DP_TEXT_INDENT 2
#define DP_TEXT_BODY 10

/* A line that is put together from parts. A part that does not fit is left out as a whole. */
struct dp_words {
	char text[2048];
	size_t used;
};

void dp_words__add(struct dp_words *words, const char *format, ...) DP_PRINTF(2, 3);

/*
 * Write text in a style if colours are on; begin() and end() enclose text written by other
 * functions.
 */
void dp_text__styled(struct dp_render *render, const char *style, const char *text);
void dp_text__style_begin(struct dp_render *render, const char *style);
void dp_text__style_end(struct dp_render *render);

/* Writes text padded to a column; negative columns align right. Text is never cut. */
void dp_text__column(struct dp_render *render, const char *text, int columns);

/* Writes text aligned right after a blank at least, also if it is longer than the column. */
void dp_text__cell(struct dp_render *render, const char *text, int columns);

void dp_text__blanks(struct dp_render *render, size_t count);

/*
 * Wraps words to the report's width. The first line has `used` columns already, the others are
 * indented. Ends the last line.
 */
void dp_text__wrap(struct dp_render *render, size_t used, size_t indent, const char *words);

/* The number of lines that dp_text__wrap() writes. */
size_t dp_text__lines(const struct dp_render *render, size_t used, size_t indent,
		      const char *words);

/* "  spent   ": the label of a loop's line. */
void dp_text__label(struct dp_render *render, const char *label);

/* "avg interval" for "avg_interval_ns". Returns buf. */
char *dp_text__title(char buf[DP_NUMBER_SIZE], const char *name);

/* A summary of a loop by name; NaN if there is none. */
double dp_text__summary(const struct dp_render *render, size_t loop, const char *name);

/* Find a metric or a summary by name; false if there is none. */
bool dp_text__find_metric(const char *name, size_t *index);
bool dp_text__find_summary(const char *name, size_t *index);

/* "GPU 0", with its rank or process if there are several. Returns buf. */
char *dp_text__device(char buf[DP_LABEL_SIZE], const struct dp_trace *trace, size_t device);

/* "1 kernel", "1,462 kernels". Returns buf. */
char *dp_text__plural(char buf[DP_NUMBER_SIZE], uint64_t count, const char *noun);

/* 1st, 2nd, 3rd, 4th … 11th … 21st: what follows the digits. */
const char *dp_text__ordinal_ending(size_t n);

/*
 * Adds "8 GPUs (NVIDIA H100)": the number of GPUs and their distinct names, and the number of
 * processes if several share a GPU. A single GPU with another number than 0 is "GPU 2".
 */
void dp_text__devices(struct dp_words *words, const struct dp_trace *trace, bool ascii);

/* Writes what was measured, and the streams. */
void dp_text__head(struct dp_render *render);

/* Write one loop in full or in one line, or its iterations in rows. */
void dp_text__loop(struct dp_render *render, size_t loop);
void dp_text__loop_line(struct dp_render *render, size_t loop, size_t depth);

/* The mean interval between iterations of the steady state, as shown for a loop; NaN if unknown. */
double dp_text__mean_interval(const struct dp_render *render, size_t loop);

/* Writes where the time of an iteration goes: a bar and its legend. Nothing if that is unknown. */
void dp_text__spent(struct dp_render *render, size_t loop);

/* The number of periods that the median and the deviation of a loop's periods are of. */
size_t dp_text__period_count(const struct dp_render *render, size_t loop);

/* What a report calls the median of these: "median period", or "one period of". */
const char *dp_text__period_name(const struct dp_render *render, size_t loop);

/*
 * If no iteration has the median, because half of them take much longer than the others: adds
 * before and "117 ms and 1.05 s (2 each)", or "1.08–203 ms" unless the periods of each half are
 * alike. Returns false, and adds nothing, if one has.
 */
bool dp_text__period_groups(struct dp_words *words, const char *before, struct dp_render *render,
			    size_t loop);

/* The parts of that bar: their labels and metrics; NULL beyond the end. */
const char *dp_text__part(const struct dp_render *render, size_t loop, size_t index,
			  const char **metric);

/* The label of such a part, by its metric. */
const char *dp_text__part_words(const char *metric);

/* Writes which iterations were slow, and what took longer in them. Nothing if none was. */
void dp_text__slow(struct dp_render *render, size_t loop);

/* Writes the copies of the trace, by direction and kinds of memory. */
void dp_text__copies(struct dp_render *render);

/* Write the times of a loop's kernels, by name, by operator and by position; its variants. */
void dp_text__tables(struct dp_render *render, size_t loop);
void dp_text__variants(struct dp_render *render, size_t loop);

/* Writes what the host did while the device was idle. */
void dp_text__ranges(struct dp_render *render, size_t loop);

/* Writes the line of what the loop's stream waited for, or nothing if it is little. */
void dp_text__stream_waits(struct dp_render *render, size_t loop);

/* Writes the table of communication kernels, or nothing if there are none. */
void dp_text__collectives(struct dp_render *render);

/* Writes why devices have no loop, for all such devices. */
void dp_text__without(struct dp_render *render);

/* Writes "critical" in its colour. Returns its width. */
size_t dp_text__severity(struct dp_render *render, enum dp_severity severity);

/* The number of loops at the requested level. */
size_t dp_text__level(const struct dp_render *render);

/* Adds " on GPU 1" or " in loop 3", the place of a finding, if there are several places. */
void dp_text__place(struct dp_words *words, const struct dp_render *render,
		    const struct dp_finding *finding);

/* The fewest lines that findings need: all headlines, and the first finding in full. */
size_t dp_text__least_lines(const struct dp_render *render);

/* A finding. */
void dp_text__finding(struct dp_render *render, size_t finding);

/* Writes the text for a report without findings. */
void dp_text__clean(struct dp_render *render);

/*
 * "costs 57.48 ms per iteration (32.6%)"; brief: "costs 57.48 ms (32.6%)". For findings that cost
 * no time, their amount.
 */
void dp_text__cost(struct dp_words *words, const struct dp_render *render,
		   const struct dp_finding *finding, bool brief);

/* The cost of a few iterations in total, which others do not share: warm-up's. NaN if there is
 * none. */
double dp_text__cost_in_all(const struct dp_finding *finding);

/* Adds a finding's evidence as far as it fits this many columns, without what the cost shows. */
void dp_text__evidence(struct dp_words *words, const struct dp_render *render,
		       const struct dp_finding *finding, size_t columns);

/*
 * Adds "1,462 kernels", "625–684 kernels" or "1 kernel, 3 copies and 1 memset": the contents of an
 * iteration.
 */
void dp_text__contents(struct dp_words *words, const struct dp_render *render, size_t id);

/* Adds "6 iterations of 1,462 kernels, median period 176.2 ms". */
void dp_text__loop_title(struct dp_words *words, struct dp_render *render, size_t id);

/* Adds ", stream 7 and 2 others": those of a loop. Returns true if there are several. */
bool dp_text__loop_streams(struct dp_words *words, const struct dp_render *render, size_t id);

/*
 * Adds where a loop runs, how it was found, and what is special about some iterations. slow_shown:
 * the caller also writes which iterations are slow; a step from which on all are is left out.
 */
void dp_text__loop_origin(struct dp_words *words, struct dp_render *render, size_t id,
			  bool slow_shown);

/*
 * The share of a loop's whole iterations that begin in iterations of another loop of its stream.
 * Cost: linear.
 */
double dp_text__share_inside(const struct dp_analysis *analysis, size_t inner, size_t outer);

/* "nested in", or "mostly inside" if some iterations are not in any of the parent's. Static. */
const char *dp_text__inside(const struct dp_analysis *analysis, const struct dp_loop *loop);

/*
 * "main", "copy" or "assist" or, for a stream that is no main one, but has a loop of the report,
 * "loop". Static.
 */
const char *dp_text__stream_class(const struct dp_analysis *analysis, size_t index);

/* Returns true if a loop's slow iterations are reported as those from one on, which is this one. */
bool dp_text__slow_from(const struct dp_render *render, size_t loop, size_t first);

/* Adds both, as sentences. */
void dp_text__loop_in_words(struct dp_words *words, struct dp_render *render, size_t id);

/*
 * The kernels per iteration of a loop that its device runs on streams of which the loop has none,
 * and the number of these streams; 0 if they are few next to the loop's. Cost: linear in their
 * operations.
 */
size_t dp_text__kernels_elsewhere(size_t *streams, const struct dp_render *render, size_t id);

/*
 * Returns true if a loop takes less than half of the time that was analyzed; *share is what it
 * takes.
 */
bool dp_text__is_minor(double *share, const struct dp_render *render, const struct dp_loop *loop);

/*
 * Returns true if the cost of a finding of render->analysis is that of typical iterations, and
 * differs from the mean.
 */
bool dp_text__is_typical(const struct dp_render *render, const struct dp_finding *finding);

/* The label of a host range: without its class, and without autograd's prefix. */
char *dp_text__range(char buf[DP_LABEL_SIZE], const struct dp_render *render, const char *name,
		     size_t columns);

/* The label of time outside all ranges; in a trace without annotations, ranges are API calls. */
const char *dp_text__outside(const struct dp_trace *trace);

/* Why there are no findings. Returns false if there was nothing for the rules to judge. */
bool dp_text__no_findings(struct dp_words *words, struct dp_render *render, bool list);

/*
 * "GPU 1, stream 7, kernels that start from 500.0 ms to 1.000 s": what was analyzed; nothing if
 * that is everything.
 */
void dp_text__scope(struct dp_words *words, const struct dp_render *render);

/* Returns true if only a part of the time was analyzed. */
bool dp_text__has_range(const struct dp_render *render);

/* "capture", or "range" if only a part of it was analyzed. Static. */
const char *dp_text__whole(const struct dp_render *render);

/* "The GPU was idle 92.1% of the capture. Most kernel time: a 40.2%, b 11.0%." */
void dp_text__capture(struct dp_words *words, struct dp_render *render, uint32_t device);

/* " Most kernel time: a 40.2%, b 11.0%." */
void dp_text__top_kernels(struct dp_words *words, struct dp_render *render, uint32_t device);

/* Counts the launches of graphs on a stream that are recorded as one operation each. */
size_t dp_text__graphs(const struct dp_trace *trace, size_t stream);

/* Adds that, and how to record the kernels inside. */
void dp_text__add_graphs(struct dp_words *words, size_t graphs);

/* Adds what is known of a stream without a loop: its best candidate, its device. */
void dp_text__nothing(struct dp_words *words, struct dp_render *render, size_t stream);

/* What to do about a stream without a loop. Static. */
const char *dp_text__nothing_advice(const struct dp_render *render, size_t stream);

/* "iterations 6 to 17", "iteration 6": those of which a critical path is. */
char *dp_text__path_iterations(char buf[DP_NUMBER_SIZE], const struct dp_render *render,
			       size_t loop);

/*
 * The part's name; "host up to", "launch up to" or, if launches are not recorded, "idle up to" for
 * time before what its rows name. Static.
 */
const char *dp_text__path_part(const struct dp_render *render, enum dp_path_part part);

/* Writes how iterations were found, if explanations were requested. */
void dp_text__explain(struct dp_render *render);

void dp_text__iterations_head(struct dp_render *render, size_t loop);
void dp_text__iteration(struct dp_render *render, size_t loop, size_t iteration);

#endif
