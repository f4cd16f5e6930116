/* Advice against waiting for the device, which several rules give. */
#include "base/text.h"
#include "diagnose/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* So much more or less than one wait per iteration is not called one. */
#define ABOUT_ONE 0.05

/* Waits per launch from which on nearly every launch is waited for. */
#define NEARLY_EVERY 0.8

/* Share of downloads in the time of waits for copies from which on the advice is about these. */
#define MOSTLY 0.5

static const char advice_sync[] =
	"avoid a synchronization in every iteration: .item(), print(tensor), synchronize()";

static const char advice_download[] =
	"fetch these results later, or fewer of them, or without waiting: into pinned memory with "
	"non_blocking=True, and an event to wait for";

static double waits_per_iteration(const struct dp_rule_input *input)
{
	const struct dp_transfers *transfers = input->transfers;

	if (!transfers || !transfers->waits || input->loop->iterations < 2)
		return (double)NAN;
	return (double)transfers->waits / (double)(input->loop->iterations - 1);
}

/* The advice after its colon, in the terms of the trace. */
static const char *how_to_avoid(const struct dp_rule_input *input)
{
	return strchr(dp_advice__in_terms(advice_sync, input->terms), ':');
}

void dp_rule__advise_on_waits(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double waits = waits_per_iteration(input);
	char number[DP_TEXT_SIZE];

	out->finding.advice = advice_sync;
	dp_rule__advise_by_ranges(out, DP_HOST_SYNC);
	if (out->finding.advice == dp_rule__upload_advice && input->transfers &&
	    input->transfers->downloads_waited >= MOSTLY)
		out->finding.advice = advice_download;
	if (out->finding.advice == advice_sync && fabs(waits - 1) >= ABOUT_ONE)
		snprintf(out->advice, sizeof(out->advice),
			 "avoid synchronizations (%s per iteration)%s",
			 dp_text__fixed(number, waits, fabs(waits - rint(waits)) >= ABOUT_ONE),
			 how_to_avoid(input));
}

void dp_rule__advise_on_waiting_launches(const struct dp_rule_input *input,
					 struct dp_rule_finding *out)
{
	const struct dp_transfers *transfers = input->transfers;

	if (transfers && transfers->waits &&
	    (double)transfers->waits >= NEARLY_EVERY * (double)transfers->launches)
		snprintf(
			out->advice, sizeof(out->advice),
			"avoid the synchronization after nearly every launch%s; then launch fewer, "
			"larger kernels",
			how_to_avoid(input));
}
