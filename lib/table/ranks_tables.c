/* Tables of the ranks of a job. */
#include "table/table.h"

/* A struct's own time by its parts, in the order of enum dp_rank_part. */
#define PART_FIELDS(type)                                                                       \
	DP_FIELD(type, compute_ns, DP_CELL_DOUBLE, "ns", "of its own time, kernels that compute"), \
		DP_FIELD(type, communication_ns, DP_CELL_DOUBLE, "ns",                          \
			 "of its own time, exposed communication without waiting"),             \
		DP_FIELD(type, copy_ns, DP_CELL_DOUBLE, "ns", "of its own time, exposed copies"), \
		DP_FIELD(type, input_wait_ns, DP_CELL_DOUBLE, "ns",                             \
			 "of its own time, waiting for input"),                                 \
		DP_FIELD(type, host_wait_ns, DP_CELL_DOUBLE, "ns",                              \
			 "of its own time, waiting for the host"),                              \
		DP_FIELD(type, other_ns, DP_CELL_DOUBLE, "ns", "of its own time, the rest")

struct rank_row {
	int64_t rank;
	const char *rank_from, *host, *file;
	int64_t iterations;
	double period_ns, own_ns, wait_ns;
	double compute_ns, communication_ns, copy_ns, input_wait_ns, host_wait_ns, other_ns;
	int64_t collectives, matched, shared, last;
	double offset_ns, drift_ppm, resolution_ns;
	bool blamed;
};

static const struct dp_field rank_fields[] = {
	DP_FIELD(struct rank_row, rank, DP_CELL_INT64, NULL, "the rank's number"),
	DP_FIELD(struct rank_row, rank_from, DP_CELL_TEXT, NULL,
		 "what that is from: trace, name or order"),
	DP_FIELD(struct rank_row, host, DP_CELL_TEXT, NULL, "the host; empty: not recorded"),
	DP_FIELD(struct rank_row, file, DP_CELL_TEXT, NULL, "the trace file"),
	DP_FIELD(struct rank_row, iterations, DP_CELL_INT64, "count", "whole iterations"),
	DP_FIELD(struct rank_row, period_ns, DP_CELL_DOUBLE, "ns", "median period"),
	DP_FIELD(struct rank_row, own_ns, DP_CELL_DOUBLE, "ns",
		 "mean time of an iteration without waiting for other ranks"),
	DP_FIELD(struct rank_row, wait_ns, DP_CELL_DOUBLE, "ns",
		 "mean exposed waiting for other ranks in an iteration"),
	PART_FIELDS(struct rank_row),
	DP_FIELD(struct rank_row, collectives, DP_CELL_INT64, "count", "its collectives"),
	DP_FIELD(struct rank_row, matched, DP_CELL_INT64, "count",
		 "those with a counterpart on another rank"),
	DP_FIELD(struct rank_row, shared, DP_CELL_INT64, "count",
		 "those that synchronize all members of their group"),
	DP_FIELD(struct rank_row, last, DP_CELL_INT64, "count",
		 "of these, those that it was the last to reach"),
	DP_FIELD(struct rank_row, offset_ns, DP_CELL_DOUBLE, "ns",
		 "its clock less that of the first rank"),
	DP_FIELD(struct rank_row, drift_ppm, DP_CELL_DOUBLE, "ppm",
		 "how much faster its clock is than that of the first rank"),
	DP_FIELD(struct rank_row, resolution_ns, DP_CELL_DOUBLE, "ns",
		 "how well the ends of collectives agree after that"),
	DP_FIELD(struct rank_row, blamed, DP_CELL_BOOL, NULL, "it holds the job up"),
	{ NULL },
};

static bool is_blamed(const struct dp_ranks *ranks, size_t index)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);

	for (size_t i = 0; i < verdict->rank_count; i++)
		if (verdict->ranks[i] == index)
			return true;
	return false;
}

