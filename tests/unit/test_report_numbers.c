/* Numbers in reports, for people and for machines. */
#include "base/text.h"
#include "report/label.h"
#include "report/number.h"
#include "test.h"

#include <locale.h>
#include <math.h>

static const char *duration(double ns, bool ascii)
{
	static char buf[DP_NUMBER_SIZE];

	return dp_human__duration(buf, ns, ascii);
}

TEST(durations_have_four_digits)
{
	char buf[DP_NUMBER_SIZE];

	ck_assert_str_eq(duration(0, true), "0 ns");
	ck_assert_str_eq(duration(17.5, true), "17.50 ns");
	ck_assert_str_eq(duration(999.9, true), "999.9 ns");
	ck_assert_str_eq(duration(999.96, true), "1.000 us");
	ck_assert_str_eq(duration(12345, false), "12.35 \xc2\xb5s");
	ck_assert_str_eq(duration(9999.4, true), "9.999 us");
	ck_assert_str_eq(duration(9999.6, true), "10.00 us");
	ck_assert_str_eq(duration(59729000, true), "59.73 ms");
	ck_assert_str_eq(duration(999949999, true), "999.9 ms");
	ck_assert_str_eq(duration(999950000, true), "1.000 s");
	ck_assert_str_eq(duration(119.9e9, true), "119.9 s");
	ck_assert_str_eq(duration(754e9, true), "12 min 34 s");
	ck_assert_str_eq(duration(11103e9, true), "3 h 05 min");
	ck_assert_str_eq(duration(-1500, true), "-1.500 us");
	ck_assert_str_eq(duration((double)NAN, true), "-");
	ck_assert_str_eq(duration((double)INFINITY, true), "-");
	ck_assert_uint_lt(strlen(duration(1e300, true)), DP_NUMBER_SIZE);
	ck_assert_str_eq(dp_human__rough(buf, 2486000, true), "2.5 ms");
	ck_assert_str_eq(dp_human__rough(buf, 219700, true), "220 us");
	ck_assert_str_eq(dp_human__rough(buf, 99600, true), "100 us");
	ck_assert_str_eq(dp_human__step(buf, 1, true), "1 ns");
	ck_assert_str_eq(dp_human__step(buf, 1000000, true), "1 ms");
	ck_assert_str_eq(dp_human__step(buf, 32, true), "32 ns");
}

/* "runs from 10 min 16 s to 10 min 16 s" shows nothing. */
TEST(durations_that_differ_look_different)
{
	static const struct {
		double low, high;
		const char *texts[2];
	} cases[] = {
		{ 936e6, 1084e6, { "936.0 ms", "1.084 s" } },
		{ 616.02e9, 616.31e9, { "10 min 16.0 s", "10 min 16.3 s" } },
		{ 616.0201e9, 616.0202e9, { "10 min 16.0201 s", "10 min 16.0202 s" } },
		{ 616e9, 617e9, { "10 min 16 s", "10 min 17 s" } },
		{ 3599.98e9, 3600.4e9, { "1 h 00 min 00.0 s", "1 h 00 min 00.4 s" } },
		{ 3661e9, 3667e9, { "1 h 01 min 01 s", "1 h 01 min 07 s" } },
		{ 3661.11e9, 3661.22e9, { "1 h 01 min 01.1 s", "1 h 01 min 01.2 s" } },
		{ 100.1234e9, 100.1239e9, { "100.123 s", "100.124 s" } },
		{ 5, 5, { "5 ns", "5 ns" } },
		{ 616e9, 616e9, { "10 min 16 s", "10 min 16 s" } },
		{ 3599.98e9, 3600.02e9, { "59 min 59.98 s", "1 h 00 min 00.02 s" } },
	};

	for (size_t i = 0; i < DP_COUNT(cases); i++) {
		char low[DP_NUMBER_SIZE], high[DP_NUMBER_SIZE];

		dp_human__apart(low, high, cases[i].low, cases[i].high, true);
		ck_assert_str_eq(low, cases[i].texts[0]);
		ck_assert_str_eq(high, cases[i].texts[1]);
	}
}

