/*
 * The evidence for each symbol: what its name says, and whether uploads precede its kernels. Cost:
 * one call of the evidence per name, and a sample.
 */
#include "loops/detection.h"
#include "base/parameters.h"
#include "pattern/levels.h"

/* By name; uploads are measured. */
static const uint8_t trait_of[] = {
	[DP_KERNEL_OTHER] = DP_TRAIT_PROGRAM,
	[DP_KERNEL_NETWORK] = DP_TRAIT_NETWORK,
	[DP_KERNEL_ATTENTION] = DP_TRAIT_NETWORK,
	[DP_KERNEL_FINISHES] = DP_TRAIT_FINISHES,
	[DP_KERNEL_MOVES] = 0,
};

/* Marks the symbols by what their names say. */
static void ask_names(const struct dp_detection *d, uint8_t *traits, bool *asked)
{
	const struct dp_loops_request *r = d->request;
	uint32_t left = r->alphabet;

	for (size_t i = 0; i < r->count && left > 0; i++) {
		if (asked[r->symbols[i]])
			continue;
		asked[r->symbols[i]] = true;
		left--;
		traits[d->sequence.symbols[i]] |= trait_of[dp_evidence__look(&r->evidence, i).kind];
	}
}

struct uploads {
	uint32_t seen, after;
};

/*
 * Marks the symbols that uploads precede, judged by a sample spread over the sequence. Returns the
 * share of all symbols that uploads precede.
 */
static double ask_uploads(const struct dp_detection *d, uint8_t *traits, struct uploads *uploads)
{
	const struct dp_loops_request *r = d->request;
	size_t every = r->count / dp_param.upload_sample + 1, seen = 0, after = 0;

	for (size_t i = 0; i < r->count; i += every) {
		/* keeps the sample from being in step with a period of the sequence */
		size_t jitter = (size_t)((i * UINT64_C(0x9e3779b97f4a7c15)) >> 33) % every;
		size_t position = DP_MIN(i + jitter, r->count - 1);
		bool upload = dp_evidence__look(&r->evidence, position).after_upload;

		uploads[d->sequence.symbols[position]].seen++;
		uploads[d->sequence.symbols[position]].after += upload;
		seen++;
		after += upload;
	}
	for (uint32_t s = 0; s < d->sequence.alphabet; s++)
		if (uploads[s].seen >= dp_param.uploads_min &&
		    uploads[s].after >= dp_param.uploads_share * uploads[s].seen)
			traits[s] |= DP_TRAIT_UPLOADED;
	return seen ? (double)after / (double)seen : 0;
}

int dp_traits__ask(const struct dp_detection *d, uint8_t **traits, double *rate)
{
	bool *asked;
	struct uploads *uploads;
	int status = DP_ERR_NOMEM;

	*traits = NULL;
	*rate = 0;
	if (!d->request->evidence.at)
		return DP_OK;
	*traits = dp_alloc__zeroed(d->sequence.alphabet, sizeof(**traits));
	asked = dp_alloc__zeroed(d->request->alphabet, sizeof(*asked));
	uploads = dp_alloc__zeroed(d->sequence.alphabet, sizeof(*uploads));
	if (*traits && asked && uploads) {
		ask_names(d, *traits, asked);
		*rate = ask_uploads(d, *traits, uploads);
		status = DP_OK;
	}
	free(asked);
	free(uploads);
	return status;
}
