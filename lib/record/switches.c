/*
 * The kernel writes 24 bytes into a ring of the thread each time that the thread leaves a processor
 * (PERF_RECORD_SWITCH, with a bit if it was preempted: Linux 4.17), comes back, or had to wait for
 * a page from a disk (PERF_COUNT_SW_PAGE_FAULTS_MAJ, counted when the wait is over). While it is on
 * a processor, the kernel also writes its call stack 99 times a second (PERF_COUNT_SW_CPU_CLOCK),
 * by frame pointers: in code compiled without these, only the innermost function is certain.
 * Records take no system call: rings are read in place.
 */
#define _GNU_SOURCE
#include "record/switches.h"
#include "format/schema.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef PERF_RECORD_MISC_SWITCH_OUT_PREEMPT
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT (1 << 14)
#endif

/*
 * Pages of a ring, besides one for its head and tail: 32 KiB hold 1,365 records, which at 20 reads
 * per second is 13,000 switches per second. Five call stacks per read take up to 3 KiB of it. A
 * user may lock 516 KiB per processor (kernel.perf_event_mlock_kb): enough for 14 threads on each.
 */
enum { RING_PAGES = 8 };

/*
 * How far ahead of a record the ring is loaded: another processor wrote it, and loading it takes
 * about as long as reading a few records.
 */
enum { AHEAD_BYTES = 256 };

/* Shorter intervals are not worth a row: the switch itself takes 1 to 3 us. */
#define LEAST_NS 10000

/* A page fault is counted this soon after its wait: only the fault's handler runs in between. */
#define FAULT_NS 1000000

/* Callers of a call stack: Python has three for each function of a program. */
enum { CALLERS_MAX = 64 };

struct dp_switches {
	int fd;
	int faults_fd; /* -1: faults cannot be distinguished */
	int stacks_fd; /* -1: no call stacks */
	struct perf_event_mmap_page *page;
	size_t bytes;	/* of the mapping */
	int64_t out_ns; /* when it left a processor, 0: it is on one */
	bool preempted;
	struct dp_switches_off last; /* end_ns 0: there is none */
};

/* The layout of a record of these events. */
struct record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time_ns;
};

/* One with a call stack: the addresses follow, with marks that are no addresses. */
struct stack_record {
	struct record record;
	uint64_t count;
	uint64_t addresses[CALLERS_MAX + 8];
};

/* in_kernel: count also what the thread does in system calls; only some users may. */
static int open_event(pid_t tid, uint64_t config, bool in_kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.exclude_kernel = !in_kernel,
		.exclude_callchain_kernel = 1,
		.exclude_hv = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	if (config == PERF_COUNT_SW_DUMMY) {
		attr.context_switch = 1;
	} else if (config == PERF_COUNT_SW_CPU_CLOCK) {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr.sample_period = DP_SCHEMA_STACK_NS;
		attr.sample_max_stack = CALLERS_MAX;
	} else {
		attr.sample_period = 1;
	}
	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Lets another event write into the ring; fd may be -1. Returns -1 if it cannot. */
static int share_ring(const struct dp_switches *switches, int fd)
{
	if (fd < 0 || !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, switches->fd))
		return fd;
	close(fd);
	return -1;
}

static void open_more(struct dp_switches *switches, pid_t tid)
{
	int stacks = open_event(tid, PERF_COUNT_SW_CPU_CLOCK, true);

	if (stacks < 0)
		stacks = open_event(tid, PERF_COUNT_SW_CPU_CLOCK, false);
	switches->stacks_fd = share_ring(switches, stacks);
	switches->faults_fd =
		share_ring(switches, open_event(tid, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false));
}

struct dp_switches *dp_switches__open(pid_t tid)
{
	struct dp_switches *made = dp_alloc__zeroed(1, sizeof(*made));
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int failed;

	if (!made)
		return NULL;
	made->bytes = (1 + RING_PAGES) * page;
	made->fd = open_event(tid, PERF_COUNT_SW_DUMMY, false);
	if (made->fd < 0)
		goto no_event;
	made->page = mmap(NULL, made->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made->fd, 0);
	if (made->page == MAP_FAILED)
		goto no_ring;
	open_more(made, tid);
	return made;
no_ring:
	failed = errno;
	close(made->fd);
	errno = failed;
no_event:
	failed = errno;
	free(made);
	errno = failed;
	return NULL;
}

void dp_switches__close(struct dp_switches *switches)
{
	if (!switches)
		return;
	munmap(switches->page, switches->bytes);
	if (switches->faults_fd >= 0)
		close(switches->faults_fd);
	if (switches->stacks_fd >= 0)
		close(switches->stacks_fd);
	close(switches->fd);
	free(switches);
}

