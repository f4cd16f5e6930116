/* A recording that goes on: shared by recording.c and live.c. */
#ifndef DP_RECORD_RECORDING_H
#define DP_RECORD_RECORDING_H

#include "base/base.h"
#include "record/gpu_sampler.h"
#include "record/host.h"
#include "record/nvml.h"
#include "record/watch.h"
#include "spool/pool.h"

#include <deepprof/record.h>

/* A process image that records, or did. */
struct dp_member {
	char *name;  /* of its spool */
	int pool;    /* -1: none, or not needed any more */
	int socket;  /* -1: it is gone */
	bool announced; /* what the control word is to say was written */
	bool enough; /* it has had the iterations that were wanted, and is to stop */
	bool watched;
	size_t watch;		     /* its number there */
	struct dp_pool_status stood; /* when it was last asked */
};

struct dp_recording {
	struct dp_record_options options; /* only what is no pointer, and log */
	char *folder;
	char *nvml_library;
	char *programs; /* the folder of what is injected, and run */
	char **variables;
	size_t variable_count;
	int folder_fd; /* locked, where: */
	bool owned;
	int listener;
	bool bound; /* it has the name in the folder */
	int poll;   /* of the listener and the sockets */
	struct dp_member *members;
	size_t member_count;
	size_t member_room;
	int *guests; /* sockets that have not said yet what they are */
	size_t guest_count;
	size_t guest_room;
	char **texts; /* messages that were reported: each is reported once */
	size_t text_count;
	size_t text_room;
	uint32_t control;
	int64_t zero_realtime;
	int64_t zero_monotonic;
	struct dp_nvml *nvml;
	struct dp_host *host;
	struct dp_gpu_sampler *gpu_sampler;
	struct dp_watch *watch; /* where iterations are counted */
};

/* recording_folder.c: opens the folder, which must be the caller's. */
int dp_recording__open_folder(struct dp_recording *recording, struct dp_error *error);

/* Opens a file of the folder to be read; -1 where it is none. */
int dp_recording__open_file(const struct dp_recording *recording, const char *name);

/* live.c */
int dp_live__open(struct dp_recording *recording, struct dp_error *error);

/* On CUPTI's clock, when a member was to stop; 0: not before it did. */
int64_t dp_live__cut(const struct dp_recording *recording, const struct dp_member *member);

/* Takes spools that are in the folder though nobody has announced them. */
int dp_live__collect(struct dp_recording *recording);
void dp_live__close(struct dp_recording *recording);

/* recording_life.c: opens nothing yet. */
int dp_recording__make(struct dp_recording **out, const char *folder,
		       const struct dp_record_options *options, struct dp_error *error);

/*
 * recover.c: takes the folder, which a lock on it says, and writes down the begin of the recording
 * for whoever finishes it if this process is killed.
 */
#define DP_BEGIN_FILE "begin"
int dp_begin__write(struct dp_recording *recording, struct dp_error *error);

/* Gives processes whose memory was adopted a second to stop. */
void dp_recover__wait(const struct dp_recording *recording);

/* What the copy of a pool is called, in place of ".pool", until it is whole; as short as that. */
#define DP_POOL_NEW ".new"

/*
 * pool_copy.c: takes the room that a member's loss counts need, before samples fill the disk to its
 * last byte. Where there is none, or the file system can't reserve any, they are written if there
 * is room in the end.
 */
void dp_pool_copy__reserve(const struct dp_recording *recording, const struct dp_member *member);
void dp_pool_copy__release(const struct dp_recording *recording, const struct dp_member *member);

/*
 * Copies a member's pool next to its spool, as far as there is room: the counts first. It has its
 * name only once it is whole, for a part, as a kill leaves it, would be taken for all there was.
 */
void dp_pool_copy__keep(const struct dp_recording *recording, const struct dp_member *member);

/* inject.c: makes the variables. */
int dp_inject__prepare(struct dp_recording *recording, const struct dp_record_options *options,
		       struct dp_error *error);

#endif
