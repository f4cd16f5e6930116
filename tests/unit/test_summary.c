/* Summaries as bytes: nothing is lost, any order of merges is the same, and damage is refused. */
#include "alloc_fail.h"
#include "ranks/summary.h"
#include "test.h"

#include <deepprof/report.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 16) % limit);
}

/* Times and bytes are at most this. */
#define LIMIT (INT64_C(1) << 61)

enum { GROUPS = 3, CALLS = 40, STEPS = 6, SHARES = 5, RANKS = 2 };

/* Everything that a rank has, including values at the ends of their ranges. */
struct rank {
	struct dp_group_summary groups[GROUPS];
	struct dp_call_summary calls[CALLS];
	struct dp_step_summary steps[STEPS];
	struct dp_share_summary shares[SHARES];
};

static int64_t any_time(void)
{
	switch (below(6)) {
	case 0:
		return -LIMIT;
	case 1:
		return LIMIT;
	default:
		return (int64_t)below(1000000000) * 1000 - 1000;
	}
}

static void fill_calls(struct rank *rank)
{
	int64_t end_ns = any_time();

	for (size_t i = 0; i < CALLS; i++) {
		struct dp_call_summary *call = &rank->calls[i];
		int64_t later_ns = below(3000000), took_ns = below(90000);

		end_ns = i + 1 < CALLS ? DP_MIN(end_ns + later_ns, LIMIT) : LIMIT;
		*call = (struct dp_call_summary){ .end_ns = end_ns,
						  .start_ns = DP_MAX(end_ns - took_ns, -LIMIT),
						  .bytes = below(4) ? i % 3 << 20 : (uint64_t)LIMIT,
						  .sequence = below(5) ? (int64_t)i : -1,
						  .group = below(GROUPS),
						  .iteration =
							  below(4) ? (uint32_t)i % STEPS : DP_NONE,
						  .peer = below(3) ? -1 : INT32_MAX,
						  .self = below(3) ? -1 : INT32_MIN,
						  .kind = (uint8_t)below(DP_COLLECTIVE_KINDS),
						  .sends = below(2) };
		call->exposed_ns = below(2) ? (call->end_ns - call->start_ns) / (1 + below(3)) : 0;
		call->blocks_ns = (call->end_ns - call->start_ns) / (1 + below(3));
		call->queued_ns = below(3) ? (int64_t)below(100000) : -(int64_t)below(2);
	}
}

static void fill_rank(struct dp_rank_summary *out, struct rank *rank)
{
	static const char *const names[] = { "", "0 [0, 1]", "dp \xc3\xa9", "rank", "aten::mm" };

	for (size_t i = 0; i < GROUPS; i++)
		rank->groups[i] = (struct dp_group_summary){ names[i], i ? UINT32_MAX : 0 };
	fill_calls(rank);
	for (size_t i = 0; i < STEPS; i++) {
		rank->steps[i] =
			(struct dp_step_summary){ .start_ns = any_time(),
						  .end_ns = any_time(),
						  .period_ns = below(2) ? NAN : below(1000),
						  .whole = below(2),
						  .warmup = below(2) };
		for (int p = 0; p < DP_RANK_PARTS; p++)
			rank->steps[i].part_ns[p] = below(5) ? (double)below(1000000) - 5 : NAN;
	}
	for (size_t i = 0; i < SHARES; i++)
		rank->shares[i] =
			(struct dp_share_summary){ names[below(5)], below(100000),
						   (uint8_t)below(DP_RANK_PARTS), below(2) };
	*out = (struct dp_rank_summary){ .rank = (int64_t)below(1000) - 1,
					 .pid = below(2) ? INT64_MAX : -1,
					 .device = below(3) ? (int64_t)below(9) - 1 : INT64_MAX,
					 .t0_ns = any_time(),
					 .is_epoch = below(2),
					 .untimed = below(2),
					 .host = names[below(4)],
					 .pattern = below(2) ? UINT32_MAX : below(99),
					 .clock_mhz = below(2) ? NAN : 1410.125,
					 .throttled = below(2) ? NAN : 0.25,
					 .groups = rank->groups,
					 .group_count = GROUPS,
					 .calls = rank->calls,
					 .call_count = below(4) ? CALLS : 0,
					 .steps = rank->steps,
					 .step_count = STEPS,
					 .shares = rank->shares,
					 .share_count = below(4) ? SHARES : 0 };
}

