/* What the parts of the text renderer share. */
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

/* What is left out where the findings would not fit the screen, each with all before it. */
enum dp_given_up {
	DP_LEAVE_NOTHING,
	DP_LEAVE_LOOPS,	  /* those that are not shown in full: only how many they are */
	DP_LEAVE_STREAMS, /* their table */
	DP_LEAVE_PARTS,	  /* of the loop: slow iterations and gaps */
	DP_LEAVE_WORDS,	  /* of headlines: all but the cost */
};

struct dp_text {
	size_t width;			 /* columns, 40 or more */
	size_t height;			 /* lines of the screen that it should fit */
	bool whole;			 /* there is no screen to fit: findings in full */
	unsigned given_up;		 /* enum dp_given_up: for findings to fit it */
	size_t primary;			 /* the loop that is shown in full */
	size_t level;			 /* how many loops are at the level that was asked for */
	bool others_shown;		 /* the loops that are not shown in full */
	size_t shown;			 /* findings: how many are shown, */
	size_t detailed;		 /* how many of them with reasons and what to do, */
	size_t findings;		 /* how many already */
	size_t metrics[DP_TEXT_METRICS]; /* the columns of iterations */
	size_t metric_count;
};

/* Where the labels of a loop's lines begin, and where their text does. */
#define DP_TEXT_INDENT 2
#define DP_TEXT_BODY 10

/* A line that is put together. What does not fit any more is left out whole. */
struct dp_words {
	char text[2048];
	size_t used;
};

void dp_words__add(struct dp_words *words, const char *format, ...) DP_PRINTF(2, 3);

/* Text in a style where colours are wanted; and so that other text can come between. */
void dp_text__styled(struct dp_render *render, const char *style, const char *text);
void dp_text__style_begin(struct dp_render *render, const char *style);
void dp_text__style_end(struct dp_render *render);

/* Text in columns, filled up with blanks; negative columns: to the right. Never cut. */
void dp_text__column(struct dp_render *render, const char *text, int columns);

void dp_text__blanks(struct dp_render *render, size_t count);

/*
 * Words in lines of the report's width, the first of which has used columns already; the others
 * are indented. Ends the line.
 */
void dp_text__wrap(struct dp_render *render, size_t used, size_t indent, const char *words);

/* How many lines the same takes. */
size_t dp_text__lines(const struct dp_render *render, size_t used, size_t indent,
		      const char *words);

/* "  spent   ": what a loop's line is about. */
void dp_text__label(struct dp_render *render, const char *label);

/* "avg interval" for "avg_interval_ns". Returns buf. */
char *dp_text__title(char buf[DP_NUMBER_SIZE], const char *name);

/* A summary of a loop by name; NaN where there is none. */
double dp_text__summary(const struct dp_render *render, size_t loop, const char *name);

/* Places of a metric or summary by name; false where there is none. */
bool dp_text__find_metric(const char *name, size_t *index);
bool dp_text__find_summary(const char *name, size_t *index);

/* "GPU 0", with its rank or process where there are several. Returns buf. */
char *dp_text__device(char buf[DP_LABEL_SIZE], const struct dp_trace *trace, size_t device);

/* "1 kernel", "1,462 kernels". Returns buf. */
char *dp_text__plural(char buf[DP_NUMBER_SIZE], uint64_t count, const char *noun);

/* Distinct names of devices after their number: "8 GPUs (NVIDIA H100)". */
void dp_text__devices(struct dp_words *words, const struct dp_trace *trace, bool ascii);

/* What was measured, and the streams. */
void dp_text__head(struct dp_render *render);

/* One loop, in full or in one line; its iterations in rows. */
void dp_text__loop(struct dp_render *render, size_t loop);
void dp_text__loop_line(struct dp_render *render, size_t loop, size_t depth);

/* Where the time of an iteration goes: a bar and what it stands for. Nothing where that is unknown.
 */
void dp_text__spent(struct dp_render *render, size_t loop);

