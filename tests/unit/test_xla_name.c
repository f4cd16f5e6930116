/* Names of XLA's ranges: the text form, and what importers of NVTX ranges make of it. */
#include "base/base.h"
#include "import/xla_name.h"
#include "format/schema.h"
#include "nsys_tables.h"
#include "test_database.h"
#include "test.h"

/* Returns the plain name, in memory that ends where text and name do; "" if there is none. */
static const char *plain(const char *text, size_t length)
{
	static char result[8192];
	char *copy = malloc(length ? length : 1), *name = malloc(length ? length : 1);
	size_t used;

	ck_assert(copy && name);
	memcpy(copy, text, length);
	used = dp_xla_name__plain(name, copy, length);
	ck_assert(used < length || !used);
	ck_assert_uint_lt(used, sizeof(result));
	memcpy(result, name, used);
	result[used] = '\0';
	free(copy);
	free(name);
	return result;
}

static const struct {
	const char *text, *plain;
} names[] = {
	{ "XlaModule:#hlo_module=jit_update,program_id=33781#", "jit_update" },
	{ "XlaModule:#hlo_module=gemm_fusion_dot#", "gemm_fusion_dot" },
	{ "XlaModule:#prefix=args[0],hlo_module=jit_convert,program_id=5302#", "jit_convert" },
	{ "XlaModule:#prefix=a['b,c'],hlo_module=jit_f#", "jit_f" },
	{ "Thunk:#hlo_op=command_buffer_1#", "command_buffer_1" },
	{ "Thunk:#name=jit(update)/NMQ,dQ->NMd/dot_general,hlo_op=gemm,unique_hlo_op_id=9#",
	  "jit(update)/NMQ,dQ->NMd/dot_general" },
	{ "Thunk:#name=,hlo_op=wrapped_iota,unique_hlo_op_id=4294967296#", "wrapped_iota" },
	{ "Thunk:#name=a,hlo_op#", "a,hlo_op" },
	{ "Thunk:#name=a,,=b,hlo_op=c#", "a,,=b" },
	{ "Thunk:#name=a#b#", "a#b" },
	{ "Thunk:#name=a,name=b#", "a" },
	{ "XlaPass:#name=algebraic,module=jit_f,program_id=1#", "XlaPass: algebraic" },
	{ "XlaEmitLlvmIr:#module=jit_f,program_id=1#", "XlaEmitLlvmIr: jit_f" },
	{ "Xla:#name=\xc3\xa9#", "Xla: \xc3\xa9" },
	/* None of the form, or without a value that names it. */
	{ "", "" },
	{ "Thunk", "" },
	{ "Thunk:", "" },
	{ "Thunk:#", "" },
	{ "Thunk:##", "" },
	{ "Thunk:#=#", "" },
	{ "Thunk:#name=#", "" },
	{ "Thunk:#name=,hlo_op=#", "" },
	{ "Thunk:#,hlo_op=a#", "" },
	{ "Thunk:#hlo_op=a", "" },
	{ "Thunk:#hlo_op=a# ", "" },
	{ "Thunk:hlo_op=a#", "" },
	{ "Thunk#hlo_op=a#", "" },
	{ " Thunk:#hlo_op=a#", "" },
	{ "Thunks:#hlo_op=a#", "" },
	{ "XlaModule:#program_id=7#", "" },
	{ "XlaPass:#program_id=7#", "" },
	{ "step:#name=a#", "" },
	{ "ProfilerStep#7", "" },
	{ ":#name=a#", "" },
};

TEST_LOOP(plain_names, DP_COUNT(names))
{
	const char *text = names[_i].text;

	ck_assert_str_eq(plain(text, strlen(text)), names[_i].plain);
	if (names[_i].plain[0])
		ck_assert(dp_xla_name__is_likely(text));
}

/* A name without its end stays as it is. One cut after a # in a value cannot be recognized. */
TEST_LOOP(cut_names_stay, DP_COUNT(names))
{
	const char *text = names[_i].text;

	for (size_t length = 0; length < strlen(text); length++)
		if (!length || text[length - 1] != '#')
			ck_assert_str_eq(plain(text, length), "");
}

TEST(bytes_by_chance)
{
	static const char pieces[] = "#=,:_a[\xff";
	uint32_t state = 1;
	char text[64];

	for (int round = 0; round < 20000; round++) {
		size_t head =
			(size_t)snprintf(text, sizeof(text), "%s",
					 round % 2 ? "Thunk:#name=" : "XlaModule:#hlo_module=");
		size_t length = head + (size_t)round % 32;

		for (size_t i = round % 3 ? head : 0; i < length; i++) {
			state = state * 1664525 + 1013904223;
			text[i] = pieces[(state >> 20) % sizeof(pieces)]; /* NUL, too */
		}
		plain(text, length);
	}
}

/* Every comma may end a value: the cost stays linear. */
TEST(long_values)
{
	static const char head[] = "Thunk:#name=";
	size_t most = 8000000, length = sizeof(head) - 1;
	char *text = malloc(most), *name = malloc(most);

	ck_assert(text && name);
	memset(text, ',', most);
	for (size_t i = length; i < most; i += 2)
		text[i] = 'a';
	memset(text + most / 2, 'b', most / 4);
	memcpy(text, head, length);
	text[most - 1] = '#';
	ck_assert_uint_eq(dp_xla_name__plain(name, text, most), most - length - 1);
	free(text);
	free(name);
}

