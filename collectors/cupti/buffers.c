/*
 * CUPTI's callbacks, on the program's threads. They never allocate. They never call CUPTI, except to
 * ask for the device of a new context, which CUPTI 13.0 answers there. And they never wait, except
 * the start and end of a capture range for recording to be on or off.
 *
 * One notes when the first kernel is launched: --delay and --duration count from then, not from the
 * start of a program that may load its model for minutes. CUPTI calls back before each launch until
 * one was seen.
 */
#include "cupti/collector.h"

#include <string.h>

static bool give_discard(uint8_t **buffer, size_t *bytes)
{
	for (int i = 0; i < DISCARDS; i++) {
		struct discard *discard = &dp_collector.discards[i];
		uint32_t state = DISCARD_FREE;

		if (!atomic_compare_exchange_strong(&discard->state, &state, DISCARD_HELD))
			continue;
		*buffer = discard->data;
		*bytes = DISCARD_BYTES;
		return true;
	}
	return false;
}

/* For a process that is no longer recorded; before 12.9, CUPTI crashes on NULL. */
static uint8_t nowhere[4096] __attribute__((aligned(8)));

void dp_buffers__requested(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
	struct collector *c = &dp_collector;
	int slot;

	*most_records = 0;
	if (!live()) {
		*buffer = nowhere;
		*bytes = sizeof(nowhere);
		*most_records = 1;
		return;
	}
	if (!atomic_load_explicit(&c->requested, memory_order_relaxed) &&
	    !atomic_exchange(&c->requested, 1))
		dp_wake(&c->control_wake);
	slot = dp_pool__take();
	if (slot >= 0) {
		*buffer = dp_pool__data((uint32_t)slot);
		*bytes = c->pool->slot_bytes;
		return;
	}
	dp_wake(&c->writer_wake);
	if (give_discard(buffer, bytes))
		return;
	/* Records overwrite each other: they are counted, but cannot be described. */
	atomic_fetch_add(&c->trash_lent, 1);
	*buffer = c->trash;
	*bytes = DISCARD_BYTES;
	*most_records = 1;
}

/* Ignores a buffer that is not the collector's. */
static void complete_discard(const uint8_t *buffer, size_t valid_bytes)
{
	struct collector *c = &dp_collector;

	if (buffer == c->trash) {
		atomic_fetch_add(&c->trashed, valid_bytes != 0);
		atomic_fetch_sub(&c->trash_lent, 1);
		/* CUPTI must be given zeros. Many may share the buffer, and nobody reads it. */
		memset(c->trash, 0, DISCARD_BYTES);
		return;
	}
	for (int i = 0; i < DISCARDS; i++) {
		struct discard *discard = &c->discards[i];
		uint32_t state = DISCARD_HELD;

		if (buffer != discard->data)
			continue;
		atomic_store(&discard->valid_bytes,
			     (uint32_t)(valid_bytes < DISCARD_BYTES ? valid_bytes : DISCARD_BYTES));
		atomic_compare_exchange_strong(&discard->state, &state, DISCARD_DONE);
		return;
	}
}

void dp_buffers__completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			   size_t valid_bytes)
{
	struct collector *c = &dp_collector;
	uint32_t state = DP_SLOT_HELD;
	int index;

	if (!live())
		return;
	index = dp_pool__slot_of(buffer);
	if (index < 0) {
		complete_discard(buffer, valid_bytes);
		dp_wake(&c->writer_wake);
		return;
	}
	/* CUPTI may return it twice. */
	if (atomic_load(&c->slots[index].state) != DP_SLOT_HELD)
		return;
	if (valid_bytes > c->pool->slot_bytes)
		valid_bytes = c->pool->slot_bytes;
	atomic_store(&c->slots[index].valid_bytes, (uint32_t)valid_bytes);
	atomic_compare_exchange_strong(&c->slots[index].state, &state, DP_SLOT_COMPLETED);
	dp_wake(&c->writer_wake);
}

