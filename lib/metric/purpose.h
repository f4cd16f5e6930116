/* What a call is for that is no launch, wait or copy. */
#ifndef DP_METRIC_PURPOSE_H
#define DP_METRIC_PURPOSE_H

enum dp_purpose {
	DP_PURPOSE_OTHER,
	DP_PURPOSE_ALLOCATE, /* device memory */
	DP_PURPOSE_FREE,
	DP_PURPOSE_HOST_MEMORY, /* pinned memory: made, let go, registered */
	DP_PURPOSE_CODE,	/* modules and libraries: loaded, unloaded */
	DP_PURPOSE_GRAPH	/* graphs: captured, instantiated; not launched */
};

enum dp_purpose dp_purpose__of(const char *call);

#endif
