/* Tables as Arrow streams: what is in them, who owns it, and what happens when memory runs out. */
#include "alloc_fail.h"
#include "report_cases.h"
#include "table/table.h"
#include "test.h"

#include <deepprof/deepprof.h>
#include <math.h>

/* A table's schema and its first batch. */
struct table {
	struct ArrowSchema schema;
	struct ArrowArray batch;
};

static void open_stream(struct ArrowArrayStream *stream, const struct report_case *at,
			const char *name, bool nan)
{
	struct dp_table_options options = DP_TABLE_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;

	options.nan = nan;
	ck_assert_msg(!dp_analysis_table(stream, at->analysis, name, &options, &error), "%s: %s",
		      name, error.message);
}

static struct table read_table(const struct report_case *at, const char *name, bool nan)
{
	struct ArrowArrayStream stream;
	struct table table;

	open_stream(&stream, at, name, nan);
	ck_assert_int_eq(stream.get_schema(&stream, &table.schema), 0);
	ck_assert_int_eq(stream.get_next(&stream, &table.batch), 0);
	stream.release(&stream);
	ck_assert(!stream.release);
	return table;
}

static void free_table(struct table *table)
{
	if (table->batch.release)
		table->batch.release(&table->batch);
	table->schema.release(&table->schema);
}

static size_t column(const struct table *table, const char *name)
{
	for (int64_t i = 0; i < table->schema.n_children; i++)
		if (!strcmp(table->schema.children[i]->name, name))
			return (size_t)i;
	ck_abort_msg("no column %s", name);
}

static bool bit(const uint8_t *bits, size_t row)
{
	return bits[row / 8] >> row % 8 & 1;
}

static bool exists(const struct ArrowArray *array, size_t row)
{
	return !array->buffers[0] || bit(array->buffers[0], row);
}

static int64_t whole(const struct table *table, const char *name, size_t row)
{
	const struct ArrowArray *array = table->batch.children[column(table, name)];

	ck_assert_str_eq(table->schema.children[column(table, name)]->format, "l");
	ck_assert(exists(array, row));
	return ((const int64_t *)array->buffers[1])[row];
}

static uint32_t small(const struct table *table, const char *name, size_t row)
{
	const struct ArrowArray *array = table->batch.children[column(table, name)];

	ck_assert_str_eq(table->schema.children[column(table, name)]->format, "I");
	return ((const uint32_t *)array->buffers[1])[row];
}

static bool flag(const struct table *table, const char *name, size_t row)
{
	return bit(table->batch.children[column(table, name)]->buffers[1], row);
}

/* Checks an array's own description. */
static void check_array(const struct ArrowSchema *schema, const struct ArrowArray *array,
			int64_t rows)
{
	int64_t nulls = 0;

	ck_assert_int_eq(array->length, rows);
	ck_assert_int_eq(array->offset, 0);
	ck_assert_int_eq(array->n_children, schema->n_children);
	ck_assert(array->release != NULL);
	ck_assert_int_eq(array->n_buffers, *schema->format == '+'   ? 1
					   : *schema->format == 'U' ? 3
								    : 2);
	for (int64_t i = 0; array->buffers[0] && i < rows; i++)
		nulls += !exists(array, (size_t)i);
	ck_assert_int_eq(array->null_count, nulls);
	ck_assert(!nulls || schema->flags & ARROW_FLAG_NULLABLE);
	ck_assert_int_eq(!array->dictionary, !schema->dictionary);
	if (*schema->format == 'U') {
		const int64_t *offsets = array->buffers[1];

		ck_assert_int_eq(offsets[0], 0);
		for (int64_t i = 0; i < rows; i++)
			ck_assert_int_le(offsets[i], offsets[i + 1]);
	}
	if (array->dictionary)
		check_array(schema->dictionary, array->dictionary, array->dictionary->length);
	for (int64_t i = 0; i < array->n_children; i++)
		check_array(schema->children[i], array->children[i], rows);
}

