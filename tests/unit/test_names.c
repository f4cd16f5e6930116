/* Names: interned, repaired, demangled, shared. */
#include "base/strings.h"
#include "base/utf8.h"
#include "builder_trace.h"
#include "diagnose/diagnose.h"
#include "trace/builder_model.h"
#include "trace/demangle.h"
#include "trace/demangle_long.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* The terms of advice: PyTorch's kernels do not show that it loads data. */
TEST(terms_suit_what_a_trace_names)
{
	static const struct {
		const char *name;
		enum dp_terms terms;
	} cases[] = { { "gemm", DP_TERMS_CUDA },
		      { "void at::native::elementwise_kernel<4>()", DP_TERMS_TENSORS },
		      { "triton_poi_fused_0", DP_TERMS_TENSORS },
		      { "aten::add", DP_TERMS_PYTORCH },
		      { "ProfilerStep#3", DP_TERMS_PYTORCH },
		      { "enumerate(DataLoader)#_Iter.__next__", DP_TERMS_PYTORCH },
		      { "Optimizer.step#SGD.step", DP_TERMS_TRAINING } };

	for (size_t i = 0; i < DP_COUNT(cases); i++) {
		struct dp_builder *builder = start();
		uint32_t process = dp_builder__process(builder, 1);
		uint32_t stream = dp_builder__stream(builder, process, 0, 0, 7);
		struct dp_range range = { .start_ns = 0, .end_ns = 9 };
		struct dp_trace *trace;

		add_op(builder, stream, DP_OP_KERNEL, 1, 2, 0);
		range.thread = dp_builder__thread(builder, process, 1);
		range.name = dp_builder__string(builder, cases[i].name, strlen(cases[i].name));
		ck_assert_int_eq(dp_builder__add_range(builder, &range), DP_OK);
		trace = finish(builder);
		ck_assert_int_eq(dp_advice__terms(trace), cases[i].terms);
		dp_trace_free(trace);
	}
}

TEST(names_are_demangled_and_repaired)
{
	struct dp_builder *builder = start();
	uint32_t a = dp_builder__kernel_name(builder, "_Z3addiPf", 9);
	uint32_t b = dp_builder__kernel_name(builder, "_Z3addiPf", 9);
	uint32_t c = dp_builder__kernel_name(builder, "_Z\xff", 3);
	uint32_t d = dp_builder__string(builder, "a\xc3(\xe2\x82\xac\xed\xa0\x80", 10);
	uint32_t stream = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 7);
	struct dp_trace *trace;

	add_op(builder, stream, DP_OP_KERNEL, 1, 2, 0);
	trace = finish(builder);
	ck_assert_uint_eq(a, b);
	ck_assert_str_eq(dp_trace_string(trace, a), "add(int, float*)");
	ck_assert_str_eq(dp_trace_string(trace, c), "_Z\xef\xbf\xbd");
	ck_assert_str_eq(dp_trace_string(trace, d),
			 "a\xef\xbf\xbd(\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	ck_assert_str_eq(dp_trace_string(trace, DP_NONE), "");
	dp_trace_free(trace);
}

/* A mangled name that doubles at every level: demangled, it would fill the memory. */
static size_t doubling_name(char *name, int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char last[8] = "S_";
	size_t used = (size_t)sprintf(name, "_Z1f1A1BIS_S_E");

	for (int i = 0; i + 1 < levels; i++) {
		snprintf(last, sizeof(last), "S%c_", digits[i + 1]);
		used += (size_t)sprintf(name + used, "S0_I%s%sE", last, last);
	}
	return used;
}

/* Names as kernels have them, which the runtime's demangler and the one for long names know both.
 */
static const char *const plain_names[] = {
	"_Z3addiPf",
	"_Z3addPKfPVdRcOmrPKs",
	("_ZN2at6native12_GLOBAL__N_125multi_tensor_apply_kernelINS1_18TensorListMetadataILi1EEENS1_"
	 "11ZeroFunctorIfLi1ELi1ELi0EEEJEEEvT_T0_DpT1_"),
	"_ZN7cutlass6KernelI4GemmLi128ELb1ELb0ELj3ELln7EEEvT_",
	"_Z1fIJifP1AEEvDpPKT_",
	"_Z1fI1AIS0_IiEEEvT_S2_",
	"_Z1fIRiEvOT_",
	"_Z1fSt6vectorIiSaIiEE",
	"_ZN1a1bIN1c1dEEENT_1eES3_",
	"_Z1fILN1a1eE3EEvv",
	"_Z1fILb1EEvN1AIXT_EE1tE",
	"_ZSt4swapIiEvRT_S1_",
	"_ZN1a1vE",
};

