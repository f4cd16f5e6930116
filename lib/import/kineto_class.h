/* Kineto's categories. */
#ifndef DP_IMPORT_KINETO_CLASS_H
#define DP_IMPORT_KINETO_CLASS_H

#include <deepprof/trace.h>

enum dp_kineto_class {
	DP_KINETO_NONE, /* no category, or an unknown one: classified by its row */
	DP_KINETO_KERNEL,
	DP_KINETO_COPY,
	DP_KINETO_MEMSET,
	DP_KINETO_CALL,
	DP_KINETO_SYNC,
	DP_KINETO_ANNOTATION,
	DP_KINETO_OPERATOR,
	DP_KINETO_NVTX,
	DP_KINETO_INSTANT,
	DP_KINETO_MTIA,	   /* classified by kineto_mtia.h */
	DP_KINETO_FOREIGN, /* on a device, but it may not be a kernel */
	DP_KINETO_SKIP,
};

/* Returns the class of a category, of any version and in any case. */
enum dp_kineto_class dp_kineto__class(const char *category, size_t length);

/* Returns the kind of an event of class DP_KINETO_SYNC by its name. */
enum dp_sync_kind dp_kineto__sync_kind(const char *name, size_t length);

#endif