/* The rows of all batches, which are checked for the loop that they are of; -1: of any. */
static int64_t count_rows(struct ArrowArrayStream *stream, int64_t loop)
{
	struct table table;
	int64_t rows = 0;

	ck_assert_int_eq(stream->get_schema(stream, &table.schema), 0);
	while (!stream->get_next(stream, &table.batch) && table.batch.release) {
		for (int64_t i = 0; loop >= 0 && i < table.batch.length; i++)
			ck_assert_int_eq(whole(&table, "loop", (size_t)i), loop);
		rows += table.batch.length;
		table.batch.release(&table.batch);
	}
	stream->release(stream);
	table.schema.release(&table.schema);
	return rows;
}

TEST(every_table_is_sound)
{
	static void (*const makers[])(struct report_case * at) = { case_train, case_slow,
								   case_waits };
	const struct dp_table_info *info;

	for (size_t m = 0; m < DP_COUNT(makers); m++) {
		struct report_case at;

		makers[m](&at);
		for (size_t i = 0; (info = dp_table(i)); i++) {
			struct table table;

			if (strcmp(info->of, "analysis") != 0)
				continue;
			table = read_table(&at, info->name, false);
			ck_assert_str_eq(table.schema.format, "+s");
			if (table.batch.release)
				check_array(&table.schema, &table.batch, table.batch.length);
			free_table(&table);
		}
		case_free(&at);
	}
}

TEST(iterations_are_those_of_the_analysis)
{
	struct report_case at;
	struct table table;
	const struct dp_iteration *iteration;

	case_train(&at);
	table = read_table(&at, "iterations", false);
	for (size_t i = 0; (iteration = dp_analysis_loop_iteration(at.analysis, 0, i)); i++) {
		ck_assert_int_eq(whole(&table, "loop", i), 0);
		ck_assert_int_eq(whole(&table, "index", i), (int64_t)i);
		ck_assert_int_eq(whole(&table, "start_ns", i), iteration->start_ns);
		ck_assert_uint_eq(small(&table, "inserted", i), iteration->inserted);
		ck_assert_int_eq(flag(&table, "partial", i), iteration->partial);
		ck_assert_int_eq(flag(&table, "steady", i),
				 dp_analysis_loop_is_steady(at.analysis, 0, i));
		ck_assert_int_eq(flag(&table, "slow", i), iteration->slow);
		ck_assert_int_eq(whole(&table, "foreign_kernels", i),
				 (int64_t)iteration->foreign_kernels);
		for (size_t m = 0; dp_metric(m); m++) {
			const struct ArrowArray *values =
				table.batch.children[column(&table, dp_metric(m)->name)];
			double value = dp_analysis_loop_metric(at.analysis, 0, m, i);

			ck_assert_int_eq(exists(values, i), !isnan(value));
			if (!isnan(value))
				ck_assert_double_eq(((const double *)values->buffers[1])[i], value);
		}
	}
	ck_assert_int_eq(table.batch.length, (int64_t)dp_analysis_loop(at.analysis, 0)->iterations);
	free_table(&table);
	case_free(&at);
}

TEST(metrics_are_not_copied)
{
	struct report_case at;
	struct table table;

	case_train(&at);
	table = read_table(&at, "iterations", true);
	for (size_t m = 0; dp_metric(m); m++) {
		const struct ArrowArray *values =
			table.batch.children[column(&table, dp_metric(m)->name)];

		ck_assert_ptr_eq(values->buffers[1],
				 dp_analysis_loop_metric_values(at.analysis, 0, m));
		ck_assert_ptr_null(values->buffers[0]);
	}
	free_table(&table);
	case_free(&at);
}

/* The value of a field's metadata, "" where it has none of that name. */
static const char *metadata(const struct ArrowSchema *field, const char *key)
{
	static char text[1024];
	const char *at = field->metadata;
	int32_t pairs, length[2];

	memcpy(&pairs, at, sizeof(pairs));
	at += sizeof(pairs);
	for (int32_t i = 0; i < pairs; i++) {
		const char *name;

		memcpy(&length[0], at, sizeof(length[0]));
		name = at + sizeof(length[0]);
		memcpy(&length[1], name + length[0], sizeof(length[1]));
		at = name + length[0] + sizeof(length[1]) + length[1];
		if ((size_t)length[0] == strlen(key) && !memcmp(name, key, strlen(key))) {
			snprintf(text, sizeof(text), "%.*s", (int)length[1], at - length[1]);
			return text;
		}
	}
	return "";
}

