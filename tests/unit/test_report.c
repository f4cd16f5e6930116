/* Reports: names, bars; wrong requests; sinks that fail. */
#include "base/text.h"
#include "report/label.h"
#include "report/sparkline.h"
#include "report_cases.h"
#include "test.h"

#include <deepprof/deepprof.h>
#include <math.h>
#include <unistd.h>

static const char *text_label(const char *text, size_t columns, bool ascii)
{
	static char buf[DP_LABEL_SIZE];

	return dp_label__text(buf, text, columns, ascii);
}

TEST(labels_are_clean_and_cut_in_the_middle)
{
	ck_assert_str_eq(text_label("abc", 3, false), "abc");
	ck_assert_str_eq(text_label("abcdefgh", 5, false), "ab\xe2\x80\xa6gh");
	ck_assert_str_eq(text_label("abcdefghij", 7, true), "ab...ij");
	ck_assert_str_eq(text_label("abcdef", 0, false), "");
	ck_assert_str_eq(text_label("\x1b[1m\x07\x7f\xc2\x9b", 20, false), "?[1m???");
	ck_assert_str_eq(text_label("a\xe2\x80\xae\xe2\x80\x8b\xcc\x81z", 20, false), "a???z");
	ck_assert_str_eq(text_label("\xc3\xa4\xff", 20, false), "\xc3\xa4\xef\xbf\xbd");
	ck_assert_str_eq(text_label("\xc3\xa4\xff", 20, true), "??");
	/* Two columns each: the cut falls between them. */
	ck_assert_str_eq(text_label("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5", 6, false),
			 "\xe6\x97\xa5\xe2\x80\xa6\xe6\x97\xa5");
	ck_assert_uint_eq(dp_label_width("\xe6\x97\xa5-\xc3\xa4"), 4);
}

TEST(labels_of_anything_stay_in_their_room)
{
	static const char bytes[] = "a<>()[]{}:-~ \x1b\xc3\xa4\xe6\x97\xa5\xff\xf0\x9f\x98\x80"
				    "operator(anonymous namespace)::";
	char text[2000], buf[DP_LABEL_SIZE];
	uint32_t random = 1;

	for (int round = 0; round < 20000; round++) {
		size_t length = (random >> 7) % (round % 50 ? 60 : sizeof(text) - 1), columns;

		for (size_t i = 0; i < length; i++) {
			random = random * 1664525 + 1013904223;
			text[i] = bytes[(random >> 16) % (sizeof(bytes) - 1)];
		}
		text[length] = '\0';
		random = random * 1664525 + 1013904223;
		columns = (random >> 16) % 260;
		if (round % 3)
			dp_label__kernel(buf, text, columns, round % 2);
		else
			dp_label__kernel_at(buf, text, (random >> 8) % 80, columns, round % 2);
		if (dp_label_width(buf) > DP_MIN(columns, DP_LABEL_COLUMNS) ||
		    strlen(buf) >= sizeof(buf))
			ck_abort_msg("'%s' in %zu columns: '%s'", text, columns, buf);
		for (const char *at = buf; *at; at++)
			if ((unsigned char)*at < 0x20 || *at == 0x7f)
				ck_abort_msg("control character in '%s'", buf);
	}
}

static const char *kernel(const char *name, size_t columns)
{
	static char buf[DP_LABEL_SIZE];

	return dp_label__kernel(buf, name, columns, true);
}

/* Longer names than most: as much of them is read as has to be, to find where they end. */
TEST(names_of_many_kilobytes_are_shortened)
{
	static char name[9000];
	size_t used = (size_t)snprintf(name, sizeof(name), "void cutlass::Kernel<cutlass::Gemm<");

	while (used < 8000)
		used += (size_t)snprintf(name + used, sizeof(name) - used, "a::Shape<%zu>, ", used);
	snprintf(name + used, sizeof(name) - used, "float> >(cutlass::Params)");
	ck_assert_str_eq(kernel(name, 20), "Kernel<Gemm<...> >");
}