/* A file's ranks, which lie in static storage until the next. */
static struct dp_file_summary make_file(const char *name)
{
	static struct dp_rank_summary ranks[RANKS];
	static struct rank values[RANKS];

	for (size_t i = 0; i < RANKS; i++)
		fill_rank(&ranks[i], &values[i]);
	return (struct dp_file_summary){
		.source = { sizeof(struct dp_summary_source), name, UINT64_MAX, INT64_MIN, "-n 3" },
		.ranks = ranks,
		.count = below(5) ? RANKS : 0,
	};
}

/* Equal, or both NaN. */
static void assert_same(double a, double b)
{
	ck_assert((isnan(a) && isnan(b)) || a == b);
}

static void assert_same_rank(const struct dp_rank_summary *a, const struct dp_rank_summary *b)
{
	ck_assert(a->rank == b->rank && a->pid == b->pid && a->t0_ns == b->t0_ns);
	ck_assert(a->device == b->device && a->is_epoch == b->is_epoch &&
		  a->untimed == b->untimed && a->pattern == b->pattern);
	ck_assert_str_eq(a->host, b->host);
	assert_same(a->clock_mhz, b->clock_mhz);
	assert_same(a->throttled, b->throttled);
	ck_assert(a->group_count == b->group_count && a->call_count == b->call_count);
	ck_assert(a->step_count == b->step_count && a->share_count == b->share_count);
	for (size_t i = 0; i < a->group_count; i++) {
		ck_assert_str_eq(a->groups[i].name, b->groups[i].name);
		ck_assert_uint_eq(a->groups[i].size, b->groups[i].size);
	}
	for (size_t i = 0; i < a->call_count; i++) {
		const struct dp_call_summary *one = &a->calls[i], *two = &b->calls[i];

		ck_assert(one->start_ns == two->start_ns && one->end_ns == two->end_ns);
		ck_assert(one->exposed_ns == two->exposed_ns && one->bytes == two->bytes);
		ck_assert(one->sequence == two->sequence && one->group == two->group);
		ck_assert(one->iteration == two->iteration && one->peer == two->peer);
		ck_assert(one->self == two->self && one->kind == two->kind);
		ck_assert(one->sends == two->sends && one->blocks_ns == two->blocks_ns);
		ck_assert_int_eq(one->queued_ns, two->queued_ns);
	}
	for (size_t i = 0; i < a->step_count; i++) {
		const struct dp_step_summary *one = &a->steps[i], *two = &b->steps[i];

		ck_assert(one->start_ns == two->start_ns && one->end_ns == two->end_ns);
		ck_assert(one->whole == two->whole && one->warmup == two->warmup);
		assert_same(one->period_ns, two->period_ns);
		for (int p = 0; p < DP_RANK_PARTS; p++)
			assert_same(one->part_ns[p], two->part_ns[p]);
	}
	for (size_t i = 0; i < a->share_count; i++) {
		ck_assert_str_eq(a->shares[i].name, b->shares[i].name);
		ck_assert(a->shares[i].part == b->shares[i].part);
		ck_assert(a->shares[i].operator_ == b->shares[i].operator_);
		assert_same(a->shares[i].ns, b->shares[i].ns);
	}
}

TEST(nothing_is_lost)
{
	for (seed = 1; seed < 300; seed += 2) {
		uint64_t before = seed;
		struct dp_file_summary file = make_file("traces/rank0.json.gz"), read;
		unsigned char *bytes;
		size_t size;

		ck_assert_int_eq(dp_summary__pack(&bytes, &size, &file), DP_OK);
		ck_assert_int_eq(dp_summary__unpack(&read, bytes, size), DP_OK);
		ck_assert_str_eq(read.source.name, file.source.name);
		ck_assert_str_eq(read.source.settings, file.source.settings);
		ck_assert(read.source.bytes == UINT64_MAX && read.source.modified_ns == INT64_MIN);
		ck_assert_uint_eq(read.count, file.count);
		for (size_t i = 0; i < read.count; i++)
			assert_same_rank(&read.ranks[i], &file.ranks[i]);
		dp_file_summary__fini(&read);
		free(bytes);
		seed = before;
	}
}

/* What dp_summary_write() gives. */
struct text {
	unsigned char *bytes;
	size_t size, room;
	size_t limit; /* the sink stops where more would come; 0: never */
};

