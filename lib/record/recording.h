/* A recording that goes on: shared by recording.c and live.c. */
#ifndef DP_RECORD_RECORDING_H
#define DP_RECORD_RECORDING_H

#include "base/base.h"
#include "record/nvml.h"
#include "record/watch.h"

#include <deepprof/record.h>

/* A process image that records, or did. */
struct dp_member {
	char *name; /* of its spool */
	int spool;
	int pool;    /* -1: none */
	int socket;  /* -1: it is gone */
	bool told;   /* what the control word is to say was written */
	bool enough; /* it has had the iterations that were wanted, and is to stop */
	bool watched;
	size_t watch; /* its number there */
};

struct dp_recording {
	struct dp_record_options options; /* only what is no pointer, and log */
	char *folder;
	char *nvml_library;
	char **variables;
	size_t variable_count;
	int folder_fd;
	int listener;
	int poll; /* of the listener and the sockets */
	struct dp_member *members;
	size_t member_count;
	size_t member_room;
	int *guests; /* sockets that have not said yet what they are */
	size_t guest_count;
	size_t guest_room;
	char **texts; /* what was told already: each thing is told once */
	size_t text_count;
	size_t text_room;
	uint32_t control;
	int64_t zero_realtime;
	int64_t zero_monotonic;
	struct dp_nvml *nvml;
	struct dp_watch *watch; /* where iterations are counted */
};

/* live.c */
int dp_live__open(struct dp_recording *recording, struct dp_error *error);

/* Takes spools that are in the folder though nobody has announced them. */
int dp_live__collect(struct dp_recording *recording);
void dp_live__close(struct dp_recording *recording);

/* inject.c: makes the variables. */
int dp_inject__prepare(struct dp_recording *recording, const struct dp_record_options *options,
		       struct dp_error *error);

#endif