TEST(ranges_of_pyprof_are_shown_by_what_they_mark)
{
	static const char stack[] = "{'traceMarker': ['train.py:314', '/opt/torch/nn/conv.py:456', "
				    "'/opt/pyprof/nvtx/nvmarker.py:249', '/opt/nvmarker.py:115']}";
	static const char call[] = "{'mod': 'torch.nn.functional', 'op': 'linear', 'args': "
				   "[{'name': '', 'type': 'int', 'value': 200}]}";
	char buf[DP_LABEL_SIZE];

	ck_assert_str_eq(dp_label__text(buf, stack, 24, true), "conv.py:456");
	ck_assert_str_eq(dp_label__kernel_at(buf, stack, 30, 60, true), "conv.py:456");
	ck_assert_str_eq(kernel(call, 60), "torch.nn.functional.linear");
	ck_assert_str_eq(dp_label__text(buf, call, 14, true), "torch....inear");
	/* anything else is shown as it is */
	ck_assert_str_eq(dp_label__text(buf, "{'traceMarker': ['a", 60, true), "{'traceMarker': ['a");
	ck_assert_str_eq(kernel("{'traceMarker': ['/x/nvmarker.py:9']}", 60),
			 "{'traceMarker': ['/x/nvmarker.py:9']}");
	ck_assert_str_eq(kernel("{'mod': 'torch'}", 60), "{'mod': 'torch'}");
}

TEST(kernels_that_read_alike_are_distinguished)
{
	static const char *const names[] = {
		"void at::kernel<128, 4, at::gpu_kernel_impl<at::BinaryFunctor<float, "
		"at::mul<float> > > >(int)",
		"void at::kernel<128, 4, at::gpu_kernel_impl<at::BinaryFunctor<float, "
		"at::add<float> > > >(int)",
		"sgemm_128x64_tn",
		"void at::kernel<128, 4, at::gpu_kernel_impl<at::UnaryFunctor<float> > >(int)",
		"sgemm_128x64_tn",
	};
	char labels[DP_COUNT(names)][DP_LABEL_SIZE];
	size_t places[DP_COUNT(names)];

	ck_assert_int_eq(dp_label__tell_apart(places, names, DP_COUNT(names), 30, true), DP_OK);
	for (size_t i = 0; i < DP_COUNT(names); i++)
		dp_label__kernel_at(labels[i], names[i], places[i], 30, true);
	ck_assert_str_eq(labels[0], "kernel...mul<float> > > >(int)");
	ck_assert_str_eq(labels[1], "kernel...add<float> > > >(int)");
	ck_assert_str_eq(labels[2], names[2]);
	ck_assert_uint_eq(places[4], 0);
	for (size_t i = 0; i < 3; i++)
		ck_assert_str_ne(labels[3], labels[i]);
	/* if all is shown, nothing needs to be */
	ck_assert_int_eq(dp_label__tell_apart(places, names, DP_COUNT(names), 120, true), DP_OK);
	for (size_t i = 0; i < DP_COUNT(names); i++)
		ck_assert_uint_eq(places[i], 0);
	ck_assert_int_eq(dp_label__tell_apart(places, names, 0, 30, true), DP_OK);
}

/* One long word is not shown from its beginning on, but where it differs. */
TEST(long_words_are_distinguished)
{
	static const char *const names[] = {
		"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1_SN_LDSB1_AFC1",
		"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT192x224x64_MI16x16x1_SN_LDSB1_AFC1",
	};
	char labels[DP_COUNT(names)][DP_LABEL_SIZE];
	size_t places[DP_COUNT(names)];

	for (size_t columns = 24; columns < 60; columns++) {
		ck_assert_int_eq(
			dp_label__tell_apart(places, names, DP_COUNT(names), columns, true), DP_OK);
		for (size_t i = 0; i < DP_COUNT(names); i++)
			dp_label__kernel_at(labels[i], names[i], places[i], columns, true);
		ck_assert_str_ne(labels[0], labels[1]);
	}
}

