/*
 * Turns kernels, or all operations, into symbols: is_symbol() has which operations, and symbol_of()
 * which of them are the same symbol.
 *
 * Cost: linear in the operations of the group, and once in the length of each name.
 */
#include "sequence/sequence.h"
#include "base/strings.h"
#include "sequence/family.h"
#include "sequence/graphs.h"

#include <string.h>

void dp_sequence__fini(struct dp_sequence *sequence)
{
	free(sequence->symbols);
	free(sequence->ops);
	free(sequence->names);
	free(sequence->family);
	free(sequence->kind);
	free(sequence->op_kind);
	memset(sequence, 0, sizeof(*sequence));
}

/* Symbols besides names: copies by kind, and memsets. */
enum { MOVE_SET = DP_COPY_UM_DTOD + 1, MOVES };

/* The operations read so far, and their symbols. */
struct reader {
	struct dp_sequence *sequence;
	enum dp_symbol_source source; /* which operations become symbols */
	int64_t start_ns, end_ns;
	uint32_t *symbol_of; /* of each name, then of copies by kind and memsets: the symbol + 1 */
	size_t names;
};

/* Returns true if an operation becomes a symbol. */
static bool is_symbol(const struct reader *reader, uint32_t op)
{
	const struct dp_ops *ops = dp_trace_ops(reader->sequence->trace);

	switch (reader->source) {
	case DP_SYMBOLS_OF_KERNELS:
		return dp_op_is_kernel(ops->kind[op]);
	case DP_SYMBOLS_OF_OPERATIONS:
		return ops->kind[op] != DP_OP_COPY || ops->copy_kind[op] < DP_COPY_UM_HTOD;
	}
	return false;
}

/* The slot for an operation's symbol. Kernels without a name share one past the string table. */
static uint32_t *symbol_of(const struct reader *reader, uint32_t op)
{
	const struct dp_ops *ops = dp_trace_ops(reader->sequence->trace);
	size_t move = ops->kind[op] == DP_OP_COPY ? ops->copy_kind[op] : (size_t)MOVE_SET;

	if (dp_op_is_kernel(ops->kind[op]))
		return &reader->symbol_of[DP_MIN((size_t)ops->name[op], reader->names)];
	return &reader->symbol_of[reader->names + 1 + move];
}

/* Notes an operation outside the requested time. */
static void note_outside(const struct reader *reader, uint32_t op)
{
	struct dp_sequence *sequence = reader->sequence;

	if (dp_trace_ops(sequence->trace)->start_ns[op] >= reader->end_ns)
		sequence->behind = DP_MIN(sequence->behind, op);
	else
		sequence->before = op;
}

static void add_symbol(struct reader *reader, uint32_t op)
{
	struct dp_sequence *sequence = reader->sequence;
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);

	sequence->names[sequence->alphabet] = ops->name[op];
	sequence->op_kind[sequence->alphabet] = ops->kind[op];
	*symbol_of(reader, op) = ++sequence->alphabet;
}

/* Assigns symbols to names in order of first appearance. */
static int read_symbols(struct reader *reader, const struct dp_stream_group *group)
{
	struct dp_sequence *sequence = reader->sequence;
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);

	for (size_t i = 0; i < group->count; i++) {
		uint32_t op = group->rows[i];

		if (!is_symbol(reader, op))
			continue;
		if (ops->start_ns[op] >= reader->start_ns && ops->start_ns[op] < reader->end_ns)
			sequence->ops[sequence->count++] = op;
		else
			note_outside(reader, op);
	}
	if (group->by_launch &&
	    dp_stream_group__by_launch(sequence->ops, sequence->count, sequence->trace))
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < sequence->count; i++) {
		uint32_t op = sequence->ops[i], *symbol = symbol_of(reader, op);

		if (!*symbol)
			add_symbol(reader, op);
		sequence->symbols[i] = *symbol - 1;
		sequence->launches |= ops->call[op] != DP_NONE;
	}
	return DP_OK;
}

/* What a kernel does. A graph may contain anything, thus also the kernels of a network. */
static enum dp_kernel_kind kernel_kind_of(uint8_t op_kind, const char *name)
{
	if (op_kind == DP_OP_GRAPH)
		return DP_KERNEL_NETWORK;
	return op_kind == DP_OP_KERNEL ? dp_family__kind(name) : DP_KERNEL_MOVES;
}

