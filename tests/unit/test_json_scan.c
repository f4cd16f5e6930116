/* The JSON scanner against jansson on random documents, and on what jansson refuses. */
#include "import/json_scan.h"
#include "test.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* The text, followed by the zeros that the scanner requires. The caller frees it. */
static char *padded(const char *text, size_t length)
{
	char *copy = calloc(length + DP_JSON_PAD, 1);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, text, length);
	return copy;
}

static enum dp_json_result scan_string(const char *text, enum dp_json_place place, char *out,
				       bool *bare)
{
	char *copy = padded(text, strlen(text));
	struct dp_json json = { copy, copy + strlen(text) };
	struct dp_json_text found = { 0 };
	enum dp_json_result result = dp_json__string(&json, place, &found);

	if (result == DP_JSON_OK) {
		out[dp_json__unescape(&found, out)] = '\0';
		*bare = found.bare;
	}
	free(copy);
	return result;
}

static void check_string(const char *text, enum dp_json_place place, const char *expected,
			 bool expected_bare)
{
	char out[512] = "";
	bool bare = false;

	ck_assert_msg(scan_string(text, place, out, &bare) == DP_JSON_OK, "%s", text);
	ck_assert_str_eq(out, expected);
	ck_assert_msg(bare == expected_bare, "%s", text);
}

TEST(strings)
{
	check_string("\"\":", DP_JSON_KEY, "", false);
	check_string("\"ph\" : 1", DP_JSON_KEY, "ph", false);
	check_string("\"a string of more than sixteen bytes\"\n}", DP_JSON_IN_OBJECT,
		     "a string of more than sixteen bytes", false);
	check_string("\"exactly 16 bytes\", \"next\"", DP_JSON_IN_OBJECT, "exactly 16 bytes",
		     false);
	check_string("\"a\\\"b\\\\\",\"k\"", DP_JSON_IN_OBJECT, "a\"b\\", false);
	check_string("\"\\b\\f\\n\\r\\t\\/\"]", DP_JSON_IN_ARRAY, "\b\f\n\r\t/", false);
	check_string("\"raw\tcontrol\ncharacters\x01\"}", DP_JSON_IN_OBJECT,
		     "raw\tcontrol\ncharacters\x01", false);
	check_string("\"last\", }", DP_JSON_IN_OBJECT, "last", false);
}

TEST(bare_quotes)
{
	check_string("\"say \"hello\" to it\", \"pid\": 1", DP_JSON_IN_OBJECT,
		     "say \"hello\" to it", true);
	check_string("\"f(\"a\", 1)\"}", DP_JSON_IN_OBJECT, "f(\"a\", 1)", true);
	check_string("\"\"sum\"\", \"\"]", DP_JSON_IN_ARRAY, "\"sum\"", true);
	check_string("\"a: \"b\": c\", \"k\": 1", DP_JSON_IN_OBJECT, "a: \"b\": c", true);
	check_string("\"a}\"b\", \"k\": 1", DP_JSON_IN_OBJECT, "a}\"b", true);
}

TEST(unicode_escapes)
{
	check_string("\"\\u00e9\\u20ac\\uD83D\\uDE00\"]", DP_JSON_IN_ARRAY,
		     "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", false);
	check_string("\"\\ud83d!\"]", DP_JSON_IN_ARRAY, "\xef\xbf\xbd!", false);
	check_string("\"\\ude00\"]", DP_JSON_IN_ARRAY, "\xef\xbf\xbd", false);
	check_string("\"\\ud83d\\u0041\"]", DP_JSON_IN_ARRAY,
		     "\xef\xbf\xbd"
		     "A",
		     false);
	check_string("\"\\u12\"]", DP_JSON_IN_ARRAY, "u12", false);
	check_string("\"\\x\"]", DP_JSON_IN_ARRAY, "x", false);
}

