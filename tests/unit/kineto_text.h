/* Chrome traces written by a test and read back. */
#ifndef TEST_KINETO_TEXT_H
#define TEST_KINETO_TEXT_H

#include <deepprof/deepprof.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static void write_file(const char *text, size_t length)
{
	int fd;

	strcpy(path, "/tmp/deepprof-kineto-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, length), (ssize_t)length);
	close(fd);
}

/* Reads text as a trace; NULL on an error, which is then in *error. */
static struct dp_trace *read_bytes(const char *text, size_t length, struct dp_error *error,
				   const char *format)
{
	struct dp_open_options options = DP_OPEN_OPTIONS_INIT;
	struct dp_trace *trace = NULL;
	int status;

	options.input_format = format;
	*error = (struct dp_error)DP_ERROR_INIT;
	write_file(text, length);
	status = dp_trace_open(&trace, path, &options, error);
	unlink(path);
	ck_assert_int_eq(status, error->status);
	return trace;
}

static const char *op_name(const struct dp_trace *trace, size_t op)
{
	return dp_trace_string(trace, dp_trace_ops(trace)->name[op]);
}

static const struct dp_stream *op_stream(const struct dp_trace *trace, size_t op)
{
	return dp_trace_stream(trace, dp_trace_ops(trace)->stream[op]);
}

#define HEAD "{\"schemaVersion\": 1, \"traceEvents\": [\n"
#define KERNEL(name, ts, dur)                                                       \
	"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" name                    \
	"\", \"pid\": 0, \"tid\": 7, \"ts\": " ts ", \"dur\": " dur ", \"args\": {" \
	"\"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": 5}}"

#endif