static int collect(void *ctx, const void *data, size_t size)
{
	struct text *text = ctx;

	if (text->limit && text->size + size > text->limit)
		return -1;
	if (dp_array__reserve(&text->bytes, &text->room, text->size + size, 1))
		return -1;
	memcpy(text->bytes + text->size, data, size);
	text->size += size;
	return 0;
}

static struct text write_all(struct dp_summary *const *summaries, size_t count)
{
	struct text text = { NULL, 0, 0, 0 };
	struct dp_sink sink = { collect, &text };

	ck_assert_int_eq(dp_summary_write(summaries, count, &sink, NULL), DP_OK);
	return text;
}

static struct dp_summary *summary_of(const struct dp_file_summary *file)
{
	struct dp_summary *summary = dp_alloc__zeroed(1, sizeof(*summary));
	unsigned char *bytes;
	size_t size;

	summary->sections = dp_alloc__zeroed(1, sizeof(*summary->sections));
	summary->count = 1;
	ck_assert_int_eq(dp_summary__pack(&bytes, &size, file), DP_OK);
	ck_assert_int_eq(dp_section__init(summary->sections, bytes, size), DP_OK);
	return summary;
}

static struct dp_summary *make_summary(const char *name)
{
	struct dp_file_summary file = make_file(name);

	return summary_of(&file);
}

static struct dp_summary *merge(struct dp_summary *const *summaries, size_t count)
{
	struct text text = write_all(summaries, count);
	struct dp_summary *merged = NULL;

	ck_assert_int_eq(dp_summary_read(&merged, text.bytes, text.size, NULL), DP_OK);
	free(text.bytes);
	return merged;
}

enum { LEAVES = 12 };

/* Merges random groups, sometimes one file twice, until one is left. */
static struct text merge_tree(struct dp_summary *const *leaves)
{
	struct dp_summary *nodes[LEAVES], *some[4];
	size_t count = LEAVES;
	struct text text;

	for (size_t i = 0; i < LEAVES; i++)
		nodes[i] = merge(&leaves[i], 1);
	while (count > 1) {
		size_t wide = 2 + below(2), width = DP_MIN(wide, count);

		for (size_t i = 0; i < width; i++) {
			size_t at = below((uint32_t)count);

			some[i] = nodes[at];
			nodes[at] = nodes[--count];
		}
		some[width] = some[0];
		nodes[count++] = merge(some, width + below(2));
		for (size_t i = 0; i < width; i++)
			dp_summary_free(some[i]);
	}
	text = write_all(nodes, 1);
	dp_summary_free(nodes[0]);
	return text;
}

TEST(any_tree)
{
	struct dp_summary *leaves[LEAVES];
	struct text expected;

	seed = 7;
	for (size_t i = 0; i < LEAVES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "rank%zu.json", i);
		leaves[i] = make_summary(name);
	}
	expected = write_all(leaves, LEAVES);
	for (int tree = 0; tree < 50; tree++) {
		struct text text = merge_tree(leaves);

		ck_assert_uint_eq(text.size, expected.size);
		ck_assert(!memcmp(text.bytes, expected.bytes, text.size));
		free(text.bytes);
	}
	free(expected.bytes);
	for (size_t i = 0; i < LEAVES; i++)
		dp_summary_free(leaves[i]);
}

TEST(sources)
{
	struct dp_summary *leaves[2], *both;

	seed = 3;
	leaves[0] = make_summary("a");
	leaves[1] = make_summary("b");
	both = merge(leaves, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct dp_summary_source *source = dp_summary_source(both, i);

		ck_assert(!strcmp(source->name, "a") || !strcmp(source->name, "b"));
		ck_assert_str_eq(source->settings, "-n 3");
	}
	ck_assert_str_ne(dp_summary_source(both, 0)->name, dp_summary_source(both, 1)->name);
	ck_assert_ptr_null(dp_summary_source(both, 2));
	dp_summary_free(both);
	both = merge(leaves, 0);
	ck_assert_ptr_null(dp_summary_source(both, 0));
	dp_summary_free(both);
	dp_summary_free(leaves[0]);
	dp_summary_free(leaves[1]);
}

/* What is read must equal what was written: other bytes are refused. */
static int read_status(const unsigned char *bytes, size_t size)
{
	/* in a block of its exact size, so that reads beyond the end are detected */
	unsigned char *copy = malloc(size ? size : 1);
	struct dp_summary *summary = NULL;
	struct dp_error error = DP_ERROR_INIT;
	int status;

	memcpy(copy, bytes, size);
	status = dp_summary_read(&summary, copy, size, &error);
	ck_assert_int_eq(error.status, status);
	ck_assert(!status == !!summary);
	dp_summary_free(summary);
	free(copy);
	return status;
}

