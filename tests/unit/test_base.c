/* Errors and arrays. */
#include "base/base.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

START_TEST(first_error_wins)
{
	struct dp_error error = DP_ERROR_INIT;
	char line[256];

	ck_assert_int_eq(dp_error__set(&error, DP_ERR_DAMAGED, "row of %d columns", 3),
			 DP_ERR_DAMAGED);
	dp_error__set(&error, DP_ERR_IO, "later");
	dp_error__where(&error, "a\nb.csv", NULL, 7, 2);
	dp_error_format(&error, line, sizeof(line));
	ck_assert_str_eq(line, "a?b.csv:7:2: row of 3 columns");
}
END_TEST

START_TEST(error_names_table)
{
	struct dp_error error = DP_ERROR_INIT;
	char line[256];

	dp_error__set(&error, DP_ERR_DAMAGED, "no column start");
	dp_error__where(&error, "a.db", "KERNEL", 0, 0);
	dp_error_format(&error, line, sizeof(line));
	ck_assert_str_eq(line, "a.db: KERNEL: no column start");
}
END_TEST

START_TEST(long_message_is_cut_at_a_character)
{
	struct dp_error error = DP_ERROR_INIT;
	char text[300] = "";

	for (int i = 0; i < 140; i++)
		strcat(text, "\xc3\xa9");
	dp_error__set(&error, DP_ERR_DAMAGED, "x%s", text);
	ck_assert_uint_eq(strlen(error.message) % 2, 1);
	dp_error__set(NULL, DP_ERR_DAMAGED, "nobody listens");
}
END_TEST

START_TEST(message_is_utf8)
{
	struct dp_error error = DP_ERROR_INIT;

	dp_error__set(&error, DP_ERR_DAMAGED, "a\xff\xe2\x82z\xc3\xa9\x1b");
	ck_assert_str_eq(error.message, "a???z\xc3\xa9?");
}
END_TEST

START_TEST(array_grows)
{
	size_t room = 0;
	int *data = NULL;

	for (size_t i = 0; i < 1000; i++) {
		ck_assert_int_eq(dp_array__reserve(&data, &room, i + 1, sizeof(*data)), DP_OK);
		data[i] = (int)i;
	}
	ck_assert_uint_ge(room, 1000);
	dp_array__shrink(&data, &room, 1000, sizeof(*data));
	ck_assert_int_eq(data[999], 999);
	ck_assert_int_eq(dp_array__reserve(&data, &room, SIZE_MAX / 2, 8), DP_ERR_NOMEM);
	ck_assert_int_eq(data[999], 999);
	free(data);
}
END_TEST

static void fill(TCase *tests)
{
	tcase_add_test(tests, first_error_wins);
	tcase_add_test(tests, error_names_table);
	tcase_add_test(tests, long_message_is_cut_at_a_character);
	tcase_add_test(tests, message_is_utf8);
	tcase_add_test(tests, array_grows);
}

#include "test_main.h"