/* Gives graphs that are captured again the symbol that they first had. */
static int join_graphs(struct dp_sequence *sequence)
{
	uint32_t *first = dp_alloc__array(sequence->alphabet, sizeof(*first)), used = 0;
	int status = first ? dp_graphs__find_recaptured(first, sequence) : DP_ERR_NOMEM;

	for (uint32_t s = 0; s < sequence->alphabet && !status; s++) {
		if (first[s] < s) {
			first[s] = first[first[s]];
			continue;
		}
		sequence->names[used] = sequence->names[s];
		sequence->op_kind[used] = sequence->op_kind[s];
		first[s] = used++;
	}
	for (size_t i = 0; i < sequence->count && used < sequence->alphabet && !status; i++)
		sequence->symbols[i] = first[sequence->symbols[i]];
	if (!status)
		sequence->alphabet = used;
	free(first);
	return status;
}

static int read_families(struct dp_sequence *sequence)
{
	struct dp_strings families = { 0 };
	size_t room = 0;
	char *text = NULL;
	int status = DP_ERR_NOMEM;

	sequence->family = dp_alloc__array(sequence->alphabet, sizeof(*sequence->family));
	sequence->kind = dp_alloc__array(sequence->alphabet, 1);
	if (!sequence->family || !sequence->kind)
		goto out;
	for (uint32_t i = 0; i < sequence->alphabet; i++) {
		const char *name = dp_trace_string(sequence->trace, sequence->names[i]);

		if (dp_array__reserve(&text, &room, strlen(name) + 1, 1))
			goto out;
		sequence->family[i] =
			dp_strings__intern(&families, text, dp_family__name(text, name));
		if (sequence->family[i] == DP_NONE)
			goto out;
		sequence->kind[i] = (uint8_t)kernel_kind_of(sequence->op_kind[i], name);
	}
	status = DP_OK;
out:
	free(text);
	dp_strings__fini(&families);
	return status;
}

static bool has_copies(const struct dp_trace *trace, struct dp_stream_range range)
{
	for (size_t s = range.first; s < range.end; s++)
		if (dp_trace_stream(trace, s)->copies)
			return true;
	return false;
}

int dp_sequence__init(struct dp_sequence *sequence, const struct dp_trace *trace,
		      const struct dp_stream_group *group, enum dp_symbol_source source,
		      int64_t start_ns, int64_t end_ns)
{
	struct reader reader = { sequence, source, start_ns,
				 end_ns,   NULL,   dp_trace_string_count(trace) };
	size_t most = reader.names + 1 + MOVES;
	int status = DP_ERR_NOMEM;

	memset(sequence, 0, sizeof(*sequence));
	sequence->trace = trace;
	sequence->stream = group->stream;
	sequence->has_copies = has_copies(trace, group->range);
	sequence->before = sequence->behind = DP_NONE;
	reader.symbol_of = dp_alloc__zeroed(most, sizeof(*reader.symbol_of));
	sequence->names = dp_alloc__array(most, sizeof(*sequence->names));
	sequence->op_kind = dp_alloc__array(most, sizeof(*sequence->op_kind));
	sequence->symbols = dp_alloc__array(group->count, sizeof(*sequence->symbols));
	sequence->ops = dp_alloc__array(group->count, sizeof(*sequence->ops));
	if (reader.symbol_of && sequence->names && sequence->op_kind && sequence->symbols &&
	    sequence->ops)
		status = read_symbols(&reader, group);
	if (!status)
		status = join_graphs(sequence);
	if (!status)
		status = read_families(sequence);
	free(reader.symbol_of);
	return status;
}

static const char *name_at(const void *ctx, size_t position)
{
	const struct dp_sequence *sequence = ctx;

	return position < sequence->count
		       ? dp_trace_string(sequence->trace,
					 sequence->names[sequence->symbols[position]])
		       : NULL;
}

struct dp_explain_names dp_sequence__names(const struct dp_sequence *sequence)
{
	bool kernels = true;

	for (uint32_t i = 0; i < sequence->alphabet; i++)
		kernels &= dp_op_is_kernel(sequence->op_kind[i]);
	return (struct dp_explain_names){ kernels ? NULL : "operation", name_at, sequence };
}
