/* Kernels to symbols. */
#include "sequence/sequence.h"
#include "base/strings.h"
#include "sequence/family.h"

#include <string.h>

void dp_sequence__fini(struct dp_sequence *sequence)
{
	free(sequence->symbols);
	free(sequence->ops);
	free(sequence->names);
	free(sequence->family);
	free(sequence->kind);
	memset(sequence, 0, sizeof(*sequence));
}

static bool belongs(const struct dp_ops *ops, uint32_t op, int64_t start_ns, int64_t end_ns)
{
	return dp_op_is_kernel(ops->kind[op]) && ops->start_ns[op] >= start_ns &&
	       ops->start_ns[op] < end_ns;
}

/* symbol_of[name] is the name's symbol + 1; names get symbols as they come. */
static int read_symbols(struct dp_sequence *sequence, const uint32_t *rows, size_t count,
			int64_t start_ns, int64_t end_ns, uint32_t *symbol_of, size_t names)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	size_t room = 0;

	for (size_t i = 0; i < count; i++) {
		/* Kernels without a name share one: their number is beyond the string table. */
		uint32_t op = rows[i];
		size_t name = DP_MIN((size_t)ops->name[op], names);

		if (!belongs(ops, op, start_ns, end_ns)) {
			if (!dp_op_is_kernel(ops->kind[op]))
				continue;
			if (ops->start_ns[op] >= end_ns)
				sequence->behind = DP_MIN(sequence->behind, op);
			else
				sequence->before = op;
			continue;
		}
		if (!symbol_of[name]) {
			if (dp_array__reserve(&sequence->names, &room, sequence->alphabet + 1,
					      sizeof(*sequence->names)))
				return DP_ERR_NOMEM;
			sequence->names[sequence->alphabet] = ops->name[op];
			symbol_of[name] = ++sequence->alphabet;
		}
		sequence->symbols[sequence->count] = symbol_of[name] - 1;
		sequence->ops[sequence->count++] = op;
		sequence->launches |= ops->call[op] != DP_NONE;
	}
	return DP_OK;
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
		sequence->kind[i] = (uint8_t)dp_family__kind(name);
	}
	status = DP_OK;
out:
	free(text);
	dp_strings__fini(&families);
	return status;
}

int dp_sequence__init(struct dp_sequence *sequence, const struct dp_trace *trace, uint32_t stream,
		      int64_t start_ns, int64_t end_ns, struct dp_error *error)
{
	size_t count, names = dp_trace_string_count(trace);
	const uint32_t *rows = dp_trace_stream_ops(trace, stream, &count);
	uint32_t *symbol_of = NULL;
	int status = DP_ERR_NOMEM;

	memset(sequence, 0, sizeof(*sequence));
	sequence->trace = trace;
	sequence->stream = stream;
	sequence->before = sequence->behind = DP_NONE;
	symbol_of = dp_alloc__zeroed(names + 1, sizeof(*symbol_of));
	sequence->symbols = dp_alloc__array(count, sizeof(*sequence->symbols));
	sequence->ops = dp_alloc__array(count, sizeof(*sequence->ops));
	if (symbol_of && sequence->symbols && sequence->ops)
		status = read_symbols(sequence, rows, count, start_ns, end_ns, symbol_of, names);
	if (!status)
		status = read_families(sequence);
	free(symbol_of);
	return status ? dp_error__nomem(error, 0) : DP_OK;
}