TEST_LOOP(long_names_are_plain_as_others, DP_COUNT(plain_names))
{
	char *expected, *got;

	ck_assert_int_eq(dp_name__demangle(&expected, plain_names[_i]), DP_OK);
	ck_assert_int_eq(dp_name__demangle_long(&got, plain_names[_i], 4096), DP_OK);
	ck_assert_ptr_nonnull(expected);
	ck_assert_ptr_nonnull(got);
	ck_assert_str_eq(got, expected);
	free(got);
	/* Cut anywhere, with little room: the only effect is that there is no plain form. */
	for (size_t i = 0; i < strlen(expected); i++) {
		ck_assert_int_eq(dp_name__demangle_long(&got, plain_names[_i], i), DP_OK);
		ck_assert_ptr_null(got);
	}
	free(expected);
	for (size_t i = 0; i < strlen(plain_names[_i]); i++) {
		char *cut = strndup(plain_names[_i], i);

		ck_assert_int_eq(dp_name__demangle_long(&got, cut, 4096), DP_OK);
		free(got);
		free(cut);
	}
}

/* Itanium C++ ABI, 3.4. */
char *__cxa_demangle(const char *mangled, char *buf, size_t *length, int *status);

/* PyTorch's: it refers to itself so often that its estimated length is beyond any limit. */
TEST(names_may_repeat_themselves)
{
	static const char name[] =
		"_ZN2at6native26batch_norm_backward_kernelIN3c104HalfEffiEEvN5torch10headeronly6detail27"
		"GenericPackedTensorAccessorINS6_14TensorAccessorINS2_8ArrayRefIlEEKT_Lm2ENS5_16DefaultPtr"
		"TraitsET2_EENS_6detail16IndexBoundsCheckILm3ESE_EESC_Lm3ESD_SE_EESJ_NS7_INS8_ISA_SB_Lm2"
		"ESD_SE_EESI_SB_Lm3ESD_SE_EENS7_INS8_ISA_T0_Lm0ESD_SE_EENSH_ILm1ESE_EESM_Lm1ESD_SE_EESP_"
		"NS7_INS8_ISA_KSM_Lm0ESD_SE_EESO_SQ_Lm1ESD_SE_EESS_SS_NS7_INS8_ISA_KT1_Lm0ESD_SE_EESO_SU"
		"_Lm1ESD_SE_EESW_bST_";
	char *expected = __cxa_demangle(name, NULL, NULL, &(int){ 0 }), *plain;

	ck_assert_ptr_nonnull(expected);
	ck_assert_int_eq(dp_name__demangle(&plain, name), DP_OK);
	ck_assert_ptr_nonnull(plain);
	ck_assert_str_eq(plain, expected);
	free(plain);
	free(expected);
}

/* A pattern of parameters that write nothing, once for each element of a pack. */
TEST(names_may_write_nothing)
{
	char name[1024] = "_Z1fIJEDpT_J", *plain;

	for (int i = 0; i < 100; i++)
		strcat(name, "i");
	strcat(name, "EEvDpN");
	for (int i = 0; i < 100; i++)
		strcat(name, "T0_");
	strcat(name, "T1_E");
	ck_assert_int_eq(dp_name__demangle_long(&plain, name, 8192), DP_OK);
	ck_assert_ptr_null(plain);
}

/* The runtime refuses more than 1,024 bytes. */
TEST(names_may_be_long)
{
	char name[4096] = "_Z1fI2ab", expected[8192] = "void f<ab", *plain;

	for (int i = 0; i < 500; i++) {
		strcat(name, i % 2 ? "S0_" : "Li7E");
		strcat(expected, i % 2 ? ", ab" : ", 7");
	}
	strcat(name, "EvPT_");
	strcat(expected, ">(ab*)");
	ck_assert_uint_gt(strlen(name), 1024);
	ck_assert_int_eq(dp_name__demangle(&plain, name), DP_OK);
	ck_assert_ptr_nonnull(plain);
	ck_assert_str_eq(plain, expected);
	free(plain);
}

