/* The name that takes most of the time of each kind of transfer, and how uploads run. */
#ifndef DP_ACTIVITY_TRANSFERS_H
#define DP_ACTIVITY_TRANSFERS_H

#include "activity/device_timeline.h"
#include "activity/op_attribution.h"

enum dp_transfer {
	DP_TRANSFER_UPLOAD,
	DP_TRANSFER_PAGEABLE,	 /* copies from or to pageable memory */
	DP_TRANSFER_BLOCKING,	 /* other copies that block their caller */
	DP_TRANSFER_DEVICE_COPY, /* within the device */
	DP_TRANSFER_COMM,	 /* kernels that communicate */
	DP_TRANSFERS
};

/*
 * Copies are named by the innermost operator or range that launched them, communication by its
 * kernel.
 */
struct dp_transfers {
	const char *name[DP_TRANSFERS]; /* NULL: none, or unknown. Borrowed from the trace */
	double share[DP_TRANSFERS];	/* of the time of its kind */
	size_t upload_streams;		/* streams that upload */
	double upload_apart;  /* share of the uploads' time on streams that run no kernels, */
	double upload_hidden; /* and of it in which kernels run on others */
	/* Share of the uploaded bytes that were downloaded before, if data make a round trip. */
	double returned;
	size_t migrations;     /* of unified memory to the device */
	int64_t migrated_ns;   /* when the last of them ends */
	size_t kernel_streams; /* streams of the device that run kernels */
	size_t launches;       /* calls that launch kernels or graphs, by the launching threads, */
	size_t waits;	       /* and those in which these wait for the device */
	double downloads_waited; /* share of downloads in the time that copies are waited for */
};

/*
 * Covers the operations that start in [start_ns, end_ns). attribution may be NULL. Errors:
 * DP_ERR_NOMEM. Cost: linear in the device's operations, and in the trace's names for each kind
 * that occurs.
 */
int dp_transfers__find(struct dp_transfers *transfers, const struct dp_device_timeline *timeline,
		       const struct dp_attribution *attribution, int64_t start_ns, int64_t end_ns);

#endif
