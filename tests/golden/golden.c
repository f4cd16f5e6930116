/* golden CASE FORMAT [OPTION…]: a report of one of the analyses in report_cases.h on stdout. */
#include "report_cases.h"

#include <deepprof/report.h>

static int write_out(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) != size;
}

static void set_option(struct dp_report_options *options, const char *word)
{
	static const char *metrics[2];

	if (!strcmp(word, "ascii"))
		options->ascii = true;
	else if (!strcmp(word, "color"))
		options->color = true;
	else if (!strcmp(word, "verbose"))
		options->verbose = true;
	else if (!strcmp(word, "all"))
		options->all = true;
	else if (word[0] >= '0' && word[0] <= '9')
		options->width = (unsigned)atoi(word);
	else {
		options->metrics = metrics;
		metrics[options->metrics_count++ % 2] = word;
	}
}

int main(int argc, char **argv)
{
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	struct dp_sink sink = { write_out, stdout };
	struct dp_error error = DP_ERROR_INIT;
	struct report_case at;
	int status = 2;

	for (int i = 3; i < argc; i++)
		set_option(&options, argv[i]);
	for (size_t i = 0; argc > 2 && i < DP_COUNT(report_cases); i++) {
		if (strcmp(report_cases[i].name, argv[1]))
			continue;
		report_cases[i].make(&at);
		status = dp_report_write(at.analysis, argv[2], &options, &sink, &error);
		case_free(&at);
		if (status)
			fprintf(stderr, "%s\n", error.message);
	}
	return status ? 1 : 0;
}
