/* The graph that is replayed: calls, operations, and what each waits for. */
#ifndef DP_ACTIVITY_REPLAY_MODEL_H
#define DP_ACTIVITY_REPLAY_MODEL_H

#include "activity/replay.h"

#define DP_REPLAY_NONE SIZE_MAX

/* A call of a launching thread that is inside no other. */
struct dp_replay_call {
	size_t call;
	int64_t start_ns;
	int64_t end_ns;
	size_t before;	 /* the call that ended last before it began; none: it begins when it did */
	bool overlaps;	 /* it began before that one ended: it moves with its neighbour */
	size_t wait_for; /* the operation whose end, or start, let it return */
	bool wait_start;
	size_t launches; /* the last operation that it launches */
	bool input;	 /* the host's time before it is input wait, */
	bool host;	 /* or other host wait; */
	bool stalls;	 /* it is a stall in such a gap; */
	bool inside;	 /* its wait was inside an iteration */
};

struct dp_replay_op {
	uint32_t op;
	int64_t start_ns;
	int64_t end_ns;
	size_t call;	   /* that launched it */
	bool from_begin;   /* it starts before that call returns */
	size_t before;	   /* on its stream */
	size_t other;	   /* on another stream, which it waits for */
	int64_t before_ns; /* between the two */
	int64_t other_ns;
	int64_t launch_ns; /* between its launch and it */
};

enum dp_replay_kind { DP_REPLAY_CALL_BEGINS, DP_REPLAY_OP, DP_REPLAY_CALL_ENDS };

/* In their original order, nothing precedes what it waits for. */
struct dp_replay_event {
	int64_t time_ns;
	uint32_t rank; /* order at equal times: calls end, others begin, operations start */
	uint32_t kind;
	uint32_t index;
};

struct dp_replay_model {
	const struct dp_replay_input *input;
	struct dp_replay_op *ops;
	size_t op_count;
	struct dp_replay_call *calls;
	size_t call_count;
	struct dp_replay_event *events;
	size_t event_count;
	int64_t think_ns; /* the host's time between calls if nothing delays it */
	int64_t gap_ns;	  /* between queued operations of a stream */
};

/*
 * The caller releases model with fini, also after a failure. An empty one has no operations.
 * Errors: DP_ERR_NOMEM.
 */
int dp_replay_model__init(struct dp_replay_model *model, const struct dp_replay_input *input);
void dp_replay_model__fini(struct dp_replay_model *model);

/* Returns true for a copy between the device and the host's pageable memory. */
bool dp_replay_model__is_pageable(const struct dp_ops *ops, size_t op);

/* The operation that begins at a time; of several, the kernel. */
size_t dp_replay_model__op_at(const struct dp_replay_model *model, int64_t time_ns);

/* Why something began, or a call returned, at its time. */
enum dp_replay_reason {
	REASON_NONE,
	REASON_CALL,	   /* the end of a call, */
	REASON_CALL_BEGIN, /* or its beginning */
	REASON_OP,	   /* the same of an operation */
	REASON_OP_START,
};

struct dp_replay_cause {
	uint8_t reason;
	size_t index;
};

/* How long a stream has been busy, and until when. */
struct dp_replay_work {
	int64_t busy_ns;
	int64_t until_ns;
};

/* When an operation runs. */
struct dp_replay_span {
	int64_t start_ns;
	int64_t end_ns;
};

/* One run of a model, with something changed. */
struct dp_replay_run {
	const struct dp_replay_model *model;
	enum dp_replay_change change;
	int64_t *op_start;
	int64_t *op_end;
	int64_t *call_start;
	int64_t *call_end;
	struct dp_replay_work *work; /* room for one per operation */
	struct dp_replay_span *spans; /* the same */
	size_t *seen; /* of each operation: it, or the last before it on its stream, not hidden */
	int64_t comm_end; /* of communication that runs concurrently with the rest */
	/* The last event that each waited for; NULL: not needed. */
	struct dp_replay_cause *op_cause;
	struct dp_replay_cause *start_cause;
	struct dp_replay_cause *end_cause;
};

/* Returns true if an operation of the trace is communication. */
bool dp_replay_run__is_comm(const struct dp_replay_run *run, uint32_t op);

/*
 * Finds the critical path of a run. Errors: DP_ERR_NOMEM. Cost: linear in its events, n log n in
 * the names on the path.
 */
int dp_replay_path__find(struct dp_replay *replay, const struct dp_replay_run *run);

#endif
