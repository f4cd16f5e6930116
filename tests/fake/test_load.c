/* Which libcupti the collector loads: the program's own, and never an unsuitable one. */
#include "run.h"
#include "cupti/cupti_abi.h"
#include "../unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct run run;

TEST(no_cupti)
{
	struct run_options options = { .cupti = "/nowhere/libcupti.so" };

	run_app(&run, &options, WORDS("init", "launch=10", "exit=4"));
	run_check_exit(&run, 4);
	ck_assert_ptr_nonnull(strstr(run.messages, "[no-cupti]"));
	ck_assert_ptr_nonnull(strstr(run.messages, "/nowhere/libcupti.so"));
}

/*
 * A libcupti that is newer than the driver, or crashes without one, is not called, and a message
 * says so.
 */
TEST_LOOP(unfit_cupti, 2)
{
	struct run_options options = { .cupti = FAKE_CUPTI_13_2, .driver = _i ? "13020" : "12080" };

	run_app(&run, &options, WORDS("init", "launch=10", "nvtx=10", "exit=4"));
	run_check_exit(&run, 4);
	ck_assert_ptr_nonnull(strstr(run.messages, _i ? "[no-driver]" : "[old-driver]"));
	ck_assert_ptr_nonnull(strstr(run.messages, _i ? "would crash"
						      : "is of CUDA 13, and the driver is of "
							"CUDA 12.8, which is older"));
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], NVTX_EVENTS);
}

/*
 * A folder with one for each driver: an older one is suitable, a newer one or one that crashes
 * never is.
 */
TEST_LOOP(folder_of_several, 2)
{
	char folder[] = "/tmp/deepprof-cupti.XXXXXX", path[2][64];
	struct run_options options = { .driver = _i ? "13020" : "12080", .cupti = folder };

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path[0], sizeof(path[0]), "%s/libcupti.so.12", folder);
	snprintf(path[1], sizeof(path[1]), "%s/libcupti.so.13", folder);
	ck_assert(!symlink(FAKE_CUPTI, path[0]) && !symlink(FAKE_CUPTI_13_2, path[1]));
	run_app(&run, &options, WORDS("init", "exit=4"));
	unlink(path[0]);
	unlink(path[1]);
	rmdir(folder);
	run_check_exit(&run, 4);
	ck_assert_msg(strstr(run.messages, "/libcupti.so.12") && strstr(run.messages, "[attached]"),
		      "%s", run.messages);
}

/*
 * All files of a folder lead to one library of CUDA 13, with a driver of 12: those whose names show
 * 13 are not loaded to find that out, and the others once.
 */
static const struct {
	const char *files[3];
	unsigned int loads;
} newer_folders[] = {
	{ { "libcupti.so.13" }, 0 },
	{ { "libcupti.so.13", "libcupti.so", "libcupti.so.2025.3.0" }, 1 },
	{ { "libcupti.so.2025.3.0" }, 1 },
};

TEST_LOOP(folder_of_newer, sizeof(newer_folders) / sizeof(newer_folders[0]))
{
	char folder[] = "/tmp/deepprof-cupti.XXXXXX", path[3][64];
	struct run_options options = { .driver = "12080", .cupti = folder };
	const char *const *files = newer_folders[_i].files;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (int i = 0; i < 3 && files[i]; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%s", folder, files[i]);
		ck_assert(!symlink(FAKE_CUPTI_13_2, path[i]));
	}
	run_app(&run, &options, WORDS("init", "exit=4"));
	for (int i = 0; i < 3 && files[i]; i++)
		unlink(path[i]);
	rmdir(folder);
	run_check_exit(&run, 4);
	ck_assert_msg(strstr(run.messages, "[old-driver]") && strstr(run.messages, "is of CUDA 13"),
		      "%s", run.messages);
	ck_assert_uint_eq(run.truth.constructed, newer_folders[_i].loads);
}

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

