/* Tables of the ranks of a job. */
#include "table/table.h"

/* A part of the own time of a struct, which is its row's member of. */
#define PART(type, name, part, help)                                          \
	{                                                                     \
		name, DP_CELL_DOUBLE, offsetof(type, of.part_ns[part]), "ns", \
			"of its own time, " help                              \
	}
#define PARTS(type)                                                                    \
	PART(type, "compute_ns", DP_RANK_COMPUTE, "kernels that compute"),             \
		PART(type, "communication_ns", DP_RANK_COMMUNICATION,                  \
		     "exposed communication without waiting"),                         \
		PART(type, "copy_ns", DP_RANK_COPY, "exposed copies"),                 \
		PART(type, "input_wait_ns", DP_RANK_INPUT_WAIT, "waiting for input"),  \
		PART(type, "host_wait_ns", DP_RANK_HOST_WAIT, "waiting for the host"), \
		PART(type, "other_ns", DP_RANK_OTHER, "the rest")

struct rank_row {
	struct dp_rank of;
	const char *rank_from;
	bool blamed;
};

static const struct dp_field rank_fields[] = {
	DP_FIELD_OF(struct rank_row, rank, DP_CELL_INT64, NULL, "the rank's number"),
	DP_FIELD(struct rank_row, rank_from, DP_CELL_TEXT, NULL,
		 "where the number comes from: trace, name or order"),
	DP_FIELD_OF(struct rank_row, host, DP_CELL_TEXT, NULL, "the host; empty: not recorded"),
	DP_FIELD_OF(struct rank_row, file, DP_CELL_TEXT, NULL, "the trace file"),
	DP_FIELD_OF(struct rank_row, iterations, DP_CELL_INT64, "count", "whole iterations"),
	DP_FIELD_OF(struct rank_row, period_ns, DP_CELL_DOUBLE, "ns", "median period"),
	DP_FIELD_OF(struct rank_row, own_ns, DP_CELL_DOUBLE, "ns",
		    "mean time of an iteration without waiting for other ranks"),
	DP_FIELD_OF(struct rank_row, wait_ns, DP_CELL_DOUBLE, "ns",
		    "mean exposed waiting for other ranks in an iteration"),
	PARTS(struct rank_row),
	DP_FIELD_OF(struct rank_row, collectives, DP_CELL_INT64, "count", "its collectives"),
	DP_FIELD_OF(struct rank_row, matched, DP_CELL_INT64, "count",
		    "those with a counterpart on another rank"),
	DP_FIELD_OF(struct rank_row, shared, DP_CELL_INT64, "count",
		    "those that synchronize all members of their group"),
	DP_FIELD_OF(struct rank_row, last, DP_CELL_INT64, "count",
		    "of these, those that it was the last to reach"),
	DP_FIELD_OF(struct rank_row, offset_ns, DP_CELL_DOUBLE, "ns",
		    "its clock minus that of the first rank"),
	DP_FIELD_OF(struct rank_row, drift_ppm, DP_CELL_DOUBLE, "ppm",
		    "how much faster its clock is than that of the first rank"),
	DP_FIELD_OF(struct rank_row, resolution_ns, DP_CELL_DOUBLE, "ns",
		    "how well the ends of collectives agree after that"),
	DP_FIELD(struct rank_row, blamed, DP_CELL_BOOL, NULL, "it holds the job up"),
	DP_FIELD_OF(struct rank_row, device, DP_CELL_INT64, NULL,
		    "the number of its GPU in the file; -1: unknown"),
	DP_FIELD_OF(struct rank_row, file_ranks, DP_CELL_INT64, "count",
		    "ranks that the file holds"),
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

static enum dp_table_row rank_row(void *out, const struct dp_table_rows *rows, size_t of,
				  size_t index)
{
	const struct dp_rank *rank = dp_ranks_rank(rows->ranks, index);

	if (!rank)
		return DP_ROW_END;
	*(struct rank_row *)out = (struct rank_row){
		*rank,
		dp_rank_from_name(rank->rank_from),
		is_blamed(rows->ranks, index),
	};
	return DP_ROW;
}

const struct dp_table dp_table__ranks = {
	.info = { "ranks", "ranks", "the ranks, in order of their numbers" },
	.fields = rank_fields,
	.row_size = sizeof(struct rank_row),
	.each = DP_EACH_TABLE,
	.row = rank_row,
};

/* Iterations, by rank. */

struct iteration_row {
	int64_t iteration, rank;
	struct dp_rank_iteration of;
};

static const struct dp_field iteration_fields[] = {
	DP_FIELD(struct iteration_row, iteration, DP_CELL_INT64, NULL,
		 "the job's iteration, from 0"),
	DP_FIELD(struct iteration_row, rank, DP_CELL_INT64, NULL, "the rank's number"),
	DP_FIELD_OF(struct iteration_row, start_ns, DP_CELL_INT64, "ns",
		    "its start on the first rank's clock, from that rank's first operation"),
	DP_FIELD_OF(struct iteration_row, period_ns, DP_CELL_DOUBLE, "ns",
		    "from its start to the next one's"),
	DP_FIELD_OF(struct iteration_row, own_ns, DP_CELL_DOUBLE, "ns",
		    "its time without waiting for other ranks"),
	DP_FIELD_OF(struct iteration_row, wait_ns, DP_CELL_DOUBLE, "ns",
		    "exposed waiting for other ranks"),
	PARTS(struct iteration_row),
	{ NULL },
};

static enum dp_table_row iteration_row(void *out, const struct dp_table_rows *rows, size_t of,
				       size_t index)
{
	const struct dp_rank *rank = dp_ranks_rank(rows->ranks, index);
	const struct dp_rank_iteration *at = dp_ranks_iteration(rows->ranks, index, of);

	if (at)
		*(struct iteration_row *)out =
			(struct iteration_row){ (int64_t)of, rank->rank, *at };
	return at ? DP_ROW : rank ? DP_ROW_NONE : DP_ROW_END;
}

const struct dp_table dp_table__rank_iterations = {
	.info = { "rank_iterations", "ranks", "the job's iterations on each rank that has them" },
	.fields = iteration_fields,
	.row_size = sizeof(struct iteration_row),
	.each = DP_EACH_RANK_ITERATION,
	.row = iteration_row,
};

/* Collectives, by kind, size and process group. */

struct collective_row {
	const char *kind;
	struct dp_ranks_collective of;
	int64_t bytes;
};

static const struct dp_field collective_fields[] = {
	DP_FIELD(struct collective_row, kind, DP_CELL_TEXT, NULL,
		 "its kind, such as allreduce or send-receive"),
	DP_FIELD_OF(struct collective_row, group, DP_CELL_TEXT, NULL,
		    "the process group, as the traces name it"),
	DP_FIELD_OF(struct collective_row, group_size, DP_CELL_INT64, "count",
		    "members of the group"),
	DP_FIELD_OF(struct collective_row, present, DP_CELL_INT64, "count",
		    "members that have a trace"),
	DP_FIELD_OF(struct collective_row, count, DP_CELL_INT64, "count", "matched calls"),
	DP_FIELD(struct collective_row, bytes, DP_CELL_ID, "bytes", "size of a call"),
	DP_FIELD_OF(struct collective_row, own_ns, DP_CELL_DOUBLE, "ns",
		    "median time of a call without waiting"),
	DP_FIELD_OF(struct collective_row, wait_ns, DP_CELL_DOUBLE, "ns",
		    "mean waiting per call and rank"),
	DP_FIELD_OF(struct collective_row, algorithm_bandwidth, DP_CELL_DOUBLE, "bytes/s",
		    "size divided by own_ns"),
	DP_FIELD_OF(struct collective_row, bus_bandwidth, DP_CELL_DOUBLE, "bytes/s",
		    "the same for the traffic of the links, as nccl-tests define it"),
	DP_FIELD_OF(struct collective_row, one_host, DP_CELL_BOOL, NULL,
		    "all members that have a trace run on one host"),
	{ NULL },
};

static enum dp_table_row collective_row(void *out, const struct dp_table_rows *rows, size_t of,
					size_t index)
{
	const struct dp_ranks_collective *at = dp_ranks_collective(rows->ranks, index);

	if (!at)
		return DP_ROW_END;
	*(struct collective_row *)out = (struct collective_row){
		dp_collective_kind_name(at->kind),
		*at,
		at->bytes ? (int64_t)at->bytes : -1,
	};
	return DP_ROW;
}

const struct dp_table dp_table__collectives = {
	.info = { "collectives", "ranks", "matched collectives by kind, size and process group" },
	.fields = collective_fields,
	.row_size = sizeof(struct collective_row),
	.each = DP_EACH_TABLE,
	.row = collective_row,
};

/* Collectives, as each rank ran them. */

struct call_row {
	int64_t rank, bytes;
	const char *kind;
	struct dp_rank_call of;
};

static const struct dp_field call_fields[] = {
	DP_FIELD(struct call_row, rank, DP_CELL_INT64, NULL, "the rank's number"),
	DP_FIELD_OF(struct call_row, iteration, DP_CELL_ID, NULL, "the job's iteration, from 0"),
	DP_FIELD_OF(struct call_row, instance, DP_CELL_ID, NULL,
		    "the same number on all ranks that took part; null: not matched"),
	DP_FIELD(struct call_row, kind, DP_CELL_TEXT, NULL,
		 "its kind, such as allreduce or send-receive"),
	DP_FIELD_OF(struct call_row, group, DP_CELL_TEXT, NULL,
		    "the process group, as the traces name it"),
	DP_FIELD(struct call_row, bytes, DP_CELL_ID, "bytes", "its size"),
	DP_FIELD_OF(struct call_row, start_ns, DP_CELL_INT64, "ns",
		    "its start on the first rank's clock, from that rank's first operation"),
	DP_FIELD_OF(struct call_row, end_ns, DP_CELL_INT64, "ns", "its end on that clock"),
	DP_FIELD_OF(struct call_row, wait_ns, DP_CELL_INT64, "ns",
		    "the part of that time spent waiting for other ranks"),
	{ NULL },
};

static enum dp_table_row call_row(void *out, const struct dp_table_rows *rows, size_t of,
				  size_t index)
{
	struct call_row *row = out;

	row->of = (struct dp_rank_call)DP_RANK_CALL_INIT;
	if (!dp_ranks_call(rows->ranks, of, index, &row->of))
		return DP_ROW_END;
	row->rank = dp_ranks_rank(rows->ranks, of)->rank;
	row->kind = dp_collective_kind_name(row->of.kind);
	row->bytes = row->of.bytes ? (int64_t)row->of.bytes : -1;
	return DP_ROW;
}

const struct dp_table dp_table__rank_collectives = {
	.info = { "rank_collectives", "ranks", "collectives as each rank ran them, by end" },
	.fields = call_fields,
	.row_size = sizeof(struct call_row),
	.each = DP_EACH_RANK,
	.row = call_row,
};
