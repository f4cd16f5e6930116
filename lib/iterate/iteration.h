/* One iteration as a range of symbols, and the evidence on where iterations begin. */
#ifndef DP_ITERATE_ITERATION_H
#define DP_ITERATE_ITERATION_H

#include "base/base.h"
#include <deepprof/loop.h>

/* One iteration: symbols [first, end) of the sequence. */
struct dp_repetition {
	size_t first;
	size_t end;
	size_t edits; /* index of its first edit in dp_sequence_loop.edits; it has inserted +
			 deleted + substituted of them, in order of position */
	uint32_t inserted;
	uint32_t deleted; /* symbols missing before or after a capture's cut are not counted */
	uint32_t substituted;
	uint32_t variant; /* iterations with equal edits (kind, offset and symbols) share one; 0 is
			     the pattern itself, others are numbered in order of appearance */
	bool partial;	  /* cut off by the capture's beginning or end */
};

/* What is known of one symbol besides its name; -1 and false where it is not known. */
struct dp_evidence_at {
	int64_t kernel_gap_ns;	/* from the previous kernel's end to this one's start */
	int64_t launch_gap_ns;	/* host time outside of API calls between the previous kernel's
				   launch call and this one's */
	int64_t launch_wait_ns; /* the same with the calls: between the beginnings of the two */
	bool has_launch;	/* its launch call was recorded */
	bool after_upload;  /* a host-to-device copy starts between the previous kernel and it */
	bool after_sync;    /* the host synchronized between the previous launch and its */
	bool after_capture; /* a stream was captured into a graph between the two launches */
	bool finishes_step; /* its name is one of an optimizer's */
	bool moves_data;    /* its name is that of a copy, a cast or a fill: it updates nothing */
	bool outside_networks; /* its name is known, and is none of a library for networks */
};

/*
 * Evidence besides the symbols. at() fills *out for the symbol at an index of the sequence; it is
 * called for a sample of symbols only and may be slow (a microsecond). at may be NULL.
 */
struct dp_evidence {
	void (*at)(void *ctx, size_t index, struct dp_evidence_at *out);
	void *ctx;
	bool launches_recorded; /* the trace has launch calls at all */
	bool open_begin;	/* a recording goes on beyond this end: where the sequence */
	bool open_end;		/* begins or ends is chance, and what is beyond is not known */
	bool goes_on;	/* more will come: a loop with little confidence yet can wait */
	bool cut_begin; /* the trace goes on beyond this end of the part that is analyzed: where */
	bool cut_end;	/* the part begins or ends is chance, but at() knows what is beyond */
	bool loose_begin; /* what is cut at the beginning may look like something else: a loop
			     that seems to begin shortly after may have begun before */
};

#endif