/* Both labels begin where a word does, so that they differ where the names do. */
TEST(labels_differ_where_names_do)
{
	static const char *const names[] = {
		"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_execute_kernel",
		"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_execute_kernel",
		"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_execute_kernel",
		"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x32x8_stage3_execute_kernel",
	};
	char labels[DP_COUNT(names)][DP_LABEL_SIZE];
	size_t places[DP_COUNT(names)];

	for (int ascii = 0; ascii < 2; ascii++)
		for (size_t columns = ascii ? 20 : 16; columns < 60; columns++) {
			ck_assert_int_eq(dp_label__tell_apart(places, names, DP_COUNT(names),
							      columns, ascii),
					 DP_OK);
			for (size_t i = 0; i < DP_COUNT(names); i++) {
				dp_label__kernel_at(labels[i], names[i], places[i], columns, ascii);
				ck_assert_uint_le(dp_label_width(labels[i]), columns);
				for (size_t k = 0; k < i; k++)
					ck_assert_str_ne(labels[i], labels[k]);
			}
		}
	dp_label__tell_apart(places, names, DP_COUNT(names), 42, true);
	ck_assert_str_eq(dp_label__kernel_at(labels[0], names[0], places[0], 42, true),
			 "sm80_xmma_gemm_f32f32...tn_n_tilesize64...");
	ck_assert_str_eq(dp_label__kernel_at(labels[1], names[1], places[1], 42, true),
			 "sm80_xmma_gemm_f32f32...nn_n_tilesize64...");
}

TEST(labels_fit_their_buffer)
{
	char buf[40];

	for (size_t size = 1; size <= sizeof(buf); size++) {
		memset(buf, 'x', sizeof(buf));
		ck_assert_ptr_eq(dp_label_kernel(buf, size, hostile_names[3], 200, false), buf);
		ck_assert_uint_lt(strlen(buf), size);
		ck_assert_uint_le(dp_label_width(buf), (size - 1) / 4);
		memset(buf, 'x', sizeof(buf));
		dp_label_text(buf, size, hostile_names[2], SIZE_MAX, true);
		ck_assert_uint_lt(strlen(buf), size);
	}
	buf[0] = 'x';
	dp_label_text(buf, 0, "a", 1, false);
	dp_label_kernel(buf, 0, "a", 1, false);
	ck_assert_int_eq(buf[0], 'x');
}

TEST(kernels_are_shortened_where_they_say_least)
{
	const char *name = "void at::native::(anonymous namespace)::elementwise<4, "
			   "at::Functor<float>, at::Array<char*, 1> >(int, at::Functor<float>)";

	ck_assert_str_eq(kernel(name, 200), name);
	ck_assert_str_eq(kernel(name, 100), "at::native::(anonymous namespace)::elementwise<4, "
					    "at::Functor<float>, at::Array<char*, 1> >");
	ck_assert_str_eq(kernel(name, 60), "elementwise<4, Functor<float>, Array<char*, 1> >");
	ck_assert_str_eq(kernel(name, 41), "elementwise<4, Functor<...>, Array<...> >");
	ck_assert_str_eq(kernel(name, 30), "elementwise<4, Functor<...>...");
	ck_assert_str_eq(kernel(name, 20), "elementwise<4, Fu...");
	ck_assert_str_eq(kernel(name, 19), "elementwise<...>");
	ck_assert_str_eq(kernel(name, 10), "elem.....>");
	ck_assert_str_eq(kernel("ampere_sgemm_128x64_tn", 14), "ampere...64_tn");
	ck_assert_str_eq(kernel("Memcpy HtoD (Pageable -> Device)", 32),
			 "Memcpy HtoD (Pageable -> Device)");
	ck_assert_str_eq(kernel("Memcpy HtoD (Pageable -> Device)", 20), "Memcpy Ht... Device)");
	ck_assert_str_eq(kernel("ns::f(int)::{lambda(float)#1}::operator()(float) const", 44),
			 "ns::f(int)::{lambda(float)#1}::operator()");
	ck_assert_str_eq(kernel("bool ns::operator< <ns::T>(ns::T const&, ns::T const&)", 20),
			 "ns::operator< <T>");
	ck_assert_str_eq(kernel("bool ns::operator<< <ns::T>(ns::T const&)", 20),
			 "ns::operator<< <T>");
	ck_assert_str_eq(kernel("a>b<c>>>d(((", 8), "a>b...((");
}