TEST(damage)
{
	struct dp_summary *leaves[2];
	struct text text;

	seed = 5;
	leaves[0] = make_summary("a");
	leaves[1] = make_summary("b");
	text = write_all(leaves, 2);
	for (size_t size = 0; size < text.size; size++)
		ck_assert_int_eq(read_status(text.bytes, size),
				 size < 8 ? DP_ERR_FORMAT : DP_ERR_DAMAGED);
	for (size_t i = 0; i < text.size; i++) {
		text.bytes[i] ^= (unsigned char)(1 << i % 8);
		ck_assert_int_eq(read_status(text.bytes, text.size), i < 8    ? DP_ERR_FORMAT
								     : i < 12 ? DP_ERR_UNSUPPORTED
									      : DP_ERR_DAMAGED);
		text.bytes[i] ^= (unsigned char)(1 << i % 8);
	}
	for (unsigned char version = 1; version <= 4; version++) {
		text.bytes[8] = version;
		ck_assert_int_eq(read_status(text.bytes, text.size), DP_OK);
	}
	ck_assert(!collect(&text, "", 1));
	ck_assert_int_eq(read_status(text.bytes, text.size), DP_ERR_DAMAGED);
	free(text.bytes);
	dp_summary_free(leaves[0]);
	dp_summary_free(leaves[1]);
}

/* Hostile bytes with a correct checksum are refused, or read and written unchanged. */
TEST(enemies)
{
	struct dp_file_summary file, read;
	size_t size, taken = 0;
	unsigned char *bytes;

	for (seed = 11; seed < 400; seed += 2) {
		uint64_t before = seed;

		file = make_file("rank0.json");
		ck_assert_int_eq(dp_summary__pack(&bytes, &size, &file), DP_OK);
		for (size_t i = 0; i < 200; i++) {
			size_t at = below((uint32_t)size);
			unsigned char was = bytes[at];

			bytes[at] = (unsigned char)below(256);
			if (!dp_summary__unpack(&read, bytes, size)) {
				unsigned char *again;
				size_t length;

				ck_assert_int_eq(dp_summary__pack(&again, &length, &read), DP_OK);
				free(again);
				dp_file_summary__fini(&read);
				taken++;
			}
			bytes[at] = was;
		}
		free(bytes);
		seed = before;
	}
	ck_assert_uint_gt(taken, 0);
}

TEST(sink_stops)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_summary *leaf;
	struct text text, cut = { NULL, 0, 0, 1 };
	struct dp_sink sink = { collect, &cut };

	seed = 9;
	leaf = make_summary("a");
	text = write_all(&leaf, 1);
	for (; cut.limit < text.size; cut.limit++) {
		error = (struct dp_error)DP_ERROR_INIT;
		cut.size = 0;
		ck_assert_int_eq(dp_summary_write(&leaf, 1, &sink, &error), DP_ERR_IO);
		ck_assert_int_eq(error.status, DP_ERR_IO);
	}
	free(text.bytes);
	free(cut.bytes);
	dp_summary_free(leaf);
}

/* The verdict on the ranks of one job, read from bytes, where any allocation may fail. */
TEST(no_memory)
{
	struct dp_summary *leaf, *read = NULL;
	struct text text, again = { NULL, 0, 0, 0 };
	struct dp_sink sink = { collect, &again };
	struct dp_file_summary file;
	unsigned char *bytes = NULL;
	struct dp_ranks *ranks;
	size_t size;
	bool more = true;
	int status;

	for (seed = 13; (file = make_file("a")).count < RANKS || !file.ranks[0].call_count;)
		;
	for (size_t k = 0; more; k++) {
		alloc_fail_after(k);
		status = dp_summary__pack(&bytes, &size, &file);
		more = alloc_fail_stop();
		/* releasing memory at the end may fail */
		ck_assert(!status || (status == DP_ERR_NOMEM && more));
		if (!status && more)
			free(bytes);
	}
	leaf = dp_alloc__zeroed(1, sizeof(*leaf));
	leaf->sections = dp_alloc__zeroed(1, sizeof(*leaf->sections));
	leaf->count = 1;
	ck_assert_int_eq(dp_section__init(leaf->sections, bytes, size), DP_OK);
	text = write_all(&leaf, 1);
	more = true;
	for (size_t k = 0; more; k++) {
		alloc_fail_after(k);
		status = dp_summary_read(&read, text.bytes, text.size, NULL);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
	}
	more = true;
	for (size_t k = 0; more; k++) {
		alloc_fail_after(k);
		ranks = NULL;
		status = dp_ranks_run(&ranks, &read, 1, NULL, NULL);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert(!status == !!ranks);
		dp_ranks_free(ranks);
	}
	alloc_fail_after(0);
	ck_assert_int_eq(dp_summary_write(&read, 1, &sink, NULL), DP_ERR_NOMEM);
	alloc_fail_stop();
	free(again.bytes);
	free(text.bytes);
	dp_summary_free(read);
	dp_summary_free(leaf);
}

