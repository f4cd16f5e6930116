/* What a trace shows about the symbols of a sequence besides their order: when, how and by whom. */
#ifndef DP_BASE_EVIDENCE_H
#define DP_BASE_EVIDENCE_H

#include "base/base.h"

/* What a kernel does, judged by its name. Which operations are kernels: enum dp_op_kind. */
enum dp_kernel_kind {
	DP_KERNEL_UNKNOWN,
	DP_KERNEL_OTHER,     /* of the program itself, as in numerical codes */
	DP_KERNEL_NETWORK,   /* of a library or compiler for neural networks */
	DP_KERNEL_ATTENTION, /* of a network's attention, an operator of several kernels */
	DP_KERNEL_FINISHES,  /* an optimizer's: it finishes a step */
	DP_KERNEL_MOVES,     /* copies, casts or fills: it updates nothing */
};

/* The evidence about one symbol in addition to its name; -1, false and 0 stand for unknown. */
struct dp_evidence_at {
	int64_t kernel_gap_ns;	/* from the previous kernel's end to this one's start */
	int64_t launch_gap_ns;	/* host time outside of API calls between the launch calls of
				   the previous kernel and this one */
	int64_t launch_interval_ns; /* time between the beginnings of these two calls */
	bool has_launch;	/* its launch call was recorded */
	bool after_upload;   /* an upload, a copy from host to device of more than a scalar, starts
				between the previous kernel and it, or is the symbol itself */
	bool after_download; /* a copy from device to host starts between the previous kernel and
				it */
	bool after_result;   /* one larger than counts that the host branches on does */
	bool after_sync;     /* the launching thread waited for the device between these two calls,
				and nothing was uploaded to it */
	bool after_capture; /* a stream was captured into a graph between the two launches */
	bool in_backward;   /* PyTorch's autograd launched it: it is part of a backward pass */
	enum dp_kernel_kind kind; /* the same for all kernels of one name */
};

/*
 * Evidence besides the symbols. at() sets *out for the symbol at an index of the sequence. It may
 * be slow (a microsecond): it is called for the first symbol of each name, for a sample of all
 * symbols and one for each offset of a pattern, around some boundaries, and for up to a million
 * symbols in search of the first launch. at may be NULL.
 */
struct dp_evidence {
	void (*at)(void *ctx, size_t index, struct dp_evidence_at *out);
	void *ctx;
	bool launches_recorded; /* the trace has launch calls at all */
	bool open_begin;	/* the recording continues beyond this end: where the sequence */
	bool open_end;		/* begins or ends is arbitrary, and what lies beyond is unknown */
	const uint64_t *numbers; /* of iterations, one of which the loop may have */
	size_t number_count;
	bool goes_on;		/* more data will come: a loop with little confidence can wait */
	bool clipped_begin; /* the trace continues beyond this end of the analyzed part: where */
	bool clipped_end;   /* the part begins or ends is arbitrary, but at() knows what follows */
	bool loose_begin; /* what is cut off at the beginning may look different: a loop that
			     seems to begin shortly after may have begun before */
};

/* The evidence about the symbol at an index; at() must not be NULL. */
static inline struct dp_evidence_at dp_evidence__look(const struct dp_evidence *evidence,
						      size_t index)
{
	struct dp_evidence_at at = { .kernel_gap_ns = -1,
				     .launch_gap_ns = -1,
				     .launch_interval_ns = -1 };

	evidence->at(evidence->ctx, index, &at);
	return at;
}

#endif
