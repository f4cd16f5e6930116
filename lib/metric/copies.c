/*
 * What is copied, how fast, and what is wasted on it: pageable memory is copied twice, by the
 * driver, while the caller waits.
 */
#include "metric/family.h"

#include <math.h>

static int compute_pageable_copy(double *values, const struct dp_metric_input *input,
				 const struct dp_metric *row, struct dp_error *error)
{
	const struct dp_parts *parts = &input->parts;

	dp_metric__parts(values, input, row, error);
	/* NaN for copies of unknown kinds of memory */
	for (size_t k = 0; k < input->count; k++)
		if (dp_parts__get(parts, DP_PART_H2D_NS, k) +
				    dp_parts__get(parts, DP_PART_D2H_NS, k) >
			    0 &&
		    dp_parts__get(parts, DP_PART_HOST_BYTES, k) <= 0)
			values[k] = (double)NAN;
	return DP_OK;
}

static const struct dp_metric rows[] = {
	{ DP_AVERAGED("d2h_bytes", "bytes", DP_BETTER_NEITHER, DP_NEED_NOTHING,
		      "bytes copied from device to host in the period"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_D2H_BYTES },
	{ DP_AVERAGED("d2d_bytes", "bytes", DP_BETTER_NEITHER, DP_NEED_NOTHING,
		      "bytes copied within the device in the period"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_D2D_BYTES },
	{ DP_AVERAGED("d2d_copies", "count", DP_BETTER_LOWER, DP_NEED_NOTHING,
		      "copies within the device that start in the period"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_D2D_COPIES },
	{ DP_AVERAGED("h2d_bandwidth", "bytes/s", DP_BETTER_HIGHER, DP_NEED_NOTHING,
		      "bandwidth of copies from host to device while they run"),
	  dp_metric__parts, DP_FORM_RATE, DP_PART_H2D_BYTES, DP_PART_H2D_NS },
	{ DP_AVERAGED("d2h_bandwidth", "bytes/s", DP_BETTER_HIGHER, DP_NEED_NOTHING,
		      "bandwidth of copies from device to host while they run"),
	  dp_metric__parts, DP_FORM_RATE, DP_PART_D2H_BYTES, DP_PART_D2H_NS },
	{ DP_AVERAGED("d2d_bandwidth", "bytes/s", DP_BETTER_HIGHER, DP_NEED_NOTHING,
		      "bandwidth of copies within the device while they run"),
	  dp_metric__parts, DP_FORM_RATE, DP_PART_D2D_BYTES, DP_PART_D2D_NS },
	{ DP_AVERAGED("pageable_bandwidth", "bytes/s", DP_BETTER_HIGHER, DP_NEED_KINDS,
		      "bandwidth of copies between pageable memory and the device while they run"),
	  dp_metric__parts, DP_FORM_RATE, DP_PART_PAGEABLE_BYTES, DP_PART_PAGEABLE_NS },
	{ DP_AVERAGED("pinned_bandwidth", "bytes/s", DP_BETTER_HIGHER, DP_NEED_KINDS,
		      "bandwidth of copies between pinned memory and the device while they run"),
	  dp_metric__parts, DP_FORM_RATE, DP_PART_PINNED_BYTES, DP_PART_PINNED_NS },
	{ DP_AVERAGED("pageable_share", "1", DP_BETTER_LOWER, DP_NEED_KINDS,
		      "share of the bytes copied between host and device that is from or to "
		      "pageable memory"),
	  dp_metric__parts, DP_FORM_RATIO, DP_PART_PAGEABLE_BYTES, DP_PART_HOST_BYTES },
	{ DP_AVERAGED("pageable_copy_ns", "ns", DP_BETTER_LOWER, DP_NEED_KINDS,
		      "duration of copies of 4 KiB and more from and to pageable memory; smaller "
		      "ones take as long from pinned memory"),
	  compute_pageable_copy, DP_FORM_PART, DP_PART_SLOW_PAGEABLE_NS },
	{ DP_AVERAGED("blocking_copy_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "duration of the copies that the caller waited for, except those of "
		      "pageable memory"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_BLOCKING_NS },
	{ DP_AVERAGED("repeated_upload_ns", "ns", DP_BETTER_LOWER, DP_NEED_NOTHING,
		      "time of uploads with the same sizes in every iteration, except the "
		      "shortest"),
	  dp_metric__repeated_upload, .reads = DP_READS_TIMELINE },
};

const struct dp_metric_family dp_family__copies = { rows, DP_COUNT(rows) };
