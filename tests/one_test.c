/* One test of a program by its name: TEST=few_descriptors build-gcc/tests/fake/test_trouble. The
 * linker leads Check's registration of tests here (--wrap, meson.build). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

void __real__tcase_add_test(TCase *tests, const TTest *test, int signal, int status, int start,
			    int end);
void __wrap__tcase_add_test(TCase *tests, const TTest *test, int signal, int status, int start,
			    int end);

void __wrap__tcase_add_test(TCase *tests, const TTest *test, int signal, int status, int start,
			    int end)
{
	const char *name = getenv("TEST");

	if (!name || !strcmp(name, test->name))
		__real__tcase_add_test(tests, test, signal, status, start, end);
}
