/* Inputs: content is the same with and without a thread that inflates it, as is what is lost. */
#include "import/input.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Incompressible, so that it stays large: well above the size for which a thread is started. */
enum { LARGE = 3 << 20 };

static unsigned char content[LARGE];
static char path[64];
static struct dp_error error;

static void make_content(void)
{
	uint64_t state = 1;

	for (size_t i = 0; i < sizeof(content); i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		content[i] = (unsigned char)(state >> 56);
	}
}

/* Writes the first length bytes of the content compressed, in two members. */
static void write_gzip(size_t length)
{
	gzFile file;

	make_content();
	strcpy(path, "/tmp/deepprof-input-XXXXXX");
	close(mkstemp(path));
	for (int half = 0; half < 2; half++) {
		file = gzopen(path, half ? "ab1" : "wb1");
		ck_assert_int_eq(gzwrite(file, content + (half ? length / 2 : 0),
					 (unsigned)(half ? length - length / 2 : length / 2)),
				 (int)(half ? length - length / 2 : length / 2));
		gzclose(file);
	}
}

static struct dp_input *open_input(void)
{
	struct dp_input *input = NULL;

	error = (struct dp_error)DP_ERROR_INIT;
	ck_assert_int_eq(dp_input__open(&input, path, &error), DP_OK);
	return input;
}

/* Reads pieces of that size to the end; how much there was, all of it as written. */
static size_t read_all(struct dp_input *input, size_t piece)
{
	static unsigned char buf[1 << 20];
	size_t got = 1, at = 0;

	while (got) {
		ck_assert_int_eq(dp_input__read(input, buf, piece, &got, &error), DP_OK);
		ck_assert_uint_le(at + got, sizeof(content));
		ck_assert_mem_eq(buf, content + at, got);
		at += got;
	}
	return at;
}

TEST(content_is_whole)
{
	static const size_t lengths[] = { 1000, 200000, LARGE }, pieces[] = { 777, 65536, 1 << 20 };

	for (size_t i = 0; i < 9; i++) {
		struct dp_input *input;

		write_gzip(lengths[i / 3]);
		input = open_input();
		ck_assert_uint_eq(read_all(input, pieces[i % 3]), lengths[i / 3]);
		ck_assert_ptr_null(dp_input__damage(input));
		dp_input__close(input);
		unlink(path);
	}
}

/* Closing does not wait for the thread to finish, wherever it is. */
TEST(reading_may_stop)
{
	unsigned char buf[4096];
	size_t got;

	write_gzip(LARGE);
	for (int pieces = 0; pieces < 200; pieces += 7) {
		struct dp_input *input = open_input();

		for (int i = 0; i < pieces; i++)
			ck_assert_int_eq(dp_input__read(input, buf, sizeof(buf), &got, &error),
					 DP_OK);
		dp_input__close(input);
	}
	unlink(path);
}

TEST(skipping)
{
	unsigned char buf[64];
	uint64_t passed;
	size_t got;

	for (int plain = 0; plain < 2; plain++) {
		struct dp_input *input;

		write_gzip(LARGE);
		if (plain) {
			FILE *file = fopen(path, "wb");

			ck_assert_uint_eq(fwrite(content, 1, LARGE, file), LARGE);
			fclose(file);
		}
		input = open_input();
		ck_assert_int_eq(dp_input__read(input, buf, 10, &got, &error), DP_OK);
		ck_assert_int_eq(dp_input__skip(input, 2000000, &passed, &error), DP_OK);
		ck_assert_uint_eq(passed, 2000000);
		ck_assert_int_eq(dp_input__read(input, buf, sizeof(buf), &got, &error), DP_OK);
		ck_assert_mem_eq(buf, content + 2000010, got);
		ck_assert_int_eq(dp_input__skip(input, UINT64_MAX, &passed, &error), DP_OK);
		ck_assert_uint_eq(passed, LARGE - 2000010 - got);
		ck_assert_int_eq(dp_input__read(input, buf, sizeof(buf), &got, &error), DP_OK);
		ck_assert_uint_eq(got, 0);
		dp_input__close(input);
		unlink(path);
	}
}

/* Content before the damage is good; the damage is reported when it is reached, and not before. */
TEST(damage_is_reported_at_the_end)
{
	unsigned char buf[4096];
	struct dp_input *input;
	size_t got;

	write_gzip(LARGE);
	ck_assert_int_eq(truncate(path, 2 << 20), 0);
	input = open_input();
	ck_assert_int_eq(dp_input__read(input, buf, sizeof(buf), &got, &error), DP_OK);
	for (int i = 0; i < 40; i++)
		ck_assert_int_eq(dp_input__read(input, buf, sizeof(buf), &got, &error), DP_OK);
	ck_assert_ptr_null(dp_input__damage(input));
	dp_input__close(input);
	input = open_input();
	got = read_all(input, 65536);
	ck_assert_uint_gt(got, 1 << 20);
	ck_assert_uint_lt(got, LARGE);
	ck_assert_str_eq(dp_input__damage(input), "compressed data ends early");
	dp_input__close(input);
	unlink(path);
}