TEST(strings_run_out)
{
	static const char *const texts[] = {
		"\"",	     "\"abc",	   "\"abc\\",
		"\"abc\\\"", "\"abc\"",	   "\"abc\"  ",
		"\"abc\",",  "\"abc\",  ", "\"abcdefghijklmnopqrstuvwxyz"
	};
	char out[64];
	bool bare;

	for (size_t i = 0; i < DP_COUNT(texts); i++)
		ck_assert_msg(scan_string(texts[i], DP_JSON_IN_OBJECT, out, &bare) == DP_JSON_MORE,
			      "%s", texts[i]);
}

/* Where the value ends, as an offset; -1: more is needed, -2: broken. */
static long skipped(const char *text)
{
	char copy[256] = "";
	struct dp_json json = { copy, copy + strlen(text) };
	enum dp_json_result result;

	ck_assert_uint_lt(strlen(text) + DP_JSON_PAD, sizeof(copy));
	strcpy(copy, text);
	result = dp_json__skip(&json, DP_JSON_ANYWHERE);
	return result == DP_JSON_OK ? (long)(json.at - copy) : result == DP_JSON_MORE ? -1 : -2;
}

TEST(skipping)
{
	ck_assert_int_eq(skipped("12,"), 2);
	ck_assert_int_eq(skipped("-Infinity }"), 9);
	ck_assert_int_eq(skipped("NaN]"), 3);
	ck_assert_int_eq(skipped("null\n"), 4);
	ck_assert_int_eq(skipped("{}"), 2);
	ck_assert_int_eq(skipped("[[],{\"a\":[1,2,{}]}],"), 19);
	ck_assert_int_eq(skipped("{\"brackets in strings\": \"}]}]\", \"\\\"}\": 1}x"), 41);
	ck_assert_int_eq(skipped("{\"bare\": \"a \"[\" b\"}x"), 19);
	ck_assert_int_eq(skipped("[1, 2"), -1);
	ck_assert_int_eq(skipped("[\"abc"), -1);
	ck_assert_int_eq(skipped("123"), -1);
	ck_assert_int_eq(skipped(","), -2);
	ck_assert_int_eq(skipped("}"), -2);
	ck_assert_int_eq(skipped("{\"a\": [1}x"), -2);
	ck_assert_int_eq(skipped("[{\"a\": 1]x"), -2);
	ck_assert_int_eq(skipped("{\"a\": 1, {\"b\": 2}}x"), -2);
	ck_assert_int_eq(skipped("{\"a\": 1, [2]}x"), -2);
	ck_assert_int_eq(skipped("{\"a\": \n [2, [3, {}]] }x"), 22);
}

/* Deeper than brackets are remembered, and back. */
TEST(deep_nesting)
{
	for (size_t depth = 1; depth < 300; depth++) {
		size_t used = 0;
		char *copy = calloc(depth * 6 + 2 + DP_JSON_PAD, 1);
		struct dp_json json = { copy, NULL };

		for (size_t i = 0; i < depth; i++)
			used += (size_t)sprintf(copy + used, i % 3 ? "{\"\":" : "[");
		copy[used++] = '1';
		for (size_t i = depth; i-- > 0;)
			copy[used++] = i % 3 ? '}' : ']';
		copy[used] = ',';
		json.end = copy + used + 1;
		ck_assert_int_eq(dp_json__skip(&json, DP_JSON_ANYWHERE), DP_JSON_OK);
		ck_assert_ptr_eq(json.at, copy + used);
		copy[used - 1] = '}';
		json.at = copy;
		ck_assert_int_eq(dp_json__skip(&json, DP_JSON_ANYWHERE), DP_JSON_BROKEN);
		free(copy);
	}
}

TEST(leaving)
{
	static const char text[] = "\"a\": {\"b\": [1, 2]}, \"c\": \"}\", \"d\": [[[]]] } rest";
	size_t length = strlen(text);

	for (size_t cut = 0; cut <= length; cut++) {
		char *copy = padded(text, cut);
		struct dp_json json = { copy, copy + cut };

		if (cut < length - strlen(" rest")) {
			ck_assert_int_eq(dp_json__leave(&json, true), DP_JSON_MORE);
		} else {
			ck_assert_int_eq(dp_json__leave(&json, true), DP_JSON_OK);
			ck_assert_uint_eq((size_t)(json.at - copy), length - strlen(" rest"));
		}
		free(copy);
	}
}

