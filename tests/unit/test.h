/*
 * A program of tests for Check, with its main(). TEST(name) defines a test, and TEST_LOOP(name, times)
 * one that runs several times, with _i from 0. All run in the order of the file.
 * One runs by its name: TEST=few_descriptors build-gcc/tests/fake/test_trouble.
 */
#ifndef DP_TEST_H
#define DP_TEST_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct test {
	const TTest what;
	int times;
	struct test *next;
};

static struct test *first_test, **last_test = &first_test;

static void add_test(struct test *test)
{
	*last_test = test;
	last_test = &test->next;
}

#define TEST(name) TEST_LOOP(name, 1)
#define TEST_LOOP(name, how_often)                                               \
	static void name(int _i);                                                \
	__attribute__((constructor)) static void name##_add(void)                \
	{                                                                        \
		static struct test test = { { #name, name, __FILE__, __LINE__ }, \
					    (int)(how_often),                    \
					    NULL };                              \
		add_test(&test);                                                 \
	}                                                                        \
	static void name(int _i CK_ATTRIBUTE_UNUSED)

int main(void)
{
	Suite *suite = suite_create("deepprof");
	TCase *tests = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	const char *only = getenv("TEST");
	int failed;

	tcase_set_timeout(tests, 240);
	suite_add_tcase(suite, tests);
	for (struct test *test = first_test; test; test = test->next)
		if (!only || !strcmp(only, test->what.name))
			tcase_add_loop_test(tests, &test->what, 0, test->times);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner) || !srunner_ntests_run(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