static int list_ranks(struct dp_table_rows *rows)
{
	const struct dp_rank *rank;

	for (size_t i = 0; (rank = dp_ranks_rank(rows->ranks, i)); i++) {
		struct rank_row *row = dp_table_rows__add(rows);

		if (!row)
			return DP_ERR_NOMEM;
		*row = (struct rank_row){
			rank->rank,
			dp_rank_from_name(rank->rank_from),
			rank->host,
			rank->file,
			(int64_t)rank->iterations,
			rank->period_ns,
			rank->own_ns,
			rank->wait_ns,
			rank->part_ns[DP_RANK_COMPUTE],
			rank->part_ns[DP_RANK_COMMUNICATION],
			rank->part_ns[DP_RANK_COPY],
			rank->part_ns[DP_RANK_INPUT_WAIT],
			rank->part_ns[DP_RANK_HOST_WAIT],
			rank->part_ns[DP_RANK_OTHER],
			(int64_t)rank->collectives,
			(int64_t)rank->matched,
			(int64_t)rank->shared,
			(int64_t)rank->last,
			rank->offset_ns,
			rank->drift_ppm,
			rank->resolution_ns,
			is_blamed(rows->ranks, i),
		};
	}
	return DP_OK;
}

const struct dp_table dp_table__ranks = {
	.info = { "ranks", "ranks", "the ranks, in order of their numbers" },
	.fields = rank_fields,
	.row_size = sizeof(struct rank_row),
	.list = list_ranks,
};

/* Iterations, by rank. */

struct iteration_row {
	int64_t iteration, rank, start_ns;
	double period_ns, own_ns, wait_ns;
	double compute_ns, communication_ns, copy_ns, input_wait_ns, host_wait_ns, other_ns;
};

static const struct dp_field iteration_fields[] = {
	DP_FIELD(struct iteration_row, iteration, DP_CELL_INT64, NULL,
		 "the job's iteration, from 0"),
	DP_FIELD(struct iteration_row, rank, DP_CELL_INT64, NULL, "the rank's number"),
	DP_FIELD(struct iteration_row, start_ns, DP_CELL_INT64, "ns",
		 "its start on the first rank's clock, from that rank's first operation"),
	DP_FIELD(struct iteration_row, period_ns, DP_CELL_DOUBLE, "ns",
		 "from its start to the next one's"),
	DP_FIELD(struct iteration_row, own_ns, DP_CELL_DOUBLE, "ns",
		 "that time without waiting for other ranks"),
	DP_FIELD(struct iteration_row, wait_ns, DP_CELL_DOUBLE, "ns",
		 "exposed waiting for other ranks"),
	PART_FIELDS(struct iteration_row),
	{ NULL },
};

static int add_iteration(struct dp_table_rows *rows, size_t iteration, size_t rank,
			 const struct dp_rank_iteration *at)
{
	struct iteration_row *row = dp_table_rows__add(rows);

	if (!row)
		return DP_ERR_NOMEM;
	*row = (struct iteration_row){
		(int64_t)iteration,
		dp_ranks_rank(rows->ranks, rank)->rank,
		at->start_ns,
		at->period_ns,
		at->own_ns,
		at->wait_ns,
		at->part_ns[DP_RANK_COMPUTE],
		at->part_ns[DP_RANK_COMMUNICATION],
		at->part_ns[DP_RANK_COPY],
		at->part_ns[DP_RANK_INPUT_WAIT],
		at->part_ns[DP_RANK_HOST_WAIT],
		at->part_ns[DP_RANK_OTHER],
	};
	return DP_OK;
}

static int list_iterations(struct dp_table_rows *rows)
{
	const struct dp_rank_iteration *at;
	int status = DP_OK;

	for (size_t i = 0; i < dp_ranks_iteration_count(rows->ranks); i++)
		for (size_t r = 0; r < dp_ranks_count(rows->ranks) && !status; r++) {
			at = dp_ranks_iteration(rows->ranks, r, i);
			if (at)
				status = add_iteration(rows, i, r, at);
		}
	return status;
}

const struct dp_table dp_table__rank_iterations = {
	.info = { "rank_iterations", "ranks", "the job's iterations on each rank that has them" },
	.fields = iteration_fields,
	.row_size = sizeof(struct iteration_row),
	.list = list_iterations,
};

/* Collectives, by kind, size and process group. */

struct collective_row {
	const char *kind, *group;
	int64_t group_size, present, count, bytes;
	double own_ns, wait_ns, algorithm_bandwidth, bus_bandwidth;
	bool one_host;
};