/*
 * ", periods 117 ms (2), 1.05 s (2)": where no iteration has the median, because half of them take
 * much longer than the others. False, and nothing is added, where one has.
 */
bool dp_text__period_groups(struct dp_words *words, struct dp_render *render, size_t loop);

/* The parts of that bar: what they are called and their metric; NULL beyond the end. */
const char *dp_text__part(const struct dp_render *render, size_t loop, size_t index,
			  const char **metric);

/* What such a part is called, by its metric. */
const char *dp_text__part_words(const char *metric);

/* Which iterations were slow, and what they had more of. Nothing where none was. */
void dp_text__slow(struct dp_render *render, size_t loop);

/* Copies of the trace, by direction and kinds of memory. */
void dp_text__copies(struct dp_render *render);

/* How long a loop's kernels take, by name, by operator and by place; its variants. */
void dp_text__tables(struct dp_render *render, size_t loop);
void dp_text__variants(struct dp_render *render, size_t loop);

/* What the host did while the device was idle. */
/* The loop at the level of the report that took most of the trace's time. */
size_t dp_text__primary(const struct dp_analysis *analysis);

void dp_text__ranges(struct dp_render *render, size_t loop);

/* The table of communication kernels, nothing where there are none. */
void dp_text__collectives(struct dp_render *render);

/* Why a device has no loop, for all that have none. */
void dp_text__without(struct dp_render *render);

/* "critical" in its colour. Returns its width. */
size_t dp_text__severity(struct dp_render *render, enum dp_severity severity);

/* How many loops are at the level that was asked for. */
size_t dp_text__level(const struct dp_render *render);

/* " on GPU 1", " in loop 3": where a finding is, if there are several places. */
void dp_text__place(struct dp_words *words, const struct dp_render *render,
		    const struct dp_finding *finding);

/* How many lines findings need at least: headlines, and the first in full. */
size_t dp_text__least_lines(const struct dp_render *render);

/* A finding. */
void dp_text__finding(struct dp_render *render, size_t finding);

/* What there is to say where there is none. */
void dp_text__clean(struct dp_render *render);

/* "costs 57.48 ms of each iteration (32.6%)"; of what costs no time, how much it is. */
void dp_text__cost(struct dp_words *words, const struct dp_render *render,
		   const struct dp_finding *finding);

/* "costs 57.48 ms (32.6%)" */
void dp_text__cost_brief(struct dp_words *words, const struct dp_render *render,
			 const struct dp_finding *finding);

/* A finding's evidence as words, as far as it fits this many columns: what the cost does not say.
 */
void dp_text__evidence(struct dp_words *words, const struct dp_render *render,
		       const struct dp_finding *finding, size_t columns);

/* What a host range is called: without its class, and without what autograd puts before all. */
char *dp_text__range(char buf[DP_LABEL_SIZE], const char *name, size_t columns, bool ascii);

/* Why there are no findings. False where there was nothing that rules could judge. */
bool dp_text__no_findings(struct dp_words *words, struct dp_render *render, bool list);

/* "GPU 1, stream 7, kernels that start from 500.0 ms to 1.000 s": what was analyzed; nothing where
 * all was. */
void dp_text__scope(struct dp_words *words, const struct dp_render *render);

/* Was only a part of the time analyzed? */
bool dp_text__has_range(const struct dp_render *render);

/* "The GPU was idle 92.1% of the capture. Most kernel time: a 40.2%, b 11.0%." */
void dp_text__capture(struct dp_words *words, struct dp_render *render, uint32_t device);

/* " Most kernel time: a 40.2%, b 11.0%." */
void dp_text__top_kernels(struct dp_words *words, struct dp_render *render, uint32_t device);

/* What is known of a stream without a loop: its best candidate, its device. */
void dp_text__nothing(struct dp_words *words, struct dp_render *render, size_t stream);

/* How iterations were found, where the analysis keeps it. */
void dp_text__explain(struct dp_render *render);

void dp_text__iterations_head(struct dp_render *render, size_t loop);
void dp_text__iteration(struct dp_render *render, size_t loop, size_t iteration);

#endif