/* What a report writes. */
struct out {
	char *text;
	size_t length;
	size_t room;
	size_t stop; /* fails when this much is there */
	size_t calls;
};

static int take(void *ctx, const void *data, size_t size)
{
	struct out *out = ctx;

	out->calls++;
	if (out->length + size > out->stop)
		return -1;
	CASE_NEED(!dp_array__reserve(&out->text, &out->room, out->length + size + 1, 1));
	memcpy(out->text + out->length, data, size);
	out->length += size;
	out->text[out->length] = '\0';
	return 0;
}

static int report(struct out *out, const struct dp_analysis *analysis, const char *format,
		  const struct dp_report_options *options, struct dp_error *error)
{
	struct dp_sink sink = { take, out };

	memset(error, 0, sizeof(*error));
	return dp_report_write(analysis, format, options, &sink, error);
}

TEST(every_format_gives_the_same_bytes_again)
{
	for (size_t i = 0; i < DP_COUNT(report_cases); i++) {
		const struct dp_report_format *format;
		struct report_case at;

		report_cases[i].make(&at);
		for (size_t f = 0; (format = dp_report_format(f)); f++) {
			struct out one = { .stop = SIZE_MAX }, two = { .stop = SIZE_MAX };
			struct dp_error error;

			ck_assert(format->name[0] && format->extension[0] && format->help[0]);
			ck_assert_int_eq(report(&one, at.analysis, format->name, NULL, &error), 0);
			ck_assert_int_eq(report(&two, at.analysis, format->name, NULL, &error), 0);
			ck_assert_uint_gt(one.length, 0);
			ck_assert_uint_eq(one.length, two.length);
			ck_assert(!memcmp(one.text, two.text, one.length));
			free(one.text);
			free(two.text);
		}
		case_free(&at);
	}
}

TEST(a_sink_that_fails_ends_the_report)
{
	const struct dp_report_format *format;
	struct report_case at;

	case_long(&at);
	for (size_t f = 0; (format = dp_report_format(f)); f++) {
		struct out whole = { .stop = SIZE_MAX };
		struct dp_error error;

		ck_assert_int_eq(report(&whole, at.analysis, format->name, NULL, &error), 0);
		for (size_t stop = 0; stop < whole.length; stop += whole.length / 7 + 1) {
			struct out out = { .stop = stop };

			ck_assert_int_eq(report(&out, at.analysis, format->name, NULL, &error),
					 DP_ERR_IO);
			ck_assert_int_eq(error.status, DP_ERR_IO);
			/* nothing is written to it after it failed */
			ck_assert_uint_le(out.calls, whole.calls);
			ck_assert(out.length <= stop);
			ck_assert(!out.length || !memcmp(out.text, whole.text, out.length));
			free(out.text);
		}
		free(whole.text);
	}
	case_free(&at);
}

/* A report of named metrics does not claim that no rule triggered. */
TEST(rules_that_were_not_run_are_reported)
{
	static const char *const formats[] = { "text", "markdown", "html" };
	struct report_case at;
	struct dp_error error;

	case_ranks(&at);
	for (size_t i = 0; i < 2 * DP_COUNT(formats); i++) {
		const char *format = formats[i / 2], *text;
		struct out out = { .stop = SIZE_MAX };

		at.analysis->diagnosed = i % 2;
		ck_assert_int_eq(report(&out, at.analysis, format, NULL, &error), DP_OK);
		text = out.text;
		ck_assert_msg(strstr(text, i % 2 ? "rules triggered" : "Rules were not run"), "%s",
			      format);
		ck_assert_msg(!strstr(text, i % 2 ? "Rules were not run" : "rules triggered"), "%s",
			      format);
		free(out.text);
	}
	case_free(&at);
}

