/*
 * The thread that calls CUPTI: it flushes four times a second, turns recording on and off as the
 * launcher or the program's capture range requests, and does the last flush. It may hang in CUPTI;
 * others then wait only as long as life.c says, and the writer continues. If the program outlives
 * the recording, both threads end and release their space on disk and in memory. Their descriptors
 * stay open: otherwise a thread of the program that is about to send a message could send it to
 * whatever reuses the number.
 */
#include "cupti/collector.h"

#include <poll.h>
#include <sys/stat.h>

#define TICK_MS 20
#define LOOK_TICKS 5

/*
 * CUPTI returns buffers on a thread of its own after a flush, in up to 30 ms as observed. If other
 * programs occupy the processors, that thread may wait longer; but so does this one, which looks at
 * least this often.
 */
#define RETURN_NS INT64_C(500000000)
#define RETURN_LOOKS 100

/* 13.0 to 13.4 use more processor time the longer they record; update 1 of 13.4 is fixed. */
#define LONG_RUN_NS INT64_C(600000000000)
#define LONG_RUN_FIRST 130000u
#define LONG_RUN_LAST 130400u

static struct {
	bool recording; /* the kinds are enabled */
	bool announced; /* reported as on; NVTX alone before CUPTI */
	bool attached;
	int64_t next_flush_ns;
	uint32_t ticks;
	bool alone;	  /* the launcher is gone */
	bool first;	  /* finishing comes before CUDA's own exit handlers */
	int64_t since_ns; /* recording since then, for long runs; 0: reported */
} my;

/* Returns true if CUPTI has flushed. */
static bool flush_now(uint32_t flag)
{
	struct collector *c = &dp_collector;

	return cupti_answers() && atomic_load(&c->requested) && !c->cupti.ActivityFlushAll(flag);
}

static void flush_sometimes(void)
{
	struct collector *c = &dp_collector;
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!c->options.flush_ms || now < my.next_flush_ns)
		return;
	if (my.next_flush_ns)
		(void)flush_now(0);
	my.next_flush_ns = now + (int64_t)c->options.flush_ms * 1000000;
}

static void record(bool on)
{
	struct collector *c = &dp_collector;
	int64_t before_ns = clock_ns(CLOCK_REALTIME);

	if (my.attached && on != my.recording) {
		dp_attach__kinds(on);
		if (!on)
			(void)flush_now(0);
		my.recording = on;
	}
	if (my.recording)
		dp_attach__peers();
	if (on != my.announced)
		dp_switches__note(on, on ? clock_ns(CLOCK_REALTIME) : before_ns);
	my.announced = on;
	atomic_store(&dp_live->nvtx, on && c->options.nvtx);
}

/*
 * Returns true if a slot held by CUPTI has a record. CUPTI may write at any time, and the writer
 * zeroes a slot that comes back meanwhile. Either answer is fine, as callers ask again, so this
 * race is benign.
 */
__attribute__((no_sanitize("thread"))) static bool has_record(uint32_t slot)
{
	return *(const volatile uint32_t *)(const void *)dp_pool__data(slot) != 0;
}

/*
 * Returns true if neither CUPTI nor the writer has anything left: the launcher may read everything,
 * as no more will come.
 */
static bool is_stored(const struct collector *c)
{
	for (uint32_t i = 0; i < c->pool->slots; i++) {
		uint32_t state = atomic_load(&c->slots[i].state);

		if (state == DP_SLOT_COMPLETED || (state == DP_SLOT_HELD && has_record(i)))
			return false;
	}
	for (uint32_t i = 0; i < c->pool->rings; i++)
		if (atomic_load(&c->rings[i].head) != atomic_load(&c->rings[i].tail))
			return false;
	return true;
}

static uint32_t state_of(const struct collector *c, bool on, uint32_t control)
{
	if (on)
		return DP_POOL_RUNNING;
	return control == DP_POOL_STOP && is_stored(c) ? DP_POOL_STOPPED : DP_POOL_PAUSED;
}

/* Once there is a buffer, cuInit() is over and has registered its exit handlers. */
static void come_first(void)
{
	if (my.first || !atomic_load(&dp_collector.requested))
		return;
	my.first = true;
	dp_threads__finish_first();
}

/* Without the launcher, nobody would read the recording: it would only fill the disk. */
static bool launcher_is_gone(void)
{
	struct pollfd end = { .fd = -1 };

	if (!my.alone && ++my.ticks % LOOK_TICKS == 0) {
		end.fd = dp_descriptor__get(&dp_collector.socket);
		my.alone = poll(&end, 1, 0) == 1 && end.revents & (POLLHUP | POLLERR);
	}
	return my.alone;
}