TEST(fields_have_units)
{
	struct report_case at;
	struct table table;

	case_train(&at);
	table = read_table(&at, "iterations", false);
	ck_assert_str_eq(metadata(table.schema.children[column(&table, "start_ns")], "unit"), "ns");
	ck_assert_str_eq(metadata(table.schema.children[column(&table, "loop")], "unit"), "");
	for (size_t m = 0; dp_metric(m); m++) {
		const struct ArrowSchema *field =
			table.schema.children[column(&table, dp_metric(m)->name)];

		ck_assert_str_eq(metadata(field, "unit"), dp_metric(m)->unit);
		ck_assert_str_eq(metadata(field, "help"), dp_metric(m)->help);
	}
	free_table(&table);
	case_free(&at);
}

TEST(names_are_a_dictionary)
{
	struct report_case at;
	struct table table;
	const struct dp_ops *ops;

	case_train(&at);
	ops = dp_trace_ops(at.trace);
	table = read_table(&at, "operations", false);
	ck_assert_int_eq(table.batch.length, (int64_t)ops->count);
	for (size_t i = 0; i < ops->count; i++) {
		const struct ArrowArray *names = table.batch.children[column(&table, "name")];
		uint32_t index = ((const uint32_t *)names->buffers[1])[i];
		const int64_t *offsets = names->dictionary->buffers[1];
		const char *bytes = names->dictionary->buffers[2];
		const char *name = dp_trace_string(at.trace, ops->name[i]);

		ck_assert_uint_eq((size_t)(offsets[index + 1] - offsets[index]), strlen(name));
		ck_assert_mem_eq(bytes + offsets[index], name, strlen(name));
	}
	free_table(&table);
	case_free(&at);
}

/* A consumer of streams, with the arrays it has not released. */
struct consumer {
	uint32_t random;
	struct ArrowArrayStream streams[4];
	struct ArrowSchema schemas[8];
	struct ArrowArray arrays[16];
};

static size_t releases;
static void (*release_array)(struct ArrowArray *array);

static void count_release(struct ArrowArray *array)
{
	releases++;
	release_array(array);
	ck_assert(!array->release);
}

/* Counts releases of an array, its children and dictionaries from now on. Returns their number. */
static size_t watch(struct ArrowArray *array)
{
	size_t count = 1;

	release_array = array->release;
	array->release = count_release;
	for (int64_t i = 0; i < array->n_children; i++)
		count += watch(array->children[i]);
	return count + (array->dictionary ? watch(array->dictionary) : 0);
}

static size_t draw(struct consumer *consumer, size_t count)
{
	consumer->random = consumer->random * 1664525 + 1013904223;
	return (consumer->random >> 16) % count;
}

/* Reads the memory that an array of numbers or texts owns or borrows. */
static void touch(const struct ArrowArray *array)
{
	for (int64_t i = 0; i < array->n_buffers; i++)
		if (array->buffers[i])
			(void)*(const volatile char *)array->buffers[i];
}

/* Moves a child, or a child's dictionary, out of an array. */
static void move_out(struct consumer *consumer, struct ArrowArray *to, struct ArrowArray *from)
{
	struct ArrowArray *child;

	if (!from->release || to->release || !from->n_children)
		return;
	child = from->children[draw(consumer, (size_t)from->n_children)];
	if (child->release && child->dictionary && draw(consumer, 2))
		child = child->dictionary;
	if (!child->release)
		return;
	*to = *child;
	child->release = NULL;
}