/* Where no loop is found, graphs may hide it. */
TEST(graphs_that_hide_kernels_are_reported)
{
	static const char *const formats[] = { "text", "html" };

	for (size_t i = 0; i < 2 * DP_COUNT(formats); i++) {
		struct report_case at;
		struct out out = { .stop = SIZE_MAX };
		uint32_t stream;

		case_begin(&at);
		stream =
			dp_builder__stream(at.builder, dp_builder__process(at.builder, 1), 0, 1, 7);
		for (int64_t k = 0; k < 30; k++) {
			struct dp_op op = { .start_ns = k * 1000, .end_ns = k * 1000 + 900 };
			char name[16];
			int length = snprintf(name, sizeof(name), "%c_kernel", 'a' + (int)k);

			op.stream = stream;
			op.kind = i % 2 && k % 3 == 0 ? DP_OP_GRAPH : DP_OP_KERNEL;
			op.name = dp_builder__kernel_name(at.builder, name, (size_t)length);
			ck_assert_int_eq(dp_builder__op(at.builder, &op), DP_OK);
		}
		ck_assert_int_eq(dp_builder__finish(at.builder, &at.trace, "t", "test", false),
				 DP_OK);
		ck_assert_int_eq(dp_analysis_run(&at.analysis, at.trace, NULL, NULL), DP_OK);
		ck_assert_int_eq(report(&out, at.analysis, formats[i / 2], NULL, &at.error), DP_OK);
		ck_assert_int_eq(strstr(out.text, "--cuda-graph=node") != NULL, i % 2);
		free(out.text);
		dp_analysis_free(at.analysis);
		dp_trace_free(at.trace);
	}
}

TEST(wrong_requests_are_refused)
{
	static const char *const names[] = { "interval_ns", "nonsense" };
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	struct out out = { .stop = SIZE_MAX };
	struct report_case at;
	struct dp_error error;

	case_ranks(&at);
	ck_assert_int_eq(report(&out, at.analysis, "nonsense", NULL, &error), DP_ERR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error.message, "unknown format 'nonsense'; choose "));
	ck_assert_ptr_nonnull(strstr(error.message, "markdown"));
	options.metrics = names;
	options.metrics_count = 2;
	ck_assert_int_eq(report(&out, at.analysis, "csv", &options, &error), DP_ERR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error.message, "unknown metric 'nonsense'; choose "));
	ck_assert_uint_eq(out.calls, 0);
	/* An empty choice shows none. */
	options.metrics_count = 0;
	ck_assert_int_eq(report(&out, at.analysis, "csv", &options, &error), DP_OK);
	ck_assert_ptr_null(strstr(out.text, "interval_ns"));
	free(out.text);
	case_free(&at);
}

TEST(any_width_is_survived)
{
	static const unsigned widths[] = { 0, 1, 39, 41, 200, 100000, UINT32_MAX };
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;

	options.verbose = true;
	for (size_t i = 0; i < DP_COUNT(report_cases); i++) {
		struct report_case at;

		report_cases[i].make(&at);
		for (size_t w = 0; w < DP_COUNT(widths); w++) {
			struct out out = { .stop = SIZE_MAX };
			struct dp_error error;

			options.width = widths[w];
			ck_assert_int_eq(report(&out, at.analysis, "text", &options, &error), 0);
			free(out.text);
		}
		case_free(&at);
	}
}

TEST(bars_show_shape)
{
	struct dp_sparkline line;
	double low, high;

	dp_sparkline__init(&line, 10, 3);
	ck_assert_uint_eq(line.group, 4);
	ck_assert_uint_eq(line.columns, 3);
	ck_assert(!dp_sparkline__range(&line, &low, &high));
	dp_sparkline__add(&line, 0, 10, 0);
	dp_sparkline__add(&line, 1, 20, 0);
	dp_sparkline__add(&line, 2, 1000, '|');
	dp_sparkline__add(&line, 3, (double)NAN, 0);
	dp_sparkline__add(&line, 9, 7, 0);
	dp_sparkline__add(&line, 12, 1e9, 0);
	ck_assert(dp_sparkline__range(&line, &low, &high));
	ck_assert_double_eq(low, 7);
	ck_assert_double_eq(high, 20);
	dp_sparkline__init(&line, 0, 0);
	ck_assert_uint_eq(line.columns, 0);
}

