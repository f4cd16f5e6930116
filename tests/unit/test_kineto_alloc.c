/* Importing Chrome traces survives the failure of every one of its allocations. */
#include "alloc_fail.h"
#include "test.h"

#include <deepprof/trace.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void sweep(const char *text)
{
	char path[] = "/tmp/deepprof-kineto-XXXXXX";
	int fd = mkstemp(path), status;
	size_t more = 1;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		struct dp_trace *trace = NULL;

		alloc_fail_after(k);
		status = dp_trace_open(&trace, path, NULL, &error);
		more = alloc_fail_stop();
		ck_assert_int_eq(error.status, status);
		ck_assert_int_eq(trace == NULL, status != DP_OK);
		ck_assert(status == DP_OK || status == DP_ERR_NOMEM);
		ck_assert(more || !status);
		dp_trace_free(trace);
		ck_assert_uint_lt(k, 1000);
	}
	unlink(path);
}

TEST(kineto)
{
	sweep("{\"deviceProperties\": [{\"id\": 0, \"name\": \"A\", \"totalGlobalMem\": 5}],"
	      "\"distributedInfo\": {\"rank\": 3}, \"traceEvents\": ["
	      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"python\"}},"
	      "{\"name\":\"process_labels\",\"ph\":\"M\",\"pid\":0,\"args\":{\"labels\":\"GPU 0\"}},"
	      "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"t\"}},"
	      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"_Z1kv\",\"pid\":0,\"tid\":7,\"ts\":10,"
	      "\"dur\":1,\"args\":{\"device\":0,\"context\":1,\"stream\":7,\"correlation\":9}},"
	      "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD \\u00e9\",\"pid\":0,"
	      "\"tid\":7,\"ts\":\"NaN\",\"dur\":1},"
	      "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"pid\":0,\"tid\":7,"
	      "\"ts\":20,\"dur\":1,\"args\":{\"correlation\":8}},"
	      "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipMemcpyAsync\",\"pid\":1,\"tid\":1,"
	      "\"ts\":5,\"dur\":2,\"args\":{\"correlation\":8,\"size\":\"16\"}},"
	      "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":2,"
	      "\"tid\":2,\"ts\":5,\"dur\":2,\"args\":{\"correlation\":9}},"
	      "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Sync\",\"pid\":0,\"tid\":8,"
	      "\"ts\":5,\"dur\":2,\"args\":{\"stream\":8}},"
	      "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":6,\"args\":{"
	      "\"Device Type\":1,\"Device Id\":0,\"Bytes\":512}},"
	      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::\\\"\",\"pid\":1,\"tid\":2,"
	      "\"ts\":5,\"dur\":2}, ]");
}

TEST(timeline)
{
	sweep("{\"traceEvents\": [{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":"
	      "{\"name\":\"/device:GPU:0/stream:15 Compute\"}},"
	      "{\"ph\":\"X\",\"cat\":\"Op\",\"name\":\"MatMul\",\"pid\":1,\"tid\":0,\"ts\":5,"
	      "\"dur\":9,\"args\":{\"name\":\"a\\/b\",\"op\":\"MatMul\"}},"
	      "{\"ph\":\"X\",\"cat\":\"Op\",\"name\":\"x\",\"pid\":9,\"tid\":0,\"ts\":5,\"dur\":9}]}");
}

TEST(merged)
{
	sweep("{\"traceEvents\": ["
	      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":\"[TP00] 1\",\"args\":{\"name\":\"a\"}},"
	      "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"tid\":1,"
	      "\"pid\":\"[TP00] 1\",\"ts\":5,\"dur\":2,\"args\":{\"correlation\":9}},"
	      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":\"[TP00] 0\",\"tid\":7,\"ts\":9,"
	      "\"dur\":1,\"args\":{\"device\":0,\"stream\":7,\"correlation\":9}},"
	      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":\"[TP01] 0\",\"tid\":7,\"ts\":9,"
	      "\"dur\":1,\"args\":{\"device\":0,\"stream\":7,\"correlation\":9}}]}");
}