/* Takes from a stream: its schema or its next batch. Returns how many arrays it has. */
static size_t take(struct consumer *consumer, struct ArrowArrayStream *stream)
{
	struct ArrowSchema *schema = &consumer->schemas[draw(consumer, 8)];
	struct ArrowArray *array = &consumer->arrays[draw(consumer, 16)];

	if (!schema->release && draw(consumer, 2))
		ck_assert_int_eq(stream->get_schema(stream, schema), 0);
	if (array->release)
		return 0;
	ck_assert_int_eq(stream->get_next(stream, array), 0);
	return array->release ? watch(array) : 0;
}

static void release_one(struct consumer *consumer, size_t which)
{
	struct ArrowArrayStream *stream = &consumer->streams[which % 4];
	struct ArrowSchema *schema = &consumer->schemas[which % 8];
	struct ArrowArray *array = &consumer->arrays[which % 16];

	if (array->release) {
		touch(array);
		array->release(array);
	} else if (schema->release) {
		schema->release(schema);
	} else if (stream->release) {
		stream->release(stream);
	}
}

/* One step, drawn at random. Returns how many arrays it made; at is NULL once it was freed. */
static size_t consume(struct consumer *consumer, const struct report_case *at)
{
	static const char *const names[] = { "iterations", "operations", "loops", "kernels" };
	struct ArrowArrayStream *stream = &consumer->streams[draw(consumer, 4)];

	switch (draw(consumer, 4)) {
	case 0:
		if (at && !stream->release)
			open_stream(stream, at, names[draw(consumer, DP_COUNT(names))],
				    draw(consumer, 2));
		return 0;
	case 1:
		return stream->release ? take(consumer, stream) : 0;
	case 2:
		move_out(consumer, &consumer->arrays[draw(consumer, 16)],
			 &consumer->arrays[draw(consumer, 16)]);
		return 0;
	default:
		release_one(consumer, draw(consumer, 16));
		return 0;
	}
}

TEST(what_is_taken_is_released_once_in_any_order)
{
	for (unsigned seed = 0; seed < 100; seed++) {
		struct consumer consumer = { .random = seed };
		size_t held = alloc_held(), made = 0;
		struct report_case at;

		case_train(&at);
		releases = 0;
		for (size_t i = 0; i < 200; i++)
			made += consume(&consumer, &at);
		case_free(&at);
		for (size_t i = 0; i < 50; i++)
			made += consume(&consumer, NULL);
		for (size_t i = 0; i < 3 * 16; i++)
			release_one(&consumer, i);
		ck_assert_uint_gt(made, 0);
		ck_assert_uint_eq(releases, made);
		ck_assert_uint_eq(alloc_held(), held);
	}
}

TEST(loops_have_their_rows)
{
	struct dp_table_options options = DP_TABLE_OPTIONS_INIT;
	const struct dp_table_info *info;
	struct dp_error error = DP_ERROR_INIT;
	struct ArrowArrayStream stream;
	struct report_case at;

	case_train(&at);
	for (size_t i = 0; (info = dp_table(i)) && !strcmp(info->of, "analysis"); i++) {
		int64_t all, rows = 0;
		int status = DP_OK;

		open_stream(&stream, &at, info->name, false);
		all = count_rows(&stream, -1);
		for (options.loop = 0;
		     options.loop < (int64_t)dp_analysis_loop_count(at.analysis) && !status;
		     options.loop++) {
			status = dp_analysis_table(&stream, at.analysis, info->name, &options,
						   NULL);
			rows += status ? 0 : count_rows(&stream, options.loop);
		}
		ck_assert_int_eq(status ? all : rows, all);
	}
	ck_assert_int_eq(dp_analysis_table(&stream, at.analysis, "loops", &options, &error),
			 DP_ERR_ARGUMENT);
	ck_assert_str_eq(error.message, "no loop 1: the last one is 0");
	ck_assert_int_eq(dp_analysis_table(&stream, at.analysis, "streams", &options, NULL),
			 DP_ERR_ARGUMENT);
	at.analysis->loops[0].info.selected = false;
	options.loop = 0;
	error = (struct dp_error)DP_ERROR_INIT;
	ck_assert_int_eq(dp_analysis_table(&stream, at.analysis, "iterations", &options, &error),
			 DP_ERR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error.message, "not reported on"));
	case_free(&at);
}

