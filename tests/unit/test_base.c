/* Errors, arrays, strings, sorting. */
#include "base/communication.h"
#include "base/sort.h"
#include "base/strings.h"
#include "base/text.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

TEST(first_error_wins)
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

TEST(error_names_table)
{
	struct dp_error error = DP_ERROR_INIT;
	char line[256];

	dp_error__set(&error, DP_ERR_DAMAGED, "no column start");
	dp_error__where(&error, "a.db", "KERNEL", 0, 0);
	dp_error_format(&error, line, sizeof(line));
	ck_assert_str_eq(line, "a.db: KERNEL: no column start");
}

TEST(names_that_differ_in_numbers)
{
	uint64_t set;

	ck_assert(dp_text__equal_but_numbers(&set, "step 7 of 30", "step 12 of 30"));
	ck_assert_uint_eq(set, 1);
	ck_assert(dp_text__equal_but_numbers(&set, "gpu0_layer_007", "gpu0_layer_7"));
	ck_assert_uint_eq(set, 2);
	ck_assert(dp_text__equal_but_numbers(&set, "step", "step"));
	ck_assert_uint_eq(set, 0);
	ck_assert(!dp_text__equal_but_numbers(&set, "step 7", "step"));
	ck_assert(!dp_text__equal_but_numbers(&set, "step 7", "step 7a"));
	ck_assert(!dp_text__equal_but_numbers(&set, "step 7", "eval 7"));
	ck_assert(!dp_text__equal_but_numbers(&set, "7th", "th"));
}

TEST(long_message_is_cut_at_a_character)
{
	struct dp_error error = DP_ERROR_INIT;
	char text[300] = "";

	for (int i = 0; i < 140; i++)
		strcat(text, "\xc3\xa9");
	dp_error__set(&error, DP_ERR_DAMAGED, "x%s", text);
	ck_assert_uint_eq(strlen(error.message) % 2, 1);
	dp_error__set(NULL, DP_ERR_DAMAGED, "nobody listens");
}

TEST(message_is_utf8)
{
	struct dp_error error = DP_ERROR_INIT;

	dp_error__set(&error, DP_ERR_DAMAGED, "a\xff\xe2\x82z\xc3\xa9\x1b");
	ck_assert_str_eq(error.message, "a???z\xc3\xa9?");
}

TEST(array_grows)
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

#define FLOOD_BITS 12

/*
 * Texts of FLOOD_BITS blocks of 16 bytes, each block one of two. Under a hash that multiplies word
 * after word by a constant of its own both leave the same state, whatever came before: a change of
 * the first word's topmost bit comes out as one of bits 63 and 31, which the second word takes
 * back. So all 2^FLOOD_BITS would have one hash.
 */
static void flood_text(char *text, unsigned which)
{
	uint64_t words[2] = { UINT64_C(0x2020202020202020), UINT64_C(0x2020202020202020) };

	for (int bit = 0; bit < FLOOD_BITS; bit++) {
		uint64_t flip = which >> bit & 1;
		uint64_t block[2] = { words[0] ^ flip << 63, words[1] ^ flip << 63 ^ flip << 31 };

		memcpy(text + 16 * bit, block, sizeof(block));
	}
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Texts cannot be chosen to collide; ids still follow first appearance. */
TEST(strings_cannot_be_flooded)
{
	size_t count = (size_t)1 << FLOOD_BITS, distinct = 1;
	struct dp_strings strings = { 0 };
	char text[16 * FLOOD_BITS];

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < count; i++) {
			flood_text(text, (unsigned)i);
			ck_assert_uint_eq(dp_strings__intern(&strings, text, sizeof(text)), i);
		}
	ck_assert_uint_eq(strings.count, count);
	qsort(strings.hashes, count, sizeof(*strings.hashes), by_value);
	for (size_t i = 1; i < count; i++)
		distinct += strings.hashes[i] != strings.hashes[i - 1];
	ck_assert_uint_gt(distinct, count - 16);
	dp_strings__fini(&strings);
}

