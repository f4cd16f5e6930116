/*
 * Notes when the first kernel is launched: --delay and --duration count from then, not from the
 * start of a program that may load its model for minutes. CUPTI calls back before each launch until
 * one was seen.
 */
#include "cupti/collector.h"

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

bool dp_first__saw(uint32_t cbid)
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
