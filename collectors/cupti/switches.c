/*
 * When recording went off and on again, from the thread that turns it to the one that stores. Their
 * moments matter: time that nobody recorded must not be taken for the program's. A capture range
 * may be as short as a call, so that the writer, which looks every 20 ms, would miss it.
 */
#include "cupti/collector.h"

#define WAIT_MS 100

/* The writer may be waiting for a disk: what finds no room even so is dropped. */
static bool has_room(struct collector *c)
{
	int64_t limit = clock_ns(CLOCK_MONOTONIC) + (int64_t)WAIT_MS * 1000000;
	const struct timespec pause = { 0, 100000 };

	while (atomic_load(&c->switched) - atomic_load(&c->switches_taken) >= SWITCHES) {
		if (clock_ns(CLOCK_MONOTONIC) >= limit || atomic_load(&c->writer_done))
			return false;
		dp_wake(&c->writer_wake);
		nanosleep(&pause, NULL);
	}
	return true;
}

void dp_switches__note(bool on, int64_t realtime_ns)
{
	struct collector *c = &dp_collector;
	uint32_t at = atomic_load(&c->switched);

	/* Two of a kind follow each other where one between them was left out: the first counts. */
	if (!has_room(c))
		return;
	c->switches[at % SWITCHES] = (struct moment){ realtime_ns, on };
	atomic_store(&c->switched, at + 1);
}

bool dp_switches__take(struct moment *out)
{
	struct collector *c = &dp_collector;
	uint32_t at = atomic_load(&c->switches_taken);

	if (at == atomic_load(&c->switched))
		return false;
	*out = c->switches[at % SWITCHES];
	atomic_store(&c->switches_taken, at + 1);
	return true;
}