TEST(wrong_names_are_refused)
{
	struct dp_error error = DP_ERROR_INIT;
	struct ArrowArrayStream stream;
	struct report_case at;

	case_train(&at);
	ck_assert_int_eq(dp_analysis_table(&stream, at.analysis, "iteration", NULL, &error),
			 DP_ERR_ARGUMENT);
	ck_assert_str_eq(error.message,
			 "unknown table 'iteration'; choose iterations, operations, operators, "
			 "kernels, streams, variants, places, host_ranges, copies, loops, "
			 "... (5 more)");
	ck_assert_int_eq(dp_analysis_table(&stream, at.analysis, "pairs", NULL, NULL),
			 DP_ERR_ARGUMENT);
	case_free(&at);
}

static void check_unit(const char *name, const char *unit)
{
	static const char *const without[] = { "1", "count", "operations" };
	size_t length = unit ? strlen(unit) : 0, all = strlen(name);

	for (size_t i = 0; unit && i < DP_COUNT(without); i++)
		unit = strcmp(unit, without[i]) != 0 ? unit : NULL;
	if (!unit || strchr(unit, '/'))
		return;
	ck_assert_msg(all >= length && !strcmp(name + all - length, unit) &&
			      (all == length || name[all - length - 1] == '_'),
		      "%s: %s", name, unit);
}

/* So do keys of the JSON report, which metrics are, too. */
TEST(names_of_columns_end_in_units)
{
	size_t metrics = dp_metric_count(), all = metrics + dp_summary_metric_count();
	const struct dp_table *table;

	for (size_t i = 0; i < all; i++) {
		const struct dp_metric_info *info =
			i < metrics ? dp_metric(i) : dp_summary_metric(i - metrics);

		ck_assert_str_eq(dp_metric_name(i), info->name);
		check_unit(info->name, info->unit);
	}
	ck_assert_ptr_null(dp_metric_name(all));
	for (size_t i = 0; (table = dp_table__at(i)); i++)
		for (const struct dp_field *field = table->fields; field->name; field++)
			check_unit(field->name, field->unit);
}

/* What any table's stream gives: a good first batch, released. Returns its rows. */
static int64_t check_stream(struct ArrowArrayStream *stream)
{
	struct table table;
	int64_t rows;

	ck_assert_int_eq(stream->get_schema(stream, &table.schema), 0);
	ck_assert_int_eq(stream->get_next(stream, &table.batch), 0);
	stream->release(stream);
	rows = table.batch.release ? table.batch.length : 0;
	if (table.batch.release)
		check_array(&table.schema, &table.batch, rows);
	free_table(&table);
	return rows;
}

TEST(ranks_have_tables)
{
	struct ArrowArrayStream stream;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_summary *summary;
	struct dp_ranks *ranks;
	size_t cells = 0;

	ck_assert_int_eq(dp_summary_open(&summary,
					 DP_SOURCE_ROOT
					 "/tests/fuzz/corpus/summary/straggler.dpsum",
					 NULL),
			 DP_OK);
	ck_assert_int_eq(dp_ranks_run(&ranks, &summary, 1, NULL, NULL), DP_OK);
	for (size_t r = 0; r < dp_ranks_count(ranks); r++)
		for (size_t i = 0; i < dp_ranks_iteration_count(ranks); i++)
			cells += dp_ranks_iteration(ranks, r, i) != NULL;
	ck_assert_int_eq(dp_ranks_table(&stream, ranks, "ranks", NULL, NULL), DP_OK);
	ck_assert_int_eq(check_stream(&stream), (int64_t)dp_ranks_count(ranks));
	ck_assert_int_eq(dp_ranks_table(&stream, ranks, "rank_iterations", NULL, NULL), DP_OK);
	ck_assert_int_eq(check_stream(&stream), (int64_t)cells);
	ck_assert_int_eq(dp_ranks_table(&stream, ranks, "collectives", NULL, NULL), DP_OK);
	ck_assert_int_gt(check_stream(&stream), 0);
	ck_assert_int_eq(dp_ranks_table(&stream, ranks, "iterations", NULL, &error),
			 DP_ERR_ARGUMENT);
	ck_assert_str_eq(error.message, "unknown table 'iterations'; choose rank_iterations, "
					"ranks, collectives, rank_collectives");
	for (size_t k = 0, more = 1; more; k++) {
		int status;

		alloc_fail_after(k);
		status = dp_ranks_table(&stream, ranks, "rank_iterations", NULL, NULL);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
	}
	dp_ranks_free(ranks);
	dp_summary_free(summary);
	ck_assert_int_eq(check_stream(&stream), (int64_t)cells);
}

