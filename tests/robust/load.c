/* Opens a trace as the command does, and nothing more. */
#include <deepprof/trace.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace;
	char line[1024];

	if (argc < 2 || dp_trace_open(&trace, argv[argc - 1], NULL, &error)) {
		dp_error_format(&error, line, sizeof(line));
		fprintf(stderr, "%s\n", line);
		return 1;
	}
	printf("%zu operations, %llu lost\n", dp_trace_ops(trace)->count,
	       (unsigned long long)dp_trace_lost(trace));
	dp_trace_free(trace);
	return 0;
}