static void check_ranges(const char *const *expected, size_t count)
{
	const struct dp_ranges *ranges = dp_trace_ranges(trace);

	ck_assert_uint_eq(ranges->count, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_str_eq(dp_trace_string(trace, ranges->name[i]), expected[i]);
	done();
}

/* A name of this many characters is read; one with more is cut, so it stays. */
#define LONG_NAME(count) "'Thunk:#hlo_op=' || printf('%." count "c', 'x') || '#'"

TEST(trace_file)
{
	const struct dp_ranges *ranges;
	sqlite3 *db;

	make_folder("deepprof.db");
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	for (size_t i = 0; dp_schema__tables[i]; i++)
		run_sql(db, dp_schema__tables[i]);
	run_sql(db,
		"INSERT INTO process(id, pid) VALUES(1, 7);"
		"INSERT INTO string(id, value) VALUES(1, 'k'), "
		"(2, 'XlaModule:#hlo_module=jit_f,program_id=3#'), "
		"(3, 'XlaModule:#hlo_module=jit_f,program_id=4#'), "
		"(4, 'Thunk:#name=jit(f)/add,hlo_op=add.1#'), (5, 'Thunk:#hlo_op=cut'), "
		"(6, " LONG_NAME("4081") "), (7, " LONG_NAME(
			"4082") ");"
				"INSERT INTO kernel(process, device, context, stream, start, dur_ns, name) "
				"VALUES(1, 0, 1, 7, 1000, 100, 1);"
				"INSERT INTO nvtx(process, tid, name, type, start, dur_ns) VALUES"
				"(1, 7, 2, 59, 100, 1), (1, 7, 3, 59, 200, 1), (1, 7, 4, 59, 300, 1), "
				"(1, 7, 5, 60, 400, 1), (1, 7, 2, 60, 500, 1), (1, 7, 6, 60, 600, 1), "
				"(1, 7, 7, 60, 700, 1);");
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
	open_good("deepprof_db");
	ranges = dp_trace_ranges(trace);
	ck_assert_uint_eq(ranges->count, 7);
	ck_assert_uint_eq(ranges->name[0], ranges->name[1]);
	ck_assert_uint_eq(ranges->name[0], ranges->name[4]);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[0]), "jit_f");
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[2]), "jit(f)/add");
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[3]), "Thunk:#hlo_op=cut");
	ck_assert_uint_eq(strlen(dp_trace_string(trace, ranges->name[5])), 4081);
	ck_assert_uint_eq(strlen(dp_trace_string(trace, ranges->name[6])), 4096);
	done();
}

/* Long names of steps are cut, and not within a character. */
TEST(steps)
{
	char step[DP_XLA_STEP_SIZE], name[128], expected[DP_XLA_STEP_SIZE];
	size_t length;

	ck_assert_uint_eq(dp_xla_name__step(step, "", "train 7 and more", 7), 12);
	ck_assert_str_eq(step, "Step#train 7");
	dp_xla_name__step(step, "9223372036854775807 ", "", 0);
	ck_assert_str_eq(step, "Step#9223372036854775807 ");
	for (size_t before = 0; before < 4; before++) {
		memset(name, 'x', before);
		for (size_t i = before; i < 120; i += 4)
			memcpy(name + i, "\xf0\x9f\x9a\x80", 4);
		length = dp_xla_name__step(step, "3 ", name, 120 + before);
		snprintf(expected, sizeof(expected), "Step#3 %.*s",
			 (int)(before ? 76 + before : 80), name);
		ck_assert_str_eq(step, expected);
		ck_assert_uint_eq(length, strlen(expected));
	}
}

/* Names as texts and as ids. */
TEST(nsys_export)
{
	static const char *const expected[] = { "add.1", "XlaPass: dce", "jit_f" };

	good("nsys", ONE_KERNEL NVTX
	     "INSERT INTO StringIds VALUES(2, 'XlaModule:#hlo_module=jit_f,program_id=3#');"
	     "INSERT INTO NVTX_EVENTS VALUES(100, 200, 59, 'Thunk:#hlo_op=add.1#', " TID_7_70
	     ", NULL), (300, 400, 59, 'XlaPass:#name=dce,module=jit_f#', " TID_7_70
	     ", NULL), (500, 600, 59, NULL, " TID_7_70 ", 2);");
	check_ranges(expected, DP_COUNT(expected));
}

TEST(nvprof_database)
{
	static const char *const expected[] = { "jit_f" };

	good("nvprof_db",
	     "CREATE TABLE Version(version INTEGER); INSERT INTO Version VALUES(18);"
	     "CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT);"
	     "INSERT INTO StringTable VALUES(1, 'k'), (2, 'XlaModule:#hlo_module=jit_f#');"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(_id_ INTEGER PRIMARY KEY, "
	     "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, "
	     "name INT); INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES"
	     "(1, 1000, 1100, 0, 1, 7, 5, 1);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER(_id_ INTEGER PRIMARY KEY, flags INT, "
	     "timestamp INT, id INT, objectKind INT, objectId BLOB, name INT);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES"
	     "(1, 2, 100, 1, 2, x'2A0000002B00000000000000', 2), "
	     "(2, 4, 200, 1, 2, x'2A0000002B00000000000000', 0);");
	check_ranges(expected, DP_COUNT(expected));
}
