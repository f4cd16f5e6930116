/*
 * Declarations shared by the parts of the HTML renderer. The page is static except for one JSON
 * document, which these parts write and the scripts under data/html/ show. Names go into a table,
 * so that each is written once.
 */
#ifndef DP_REPORT_HTML_H
#define DP_REPORT_HTML_H

#include "report/json_text.h"
#include "report/number.h"
#include "report/report.h"

/* Limits on the contents of a page, so that the largest trace gives a file of some megabytes. */
#define DP_HTML_VALUES 120000	 /* of all series together */
#define DP_HTML_SERIES_MOST 8000 /* of one series */
#define DP_HTML_LOOPS 16	 /* that are shown in full */
#define DP_HTML_TIMELINES 4	 /* loops with timelines */
#define DP_HTML_SHOWN 24	 /* iterations of such a loop with a timeline, */
#define DP_HTML_WHOLE 2		 /* of which the first in full detail, the others in a quarter */
#define DP_HTML_EVENTS 3000000	 /* of a trace: above, only those, as each walks over the trace */
#define DP_HTML_NAMES 1000	 /* rows of the table of kernels */
#define DP_HTML_OPERATORS 300	 /* of a loop */
#define DP_HTML_NAME_BYTES 480	 /* of a name */
#define DP_HTML_NAME_COLUMNS 110 /* of its short form */
#define DP_HTML_OPS 4000	 /* operations of a timeline, all streams together */
#define DP_HTML_RANGES 1500	 /* annotations and operators of a timeline */

struct dp_html {
	size_t metrics;	    /* how many there are */
	size_t full;	    /* loops shown in full so far */
	size_t most_values; /* of one series */
	bool only_steady;   /* series have the values that averages include */
	bool findings;	    /* their list is open */
	size_t found;
	uint32_t *slots; /* by string id: its index in names plus 1, or 0 */
	uint32_t *names;
	size_t name_count, name_room;
};

/* An iteration and the value that ranks it. */
struct dp_html_rank {
	double value;
	size_t k;
};

/* The whole iterations of a loop, the slowest first. */
struct dp_html_ranking {
	struct dp_html_rank *ranks;
	size_t count;
	size_t metric;	/* that ranks them: period_ns, or duration_ns if there are no periods */
	size_t typical; /* the iteration with the median; SIZE_MAX: none */
	size_t slowest;
};

/* A file of data/html/, embedded at build time. */
struct dp_html_asset {
	const char *name;
	const unsigned char *data;
	size_t size;
};

extern const struct dp_html_asset dp_html__assets[];

/*
 * Writes a page of such files: open() up to the document, whose keys are then written; close() the
 * rest.
 */
void dp_html__open(struct dp_render *render, const char *title, const char *body);
void dp_html__close(struct dp_render *render, const char *const *scripts, size_t count);

void dp_html__asset(struct dp_render *render, const char *name);

/* Write the utilization of devices over the capture; what a loop waited for, its critical path. */
void dp_html__capture(struct dp_render *render);
void dp_html__host_ranges(struct dp_render *render, size_t loop);
void dp_html__stream_waits(struct dp_render *render, size_t loop);
void dp_html__path(struct dp_render *render, size_t loop);

/* A text that is safe inside a script element: a name, cut to DP_HTML_NAME_BYTES; sentences. */
struct dp_json_value dp_html__cut(const char *name);
struct dp_json_value dp_html__whole(const char *text);
void dp_html__string(struct dp_render *render, const char *text);
void dp_html__text(struct dp_render *render, const char *text);

/* A value as JSON has it. */
void dp_html__value(struct dp_render *render, double value, const char *unit);

/* Makes render->state for render->analysis, which the functions below use. Errors: DP_ERR_NOMEM. */
int dp_html__begin(struct dp_render *render);

/*
 * Writes the key "names" with the names that dp_html__name() was called for, and frees
 * render->state.
 */
void dp_html__end(struct dp_render *render);

/* Writes a string's index in the table of names, and adds it if it is new. */
void dp_html__name(struct dp_render *render, uint32_t id);

/* The index of a metric, or SIZE_MAX. */
size_t dp_html__metric(const char *name);

/* Ranks the iterations of a loop. The caller frees ranking->ranks. Errors: DP_ERR_NOMEM. */
int dp_html__rank(struct dp_render *render, size_t loop, struct dp_html_ranking *ranking);

/*
 * Writes one metric over a loop's iterations, reduced to html->most_values, as an object; without
 * the values that html->only_steady excludes.
 */
void dp_html__one_series(struct dp_render *render, size_t loop, size_t metric);

/* Writes keys of a loop: its series, histogram, breakdown, slowest iterations. */
void dp_html__series(struct dp_render *render, size_t loop, const struct dp_html_ranking *ranking);

/* Writes a key of a loop: kernel time by operator or range, and the host's time in them. */
void dp_html__operators(struct dp_render *render, size_t loop);
void dp_html__host_operators(struct dp_render *render, size_t loop);

/* The part of DP_IDLE_HOST that the page shows separately: input wait. */
#define DP_HTML_IDLE_INPUT (DP_IDLE_OTHER + 1)

/* A stretch of time in which a device is idle. */
struct dp_html_idle {
	int64_t start_ns, end_ns;
	bool input; /* the iteration has input wait */
	int64_t causes_ns[DP_HTML_IDLE_INPUT + 1];
	struct dp_idle *pieces;
	size_t count, room;
	size_t most; /* approximate number of pieces that are written */
};

/*
 * Collects the stretches in one walk. The caller frees the pieces, also after a failure. Errors:
 * DP_ERR_NOMEM.
 */
int dp_html__idle(struct dp_render *render, uint32_t device, struct dp_html_idle *idles,
		  size_t count);

/* Writes the keys of a timeline: the longest stretches, as many as fit. */
void dp_html__idle_write(struct dp_render *render, const struct dp_html_idle *idle);

/* Writes an array with the operations of some iterations, each until the next begins. */
void dp_html__timelines(struct dp_render *render, size_t loop, const size_t *iterations,
			size_t count);

/* Writes keys of the document: what was measured; streams; operations by name. */
void dp_html__trace(struct dp_render *render);
void dp_html__streams(struct dp_render *render);
void dp_html__kernels(struct dp_render *render);

#endif