TEST(other_units)
{
	char buf[DP_NUMBER_SIZE];

	ck_assert_str_eq(dp_human__share(buf, 0), "0%");
	ck_assert_str_eq(dp_human__share(buf, 1), "100%");
	ck_assert_str_eq(dp_human__share(buf, 0.99999), "99.9%");
	ck_assert_str_eq(dp_human__share(buf, 0.0004), "<0.1%");
	ck_assert_str_eq(dp_human__share(buf, 0.3394), "33.9%");
	ck_assert_str_eq(dp_human__share(buf, 12.5), "1250%");
	ck_assert_str_eq(dp_human__share(buf, (double)NAN), "-");
	ck_assert_str_eq(dp_label_bytes(buf, sizeof(buf), 1023), "1023 B");
	ck_assert_str_eq(dp_label_bytes(buf, sizeof(buf), UINT64_MAX), "16.00 EiB");
	ck_assert_str_eq(dp_label_bytes(buf, sizeof(buf), 1000 * 1024), "0.977 MiB");
	ck_assert_str_eq(dp_label_count(buf, sizeof(buf), 1234567), "1,234,567");
	ck_assert_str_eq(dp_label_duration(buf, sizeof(buf), 999, true), "999 ns");
	ck_assert_str_eq(dp_label_duration(buf, sizeof(buf), 12345, true), "12.35 us");
	ck_assert_str_eq(dp_label_duration(buf, sizeof(buf), 1304e8, true), "2 min 10 s");
	ck_assert_str_eq(dp_label_duration(buf, 4, 1304e8, true), "2 m");
	ck_assert_str_eq(dp_human__bytes(buf, 0), "0 B");
	ck_assert_str_eq(dp_human__bytes(buf, 1023), "1023 B");
	ck_assert_str_eq(dp_human__bytes(buf, 1024), "1.000 KiB");
	ck_assert_str_eq(dp_human__bytes(buf, 19267840), "18.38 MiB");
	ck_assert_str_eq(dp_human__bytes(buf, 1e30), "9999 EiB");
	ck_assert_str_eq(dp_human__value(buf, 21998, "count", true), "21,998");
	ck_assert_str_eq(dp_human__value(buf, 0, "bytes/s", true), "0 B/s");
	ck_assert_str_eq(dp_human__value(buf, 134217728e3, "bytes/s", true), "134.2 GB/s");
	ck_assert_str_eq(dp_human__value(buf, 999960, "bytes/s", true), "1.000 MB/s");
	ck_assert_str_eq(dp_human__value(buf, (double)NAN, "bytes/s", true), "-");
	ck_assert_str_eq(dp_human__value(buf, 1.101e14, "FLOP/s", true), "110.1 TFLOP/s");
	ck_assert_str_eq(dp_human__value(buf, 250.5, "W", true), "250.5 W");
	ck_assert_str_eq(dp_human__value(buf, (double)NAN, "W", true), "-");
}

/* Only a unit that is that of all digits of both is written once. */
TEST(two_values_share_a_unit)
{
	static const struct {
		double low, high;
		const char *text;
	} cases[] = {
		{ 1e6, 2e6, "1.000 to 2.000 ms" },
		{ 1e3, 2e6, "1.000 us to 2.000 ms" },
		{ 108e9, 140e9, "108.0 s to 2 min 20 s" },
		{ 616e9, 676e9, "10 min 16 s to 11 min 16 s" },
		{ 4860e9, 6180e9, "1 h 21 min to 1 h 43 min" },
	};
	char buf[3 * DP_NUMBER_SIZE];

	for (size_t i = 0; i < DP_COUNT(cases); i++)
		ck_assert_str_eq(dp_human__range(buf, cases[i].low, cases[i].high, true),
				 cases[i].text);
}

static const char *json_number(double value, const char *unit)
{
	static char buf[DP_NUMBER_SIZE];

	dp_number__json(buf, value, unit);
	return buf;
}

static void check_json_numbers(void)
{
	ck_assert_str_eq(json_number(0.5, "1"), "0.5");
	ck_assert_str_eq(json_number(1e-7, "1"), "1e-07");
	ck_assert_str_eq(json_number(17.5, "ns"), "18");
	ck_assert_str_eq(json_number(-0.2, "ns"), "0");
	ck_assert_str_eq(json_number(9007199254740991.0, "bytes"), "9007199254740991");
	ck_assert_str_eq(json_number((double)NAN, "ns"), "null");
	ck_assert_str_eq(json_number(-(double)INFINITY, "1"), "null");
	/* Beyond 64 bits: still a number. */
	ck_assert_str_eq(json_number(1e19, "bytes"), "1e+19");
}

static void check_decimals(void)
{
	char buf[DP_TEXT_SIZE];

	ck_assert_str_eq(dp_text__fixed(buf, -1234.567, 2), "-1234.57");
	ck_assert_str_eq(dp_text__fixed(buf, 99.95, 0), "100");
	ck_assert_str_eq(dp_text__digits(buf, 99.9, 6), "99.9");
	ck_assert_str_eq(dp_text__digits(buf, 95, 6), "95");
}

static void check_nouns(void)
{
	char buf[DP_TEXT_SIZE];

	ck_assert_str_eq(dp_text__counted(buf, sizeof(buf), "1", "launch"), "1 launch");
	ck_assert_str_eq(dp_text__counted(buf, sizeof(buf), "177", "launch"), "177 launches");
	ck_assert_str_eq(dp_text__counted(buf, sizeof(buf), "0", "copy"), "0 copies");
	ck_assert_str_eq(dp_text__counted(buf, sizeof(buf), "1.5", "way"), "1.5 ways");
	ck_assert_str_eq(dp_text__counted(buf, sizeof(buf), "2", "memset"), "2 memsets");
}

TEST(numbers_for_machines)
{
	char buf[DP_NUMBER_SIZE];

	check_json_numbers();
	ck_assert_uint_eq(dp_number__integer(buf, INT64_MIN), 20);
	ck_assert_str_eq(buf, "-9223372036854775808");
	dp_number__integer(buf, INT64_MAX);
	ck_assert_str_eq(buf, "9223372036854775807");
	check_decimals();
	check_nouns();
	/* An application may have set a locale with another decimal sign. */
	if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8")) {
		check_json_numbers();
		check_decimals();
	}
}
