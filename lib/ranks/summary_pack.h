/* Declarations shared by packing and unpacking a summary. */
#ifndef DP_RANKS_SUMMARY_PACK_H
#define DP_RANKS_SUMMARY_PACK_H

#include "ranks/summary.h"

/* Most bytes of a number: seven bits each. */
enum { DP_PACKED_NUMBER = 10 };

/* Flags of a call: what is as forecast, and left out. */
enum {
	DP_CALL_KEY = 1,
	DP_CALL_SEQUENCE = 2,
	DP_CALL_ITERATION = 4,
	DP_CALL_EXPOSED = 8, /* all of it is, and blocks */
	DP_CALL_HIDDEN = 16, /* nothing is exposed, and nothing blocks */
	DP_CALL_READY = 32,  /* it was not queued */
	DP_CALL_QUEUED = 64, /* it was; with neither flag, that is unknown */
	DP_CALL_FLAGS = 127
};

enum { DP_STEP_WHOLE = 1, DP_STEP_WARM_UP = 2, DP_STEP_FLAGS = 3 };
enum { DP_RANK_EPOCH = 1, DP_RANK_UNTIMED = 2, DP_RANK_DEVICE = 4, DP_RANK_FLAGS = 7 };
enum { DP_SHARE_OPERATOR = 128, DP_KEY_SENDS = 128 };

/* Clocks are in kHz, shares in millionths. */
#define DP_CLOCK_SCALE 1e3
#define DP_SHARE_SCALE 1e6

/*
 * What calls should be, given the previous ones: keys follow each other as they did the last time,
 * sequence numbers of a group continue, and the iteration stays.
 */
struct dp_call_forecast {
	uint32_t *next;	    /* per key: the one that followed it */
	int64_t *sequence;  /* per group: the last one */
	uint32_t key;	    /* of the previous call; DP_NONE: none */
	uint32_t iteration; /* of the call before */
	int64_t end_ns;	    /* of the call before */
};

/* Errors: DP_ERR_NOMEM. */
int dp_call_forecast__init(struct dp_call_forecast *forecast, size_t keys, size_t groups);
void dp_call_forecast__fini(struct dp_call_forecast *forecast);

static inline uint32_t dp_call_forecast__key(const struct dp_call_forecast *forecast)
{
	return forecast->key == DP_NONE ? 0 : forecast->next[forecast->key];
}

static inline int64_t dp_call_forecast__sequence(const struct dp_call_forecast *forecast,
						 uint32_t group)
{
	int64_t last = forecast->sequence[group];

	return last < 0 || last == INT64_MAX ? -1 : last + 1;
}

static inline void dp_call_forecast__take(struct dp_call_forecast *forecast,
					  const struct dp_call_summary *call, uint32_t key)
{
	if (forecast->key != DP_NONE)
		forecast->next[forecast->key] = key;
	forecast->sequence[call->group] = call->sequence;
	forecast->key = key;
	forecast->iteration = call->iteration;
	forecast->end_ns = call->end_ns;
}

#endif
