/*
 * When recording went off and on again, from the thread that turns it to the one that stores. The
 * times matter: an unrecorded interval must not look like the program's. A capture range may be as
 * short as a call, so the writer, which looks every 20 ms, would miss it.
 */
#include "cupti/collector.h"

#define WAIT_MS 100

/* The writer may be waiting for a disk: moments that find no room after a while are dropped. */
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

	/* If a moment was dropped, two of a kind follow each other, and the first counts. */
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
