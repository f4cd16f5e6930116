/*
 * The detector: searches a window of the latest symbols, then compares what follows with what was
 * found.
 *
 * Symbols that continue the pattern are only compared with it. From the first difference on they
 * are gathered until the differences are over, and then aligned (detector_look.c). When to do so
 * depends only on numbers of symbols, never on how they were fed.
 *
 * Cost: a comparison per symbol in step. Otherwise the gathered symbols grow by a quarter between
 * two alignments, so each symbol is aligned about five times. Searches (detector_search.c) are as
 * far apart as the first comment in deepprof/detector.h describes.
 */
#include "online/detector_model.h"
#include "base/options.h"
#include "base/parameters.h"

#include <string.h>

enum {
	WINDOW_MIN = 1 << 10,
	WINDOW_MAX = 1 << 24,
};

/*
 * Appends n symbols, at most a quarter of the window. Drops those that are neither in the window
 * nor still to be reported.
 */
static int append_symbols(struct dp_detector *d, const uint32_t *symbols, size_t n)
{
	size_t held = (size_t)(d->fed - d->base);
	uint64_t from = d->fed > d->window ? d->fed - d->window : 0;

	if (held + n > 3 * d->window) {
		if (d->known.count > 0)
			from = DP_MIN(from, d->reported);
		memmove(d->buffer, dp_detector__at(d, from),
			(size_t)(d->fed - from) * sizeof(*symbols));
		d->base = from;
		held = (size_t)(d->fed - from);
	}
	if (held + n > d->room) {
		int status = dp_array__reserve(&d->buffer, &d->room, held + n, sizeof(*symbols));

		if (status)
			return status;
	}
	memcpy(d->buffer + held, symbols, n * sizeof(*symbols));
	d->fed += n;
	if (d->known.count == 0 && d->fed - d->reported > d->window) {
		d->reported = d->fed - d->window;
		d->placed = false;
	}
	return DP_OK;
}

/* The number of symbols that continue the pattern; *off is true if the last of them does not. */
static size_t follow_pattern(struct dp_detector *d, const uint32_t *symbols, size_t n, bool *off)
{
	const struct dp_stream_loop *loop = &d->known.items[d->pattern];
	size_t i = 0;

	*off = false;
	while (i < n) {
		if (symbols[i++] != loop->exact[d->offset]) {
			*off = true;
			break;
		}
		if (++d->offset == loop->length)
			d->offset = 0;
	}
	return i;
}

/* Returns true if loops have alternated half as often again as until the last search. */
static bool have_alternated(const struct dp_detector *d)
{
	return d->alternations > d->alternations_searched &&
	       2 * d->alternations >= 3 * d->alternations_searched;
}

/* Returns true if a search could show more: other loops, or where iterations begin. */
static bool is_search_due(const struct dp_detector *d)
{
	if (d->known.count == 0)
		return false;
	return dp_detector__foreign(d) >= d->patience ||
	       (d->fed < d->window && have_alternated(d) && dp_detector__may_search(d));
}

/* Takes the next symbols up to the next decision; *taken is their number. */
static int take_symbols(struct dp_detector *d, const uint32_t *symbols, size_t count, size_t *taken)
{
	uint64_t until = DP_MIN(d->search_at, d->look_at);
	size_t n = DP_MIN(count, d->window / 4);
	bool off = false, aligned = false;
	int status;

	n = (size_t)DP_MIN((uint64_t)n, until - d->fed);
	if (d->in_step)
		n = follow_pattern(d, symbols, n, &off);
	status = append_symbols(d, symbols, n);
	*taken = n;
	if (status)
		return status;
	if (off) {
		uint64_t rest = d->fed - d->reported;

		d->in_step = d->clean = false;
		d->look_at = DP_MAX(d->fed + dp_param.online_gather - 1,
				    d->looked + rest / dp_param.online_grow);
	} else if (d->in_step && d->fed == d->look_at && d->clean) {
		dp_detector__close(d);
	} else if (d->fed == d->look_at) {
		status = dp_detector__look(d, false);
		aligned = true;
	}
	if (!status && (d->fed == d->search_at || (aligned && is_search_due(d))))
		status = dp_detector__search(d, false);
	return status;
}

static int check_status(struct dp_detector *d, struct dp_error *error)
{
	if (d->status == DP_ERR_NOMEM)
		return dp_error__nomem(error, 0);
	if (d->finished)
		return dp_error__set(error, DP_ERR_ARGUMENT, "the detector has finished");
	return DP_OK;
}

int dp_detector_feed(struct dp_detector *d, const uint32_t *symbols, size_t count,
		     struct dp_error *error)
{
	int status = check_status(d, error);

	if (status)
		return status;
	while (count > 0 && !d->status) {
		size_t taken = 0;

		d->status = take_symbols(d, symbols, count, &taken);
		symbols += taken;
		count -= taken;
	}
	return d->status ? dp_error__nomem(error, 0) : DP_OK;
}

int dp_detector_finish(struct dp_detector *d, struct dp_error *error)
{
	int status = check_status(d, error);

	if (status)
		return status;
	if (d->fed <= d->window)
		d->status = dp_detector__search(d, true);
	if (!d->status)
		d->status = dp_detector__look(d, true);
	d->finished = true;
	return d->status ? dp_error__nomem(error, 0) : DP_OK;
}

int dp_detector_new(struct dp_detector **detector, const struct dp_detector_options *options,
		    struct dp_error *error)
{
	struct dp_detector_options all = DP_DETECTOR_OPTIONS_INIT;
	struct dp_detector *d;

	if (dp_options__take(&all, sizeof(all), options, error))
		return DP_ERR_ARGUMENT;
	if (all.window < WINDOW_MIN || all.window > WINDOW_MAX)
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "a window of %zu symbols, not %d to %d", all.window,
				     WINDOW_MIN, WINDOW_MAX);
	d = calloc(1, sizeof(*d));
	if (!d)
		return dp_error__nomem(error, sizeof(*d));
	d->options = all;
	d->window = d->options.window;
	d->search_at = dp_param.online_gather;
	d->look_at = DP_DETECTOR_NEVER;
	d->latest = DP_NONE;
	d->patience = dp_param.online_patience;
	*detector = d;
	return DP_OK;
}

void dp_detector_free(struct dp_detector *d)
{
	if (!d)
		return;
	dp_stream_loops__fini(&d->known);
	dp_stream_loops__fini(&d->seen);
	dp_aligner__free(d->aligner);
	free(d->buffer);
	free(d->ids);
	free(d);
}

uint64_t dp_detector_fed(const struct dp_detector *d)
{
	return d->fed;
}

size_t dp_detector_bytes(const struct dp_detector *d)
{
	size_t bytes = sizeof(*d) + (d->room + d->ids_room) * sizeof(uint32_t);
	const struct dp_stream_loops *sets[] = { &d->known, &d->seen };

	for (size_t i = 0; i < 2; i++) {
		bytes += sets[i]->names.room * sizeof(*sets[i]->names.slots);
		for (size_t k = 0; k < sets[i]->count; k++)
			bytes += (sets[i]->items[k].length * 2 + sets[i]->items[k].shown_length) *
				 sizeof(uint32_t);
	}
	return bytes + (d->aligner ? dp_aligner__bytes(d->aligner) : 0);
}
