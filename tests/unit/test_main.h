/* The main() of a unit test: define `static void fill(TCase *)` first, then include this. */
#ifndef DP_TEST_MAIN_H
#define DP_TEST_MAIN_H

#include <check.h>
#include <stdlib.h>

int main(void)
{
	Suite *suite = suite_create("deepprof");
	TCase *tests = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 240);
	suite_add_tcase(suite, tests);
	fill(tests);
	srunner_run_all(runner, CK_NORMAL);
	/* None is by that name (check.c). */
	failed = srunner_ntests_failed(runner) || !srunner_ntests_run(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