/* Returns the last interval, if it is worth a row. */
static bool take_last(struct dp_switches *switches, struct dp_switches_off *off)
{
	struct dp_switches_off last = switches->last;

	switches->last.end_ns = 0;
	if (!last.end_ns || last.end_ns - last.start_ns < LEAST_NS)
		return false;
	*off = last;
	return true;
}

/* Handles a record. Returns true if it completes the last interval, which is returned. */
static bool take_record(struct dp_switches *switches, const struct record *record,
			struct dp_switches_off *off)
{
	uint32_t type = record->header.type;
	int64_t time_ns = (int64_t)record->time_ns;
	bool out = record->header.misc & PERF_RECORD_MISC_SWITCH_OUT, taken;

	/* The lost record may have been its return: nothing is known until it leaves again. */
	if (type == PERF_RECORD_LOST)
		switches->out_ns = 0;
	if (type == PERF_RECORD_SAMPLE && switches->last.kind == DP_SWITCHES_BLOCKED &&
	    time_ns - switches->last.end_ns < FAULT_NS)
		switches->last.kind = DP_SWITCHES_FAULT;
	if (type != PERF_RECORD_SWITCH)
		return false;
	if (out) {
		switches->preempted = record->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		switches->out_ns = time_ns;
		return false;
	}
	if (!switches->out_ns)
		return false;
	taken = take_last(switches, off);
	switches->last = (struct dp_switches_off){ switches->out_ns, time_ns,
						   switches->preempted ? DP_SWITCHES_PREEMPTED
								       : DP_SWITCHES_BLOCKED };
	switches->out_ns = 0;
	return taken;
}

/*
 * Returns bytes at a place of the ring, whose size is a power of two: in place if they are in one
 * piece, otherwise in copy. Records are multiples of 8 bytes, as their headers are.
 */
static const void *look_at(const struct dp_switches *switches, uint64_t at, void *copy,
			   size_t bytes)
{
	size_t page = switches->bytes / (1 + RING_PAGES), size = RING_PAGES * page;
	const char *ring = (const char *)switches->page + page;
	size_t from = (size_t)(at & (size - 1)), first = size - from;

	__builtin_prefetch(ring + ((at + AHEAD_BYTES) & (size - 1)));
	if (first >= bytes)
		return ring + from;
	memcpy(copy, ring + from, first);
	memcpy((char *)copy + first, ring, bytes - first);
	return copy;
}

/* Passes a call stack on, without the marks between kinds of addresses. */
static void take_stack(const struct dp_switches *switches, uint64_t at, size_t bytes,
		       const struct dp_switches_sink *sink)
{
	struct stack_record copy;
	const struct stack_record *from = look_at(switches, at, &copy, DP_MIN(bytes, sizeof(copy)));
	size_t most = (DP_MIN(bytes, sizeof(copy)) - offsetof(struct stack_record, addresses)) /
		      sizeof(*from->addresses);
	uint64_t addresses[DP_COUNT(copy.addresses)];
	size_t count = 0;

	for (size_t i = 0; i < most && i < from->count; i++)
		if (from->addresses[i] < PERF_CONTEXT_MAX)
			addresses[count++] = from->addresses[i];
	if (count)
		sink->stack(sink->ctx, (int64_t)from->record.time_ns, addresses, count);
}

bool dp_switches__slept(const struct dp_switches *switches)
{
	return switches->out_ns && __atomic_load_n(&switches->page->data_head, __ATOMIC_ACQUIRE) ==
					   switches->page->data_tail;
}

size_t dp_switches__take(struct dp_switches *switches, struct dp_switches_off *offs, size_t most,
			 bool finish, const struct dp_switches_sink *sink)
{
	uint64_t head = __atomic_load_n(&switches->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = switches->page->data_tail;
	size_t count = 0;

	while (count < most && tail < head) {
		struct record copy;
		const struct record *record = look_at(switches, tail, &copy, sizeof(copy));
		size_t bytes = record->header.size;

		/* All relevant records have these members. */
		if (bytes < sizeof(*record))
			break;
		if (record->header.type == PERF_RECORD_SAMPLE && bytes > sizeof(*record))
			take_stack(switches, tail, bytes, sink);
		else
			count += take_record(switches, record, &offs[count]);
		tail += bytes;
	}
	__atomic_store_n(&switches->page->data_tail, tail, __ATOMIC_RELEASE);
	if (finish && count < most)
		count += take_last(switches, &offs[count]);
	return count;
}
