/* Which libcupti the collector takes: the program's own, and none that would not do. */
#include "run.h"
#include "cupti/cupti_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

START_TEST(no_cupti)
{
	struct run_options options = { .cupti = "/nowhere/libcupti.so" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=10", "exit=4"));
	run_check_exit(&run, 4);
	ck_assert_ptr_nonnull(strstr(run.messages, "[no-cupti]"));
	ck_assert_ptr_nonnull(strstr(run.messages, "/nowhere/libcupti.so"));
}
END_TEST

/* What is newer than the driver, or crashes without one, is not called, and that is printed. */
START_TEST(unfit_cupti)
{
	struct run_options options = { .cupti = FAKE_CUPTI_13_2, .driver = _i ? "13020" : "12080" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=10", "nvtx=10", "exit=4"));
	run_check_exit(&run, 4);
	ck_assert_ptr_nonnull(strstr(run.messages, _i ? "[no-driver]" : "[old-driver]"));
	ck_assert_ptr_nonnull(strstr(run.messages, _i ? "would crash"
						      : "is of CUDA 13, and the driver is of "
							"CUDA 12.8, which is older"));
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], NVTX_EVENTS);
}
END_TEST

/* A folder with one for each driver: an older one will do; what is newer, or crashes, never. */
START_TEST(folder_of_several)
{
	char folder[] = "/tmp/deepprof-cupti.XXXXXX", path[2][64];
	struct run_options options = { .driver = _i ? "13020" : "12080", .cupti = folder };
	static struct run run;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path[0], sizeof(path[0]), "%s/libcupti.so.12", folder);
	snprintf(path[1], sizeof(path[1]), "%s/libcupti.so.13", folder);
	ck_assert(!symlink(FAKE_CUPTI, path[0]) && !symlink(FAKE_CUPTI_13_2, path[1]));
	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "exit=4"));
	unlink(path[0]);
	unlink(path[1]);
	rmdir(folder);
	run_check_exit(&run, 4);
	ck_assert_msg(strstr(run.messages, "/libcupti.so.12") && strstr(run.messages, "[attached]"),
		      "%s", run.messages);
}
END_TEST

/*
 * Files of a folder that all lead to one of CUDA 13, with a driver of 12: those that are named
 * after 13 are not loaded for that to be known, and the others once.
 */
static const struct {
	const char *files[3];
	unsigned int loads;
} newer_folders[] = {
	{ { "libcupti.so.13" }, 0 },
	{ { "libcupti.so.13", "libcupti.so", "libcupti.so.2025.3.0" }, 1 },
	{ { "libcupti.so.2025.3.0" }, 1 },
};

START_TEST(folder_of_newer)
{
	char folder[] = "/tmp/deepprof-cupti.XXXXXX", path[3][64];
	struct run_options options = { .driver = "12080", .cupti = folder };
	const char *const *files = newer_folders[_i].files;
	static struct run run;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (int i = 0; i < 3 && files[i]; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%s", folder, files[i]);
		ck_assert(!symlink(FAKE_CUPTI_13_2, path[i]));
	}
	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "exit=4"));
	for (int i = 0; i < 3 && files[i]; i++)
		unlink(path[i]);
	rmdir(folder);
	run_check_exit(&run, 4);
	ck_assert_msg(strstr(run.messages, "[old-driver]") && strstr(run.messages, "is of CUDA 13"),
		      "%s", run.messages);
	ck_assert_uint_eq(run.truth.constructed, newer_folders[_i].loads);
}
END_TEST

/*
 * Where a program's own CUPTI is, by what it has loaded: wheels up to CUDA 12, those of CUDA 13, a
 * toolkit, itself. Nothing names it, and none that is installed is taken instead.
 */
static const struct {
	const char *neighbour, *cupti; /* in a folder of their own */
} layouts_on_disk[] = {
	{ "nvidia/cuda_runtime/lib/libcudart.so.12", "nvidia/cuda_cupti/lib/libcupti.so.12" },
	{ "nvidia/cublas/lib/libcublas.so.12", "nvidia/cuda_cupti/lib/libcupti.so.12" },
	{ "nvidia/cudnn/lib/libcudnn.so.9", "nvidia/cu13/lib/libcupti.so.13" },
	{ "nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcupti.so.13" },
	{ "cuda/lib64/libcudart.so.12", "cuda/extras/CUPTI/lib64/libcupti.so" },
	{ "cuda/targets/x86_64-linux/lib/libcudart.so.12", "cuda/extras/CUPTI/lib64/libcupti.so" },
	{ "cuda/12.6/lib64/libcudart.so.12", "cuda/12.6/extras/CUPTI/lib64/libcupti.so.12" },
	{ "lib/libcupti.so.12", "lib/libcupti.so.12" },
	{ "torch/lib/libcudart-0f1e2d3c.so.12", "torch/lib/libcupti-ab12cd34.so.12" },
	{ "torch/lib/libtorch_cuda.so", "nvidia/cuda_cupti/lib/libcupti.so.12" },
	{ "torch/lib/libtorch_cuda.so", "nvidia/cu13/lib/libcupti.so.13" },
	{ "lib/libcupti-ab12cd34.so.12", "lib/libcupti-ab12cd34.so.12" },
};

