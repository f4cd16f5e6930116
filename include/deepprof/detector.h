/*
 * Loops of a sequence that is still going on.
 *
 * A detector is fed symbols (kernel names as numbers, say) in the order in which they are launched
 * or run. It tells of a loop once it is established, and of every iteration as it closes. Nothing
 * has to be known of the program, and all that is kept is a window of what came last.
 *
 * The window is searched for loops as it fills, each time that it has grown by half, and when much
 * of what comes fits no loop that is known: a new phase of the program, an evaluation, other
 * kernels after a recompilation. A loop is established when two searches in succession find it. In
 * between symbols are compared with the loops that are known.
 *
 * What is told depends on the symbols alone, not on how they were cut into calls. It settles to
 * what an analysis of the whole sequence finds to which the sequence's end tells nothing of where
 * an iteration ends: the first search may be mistaken, a part of the iteration may look like a loop
 * until the iteration comes round, and such a loop then ends. An iteration that was told of is
 * never taken back, and no two overlap.
 *
 * Of a feed that begins inside an iteration, names tell that there is a loop and how long, and
 * where something comes between two iterations, where they begin. Nothing else does until the
 * program's end, which an analysis knows and a detector can't wait for: then they are told of from
 * the feed's first symbol on, as whole turns that may begin elsewhere than the program's.
 *
 * Where iterations differ in how often something is repeated inside (a recurrent network), those
 * repetitions are no differences, however many; one that goes over from an iteration to the next
 * is told of as the former's. Such iterations, and those whose kernels have other names each time,
 * take longer to be recognized: what is repeated may be taken for a loop before.
 *
 * Memory: at most 32 bytes per symbol of the window, 64 for each distinct one in it, and for each
 * of at most 16 patterns, which are shorter than half the window, 52 per symbol and 16 KiB. During
 * a search some 100 bytes per symbol of the window more. How much is fed does not matter. Cost:
 * 0.8 to 24 ns per symbol where 10^8 are fed, the less the more alike iterations are. A search
 * takes 1 to 20 µs per symbol that is searched, within the call that makes it due. While the window
 * fills, searches take about three times the window in all; those that are to confirm what another
 * one found, or to find what comes next, at most 16 times what was fed.
 *
 * Thread-safety: one thread at a time per detector; callbacks run on the thread that feeds. A
 * callback must not call the detector that it is called from.
 */
#ifndef DEEPPROF_DETECTOR_H
#define DEEPPROF_DETECTOR_H

#include <deepprof/common.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dp_detector;

/* A loop that was established. Pointers are borrowed for the call. */
struct dp_detector_loop {
	uint32_t id;		 /* numbered from 0 in the order of being told */
	uint64_t at;		 /* symbols fed when it was established */
	double confidence;	 /* 0 to 1 */
	size_t length;		 /* symbols of the pattern */
	const uint32_t *pattern; /* as they were fed, from where an iteration begins */
};

/* An iteration that has closed. */
struct dp_detector_iteration {
	uint32_t loop;	/* its id */
	uint64_t index; /* in the loop, from 0 */
	uint64_t first; /* its first symbol, counted from the first one fed */
	uint64_t count; /* symbols */
	/* how it differs from the pattern, numbers of repetitions that vary aside */
	uint32_t inserted;
	uint32_t deleted;
	uint32_t substituted;
	bool partial; /* cut off where the feed began or ended */
};

/* What to do. Set to DP_DETECTOR_OPTIONS_INIT, then change members; callbacks may be NULL. */
struct dp_detector_options {
	size_t size;
	/*
	 * Symbols of the window, 1024 to 2^24: an iteration can be found if the window holds three
	 * of it. A window that lies inside one long iteration may take its layers for a loop.
	 * 2^18 by default.
	 */
	size_t window;
	void *ctx; /* for the callbacks */
	void (*loop)(void *ctx, const struct dp_detector_loop *loop);
	/* in order of first; the loop was told of before */
	void (*iteration)(void *ctx, const struct dp_detector_iteration *iteration);
	/*
	 * The loop will have no more iterations: a later search took it for something else, or it
	 * has not come for so long that others took its place.
	 */
	void (*end)(void *ctx, uint32_t loop);
};

#define DP_DETECTOR_OPTIONS_INIT                                                            \
	{                                                                                   \
		sizeof(struct dp_detector_options), (size_t)1 << 18, NULL, NULL, NULL, NULL \
	}

/*
 * A new detector; options may be NULL. *detector is the caller's, to be freed with
 * dp_detector_free(); on failure it is not written. Errors: DP_ERR_ARGUMENT (a window out of
 * range, a size that is none), DP_ERR_NOMEM.
 */
DP_API int dp_detector_new(struct dp_detector **detector, const struct dp_detector_options *options,
			   struct dp_error *error);

/* Frees it; NULL is allowed. Tells of nothing. */
DP_API void dp_detector_free(struct dp_detector *detector);

/*
 * Feeds symbols[0..count), which may have any values and are copied. Iterations are told of when
 * what follows can't change them any more: one that is like the pattern as soon as up to 65
 * symbols of the next one have come (or all of them, if it is shorter), another when 96 symbols
 * without a difference have, or else some thousands.
 *
 * Errors: DP_ERR_NOMEM: then the detector has lost its place, and every later call but
 * dp_detector_free() fails in the same way. DP_ERR_ARGUMENT after dp_detector_finish().
 */
DP_API int dp_detector_feed(struct dp_detector *detector, const uint32_t *symbols, size_t count,
			    struct dp_error *error);

/*
 * Nothing more will come: tells of what was still open, a last partial iteration included. What
 * fits into the window is searched once more as a whole. Errors: as dp_detector_feed().
 */
DP_API int dp_detector_finish(struct dp_detector *detector, struct dp_error *error);

/* Symbols fed so far, and bytes held. Constant cost. */
DP_API uint64_t dp_detector_fed(const struct dp_detector *detector);
DP_API size_t dp_detector_bytes(const struct dp_detector *detector);

#ifdef __cplusplus
}
#endif

#endif