/* How long a call that starts or ends a range may wait for the control thread. */
#define RANGE_NS INT64_C(1000000000)

static void profiler_call(bool start, const struct cupti_callback_data *data)
{
	struct collector *c = &dp_collector;
	int64_t limit = clock_ns(CLOCK_MONOTONIC) + RANGE_NS;
	uint32_t range = atomic_load(&c->range);

	/* Recording must be on, or off, before the call returns to the program. */
	if (data->site != CUPTI_SITE_ENTER)
		return;
	while ((range & 1) != start && !atomic_compare_exchange_weak(&c->range, &range, range + 1))
		;
	range += (range & 1) != start;
	dp_wake(&c->control_wake);
	while (live() && (int32_t)(atomic_load(&c->range_seen) - range) < 0 &&
	       clock_ns(CLOCK_MONOTONIC) < limit) {
		struct timespec pause = { 0, 100000 };

		nanosleep(&pause, NULL);
	}
}

/* Driver calls that launch kernels and graphs; the second of each is for per-thread streams. */
static const uint32_t launches[] = { 307, 442, 477, 478, 480, 514, 515, 652, 653 };

#define LAUNCHES (sizeof(launches) / sizeof(launches[0]))

static bool watching;

void dp_first__watch(bool enable)
{
	struct cupti *cupti = &dp_collector.cupti;

	watching = enable;
	for (size_t i = 0; i < LAUNCHES && cupti_answers(); i++)
		(void)cupti->EnableCallback(enable, cupti->subscriber, CUPTI_DOMAIN_DRIVER,
					    launches[i]);
}

/* Returns false for another call than a launch. */
static bool saw_first(uint32_t cbid)
{
	struct collector *c = &dp_collector;
	bool launch = false;

	for (size_t i = 0; i < LAUNCHES; i++)
		launch |= launches[i] == cbid;
	if (!launch || atomic_exchange(&c->first_seen, 1))
		return launch;
	atomic_store(&c->pool->first_launch_ns, clock_ns(CLOCK_MONOTONIC));
	dp_wake(&c->control_wake);
	return true;
}

void dp_first__look(void)
{
	if (watching && atomic_load(&dp_collector.handed_over) &&
	    atomic_load(&dp_collector.first_seen))
		dp_first__watch(false);
}

/* A device whose number is unknown counts as several. */
static void context_created(const struct cupti_resource_data *data)
{
	const struct cupti *cupti = &dp_collector.cupti;
	uint32_t device = 0;
	bool known = cupti->GetDeviceId && !cupti->GetDeviceId(data->context, &device);

	atomic_fetch_or(&dp_collector.devices, known ? UINT64_C(1) << device % 64 : UINT64_MAX);
	dp_wake(&dp_collector.control_wake);
}

void dp_buffers__callback(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
	const struct cupti_state_data *state = data;

	if (!live())
		return;
	if (domain == CUPTI_DOMAIN_RESOURCE && cbid == CUPTI_RESOURCE_MODULE_UNLOAD) {
		atomic_fetch_add(&dp_collector.unloads, 1);
		dp_wake(&dp_collector.writer_wake);
	} else if (domain == CUPTI_DOMAIN_RESOURCE && cbid == CUPTI_RESOURCE_CONTEXT_CREATED) {
		context_created(data);
	} else if (domain == CUPTI_DOMAIN_STATE && cbid == CUPTI_STATE_FATAL_ERROR) {
		dp_message__say(DP_SPOOL_ERROR, "cupti-failed", "CUPTI has stopped: %s",
				state->message ? state->message : "(no reason given)");
	} else if (domain == CUPTI_DOMAIN_RUNTIME) {
		profiler_call(cbid == CUPTI_CUDART_PROFILER_START, data);
	} else if (domain == CUPTI_DOMAIN_DRIVER && !saw_first(cbid)) {
		profiler_call(cbid == CUPTI_CU_PROFILER_START, data);
	}
}