static int count_bytes(void *ctx, const void *data, size_t size)
{
	*(size_t *)ctx += size;
	return 0;
}

static size_t brief_size(const struct report_case *at)
{
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	size_t size = 0;
	struct dp_sink sink = { count_bytes, &size };

	options.brief = true;
	ck_assert_int_eq(dp_report_write(at->analysis, "json", &options, &sink, &error), DP_OK);
	return size;
}

/* Many loops, names of quotes, which JSON doubles, and the longest numbers. */
static void case_of_excess(struct report_case *at)
{
	enum { STREAMS = 24, ITERATIONS = 12, LENGTH = 12 };
	size_t first[ITERATIONS], kernels[ITERATIONS], summaries = dp_summary_metric_count();
	char name[LENGTH][400];

	case_begin(at);
	for (size_t i = 0; i < LENGTH; i++) {
		memset(name[i], '"', sizeof(name[i]) - 1);
		name[i][300] = (char)('a' + i);
		name[i][sizeof(name[i]) - 1] = '\0';
	}
	for (int s = 0; s < STREAMS; s++) {
		uint32_t process = dp_builder__process(at->builder, 1000 + s);
		uint32_t stream = dp_builder__stream(at->builder, process, s, 1, 7);

		for (size_t k = 0; k < ITERATIONS * LENGTH; k++)
			case_op(at, stream, name[k % LENGTH],
				(int64_t)(k * 3000000 + k / LENGTH * 90000000), 500000);
	}
	for (size_t k = 0; k < ITERATIONS; k++) {
		first[k] = k * LENGTH;
		kernels[k] = LENGTH;
	}
	case_end(at, name[0]);
	for (uint32_t s = 0; s < STREAMS; s++)
		case_loop(at, s, DP_NONE, LENGTH, first, kernels, ITERATIONS);
	case_measure(at);
	for (size_t i = 0; i < STREAMS; i++)
		for (size_t m = 0; m < summaries; m++)
			at->analysis->loops[i].values.summary[m] = -1.2345678912345e18;
}

TEST(a_brief_report_is_small)
{
	struct report_case at;

	for (size_t i = 0; i < DP_COUNT(report_cases); i++) {
		report_cases[i].make(&at);
		ck_assert_uint_le(brief_size(&at), 20000);
		case_free(&at);
	}
	case_of_excess(&at);
	ck_assert_uint_le(brief_size(&at), 20000);
	ck_assert_uint_ge(brief_size(&at), 9000);
	case_free(&at);
}

static int add_to_file(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) != size;
}

/* copies_each of the first loop of a JSON report in which one text is replaced by another. */
static double copies_read(const struct report_case *at, const char *text, const char *by)
{
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	char path[] = "/tmp/test_report_XXXXXX", *report = NULL, *place;
	size_t size;
	FILE *file = open_memstream(&report, &size);
	struct dp_sink sink = { add_to_file, file };
	struct dp_analysis *read = NULL;
	double copies;

	ck_assert_int_eq(dp_report_write(at->analysis, "json", &options, &sink, NULL), DP_OK);
	fclose(file);
	place = strstr(report, text);
	ck_assert_ptr_nonnull(place);
	file = fdopen(mkstemp(path), "w");
	fprintf(file, "%.*s%s%s", (int)(place - report), report, by, place + strlen(text));
	fclose(file);
	ck_assert_int_eq(dp_analysis_read(&read, path, NULL), DP_OK);
	unlink(path);
	copies = dp_analysis_loop(read, 0)->copies_each;
	dp_analysis_free(read);
	free(report);
	return copies;
}