/* Every table has a key of its own. */
TEST(hash_keys_differ)
{
	struct dp_strings one = { 0 }, other = { 0 };
	size_t equal = 0;

	for (char i = 'a'; i < 'k'; i++) {
		ck_assert_uint_eq(dp_strings__intern(&one, &i, 1), (uint32_t)(i - 'a'));
		ck_assert_uint_eq(dp_strings__intern(&other, &i, 1), (uint32_t)(i - 'a'));
		equal += one.hashes[i - 'a'] == other.hashes[i - 'a'];
	}
	ck_assert_uint_lt(equal, 3);
	dp_strings__fini(&one);
	dp_strings__fini(&other);
}

/* By radix as by comparison, whichever bytes the values differ in. */
TEST(sort_is_qsort)
{
	static const uint32_t masks[] = { 0xffffffff, 0xff, 0xff00ff00, 0xf0000000, 0x00ff0000, 0 };
	uint32_t values[1000], expected[1000], scratch[1000], seed = 1;

	for (size_t count = 0; count <= 1000; count += count < 4 ? 1 : 83) {
		for (size_t m = 0; m < DP_COUNT(masks); m++) {
			for (size_t i = 0; i < count; i++) {
				seed = seed * 1664525 + 1013904223;
				expected[i] = values[i] = (seed ^ seed >> 16) & masks[m];
			}
			qsort(expected, count, sizeof(*expected), by_value);
			dp_sort__u32(values, scratch, count);
			ck_assert_mem_eq(values, expected, count * sizeof(*values));
		}
	}
}

TEST(communication_is_known_by_name)
{
	static const char *const comm[] = {
		"ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		"void rcclKernel_x<1>()",
		"mscclKernel_Sum_half_LL",
		"void vllm::cross_device_reduce_1stage<__half, 8>(RankData*)",
		"void quickreduce::allreduce_prototype_twoshot<4>(half const*)",
		"void tensorrt_llm::kernels::oneShotAllReduceKernel<float, 8>()",
		"one_shot_all_reduce_kernel",
		"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)",
		"nvshmemi_proxy_kernel",
		"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport()",
	};
	static const char *const compute[] = {
		"ampere_sgemm_128x64_tn",
		"void at::native::reduce_kernel<512, 1>()",
		"void at::native::vectorized_gather_kernel<16, long>()",
		"void splitKreduce_kernel<32, 16, int>()",
		"occlusion",
		"",
	};

	for (size_t i = 0; i < DP_COUNT(comm); i++)
		ck_assert_msg(dp_communication__is_kernel(comm[i]), "%s", comm[i]);
	for (size_t i = 0; i < DP_COUNT(compute); i++)
		ck_assert_msg(!dp_communication__is_kernel(compute[i]), "%s", compute[i]);
}

static const char *word(size_t index, const void *words)
{
	return ((const char *const *)words)[index];
}

static const char *refused(struct dp_error *error, const char *name, const char *const *words)
{
	*error = (struct dp_error)DP_ERROR_INIT;
	ck_assert_int_eq(dp_error__unknown(error, "word", name, word, words), DP_ERR_ARGUMENT);
	return error->message;
}

/* Ten of them: those that contain the name, then the nearest; of equals, the first. */
TEST(unknown_names_are_answered_with_near_ones)
{
	static const char *const few[] = { "text", "json", "csv", "html", NULL };
	static const char *const many[] = {
		"a1", "a2", "a3", "a4", "a5",	     "a6", "median_period_ns",
		"a7", "a8", "a9", "ab", "period_ns", NULL
	};
	static const char *const none[] = { NULL };
	char name[200];
	struct dp_error error;

	ck_assert_str_eq(refused(&error, "cvs", few),
			 "unknown word 'cvs'; choose csv, text, json, html");
	ck_assert_str_eq(refused(&error, "period", many),
			 "unknown word 'period'; choose period_ns, median_period_ns, a1, a2, a3, "
			 "a4, a5, a6, a7, a8, ... (2 more)");
	ck_assert_str_eq(refused(&error, "\033[2J", few),
			 "unknown word '?[2J'; choose text, json, csv, html");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_uint_lt(strlen(refused(&error, name, few)), 100);
	refused(&error, "", few);
	refused(&error, "x", none);
	ck_assert_int_eq(dp_error__unknown(NULL, "word", "x", word, few), DP_ERR_ARGUMENT);
}