/* The same with a verdict: of a job whose rank 1 is slow, and of one with pipeline stages. */
static void sweep_job(const char *path, enum dp_ranks_verdict_kind kind)
{
	struct dp_summary *summary = NULL;
	struct dp_ranks *ranks;
	bool more = true;
	int status;

	for (size_t k = 0; more; k++) {
		alloc_fail_after(k);
		status = dp_summary_open(&summary, path, NULL);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
	}
	ck_assert(dp_summary_is_summary(path));
	more = true;
	for (size_t k = 0; more; k++) {
		alloc_fail_after(k);
		ranks = NULL;
		status = dp_ranks_run(&ranks, &summary, 1, NULL, NULL);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert(!status == !!ranks);
		if (ranks)
			ck_assert_int_eq(dp_ranks_verdict(ranks)->kind, kind);
		dp_ranks_free(ranks);
	}
	dp_summary_free(summary);
}

#define CORPUS DP_SOURCE_ROOT "/tests/fuzz/corpus/summary/"

TEST(no_memory_for_jobs)
{
	sweep_job(CORPUS "straggler.dpsum", DP_VERDICT_STRAGGLER);
	sweep_job(CORPUS "pipeline.dpsum", DP_VERDICT_NONE);
}

TEST(no_file)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_summary *summary = NULL;

	ck_assert_int_eq(dp_summary_open(&summary, CORPUS "none", &error), DP_ERR_IO);
	ck_assert_str_eq(error.path, CORPUS "none");
	error = (struct dp_error)DP_ERROR_INIT;
	ck_assert_int_eq(dp_summary_open(&summary, DP_SOURCE_ROOT "/README.md", &error),
			 DP_ERR_FORMAT);
	ck_assert_int_eq(dp_summary_open(&summary, DP_SOURCE_ROOT, NULL), DP_ERR_IO);
	ck_assert(!dp_summary_is_summary(DP_SOURCE_ROOT "/README.md"));
	ck_assert(!dp_summary_is_summary(CORPUS "none"));
}

/*
 * Ranks without a number get the free ones in order. This many take a second, and would take a
 * minute if each was searched from the start.
 */
TEST(numbers_for_many)
{
	enum { MANY = 300000, GIVEN = 7 };
	struct dp_rank_summary *ranks = dp_alloc__zeroed(MANY, sizeof(*ranks));
	struct dp_file_summary file = {
		.source = { .size = sizeof(file.source), .name = "job", .settings = "" },
		.ranks = ranks,
		.count = MANY
	};
	const struct rlimit limit = { 20, 20 };
	struct dp_summary *summary;
	struct dp_ranks *job = NULL;

	setrlimit(RLIMIT_CPU, &limit);
	for (size_t i = 0; i < MANY; i++)
		ranks[i] =
			(struct dp_rank_summary){ .rank = i ? -1 : GIVEN, .pid = -1, .host = "" };
	summary = summary_of(&file);
	ck_assert_int_eq(dp_ranks_run(&job, &summary, 1, NULL, NULL), DP_OK);
	ck_assert_uint_eq(dp_ranks_count(job), MANY);
	for (size_t i = 0; i < MANY; i++) {
		ck_assert_int_eq(dp_ranks_rank(job, i)->rank, (int64_t)i);
		ck_assert_int_eq(dp_ranks_rank(job, i)->rank_from,
				 i == GIVEN ? DP_RANK_FROM_TRACE : DP_RANK_FROM_ORDER);
	}
	dp_ranks_free(job);
	dp_summary_free(summary);
	free(ranks);
}