static struct dp_comparison *with_itself(const struct report_case *at)
{
	struct dp_comparison *comparison = NULL;

	ck_assert_int_eq(dp_comparison_run(&comparison, at->analysis, at->analysis, NULL, NULL),
			 DP_OK);
	return comparison;
}

TEST(comparisons_have_tables)
{
	struct report_case at;
	struct dp_comparison *comparison;
	const struct dp_table_info *info;
	size_t tables = 0;

	case_train(&at);
	comparison = with_itself(&at);
	for (size_t i = 0; (info = dp_table(i)); i++) {
		struct ArrowArrayStream stream;
		struct table table;

		if (strcmp(info->of, "comparison") != 0)
			continue;
		tables++;
		ck_assert_int_eq(dp_comparison_table(&stream, comparison, info->name, NULL, NULL),
				 DP_OK);
		ck_assert_int_eq(stream.get_schema(&stream, &table.schema), 0);
		ck_assert_int_eq(stream.get_next(&stream, &table.batch), 0);
		stream.release(&stream);
		if (table.batch.release)
			check_array(&table.schema, &table.batch, table.batch.length);
		if (!strcmp(info->name, "pairs"))
			ck_assert_int_eq(table.batch.length,
					 (int64_t)dp_comparison_pair_count(comparison));
		free_table(&table);
	}
	ck_assert_uint_gt(tables, 3);
	dp_comparison_free(comparison);
	case_free(&at);
}

/* A stream owns the comparison, which owns the analyses. */
TEST(streams_outlive_comparisons)
{
	struct report_case at;
	struct dp_comparison *comparison;
	struct ArrowArrayStream stream;
	int64_t pairs;

	case_train(&at);
	comparison = with_itself(&at);
	pairs = (int64_t)dp_comparison_pair_count(comparison);
	ck_assert_int_eq(dp_comparison_table(&stream, comparison, "pairs", NULL, NULL), DP_OK);
	case_free(&at);
	dp_comparison_free(comparison);
	ck_assert_int_eq(check_stream(&stream), pairs);
}

/* Reads a whole table; returns whether memory ran out. Has no checks, as Check allocates. */
static bool read_through(const struct report_case *at, const char *name)
{
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray batch;
	bool failed;

	if (dp_analysis_table(&stream, at->analysis, name, NULL, NULL) == DP_ERR_NOMEM)
		return true;
	failed = stream.get_schema(&stream, &schema);
	if (!failed)
		schema.release(&schema);
	for (bool more = !failed; more;) {
		failed = stream.get_next(&stream, &batch);
		more = !failed && batch.release;
		if (more)
			batch.release(&batch);
	}
	failed = failed || stream.get_last_error(&stream);
	stream.release(&stream);
	return failed;
}

TEST(failed_allocations_are_survived)
{
	const struct dp_table_info *info;
	struct report_case at;

	case_train(&at);
	for (size_t i = 0; (info = dp_table(i)); i++) {
		size_t failures = 0;

		for (bool more = !strcmp(info->of, "analysis"); more;) {
			size_t held = alloc_held();
			bool failed;

			alloc_fail_after(failures);
			failed = read_through(&at, info->name);
			more = alloc_fail_stop();
			failures += more;
			ck_assert_msg(failed == more, "%s, allocation %zu", info->name, failures);
			ck_assert_uint_eq(alloc_held(), held);
		}
		ck_assert(strcmp(info->of, "analysis") != 0 || failures > 2);
	}
	case_free(&at);
}