static const struct dp_field collective_fields[] = {
	DP_FIELD(struct collective_row, kind, DP_CELL_TEXT, NULL,
		 "as in allreduce or send-receive"),
	DP_FIELD(struct collective_row, group, DP_CELL_TEXT, NULL,
		 "the process group, as the traces name it"),
	DP_FIELD(struct collective_row, group_size, DP_CELL_INT64, "count", "members of the group"),
	DP_FIELD(struct collective_row, present, DP_CELL_INT64, "count",
		 "members that have a trace"),
	DP_FIELD(struct collective_row, count, DP_CELL_INT64, "count", "matched calls"),
	DP_FIELD(struct collective_row, bytes, DP_CELL_ID, "bytes", "size of one"),
	DP_FIELD(struct collective_row, own_ns, DP_CELL_DOUBLE, "ns",
		 "median time that one takes by itself"),
	DP_FIELD(struct collective_row, wait_ns, DP_CELL_DOUBLE, "ns",
		 "mean waiting per call and rank"),
	DP_FIELD(struct collective_row, algorithm_bandwidth, DP_CELL_DOUBLE, "bytes/s",
		 "size by own time"),
	DP_FIELD(struct collective_row, bus_bandwidth, DP_CELL_DOUBLE, "bytes/s",
		 "the same by the links' traffic, as nccl-tests define it"),
	DP_FIELD(struct collective_row, one_host, DP_CELL_BOOL, NULL,
		 "all members that have a trace are of one host"),
	{ NULL },
};

static int list_collectives(struct dp_table_rows *rows)
{
	const struct dp_ranks_collective *at;

	for (size_t i = 0; (at = dp_ranks_collective(rows->ranks, i)); i++) {
		struct collective_row *row = dp_table_rows__add(rows);

		if (!row)
			return DP_ERR_NOMEM;
		*row = (struct collective_row){
			dp_collective_kind_name(at->kind),
			at->group,
			(int64_t)at->group_size,
			(int64_t)at->present,
			(int64_t)at->count,
			at->bytes ? (int64_t)at->bytes : -1,
			at->own_ns,
			at->wait_ns,
			at->algorithm_bandwidth,
			at->bus_bandwidth,
			at->one_host,
		};
	}
	return DP_OK;
}

const struct dp_table dp_table__collectives = {
	.info = { "collectives", "ranks", "matched collectives by kind, size and process group" },
	.fields = collective_fields,
	.row_size = sizeof(struct collective_row),
	.list = list_collectives,
};

/* Collectives, as each rank ran them. */

struct call_row {
	int64_t rank, iteration, instance, bytes, start_ns, end_ns, wait_ns;
	const char *kind, *group;
};

static const struct dp_field call_fields[] = {
	DP_FIELD(struct call_row, rank, DP_CELL_INT64, NULL, "the rank's number"),
	DP_FIELD(struct call_row, iteration, DP_CELL_ID, NULL, "the job's iteration, from 0"),
	DP_FIELD(struct call_row, instance, DP_CELL_ID, NULL,
		 "the same number on all ranks that took part; null: not matched"),
	DP_FIELD(struct call_row, kind, DP_CELL_TEXT, NULL, "as in allreduce or send-receive"),
	DP_FIELD(struct call_row, group, DP_CELL_TEXT, NULL,
		 "the process group, as the traces name it"),
	DP_FIELD(struct call_row, bytes, DP_CELL_ID, "bytes", "its size"),
	DP_FIELD(struct call_row, start_ns, DP_CELL_INT64, "ns",
		 "its start on the first rank's clock, from that rank's first operation"),
	DP_FIELD(struct call_row, end_ns, DP_CELL_INT64, "ns", "its end on that clock"),
	DP_FIELD(struct call_row, wait_ns, DP_CELL_INT64, "ns",
		 "of that time: waiting for other ranks, at its beginning"),
	{ NULL },
};

static int list_calls(struct dp_table_rows *rows)
{
	const struct dp_rank *rank;
	struct dp_rank_call call;

	for (size_t r = 0; (rank = dp_ranks_rank(rows->ranks, r)); r++)
		for (size_t i = 0; dp_ranks_call(rows->ranks, r, i, &call); i++) {
			struct call_row *row = dp_table_rows__add(rows);

			if (!row)
				return DP_ERR_NOMEM;
			*row = (struct call_row){
				rank->rank,
				call.iteration,
				call.instance,
				call.bytes ? (int64_t)call.bytes : -1,
				call.start_ns,
				call.end_ns,
				call.wait_ns,
				dp_collective_kind_name(call.kind),
				call.group,
			};
		}
	return DP_OK;
}

const struct dp_table dp_table__rank_collectives = {
	.info = { "rank_collectives", "ranks", "collectives as each rank ran them, by end" },
	.fields = call_fields,
	.row_size = sizeof(struct call_row),
	.list = list_calls,
};
