/*
 * Loops of a live sequence.
 *
 * The caller feeds a detector symbols (numbers that stand for kernel names, for example) in the
 * order of launch or execution. The detector reports each loop once it is established, and each
 * iteration once it is complete. It needs to know nothing about the program, and keeps only a
 * window of the most recent symbols.
 *
 * The window is searched for loops whenever it has grown by half, and whenever many of the incoming
 * symbols match no known loop: another part of the program, an evaluation, other kernels after a
 * recompilation. Until it is full, it is also searched when known loops have followed each other
 * half as often again, since that shows where their iterations begin. A loop is established when
 * two consecutive searches find it, or the last one, at the end of the sequence. Between searches,
 * symbols are compared with the known loops.
 *
 * The results depend only on the symbols, not on how they are divided into calls. They converge to
 * what an analysis of the whole sequence finds, except where only the end of the sequence shows
 * where an iteration ends. The first search may be wrong: a part of the iteration may look like a
 * loop until the whole iteration repeats, and that loop then ends. An iteration that was reported
 * is never retracted, and no two overlap.
 *
 * If the sequence starts within an iteration, the names show the length of an iteration, but its
 * start only if other symbols occur between two iterations. Otherwise only the end of the program
 * would show it, which a detector cannot wait for: iterations are then counted from the first
 * symbol, and may start elsewhere than the program's.
 *
 * If a part of the iteration repeats a varying number of times (as in a recurrent network), that
 * variation is not a difference. The part may be a short loop, and the iteration the loop around
 * it. A repetition that continues from one iteration into the next belongs to the former. Such
 * iterations, and those whose kernel names change, take longer to be recognized: the repeated part
 * may be taken for a loop first.
 *
 * Memory: at most 32 bytes per symbol of the window and 64 per distinct symbol; for each of at most
 * 32 patterns, which are shorter than half of the window, 52 bytes per symbol and 16 KiB; during a
 * search, about 100 further bytes per symbol of the window. The number of symbols fed does not
 * matter. Cost: 0.8 to 24 ns per symbol, measured with 10^8 symbols; less if iterations are alike.
 * A search takes 1 to 20 µs per symbol searched, within the call that triggers it. While the window
 * fills, three to seven times its length is searched in all (at most 16); later searches examine at
 * most 16 times as many symbols as were fed.
 *
 * Thread-safety: a detector may be used by one thread at a time. Callbacks run on the thread that
 * feeds the detector, and must not call the detector that called them.
 */
#ifndef DEEPPROF_DETECTOR_H
#define DEEPPROF_DETECTOR_H

#include <deepprof/common.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dp_detector;

/* A loop that was established. Pointers are valid during the call. */
struct dp_detector_loop {
	uint32_t id;		 /* from 0, in the order of reporting */
	uint64_t at;		 /* symbols fed when it was established */
	double confidence;	 /* 0 to 1 */
	size_t length;		 /* symbols of the pattern */
	const uint32_t *pattern; /* as fed, from the start of an iteration */
};

/* A complete iteration. */
struct dp_detector_iteration {
	uint32_t loop;	/* its id */
	uint64_t index; /* in the loop, from 0 */
	uint64_t first; /* its first symbol, counted from the first one fed */
	uint64_t count; /* symbols */
	/* differences from the pattern, except in how often a part repeats */
	uint32_t inserted;
	uint32_t deleted;
	uint32_t substituted;
	bool partial; /* cut off where the feed began or ended */
};

/* Set to DP_DETECTOR_OPTIONS_INIT, then change members. Callbacks may be NULL. */
struct dp_detector_options {
	size_t size;
	/*
	 * Symbols in the window: 1024 to 2^24, by default 2^18. An iteration can be found if the
	 * window holds it three times. If the window lies within one long iteration, the layers of
	 * that iteration may be reported as a loop.
	 */
	size_t window;
	void *ctx; /* for the callbacks */
	void (*loop)(void *ctx, const struct dp_detector_loop *loop);
	/* In order of first, after the loop was reported. */
	void (*iteration)(void *ctx, const struct dp_detector_iteration *iteration);
	/*
	 * The loop will have no further iterations: a later search found another loop in its
	 * place, or it has not occurred for so long that others replaced it.
	 */
	void (*end)(void *ctx, uint32_t loop);
};

#define DP_DETECTOR_OPTIONS_INIT                                                            \
	{                                                                                   \
		sizeof(struct dp_detector_options), (size_t)1 << 18, NULL, NULL, NULL, NULL \
	}

/*
 * Creates a detector; options may be NULL. The caller frees *detector with dp_detector_free(); on
 * failure it is not written. Errors: DP_ERR_ARGUMENT (a window out of range, an invalid size),
 * DP_ERR_NOMEM.
 */
DP_API int dp_detector_new(struct dp_detector **detector, const struct dp_detector_options *options,
			   struct dp_error *error);

/* Frees a detector without reporting anything; NULL is allowed. */
DP_API void dp_detector_free(struct dp_detector *detector);

/*
 * Feeds symbols[0..count), which may have any values and are copied. An iteration is reported once
 * later symbols cannot change it: if it equals the pattern, after at most 65 symbols of the next
 * iteration; otherwise after 96 symbols without a difference, or after a few thousand symbols.
 *
 * Errors: DP_ERR_NOMEM, after which every call except dp_detector_free() fails in the same way;
 * DP_ERR_ARGUMENT after dp_detector_finish().
 */
DP_API int dp_detector_feed(struct dp_detector *detector, const uint32_t *symbols, size_t count,
			    struct dp_error *error);

/*
 * Ends the sequence: searches the window once more and reports what is still open, including a
 * partial last iteration. Errors: as dp_detector_feed().
 */
DP_API int dp_detector_finish(struct dp_detector *detector, struct dp_error *error);

/* The number of symbols fed so far, and the memory occupied in bytes. Constant cost. */
DP_API uint64_t dp_detector_fed(const struct dp_detector *detector);
DP_API size_t dp_detector_bytes(const struct dp_detector *detector);

#ifdef __cplusplus
}
#endif

#endif