TEST(names_do_not_explode)
{
	struct dp_builder *builder = start();
	uint32_t stream = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 7);
	struct dp_trace *trace;
	char name[512];
	uint32_t ids[33];

	for (int levels = 1; levels <= 32; levels++)
		ids[levels] = dp_builder__kernel_name(builder, name, doubling_name(name, levels));
	add_op(builder, stream, DP_OP_KERNEL, 1, 2, 0);
	trace = finish(builder);
	ck_assert_str_eq(dp_trace_string(trace, ids[1]), "f(A, B<A, A>)");
	ck_assert_str_eq(dp_trace_string(trace, ids[2]), "f(A, B<A, A>, B<B<A, A>, B<A, A> >)");
	ck_assert_str_eq(dp_trace_string(trace, ids[32]), name);
	for (int levels = 1; levels <= 32; levels++)
		ck_assert_uint_le(strlen(dp_trace_string(trace, ids[levels])), 65536);
	dp_trace_free(trace);
}

/* PyTorch's numbered names become one; names that only look similar, or are not NVTX, stay. */
TEST(numbered_ranges_have_one_name)
{
	static const struct {
		const char *text, *want;
		enum dp_range_kind kind;
	} cases[] = {
		{ "aten::mul, op_id = 322567", "aten::mul", DP_RANGE_NVTX },
		{ "aten::mul, seq = 7, op_id = 9, sizes = [[2]]", "aten::mul", DP_RANGE_NVTX },
		{ ", op_id = 3", ", op_id = 3", DP_RANGE_NVTX },
		{ "step, part 2", "step, part 2", DP_RANGE_NVTX },
		{ "aten::mul, op_id = 322567", "aten::mul, op_id = 322567", DP_RANGE_OPERATOR },
	};
	struct dp_builder *builder = start();
	uint32_t process = dp_builder__process(builder, 1);
	uint32_t stream = dp_builder__stream(builder, process, 0, 1, 7);
	struct dp_trace *trace;

	add_op(builder, stream, DP_OP_KERNEL, 1, 2, 0);
	for (size_t i = 0; i < DP_COUNT(cases); i++) {
		uint32_t name = dp_builder__string(builder, cases[i].text, strlen(cases[i].text));
		struct dp_range range = { (int64_t)i, 9, name, DP_NONE, cases[i].kind };

		ck_assert_int_eq(dp_builder__add_range(builder, &range), DP_OK);
	}
	trace = finish(builder);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, DP_COUNT(cases));
	for (size_t i = 0; i < DP_COUNT(cases); i++)
		ck_assert_str_eq(dp_trace_string(trace, dp_trace_ranges(trace)->name[i]),
				 cases[i].want);
	dp_trace_free(trace);
}

/* A name of any length that many ranges share is there once. */
TEST(long_shared_ranges_share_a_name)
{
	enum { LENGTH = 1 << 20, RANGES = 20000 };
	struct dp_builder *builder = start();
	uint32_t process = dp_builder__process(builder, 1);
	uint32_t stream = dp_builder__stream(builder, process, 0, 1, 7), name;
	char *text = malloc(LENGTH);
	struct dp_trace *trace;

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', LENGTH);
	memcpy(text + LENGTH - 12, ", op_id = 32", 12);
	name = dp_builder__string(builder, text, LENGTH);
	add_op(builder, stream, DP_OP_KERNEL, 1, 2, 0);
	for (int64_t i = 0; i < RANGES; i++) {
		struct dp_range range = { i, i + 9, name, DP_NONE, DP_RANGE_NVTX };

		ck_assert_int_eq(dp_builder__add_range(builder, &range), DP_OK);
	}
	trace = finish(builder);
	ck_assert_uint_eq(dp_trace_ranges(trace)->name[RANGES - 1], name);
	ck_assert_uint_lt(dp_trace_bytes(trace), (size_t)3 * LENGTH);
	dp_trace_free(trace);
	free(text);
}

TEST(names_have_a_limit)
{
	struct dp_builder *builder = start();

	ck_assert_uint_eq(dp_builder__string(builder, "a", 1), 0);
	builder->strings.bytes = ((size_t)2 << 30) + 1;
	ck_assert_uint_eq(dp_builder__string(builder, "b", 1), DP_NONE);
	ck_assert_int_eq(error.status, DP_ERR_LIMIT);
	ck_assert_str_eq(error.message, "more than 2 GiB of names");
	dp_builder__free(builder);
}

TEST(strings_are_interned)
{
	struct dp_strings strings = { 0 };
	char text[32];

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++) {
			int n = snprintf(text, sizeof(text), "name %u", i);

			ck_assert_uint_eq(dp_strings__intern(&strings, text, (size_t)n), i);
		}
	ck_assert_uint_eq(dp_strings__intern(&strings, "name 1", 4), 5000);
	ck_assert_str_eq(dp_strings__get(&strings, 17), "name 17");
	ck_assert_str_eq(dp_strings__get(&strings, 7000), "");
	dp_strings__fini(&strings);
}
