/*
 * A libcupti that needs no GPU: the program under test says what happened, it makes the records, of
 * the sizes of the version that FAKE_CUPTI_VERSION names, and hands buffers to and fro as CUPTI
 * does. Without it set, 12.8. It aborts where a rule of CUPTI's is broken: a call from within a
 * callback or after its end, a buffer that is not zeroed, an attribute that comes too late, a flush
 * before there was a buffer, or a last one while something is recorded. With FAKE_13_2 it is one
 * that must not be called at all, for it would crash, as 13.2 does where there is no driver.
 *
 * In these it is as the real ones are, unless a switch says otherwise:
 *
 * FAKE_CUPTI_WITHHOLD=0        a flush gives buffers back that have records without an end, too
 * FAKE_CUPTI_LATE_TIMES=0      times of the GPU are in the records at once, not after a flush
 * FAKE_CUPTI_DELAY_MS=10       after a flush buffers come so late, by a thread of CUPTI's
 * FAKE_CUPTI_REUSES=1          room on the GPU for times of graphs' nodes is used again
 * FAKE_CUPTI_DEVICE_RECORDS=N  that room, in records; else what the attributes make of it
 * FAKE_CUPTI_DEVICES=1         devices are reported though they were asked for in cuInit()
 *
 * fake_pm.c has PM sampling, and its switches.
 *
 * FAKE_CUPTI_FAIL=Function=result,…   those functions answer so; Kind_N=result for one kind
 * FAKE_CUPTI_HANG=1                   a forced flush never ends
 * FAKE_CUPTI_LATE=1                   records have no size before one was made
 * FAKE_CUPTI_HOLDER=name              cuptiSubscribe_v2 says who has subscribed
 * FAKE_CUPTI_LEAVES=1                 who has subscribed is gone once that has been reported
 * FAKE_CUDA_VERSION=n        libcuda's, as cuDriverGetVersion counts, instead of 12080
 * FAKE_CUPTI_TRUTH=file               a struct fake_truth, kept up to date: what was recorded
 */
#ifndef DP_FAKE_H
#define DP_FAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_KINDS 128

struct fake_truth {
	_Atomic uint64_t records[FAKE_KINDS];
	_Atomic uint64_t buffers;
	_Atomic uint64_t nvtx;
	_Atomic uint64_t constructed, destructed; /* libraries */
	_Atomic uint64_t device_records;	  /* that the GPU has room for the times of */
	_Atomic uint64_t v2;			  /* subscribed by cuptiSubscribe_v2() */
	_Atomic uint64_t flushes;		  /* that were made */
	/* How often the program has waited for the test, and how often the test let it continue. */
	_Atomic uint64_t waits, goes_on;
};

/* Numbers of calls, and a query's result. */
enum {
	FAKE_CU_LAUNCH = 307,
	FAKE_CUDA_LAUNCH = 211,
	FAKE_CU_EVENT_RECORD = 118,
	FAKE_CUDA_EVENT_RECORD = 135,
	FAKE_NOT_READY = 600
};

/* Kinds that no version has: one whose size CUPTI reports, and one of unknown size. */
#define FAKE_NEW_KIND 61
#define FAKE_NEW_BYTES 48

/* What the fake libcupti exports in addition. */
struct fake_interface {
	/* A runtime call and the kernel that it launches; zero: the kernel has not ended. */
	void (*launch)(const char *name, uint32_t correlation, uint32_t stream, int zero);
	/* One record of the kind, its numbers made from n. */
	void (*record)(uint32_t kind, uint64_t n);
	/* Returns the thread's buffer in ways that CUPTI is not supposed to. */
	void (*complete_twice)(uint64_t ms_between);
	void (*complete_foreign)(void);
	/* It is returned with the next flush, after all that were requested later. */
	void (*hold_buffer)(void);
	void (*drop)(uint64_t records);
	void (*unload)(void);
	/* A device gets a context. */
	void (*context)(uint32_t device);
	void (*profiler)(int start);
	struct fake_truth *(*truth)(void);
	/* Buffers are being returned. */
	bool (*gives_back)(void);
	/*
	 * From here on records are not counted as truth: in a child that the collector leaves
	 * alone.
	 */
	void (*pretend)(void);
	/* For a caller that makes its own records (fake_device.c): one of this many known bytes. */
	void (*append)(const void *record, size_t known);
	bool (*wanted)(uint32_t kind);
	/*
	 * The program's own profiler registers for buffers; what it receives is not part of the
	 * truth.
	 */
	void (*take_over)(void);
	/* For a driver call that is about to be made. */
	void (*call_back)(uint32_t cbid);
	/* The number that links an operation to its call; 0 if no calls are recorded. */
	uint32_t (*number_of)(uint32_t correlation);
	/* A launch whose kernel runs from start to end, of CLOCK_REALTIME. */
	void (*launch_at)(const char *name, uint32_t correlation, uint32_t stream, uint64_t start,
			  uint64_t end);
};

#endif
