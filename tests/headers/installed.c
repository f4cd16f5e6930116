/* A user of the installed library, with the public headers only. installed VERSION */
#include <deepprof/deepprof.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace = NULL;
	char line[600];

	if (argc != 2 || strcmp(argv[1], dp_version()) != 0) {
		fprintf(stderr, "the library says %s\n", dp_version());
		return 1;
	}
	for (size_t i = 0; dp_format(i); i++)
		printf("%s: %s\n", dp_format(i)->name, dp_format(i)->help);
	if (!dp_format(0) || dp_trace_open(&trace, "/dev/null", NULL, &error) != DP_ERR_FORMAT)
		return 1;
	dp_error_format(&error, line, sizeof(line));
	puts(line);
	return strcmp(line, "/dev/null: file is empty") != 0;
}