static void check_number(const char *text, int scale, bool expected_known, int64_t expected)
{
	char line[128];
	char *copy;
	struct dp_json json;
	int64_t value = 1;
	bool known = !expected_known;

	snprintf(line, sizeof(line), "%s,", text);
	copy = padded(line, strlen(line));
	json = (struct dp_json){ copy, copy + strlen(line) };
	ck_assert_msg(dp_json__number(&json, DP_JSON_ANYWHERE, scale, &value, &known) == DP_JSON_OK,
		      "%s", text);
	ck_assert_msg(json.at == copy + strlen(text), "%s: ends at %td", text, json.at - copy);
	ck_assert_msg(known == expected_known, "%s: known", text);
	ck_assert_msg(value == expected, "%s: %" PRId64, text, value);
	free(copy);
}

TEST(numbers_are_exact)
{
	check_number("0", 3, true, 0);
	check_number("-0", 0, true, 0);
	check_number("1712195495519689.047", 3, true, INT64_C(1712195495519689047));
	check_number("1712195495519689", 3, true, INT64_C(1712195495519689000));
	check_number("1661203462598738", 3, true, INT64_C(1661203462598738000));
	check_number("9007199254740993", 0, true, INT64_C(9007199254740993));
	check_number("4203669603438.301", 3, true, INT64_C(4203669603438301));
	check_number("0.001", 3, true, 1);
	check_number("60.204", 3, true, 60204);
	check_number("0.30000000000000004", 3, true, 300);
	check_number("4.9279999", 3, true, 4928);
	check_number("0.0004", 3, true, 0);
	check_number("0.0005", 3, true, 1);
	check_number("-2.5", 3, true, -2500);
	check_number("1.712195495519689e15", 3, true, INT64_C(1712195495519689000));
	check_number("1712195495519689.0", 3, true, INT64_C(1712195495519689000));
	check_number("1e3", 0, true, 1000);
	check_number("1E+3", 3, true, 1000000);
	check_number("1e-3", 3, true, 1);
	check_number("1e-400", 3, true, 0);
	check_number("1712195495519689.0474999999999", 3, true, INT64_C(1712195495519689047));
	check_number("1712195495519689.0475000000001", 3, true, INT64_C(1712195495519689048));
	check_number("9223372036854775807", 0, true, INT64_MAX);
	check_number("000000000000000000000000012", 0, true, 12);
	check_number("\"25738\"", 0, true, 25738);
}

TEST(not_numbers)
{
	static const char *const texts[] = {
		"NaN",
		"Infinity",
		"-Infinity",
		"null",
		"true",
		"-",
		"1e",
		"1e+",
		"1x",
		"1.2.3",
		"9223372036854775808",
		"1e30",
		"1e9999",
		"--1",
		"\"0x0\"",
		"\"s 7\"",
		"99999999999999999999",
		".",
	};

	for (size_t i = 0; i < DP_COUNT(texts); i++)
		check_number(texts[i], 0, false, 0);
	check_number("9223372036854776", 3, false, 0);
	check_number("{\"a\": [1]}", 0, false, 0);
}

TEST(counting)
{
	char text[100];

	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < sizeof(text); i += 3)
		text[i] = '\n';
	for (size_t n = 0; n <= sizeof(text); n++)
		ck_assert_uint_eq(dp_json__count(text, n, '\n'), (n + 2) / 3);
}

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(random_state >> 33) % n;
}

static json_t *random_string(void)
{
	static const char *const bits[] = { "a",    "\"",  "\\",       "\n", "\x01",
					    "{",    "}",   "[",	       "]",  ",",
					    ":",    " ",   "\xc3\xa9", "/",  "\xf0\x9f\x98\x80",
					    "name", "\":", "\",\"" };
	char text[256] = "";

	for (uint32_t n = random_below(24); n > 0; n--)
		strcat(text, bits[random_below(DP_COUNT(bits))]);
	return json_string(text);
}

