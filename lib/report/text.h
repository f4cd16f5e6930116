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

struct dp_text {
	size_t width;	  /* columns, 40 or more */
	size_t primary;	  /* the loop that is shown in full */
	size_t level;	  /* how many loops are at the level that was asked for */
	bool others_told; /* the loops that are not shown in full */
	size_t findings;  /* shown so far */
};

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

/* "avg interval" for "avg_interval_ns". Returns buf. */
char *dp_text__title(char buf[DP_NUMBER_SIZE], const char *name);

/* Places of a metric or summary by name; false where there is none. */
bool dp_text__find_metric(const char *name, size_t *index);
bool dp_text__find_summary(const char *name, size_t *index);

/* "GPU 0", with its rank or process where there are several. Returns buf. */
char *dp_text__device(char buf[DP_LABEL_SIZE], const struct dp_trace *trace, size_t device);

/* "1 kernel", "1,462 kernels". Returns buf. */
char *dp_text__plural(char buf[DP_NUMBER_SIZE], uint64_t count, const char *noun);

/* What was measured, and the streams. */
void dp_text__head(struct dp_render *render);

/* One loop, in full or in one line; its iterations in rows. */
void dp_text__loop(struct dp_render *render, size_t loop);
void dp_text__loop_line(struct dp_render *render, size_t loop);
/* Where the time of an iteration goes: a bar and what it stands for. Nothing where that is unknown.
 */
void dp_text__spent(struct dp_render *render, size_t loop);

/* How long its kernels take, by name and by operator. */
void dp_text__tables(struct dp_render *render, size_t loop);

void dp_text__iterations_head(struct dp_render *render, size_t loop);
void dp_text__iteration(struct dp_render *render, size_t loop, size_t iteration);

#endif