/* Numbers of a saved report that no report has are unknown; older ones have those of patterns. */
TEST(copies_of_a_saved_report)
{
	const char *each = "\"copies_each\": 0,", *pattern = "\"occurrences\":";
	struct report_case at;

	case_train(&at);
	ck_assert_double_eq(copies_read(&at, each, each), 0);
	ck_assert_double_eq(copies_read(&at, each, "\"copies_each\": 3,"), 3);
	ck_assert(isnan(copies_read(&at, each, "\"copies_each\": null,")));
	ck_assert(isnan(copies_read(&at, each, "\"copies_each\": -1,")));
	ck_assert(isnan(copies_read(&at, each, "\"copies_each\": 1e300,")));
	ck_assert(isnan(copies_read(&at, each, "\"copies_each\": 4294967296,")));
	ck_assert(isnan(copies_read(&at, each, "")));
	ck_assert_double_eq(
		copies_read(&at, pattern, "\"copies\": 2, \"sets\": 1, \"occurrences\":"), 2);
	case_free(&at);
}

/* A call must refuse options of these sizes. */
#define REFUSED(type, init, call)                                                                  \
	do {                                                                                       \
		type options = init;                                                               \
		const size_t sizes[] = { 0, sizeof(size_t), sizeof(options) + 1, SIZE_MAX };       \
                                                                                                   \
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {                      \
			struct dp_error error = DP_ERROR_INIT;                                     \
                                                                                                   \
			options.size = sizes[i];                                                   \
			ck_assert_int_eq(call, DP_ERR_ARGUMENT);                                   \
			ck_assert_msg(strstr(error.message, "unknown size"), "%s", error.message); \
		}                                                                                  \
	} while (0)

static int nowhere(void *ctx, const void *data, size_t size)
{
	return -1;
}

/* One that was not initialized, or is of a later version, must not be read. */
TEST(options_of_unknown_size_are_refused)
{
	struct report_case at;
	struct dp_analysis *made;
	struct dp_comparison *comparison;
	struct dp_sink sink = { nowhere, NULL };
	struct dp_detector *detector;
	struct dp_recording *recording;
	struct dp_trace *other;
	struct dp_ranks *ranks;
	struct ArrowArrayStream stream;

	case_train(&at);
	ck_assert_int_eq(dp_comparison_run(&comparison, at.analysis, at.analysis, NULL, NULL),
			 DP_OK);
	REFUSED(struct dp_open_options, DP_OPEN_OPTIONS_INIT,
		dp_trace_open(&other, "/dev/null", &options, &error));
	REFUSED(struct dp_analysis_options, DP_ANALYSIS_OPTIONS_INIT,
		dp_analysis_run(&made, at.trace, &options, &error));
	REFUSED(struct dp_compare_options, DP_COMPARE_OPTIONS_INIT,
		dp_comparison_run(&comparison, at.analysis, at.analysis, &options, &error));
	REFUSED(struct dp_report_options, DP_REPORT_OPTIONS_INIT,
		dp_report_write(at.analysis, "text", &options, &sink, &error));
	REFUSED(struct dp_report_options, DP_REPORT_OPTIONS_INIT,
		dp_comparison_write(comparison, "text", &options, &sink, &error));
	REFUSED(struct dp_report_options, DP_REPORT_OPTIONS_INIT,
		dp_ranks_write(NULL, "text", &options, &sink, &error));
	REFUSED(struct dp_table_options, DP_TABLE_OPTIONS_INIT,
		dp_analysis_table(&stream, at.analysis, "loops", &options, &error));
	REFUSED(struct dp_detector_options, DP_DETECTOR_OPTIONS_INIT,
		dp_detector_new(&detector, &options, &error));
	REFUSED(struct dp_ranks_options, DP_RANKS_OPTIONS_INIT,
		dp_ranks_run(&ranks, NULL, 0, &options, &error));
	REFUSED(struct dp_record_options, DP_RECORD_OPTIONS_INIT,
		dp_recording_new(&recording, "/dev/null", &options, &error));
	REFUSED(struct dp_record_options, DP_RECORD_OPTIONS_INIT,
		dp_recording_recover(&recording, "/dev/null", &options, &error));
	dp_comparison_free(comparison);
	case_free(&at);
}