static json_t *random_value(int depth)
{
	json_t *made;
	char key[16];

	switch (random_below(depth > 0 ? 7 : 5)) {
	case 0:
		return json_integer((json_int_t)random_below(1000000) - 500000);
	case 1:
		return json_real((double)random_below(1000000) / 1024);
	case 2:
		return random_below(2) ? json_null() : json_true();
	case 3:
	case 4:
		return random_string();
	case 5:
		made = json_array();
		for (uint32_t n = random_below(6); n > 0; n--)
			json_array_append_new(made, random_value(depth - 1));
		return made;
	default:
		made = json_object();
		for (uint32_t n = random_below(6); n > 0; n--) {
			snprintf(key, sizeof(key), "k%u", random_below(100));
			json_object_set_new(made, key, random_value(depth - 1));
		}
		return made;
	}
}

static void check_value(struct dp_json *json, const json_t *expected, enum dp_json_place place);

static void check_object(struct dp_json *json, const json_t *expected)
{
	struct dp_json_text key;
	char name[32];
	size_t members = 0;

	json->at++;
	while (dp_json__peek(json) != '}') {
		if (*json->at == ',') {
			json->at++;
			continue;
		}
		ck_assert_int_eq(dp_json__string(json, DP_JSON_KEY, &key), DP_JSON_OK);
		ck_assert_uint_lt(key.length, sizeof(name));
		name[dp_json__unescape(&key, name)] = '\0';
		ck_assert_int_eq(dp_json__peek(json), ':');
		json->at++;
		dp_json__peek(json);
		check_value(json, json_object_get(expected, name), DP_JSON_IN_OBJECT);
		members++;
	}
	json->at++;
	ck_assert_uint_eq(members, json_object_size(expected));
}

static void check_value(struct dp_json *json, const json_t *expected, enum dp_json_place place)
{
	struct dp_json skip = *json;
	struct dp_json_text text;
	char plain[512];
	int64_t value;
	size_t i = 0;
	bool known;

	ck_assert_ptr_nonnull(expected);
	ck_assert_int_eq(dp_json__skip(&skip, place), DP_JSON_OK);
	switch (json_typeof(expected)) {
	case JSON_OBJECT:
		check_object(json, expected);
		break;
	case JSON_ARRAY:
		json->at++;
		while (dp_json__peek(json) != ']') {
			if (*json->at == ',')
				json->at++;
			else
				check_value(json, json_array_get(expected, i++), DP_JSON_IN_ARRAY);
		}
		json->at++;
		ck_assert_uint_eq(i, json_array_size(expected));
		break;
	case JSON_STRING:
		ck_assert_int_eq(dp_json__string(json, place, &text), DP_JSON_OK);
		ck_assert_uint_lt(text.length, sizeof(plain));
		plain[dp_json__unescape(&text, plain)] = '\0';
		ck_assert_str_eq(plain, json_string_value(expected));
		ck_assert(!text.bare);
		break;
	default:
		ck_assert_int_eq(dp_json__number(json, place, 0, &value, &known), DP_JSON_OK);
		ck_assert(known == json_is_number(expected));
		if (json_is_integer(expected))
			ck_assert_int_eq(value, json_integer_value(expected));
	}
	ck_assert_ptr_eq(json->at, skip.at);
}

TEST(reads_as_jansson_does)
{
	static const size_t flags[] = {
		JSON_COMPACT,	  JSON_INDENT(2), JSON_INDENT(9), JSON_ENSURE_ASCII, 0,
		JSON_ESCAPE_SLASH
	};

	for (random_state = 1; random_state < 2000; random_state++) {
		uint64_t seed = random_state;
		json_t *made = json_pack("[o]", random_value(5)), *read;
		char *text = json_dumps(made, flags[seed % DP_COUNT(flags)]);
		char *copy = padded(text, strlen(text));
		struct dp_json json = { copy, copy + strlen(text) };

		read = json_loads(text, 0, NULL);
		ck_assert_ptr_nonnull(read);
		check_value(&json, read, DP_JSON_ANYWHERE);
		ck_assert_ptr_eq(json.at, json.end);
		json_decref(read);
		json_decref(made);
		free(text);
		free(copy);
		random_state = seed;
	}
}