static void put_file(const char *folder, const char *name, const char *from, char path[300])
{
	char command[1200];

	snprintf(path, 300, "%s/%s", folder, name);
	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\" && cp '%s' '%s'", path,
		 from, path);
	ck_assert_int_eq(system(command), 0);
}

static bool has_installed(void)
{
	void *library = dlopen("libcupti.so.12", RTLD_LAZY);

	if (!library)
		library = dlopen("libcupti.so", RTLD_LAZY);
	return library != NULL;
}

static void remove_all(const char *folder)
{
	char command[400];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(cupti_of_the_program)
{
	struct run_options options = { .cupti = "", .driver = "13000" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", neighbour[300], cupti[300];
	char open_word[310], find_word[310];
	static struct run run;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	put_file(folder, layouts_on_disk[_i].neighbour, NEIGHBOUR, neighbour);
	put_file(folder, layouts_on_disk[_i].cupti, FAKE_CUPTI, cupti);
	snprintf(open_word, sizeof(open_word), "open=%s", neighbour);
	snprintf(find_word, sizeof(find_word), "find=%s", cupti);
	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS(open_word, "init", find_word, "launch=100", "exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	run_check_complete(&run);
	ck_assert_ptr_nonnull(strstr(run.messages, "[attached]"));
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}
END_TEST

/* CUPTI is part of the program: here, by being preloaded, it is where all look for symbols. */
START_TEST(linked_cupti)
{
	struct run_options options = { .cupti = "" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", path[300], preload[320], word[310];
	static struct run run;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	put_file(folder, "libprogram.so", FAKE_CUPTI, path);
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", path);
	snprintf(word, sizeof(word), "find=%s", path);
	options.switches[0] = preload;
	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", word, "launch=100", "exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	ck_assert_msg(strstr(run.messages, "/libprogram.so"), "%s", run.messages);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}
END_TEST

/* A toolkit that only the environment names, in the ways that toolkits lie. */
static const struct {
	const char *variable, *cupti;
} toolkits[] = {
	{ "CUDA_HOME", "extras/CUPTI/lib64/libcupti.so" },
	{ "CUDA_PATH", "lib64/libcupti.so.12" },
	{ "CONDA_PREFIX", "lib/libcupti.so.12" },
	{ "CONDA_PREFIX", "targets/x86_64-linux/lib/libcupti.so.12" },
	{ "CUDA_HOME", "targets/sbsa-linux/lib/libcupti.so.12" },
	{ "CUDA_PATH", "12.6/extras/CUPTI/lib64/libcupti.so.12" },
	{ "NVHPC_ROOT", "cuda/extras/CUPTI/lib64/libcupti.so.12" },
	{ "NVHPC_ROOT", "cuda/12.6/extras/CUPTI/lib64/libcupti.so.12" },
};

START_TEST(cupti_of_the_environment)
{
	struct run_options options = { .cupti = "", .driver = "12080" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", cupti[300], word[310], variable[100];
	static struct run run;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	put_file(folder, toolkits[_i].cupti, FAKE_CUPTI, cupti);
	snprintf(variable, sizeof(variable), "%s=%s", toolkits[_i].variable, folder);
	snprintf(word, sizeof(word), "find=%s", cupti);
	options.switches[0] = variable;
	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", word, "launch=100", "exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	/* One that is installed where the linker looks comes first. */
	ck_assert_ptr_null(strstr(run.messages, "[no-cupti]"));
	if (strstr(run.messages, folder))
		ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
	else
		ck_assert_msg(has_installed(), "%s", run.messages);
}
END_TEST

/*
 * The words of a program that has loaded what lies next to a libcupti of CUDA 13, and next to one
 * of CUDA 12: the last finds the second.
 */
static void make_both(const char *folder, char words[3][310])
{
	char neighbour[2][300], cupti[2][300];

	put_file(folder, "new/libcudart.so.13", NEIGHBOUR, neighbour[0]);
	put_file(folder, "new/libcupti.so", FAKE_CUPTI_13_2, cupti[0]);
	put_file(folder, "old/libcudart.so.12", NEIGHBOUR, neighbour[1]);
	put_file(folder, "old/libcupti.so.12", FAKE_CUPTI, cupti[1]);
	for (int i = 0; i < 2; i++)
		snprintf(words[i], 310, "open=%s", neighbour[i]);
	snprintf(words[2], 310, "find=%s", cupti[1]);
}

/* A folder whose only one won't do is left for the next: the program has loaded of both. */
START_TEST(unfit_then_fit)
{
	struct run_options options = { .cupti = "", .driver = "12080" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", words[3][310];
	static struct run run;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	make_both(folder, words);
	memset(&run, 0, sizeof(run));
	run_app(&run, &options,
		WORDS(words[0], words[1], "init", words[2], "launch=100", "exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	run_check_complete(&run);
	ck_assert_ptr_nonnull(strstr(run.messages, "[attached]"));
	ck_assert_msg(strstr(run.messages, "/old/libcupti.so.12"), "%s", run.messages);
	ck_assert_ptr_null(strstr(run.messages, "[old-driver]"));
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}
END_TEST

/* Where it is the program's own that won't do there is no other, whatever else is there. */
START_TEST(unfit_is_mapped)
{
	struct run_options options = { .cupti = "", .driver = "12080" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", words[3][310], cupti[300], own[310];
	static struct run run;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	make_both(folder, words);
	put_file(folder, "own/libcupti.so.13", FAKE_CUPTI_13_2, cupti);
	snprintf(own, sizeof(own), "open=%s", cupti);
	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS(_i ? own : words[1], _i ? words[1] : own, "init", "exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	ck_assert_msg(strstr(run.messages, "[old-driver]") &&
			      strstr(run.messages, "/own/libcupti.so.13"),
		      "%s", run.messages);
	ck_assert_ptr_null(strstr(run.messages, "[attached]"));
	ck_assert_uint_eq(run.truth.constructed, 1);
}
END_TEST

/*
 * What its constructors have made may be in use: what does not suit is not unloaded. A child of
 * fork() that starts CUDA takes it not for the program's own, nor are they run again.
 */
START_TEST(unfit_stays)
{
	struct run_options options = { .cupti = "", .driver = "12080" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", words[3][310];
	static struct run run;
	const char *at = run.messages;
	int attached = 0;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	make_both(folder, words);
	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS(words[0], words[1], "init", "forkinit=1", "_exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	for (; (at = strstr(at, "[attached]")); at++, attached++)
		ck_assert_ptr_nonnull(strstr(at, "/old/libcupti.so.12"));
	ck_assert_msg(attached == 2, "%s", run.messages);
	ck_assert_uint_eq(run.truth.constructed, 2);
	ck_assert_uint_eq(run.truth.destructed, 0);
}
END_TEST

/*
 * The real ones, wherever they are installed; without a driver they refuse, and that is all: with a
 * libcuda that says it is of CUDA 13, so that all are asked, and with one of 12, as most are not.
 */
START_TEST(real_cupti)
{
	static const char *const paths[] = REAL_CUPTI;
	static struct run run;

	for (size_t i = 0; paths[i]; i++) {
		struct run_options options = { .cupti = paths[i], .driver = _i ? "13050" : NULL };

		memset(&run, 0, sizeof(run));
		run_app(&run, &options, WORDS("init", "nvtx=10", "exit=2"));
		run_check_exit(&run, 2);
		run_check_sums(&run);
		ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], NVTX_EVENTS);
		ck_assert_ptr_null(strstr(run.messages, "[no-cupti]"));
	}
}
END_TEST

static void fill(TCase *tests)
{
	tcase_add_test(tests, no_cupti);
	tcase_add_loop_test(tests, unfit_cupti, 0, 2);
	tcase_add_loop_test(tests, folder_of_several, 0, 2);
	tcase_add_loop_test(tests, folder_of_newer, 0,
			    sizeof(newer_folders) / sizeof(newer_folders[0]));
	tcase_add_loop_test(tests, cupti_of_the_program, 0,
			    sizeof(layouts_on_disk) / sizeof(layouts_on_disk[0]));
	tcase_add_loop_test(tests, cupti_of_the_environment, 0,
			    sizeof(toolkits) / sizeof(toolkits[0]));
	tcase_add_loop_test(tests, linked_cupti, 0, 1);
	tcase_add_test(tests, unfit_then_fit);
	tcase_add_loop_test(tests, unfit_is_mapped, 0, 2);
	tcase_add_test(tests, unfit_stays);
	tcase_add_loop_test(tests, real_cupti, 0, 2);
}

#include "../unit/test_main.h"
