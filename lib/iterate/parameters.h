/*
 * Constants that decide where iterations begin and end, each with its unit, its reason and what it
 * was tuned on: "families" are the sequences of tests/sim/families.c with seeds below 2000,
 * "presets" the simulator's programs with the same seeds, "traces" captures of real programs.
 */
#ifndef DP_ITERATE_PARAMETERS_H
#define DP_ITERATE_PARAMETERS_H

/*
 * Weights of votes, in units of log-odds: how much more likely an offset is to begin an iteration
 * if the vote gives it its full score (votes.c has the reasons).
 */
#define DP_WEIGHT_WHOLE 1.5	    /* for each whole iteration fewer than the best; families */
#define DP_WEIGHT_CAPTURE_BEGIN 1.0 /* families, presets */
#define DP_WEIGHT_CAPTURE_END 1.5   /* families, presets */
#define DP_WEIGHT_SPAN_BEGIN 4.0    /* shared by the loop's spans, and one; families */
#define DP_WEIGHT_SPAN_END 3.0	    /* the same; families */
/*
 * In five of the traces the first iteration has other kernels than all that follow, in none the
 * last one, unless the capture cut it off: ten to one.
 */
#define DP_WEIGHT_FIRST_DIFFERS 2.3
#define DP_WEIGHT_FIT 1.0	    /* the score is a log-odds itself */
#define DP_WEIGHT_KNOWN 8.0	    /* shared by all known boundaries; families */
#define DP_WEIGHT_FIRST_LAUNCH 3.5  /* at most; traces */
#define DP_WEIGHT_LAUNCH_GAP 3.0    /* presets, traces */
#define DP_WEIGHT_UPLOAD 1.5	    /* presets, traces */
#define DP_WEIGHT_UPLOAD_AT_GAP 0.5 /* times a logarithm of offsets for each upload; traces */
#define DP_WEIGHT_SYNC 0.7	    /* presets */
#define DP_WEIGHT_OPTIMIZER 2.0	    /* presets, traces */
#define DP_WEIGHT_KERNEL_GAP 1.0    /* families without launches */

/* Evidence is asked for on a sample of iterations, since one call may take a microsecond. */
enum {
	DP_PHASE_CALLS = 300000, /* calls at most, for all offsets together … */
	DP_SAMPLES_MAX = 32,	 /* … iterations: a median of more is no better, … */
	DP_SAMPLES_MIN = 3,	 /* … and one of fewer is none */
};

/* An offset has an upload, a wait or an optimizer if at least 4 of 5 sampled iterations do. */
#define DP_RECURS_SHARE 0.8

enum {
	/* symbols by which an end of a span may be off: what lies beyond may happen to match */
	DP_END_SLACK = 8,
	DP_END_SLACK_LONG = 64, /* the same of a long pattern with noise */
	/* symbols that two loops end with by chance; families with evaluation */
	DP_SHARED_END = 3,
	/* kernels of an iteration of an inner loop that a cut off iteration may end in: longer ones
	 * are compared for nothing, at a cost that grows with their square */
	DP_INNER_PERIOD = 1024,
	/* symbols by which a capture with edits may miss a whole number of iterations */
	DP_NEAR_FIT = 2,
	/* whole iterations fewer than the best: more make an offset no less likely */
	DP_FEWER_MAX = 8,
};
#define DP_END_DECAY 0.8 /* score of an offset against the one next to it, within the slack */

enum {
	/* rank of a boundary's launch gap among all offsets, as in nine real traces */
	DP_GAP_RANK = 10,
	/* kernels without a launch that are looked through for the first with one */
	DP_HEAD_MAX = 1 << 20,
	/* kernels behind the first with a launch, nine in ten of which must have one */
	DP_LAUNCHES_LOOK = 64,
	/* symbols of a pattern that hardly a layer has: a wait there is the step's */
	DP_STEP_LONG = 128,
};
#define DP_GAP_TYPICAL 0.9   /* quantile of the gaps inside an iteration: boundaries are few */
#define DP_GAP_SAME 0.9	     /* on the scale of gaps (0 typical, 1 largest): one like the largest */
#define DP_GAP_RANGE 0.1     /* logarithm of largest to typical: below it no gap stands out */
#define DP_GAP_NOISE_NS 1000 /* gaps that differ by this are the same: a timer's resolution */

/* Optimizers, and runs of kernels that may be one's. */
enum {
	DP_AFTER_OPTIMIZER = 16, /* symbols of bookkeeping that may follow one in a step */
	DP_UPDATE_PERIOD = 3,	 /* kernels for a parameter, at most */
	DP_PARAMETERS_MIN = 16,	 /* parameters of a model, at least */
	DP_UPDATE_SHARE = 10,	 /* of an iteration: one kernel in so many, at least */
};
/* Scores of offsets near an optimizer. */
#define DP_OPTIMIZER_FADE 0.7	/* less over the bookkeeping than right behind it; presets */
#define DP_OPTIMIZER_LAST 0.5	/* more right behind it; traces */
#define DP_UPDATE_RUN_LAST 1.25 /* the same of a run: its end is sharper than that of names */

/* Cutting an alignment into iterations. */
enum {
	DP_REST_MAX = 32, /* symbols behind the last iteration that are its own */
	DP_END_LACK = 4,  /* symbols that an iteration at an end of the sequence may lack */
	/* first symbols of a loop that have names of their own there; traces */
	DP_FIRST_RENAMED = 2,
	/* symbols of an iteration's beginning that insertions may be moved over, to its front; */
	DP_SHIFT_MAX = 64,
	DP_INSERTIONS_MAX = 8, /* and runs of insertions there that are looked through */
};

/* Boundaries inside of a repetition that was one folded symbol (test_repeats.c). */
enum {
	DP_UNFOLD_REACH = 64,	/* symbols that one iteration has of the other's repetition */
	DP_UNFOLD_SAMPLES = 31, /* boundaries whose gaps are asked for */
};

/* Single boundaries next to edits (presets with noise, seeds below 2000). */
enum {
	DP_BOUNDARY_CALLS = 100000, /* calls of the evidence at most, for one loop */
	DP_BOUNDARIES = 33,	    /* that are learned from */
	DP_AROUND = 4,	  /* symbols around a boundary that it has to stand out from, … */
	DP_GAP_TIMES = 4, /* … by a launch gap so many times theirs */
	DP_NEAR_EDIT = 8, /* symbols from a boundary to an edit that may concern it */
	DP_REACH = 12,	  /* symbols that a boundary is moved over, besides insertions */
	DP_WIDE = 512,	  /* insertions that it is moved over */
};
#define DP_GAP_LIKE 0.33 /* of the typical launch gap: one as long is a boundary's */

#endif