/* The launcher, or its successor, has converted the spool and removed the folder. */
static bool is_of_no_use(void)
{
	struct stat info;

	return my.alone && my.ticks++ % LOOK_TICKS == 0 &&
	       !fstat(dp_descriptor__get(&dp_collector.spool_file), &info) && !info.st_nlink;
}

/* The program continues, perhaps for hours, and must not hold what nobody will read. */
static void give_up(void)
{
	atomic_store(&dp_live->on, 0);
	atomic_store(&dp_collector.given_up, 1);
	atomic_store(&dp_collector.writer_quit, 1);
	dp_wake(&dp_collector.writer_wake);
}

static void follow_commands(void)
{
	struct collector *c = &dp_collector;
	uint32_t control = launcher_is_gone() ? DP_POOL_STOP : atomic_load(&c->pool->control);
	uint32_t range = atomic_load(&c->range);
	bool on = control == DP_POOL_RUN && (!c->options.capture_profiler || range & 1);

	if (atomic_load(&c->handed_over) && !my.attached) {
		my.attached = true;
		my.recording = !c->options.start_paused && !c->options.capture_profiler;
	}
	record(on);
	atomic_store(&c->range_seen, range);
	/* A thread that CUPTI delayed may get here after the end. */
	if (!atomic_load(&c->final))
		atomic_store(&c->pool->state, state_of(c, on, control));
}

/* Counts buffers with records that were handed out by then and have not come back. */
static uint32_t count_kept(uint64_t sequence)
{
	struct collector *c = &dp_collector;
	uint32_t kept = atomic_load(&c->trash_lent);

	for (int i = 0; i < DISCARDS; i++)
		kept += atomic_load(&c->discards[i].state) == DISCARD_HELD;
	for (uint32_t i = 0; i < c->pool->slots; i++)
		kept += atomic_load(&c->slots[i].state) == DP_SLOT_HELD &&
			atomic_load(&c->slots[i].sequence) <= sequence && has_record(i);
	return kept;
}

/*
 * A forced flush returns all buffers, to the tool that registered last: torch.profiler registers
 * without subscribing (Kineto, since August 2026), so it is not rejected like others. What was in
 * the collector's buffers is still stored; later records went elsewhere.
 */
static void flush_last(void)
{
	const struct timespec pause = { 0, 2000000 };
	uint64_t sequence = atomic_load(&dp_collector.sequence);
	uint32_t kept = flush_now(CUPTI_FLUSH_FORCED) ? count_kept(sequence) : 0;
	int64_t limit = clock_ns(CLOCK_MONOTONIC) + RETURN_NS;

	for (int i = 0; kept && (i < RETURN_LOOKS || clock_ns(CLOCK_MONOTONIC) < limit); i++) {
		nanosleep(&pause, NULL);
		kept = count_kept(sequence);
	}
	if (kept)
		dp_message__say(
			DP_SPOOL_WARNING, "taken-over",
			"CUPTI has not returned %u buffer%s: a profiler inside the program, "
			"such as torch.profiler, may have taken over CUPTI's records, and "
			"later ones are missing",
			kept, kept == 1 ? "" : "s");
}

static void warn_of_long_run(void)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);
	uint32_t version;

	if (!my.attached || !my.since_ns)
		return;
	/* Not earlier: until then the program's thread may be writing it. */
	version = dp_collector.cupti.version;
	if (version < LONG_RUN_FIRST || version > LONG_RUN_LAST)
		return;
	if (!my.recording)
		my.since_ns = now;
	if (now - my.since_ns < LONG_RUN_NS)
		return;
	my.since_ns = 0;
	dp_message__say(DP_SPOOL_WARNING, "long-run",
			"CUPTI 13.0 to 13.4 use more and more processor time in recordings of more "
			"than 10 minutes, like this one; end it earlier with --duration or -n, or "
			"use 13.4 update 1");
}

void *dp_control_thread(void *unused)
{
	struct collector *c = &dp_collector;

	my.attached = my.recording = false;
	my.announced = true;
	my.next_flush_ns = 0;
	my.ticks = 0;
	my.alone = false;
	my.first = false;
	my.since_ns = clock_ns(CLOCK_MONOTONIC);
	dp_threads__use_all_processors();
	while (!atomic_load(&c->final)) {
		uint32_t wake = atomic_load(&c->control_wake);

		follow_commands();
		come_first();
		dp_first__look();
		warn_of_long_run();
		if (is_of_no_use()) {
			give_up();
			goto out;
		}
		flush_sometimes();
		dp_wait(&c->control_wake, wake, TICK_MS);
	}
	dp_attach__kinds(false);
	dp_attach__facts(false);
	flush_last();
out:
	atomic_store(&c->final_done, 1);
	dp_wake(&c->final_done);
	return NULL;
}
