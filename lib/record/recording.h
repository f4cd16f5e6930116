/* A recording in progress: shared by recording.c and live.c. */
#ifndef DP_RECORD_RECORDING_H
#define DP_RECORD_RECORDING_H

#include "base/base.h"
#include "record/gpu_sampler.h"
#include "record/host.h"
#include "record/nvml.h"
#include "record/recording_folder.h"
#include "record/watch.h"
#include "spool/pool.h"

#include <deepprof/record.h>

/* A process image that is or was recorded. */
struct dp_member {
	char *name;  /* of its spool */
	int pool;    /* -1: none, or no longer needed */
	int socket;  /* -1: the process is gone */
	bool announced; /* it was sent the control word */
	bool enough;	/* it has enough iterations, and must stop */
	bool watched;
	size_t watch;		     /* its index in watch */
	struct dp_pool_status stood; /* when last queried */
};

struct dp_recording {
	struct dp_record_options options; /* only members without pointers, and log */
	char *folder;
	char *nvml_library;
	char *programs; /* folder of what is injected and run */
	char **variables;
	size_t variable_count;
	int folder_fd; /* locked if owned: */
	bool owned;
	int listener;
	bool bound; /* the socket's name in the folder is its */
	int poll;   /* of the listener and the sockets */
	struct dp_member *members;
	size_t member_count;
	size_t member_room;
	int *guests; /* sockets of unknown processes */
	size_t guest_count;
	size_t guest_room;
	char **texts; /* messages already reported */
	size_t text_count;
	size_t text_room;
	uint32_t control;
	int64_t zero_realtime;
	int64_t zero_monotonic;
	struct dp_nvml *nvml;
	struct dp_host *host;
	struct dp_gpu_sampler *gpu_sampler;
	struct dp_watch *watch; /* counts iterations */
};

/* recording_folder.c: opens the folder, which must belong to the caller. */
int dp_recording__open_folder(struct dp_recording *recording, struct dp_error *error);

/* Returns how many bytes the spools of all members have there. */
uint64_t dp_recording__spool_bytes(const struct dp_recording *recording);

/* live.c */
int dp_live__open(struct dp_recording *recording, struct dp_error *error);

/* Returns when a member was to stop, on CUPTI's clock; 0: not before it ended. */
int64_t dp_live__cut(const struct dp_recording *recording, const struct dp_member *member);

/* Adds spools in the folder that no process has announced. */
int dp_live__collect(struct dp_recording *recording);
void dp_live__close(struct dp_recording *recording);

/* recording_life.c: allocates a recording without opening anything. */
int dp_recording__make(struct dp_recording **out, const char *folder,
		       const struct dp_record_options *options, struct dp_error *error);

/*
 * recover.c: takes the folder by locking it, and stores the start of the recording for another
 * process that finishes it if this one is killed.
 */
#define DP_BEGIN_FILE "begin"
int dp_begin__write(struct dp_recording *recording, struct dp_error *error);

/* Gives processes with adopted pools a second to stop. */
void dp_recover__wait(const struct dp_recording *recording);

/* The suffix of a pool's copy until it is complete, in place of ".pool" and no longer than it. */
#define DP_POOL_NEW ".new"

/*
 * pool_copy.c: reserves the space for a member's loss counts before samples fill the disk. If there
 * is none, or the file system cannot reserve it, they are written if there is space in the end.
 */
void dp_pool_copy__reserve(const struct dp_recording *recording, const struct dp_member *member);
void dp_pool_copy__release(const struct dp_recording *recording, const struct dp_member *member);

/*
 * Copies a member's pool next to its spool, as far as there is space: the counts first. The copy
 * gets its name only when complete, as a part left by a kill would be taken for all there was.
 */
void dp_pool_copy__keep(const struct dp_recording *recording, const struct dp_member *member);

/* inject.c: makes the environment variables. */
int dp_inject__prepare(struct dp_recording *recording, const struct dp_record_options *options,
		       struct dp_error *error);

#endif