static void remove_all(const char *folder)
{
	char command[400];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

TEST_LOOP(cupti_of_the_program, sizeof(layouts_on_disk) / sizeof(layouts_on_disk[0]))
{
	struct run_options options = { .cupti = "", .driver = "13000" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", neighbour[300], cupti[300];
	char open_word[310], find_word[310];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	put_file(folder, layouts_on_disk[_i].neighbour, NEIGHBOUR, neighbour);
	put_file(folder, layouts_on_disk[_i].cupti, FAKE_CUPTI, cupti);
	snprintf(open_word, sizeof(open_word), "open=%s", neighbour);
	snprintf(find_word, sizeof(find_word), "find=%s", cupti);
	run_app(&run, &options, WORDS(open_word, "init", find_word, "launch=100", "exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	run_check_complete(&run);
	ck_assert_ptr_nonnull(strstr(run.messages, "[attached]"));
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}

/*
 * CUPTI is part of the program: here it is preloaded, which puts it into the global scope of
 * symbols.
 */
TEST_LOOP(linked_cupti, 1)
{
	struct run_options options = { .cupti = "" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", path[300], preload[320], word[310];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	put_file(folder, "libprogram.so", FAKE_CUPTI, path);
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", path);
	snprintf(word, sizeof(word), "find=%s", path);
	options.switches[0] = preload;
	run_app(&run, &options, WORDS("init", word, "launch=100", "exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	ck_assert_msg(strstr(run.messages, "/libprogram.so"), "%s", run.messages);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}

/* A toolkit that only the environment names, in the layouts that toolkits have. */
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

TEST_LOOP(cupti_of_the_environment, sizeof(toolkits) / sizeof(toolkits[0]))
{
	struct run_options options = { .cupti = "", .driver = "12080" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", cupti[300], word[310], variable[100];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	put_file(folder, toolkits[_i].cupti, FAKE_CUPTI, cupti);
	snprintf(variable, sizeof(variable), "%s=%s", toolkits[_i].variable, folder);
	snprintf(word, sizeof(word), "find=%s", cupti);
	options.switches[0] = variable;
	/* The tests' own may lead to the fake. */
	options.switches[1] = "LD_LIBRARY_PATH=";
	run_app(&run, &options, WORDS("init", word, "launch=100", "exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	/* A library that is installed where the linker looks comes first, unless it is too new. */
	ck_assert_msg(!strstr(run.messages, "[no-cupti]") && !strstr(run.messages, "[old-driver]"),
		      "%s", run.messages);
	if (strstr(run.messages, folder))
		ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}

/*
 * Words for a program that loads a neighbour of CUDA 13's libcupti, then one of CUDA 12's: the last
 * word finds the second.
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

/*
 * If a folder's only libcupti is unsuitable, the next folder is tried: the program has loaded from
 * both.
 */
TEST(unfit_then_fit)
{
	struct run_options options = { .cupti = "", .driver = "12080" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", words[3][310];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	make_both(folder, words);
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

/* If the program's own libcupti is unsuitable, no other is loaded, whatever else is installed. */
TEST_LOOP(unfit_is_mapped, 2)
{
	struct run_options options = { .cupti = "", .driver = "12080" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", words[3][310], cupti[300], own[310];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	make_both(folder, words);
	put_file(folder, "own/libcupti.so.13", FAKE_CUPTI_13_2, cupti);
	snprintf(own, sizeof(own), "open=%s", cupti);
	run_app(&run, &options, WORDS(_i ? own : words[1], _i ? words[1] : own, "init", "exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	ck_assert_msg(strstr(run.messages, "[old-driver]") &&
			      strstr(run.messages, "/own/libcupti.so.13"),
		      "%s", run.messages);
	ck_assert_ptr_null(strstr(run.messages, "[attached]"));
	ck_assert_uint_eq(run.truth.constructed, 1);
}

/*
 * An unsuitable library is not unloaded, since what its constructors made may be in use. A child of
 * fork() that starts CUDA does not take it for the program's own, and its constructors do not run
 * again.
 */
TEST(unfit_stays)
{
	struct run_options options = { .cupti = "", .driver = "12080" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", words[3][310];
	const char *at = run.messages;
	int attached = 0;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	make_both(folder, words);
	run_app(&run, &options, WORDS(words[0], words[1], "init", "forkinit=1", "_exit=4"));
	remove_all(folder);
	run_check_exit(&run, 4);
	for (; (at = strstr(at, "[attached]")); at++, attached++)
		ck_assert_ptr_nonnull(strstr(at, "/old/libcupti.so.12"));
	ck_assert_msg(attached == 2, "%s", run.messages);
	ck_assert_uint_eq(run.truth.constructed, 2);
	ck_assert_uint_eq(run.truth.destructed, 0);
}

/*
 * The installed real libraries, which refuse without a driver and do nothing else: with a libcuda
 * that claims to be of CUDA 13, so that all are tried, and with one of 12, with which most are not.
 */
TEST_LOOP(real_cupti, 2)
{
	static const char *const paths[] = REAL_CUPTI;

	for (size_t i = 0; paths[i]; i++) {
		struct run_options options = { .cupti = paths[i], .driver = _i ? "13050" : NULL };

		run_app(&run, &options, WORDS("init", "nvtx=10", "exit=2"));
		run_check_exit(&run, 2);
		ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], NVTX_EVENTS);
		ck_assert_ptr_null(strstr(run.messages, "[no-cupti]"));
	}
}
