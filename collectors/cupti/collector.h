/*
 * The library inside the profiled program. All of it observes these rules:
 *
 *   - nothing is ever printed; the launcher is notified (message.c);
 *   - the program's threads never wait for a disk, a lock of the writer, or malloc();
 *   - CUPTI is never called under a lock of the collector, nor from a callback about buffers
 *     or resources, except for the number of a new context's device;
 *   - in a child of fork() everything here is inert until the child starts CUDA itself.
 *
 *   life.c     start, fork, exit        pool.c     the shared pool, slots
 *   options.c  DEEPPROF_OPTIONS         buffers.c  CUPTI's callbacks
 *   load.c     finds and opens CUPTI    writer.c   the thread that stores
 *   attach.c   subscribes, enables      control.c  the thread that flushes, pauses, ends
 *   subscriber.c  CUPTI's functions     calls.c    which calls are recorded
 *   sizes.c    measures records         info.c     describes the process
 *   device.c   describes the devices    threads.c  what threads share
 *   nvtx.c, payload.c, ring.c           NVTX
 */
#ifndef DP_CUPTI_COLLECTOR_H
#define DP_CUPTI_COLLECTOR_H

#include "cupti/cupti_abi.h"
#include "spool/pool.h"
#include "spool/spool_write.h"
#include "spool/translate.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define SLOTS_MOST 4096u
#define DISCARDS 256
#define DISCARD_BYTES ((size_t)16 << 10)

struct options {
	bool api, nvtx, memory, sync, jit, overhead;
	bool all_calls; /* of the APIs, also those not analyzed */
	bool cmdline;
	bool graph_nodes;
	bool first;	/* the launcher waits for the first kernel */
	bool read_held; /* and for iterations: records are stored while CUPTI holds them */
	bool start_paused;
	bool capture_profiler;
	uint64_t max_memory;
	uint64_t max_spool;
	uint64_t slot_bytes;
	uint64_t flush_ms;
	uint64_t exit_ms;
	char chain[PATH_MAX];
};

typedef void (*cupti_request_fn)(uint8_t **buffer, size_t *bytes, size_t *most_records);
typedef void (*cupti_complete_fn)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
				  size_t valid_bytes);
typedef void (*cupti_callback_fn)(void *user, uint32_t domain, uint32_t cbid, const void *data);

/* CUPTI's functions; NULL if a version lacks them. */
struct cupti {
	int (*GetVersion)(uint32_t *version);
	int (*GetTimestamp)(uint64_t *time);
	int (*GetResultString)(int result, const char **text);
	int (*Subscribe)(void **subscriber, cupti_callback_fn callback, void *user);
	int (*Subscribe_v2)(void **subscriber, cupti_callback_fn callback, void *user,
			    struct cupti_subscriber_params *params);
	int (*Unsubscribe)(void *subscriber);
	int (*EnableCallback)(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid);
	int (*GetCallbackName)(uint32_t domain, uint32_t cbid, const char **name);
	int (*SetThreadIdType)(uint32_t type);
	int (*GetDeviceId)(void *context, uint32_t *device);
	int (*ActivityEnable)(uint32_t kind);
	int (*ActivityDisable)(uint32_t kind);
	int (*ActivityEnableRuntimeApi)(uint32_t cbid, uint8_t enable);
	int (*ActivityEnableDriverApi)(uint32_t cbid, uint8_t enable);
	int (*ActivitySetAttribute)(uint32_t attribute, size_t *bytes, void *value);
	int (*ActivityRegisterCallbacks)(cupti_request_fn request, cupti_complete_fn complete);
	int (*ActivityFlushAll)(uint32_t flag);
	int (*ActivityGetNextRecord)(uint8_t *buffer, size_t valid, void **record);
	int (*ActivityGetNumDroppedRecords)(void *context, uint32_t stream, size_t *dropped);
	int (*ActivityEnableAllSyncRecords)(uint8_t enable);
	/* For a subscriber among others (subscriber.c). */
	int (*GetTimestamp_v2)(void *subscriber, uint64_t *time);
	int (*ActivityEnable_v2)(void *subscriber, uint32_t kind, void *config);
	int (*ActivityDisable_v2)(void *subscriber, uint32_t kind, void *config);
	int (*ActivityEnableRuntimeApi_v2)(void *subscriber, uint32_t cbid, uint8_t enable);
	int (*ActivityEnableDriverApi_v2)(void *subscriber, uint32_t cbid, uint8_t enable);
	int (*ActivitySetAttribute_v2)(void *subscriber, uint32_t attribute, size_t *bytes,
				       void *value);
	int (*ActivityRegisterCallbacks_v2)(void *subscriber,
					    void (*request)(uint8_t **, size_t *, size_t *, void *),
					    void (*complete)(uint8_t *, size_t, size_t, void *));
	int (*ActivityGetNextRecord_v2)(void *subscriber, uint8_t *buffer, size_t valid,
					void **record);
	int (*ActivityGetNumDroppedRecords_v2)(void *subscriber, void *context, uint32_t stream,
					       size_t *dropped);
	void *library;
	void *subscriber;
	uint32_t version;
	int driver_version;
	bool many;	       /* subscribed together with others */
	_Atomic bool attached; /* set last: the members above are then final */
	char path[PATH_MAX];
};

enum { DISCARD_FREE = 0, DISCARD_HELD, DISCARD_DONE };

struct discard {
	_Atomic uint32_t state;
	_Atomic uint32_t valid_bytes;
	uint8_t *data;
};

/* A message that the writer has not stored yet. */
struct note {
	_Atomic uint32_t ready;
	uint32_t level;
	int64_t realtime_ns;
	char code[32];
	char text[1000];
};

#define NOTES 32

/* Recording was turned on or off. */
struct moment {
	int64_t realtime_ns;
	bool on;
};

#define SWITCHES 1024u

/* Read by the program's threads: zeros in a child of fork() (MADV_WIPEONFORK). */
struct live {
	_Atomic uint32_t on;   /* everything is set up, by this process */
	_Atomic uint32_t nvtx; /* NVTX events are to be recorded */
};

struct collector {
	struct options options;
	struct cupti cupti;
	char folder[PATH_MAX];
	struct dp_descriptor folder_file; /* during the start */
	pid_t pid;
	uint32_t serial;
	struct dp_descriptor spool_file;
	struct dp_descriptor pool_file;
	struct dp_descriptor socket;
	/* The mapped pool. */
	struct dp_pool_header *pool;
	struct dp_pool_slot *slots;
	struct dp_pool_ring *rings;
	uint8_t *slot_data;
	uint8_t *ring_data;
	size_t pool_bytes;
	_Atomic uint32_t slots_used;
	_Atomic uint64_t sequence;
	struct discard discards[DISCARDS];
	uint8_t *trash; /* used when even the discards ran out */
	_Atomic uint64_t trashed;
	_Atomic uint32_t trash_lent;  /* number of times CUPTI has it now */
	_Atomic uint64_t thread_lost; /* NVTX events of threads without a ring */
	/* For the threads: */
	bool writing;				    /* the writer was started */
	_Atomic uint32_t writer_wake, control_wake; /* futexes: change to wake */
	_Atomic uint32_t writer_quit, writer_done;
	_Atomic uint32_t final, final_done; /* the last flush: requested, done */
	_Atomic uint32_t requested;	    /* CUPTI has requested a buffer */
	_Atomic uint32_t unloads;	    /* modules */
	_Atomic uint64_t devices;	    /* that have a context: a bit each */
	_Atomic uint32_t range;	      /* odd between cudaProfilerStart and Stop: counts them */
	_Atomic uint32_t range_seen;  /* part of it that control.c has handled */
	_Atomic uint32_t handed_over; /* attach.c is done: control.c owns the kinds */
	_Atomic uint32_t ending;
	_Atomic uint32_t given_up;    /* recording is over, but not the program */
	_Atomic uint32_t cupti_ended; /* the process ends, and CUPTI's objects are gone */
	_Atomic uint32_t first_seen;  /* a kernel was launched */
	void (*finish)(void);	      /* dp_life__finish() */
	struct {
		uint64_t kinds;	   /* that CUPTI rejects */
		uint64_t reported; /* of those */
		int result;	   /* of the last rejection */
	} refused;
	struct dp_spool_writer writer;
	struct dp_translate translate;
	uint16_t strides[DP_SPOOL_KINDS];
	bool measured; /* the strides are */
	struct note notes[NOTES];
	_Atomic uint32_t note_count;
	struct moment switches[SWITCHES]; /* a ring: control.c adds, writer.c takes */
	_Atomic uint32_t switched, switches_taken;
};

extern struct collector dp_collector;
extern struct live *dp_live;

/* Returns true in the recorded process while it is recorded. */
static inline bool live(void)
{
	return dp_live && atomic_load_explicit(&dp_live->on, memory_order_acquire);
}

/* Returns true while NVTX events are to be recorded. */
static inline bool nvtx_wanted(void)
{
	return dp_live && atomic_load_explicit(&dp_live->nvtx, memory_order_relaxed) && live();
}

static inline bool cupti_answers(void)
{
	return dp_collector.cupti.attached && !atomic_load(&dp_collector.cupti_ended);
}

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* life.c: starts everything except CUPTI, once per process; true if it is live. */
bool dp_life__start(void);
void dp_life__finish(void);

/* threads.c: increments the futex's word and wakes waiters; waits up to ms while it is value. */
void dp_wake(_Atomic uint32_t *word);
void dp_wait(_Atomic uint32_t *word, uint32_t value, uint64_t ms);
void dp_threads__use_all_processors(void);
void dp_threads__finish_first(void);
/* When recording went off or on: one thread notes, another takes; false: none. */
void dp_switches__note(bool on, int64_t realtime_ns);
bool dp_switches__take(struct moment *out);

void dp_options__read(struct options *out, const char *text);

/* message.c */
void dp_message__open(void);
bool dp_message__hello(const char *spool_name); /* false: the launcher is not reached */
void dp_message__say(uint32_t level, const char *code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void dp_message__bye(void);

/* load.c: opens a libcupti; false, after notifying the launcher, if none is found. */
bool dp_load__cupti(struct cupti *cupti);
bool dp_load__functions(struct cupti *cupti);
int dp_load__driver_version(void); /* as cuDriverGetVersion counts; 0: unknown */

/* sizes.c: measures records; false if CUPTI does not answer, with the sizes of its version. */
bool dp_sizes__measure(const struct cupti *cupti, uint16_t strides[DP_SPOOL_KINDS]);
uint16_t dp_sizes__known(uint32_t version, uint32_t kind);

/* pool.c */
bool dp_pool__create(void);
void dp_pool__destroy(void);
void dp_pool__give_back(void);
int dp_pool__take(void);
void dp_pool__release(uint32_t slot);
void dp_pool__grow(void);
int dp_pool__slot_of(const uint8_t *buffer);
static inline uint8_t *dp_pool__data(uint32_t slot)
{
	return dp_collector.slot_data + (size_t)slot * dp_collector.pool->slot_bytes;
}

/* attach.c */
void dp_attach__cupti(void);
void dp_attach__facts(bool enable);
void dp_attach__kinds(bool enable);
/* Records copies between devices, too, once the program uses several. */
void dp_attach__peers(void);

/* subscriber.c: call CUPTI's functions for this kind of subscription. */
bool dp_cupti__takes_many(const struct cupti *cupti);
int dp_cupti__time(uint64_t *time);
int dp_cupti__enable(uint32_t kind, bool enable);
void dp_cupti__kind(uint32_t kind, bool enable); /* the same; attach.c reports rejections */
int dp_cupti__leave_out(uint32_t domain, uint32_t cbid);
int dp_cupti__attribute(uint32_t attribute, void *value, size_t bytes);
int dp_cupti__register(void);
static inline int dp_cupti__next(const struct cupti *cupti, uint8_t *buffer, size_t valid,
				 void **record)
{
	return cupti->many
		       ? cupti->ActivityGetNextRecord_v2(cupti->subscriber, buffer, valid, record)
		       : cupti->ActivityGetNextRecord(buffer, valid, record);
}
int dp_cupti__dropped(size_t *dropped);

/* calls.c */
void dp_calls__enable(bool enable);
bool dp_calls__is_used(uint32_t domain, uint32_t cbid);

/* device.c: called by the writer; false if CUDA has not started yet. */
bool dp_device__describe(struct dp_spool_writer *w);

/* buffers.c */
void dp_buffers__requested(uint8_t **buffer, size_t *bytes, size_t *most_records);
void dp_buffers__completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			   size_t valid_bytes);
void dp_buffers__callback(void *user, uint32_t domain, uint32_t cbid, const void *data);
/* Lets CUPTI call back when the first kernel is launched, and ends that once it was. */
void dp_first__watch(bool enable);
void dp_first__look(void); /* called by the control thread */

/* The threads. */
void *dp_writer_thread(void *unused);
void *dp_control_thread(void *unused);

/* info.c: called by the writer. */
void dp_info__process(struct dp_spool_writer *w);
void dp_info__put(struct dp_spool_writer *w, const char *key, const char *value);
void dp_info__thread(struct dp_spool_writer *w, uint32_t tid);
void dp_info__clock(struct dp_spool_writer *w);
void dp_info__begin(struct dp_spool_header *header);
long dp_info__read_text(void *owner, uint64_t address, char *out, size_t room);

/* ring.c: NVTX events. */
struct event_parts {
	struct dp_pool_event head;
	const void *text;
	const void *payload;
	const struct dp_pool_schema *schema; /* first in the text */
	const void *more_text;		     /* after the text */
	size_t more_bytes;
};
bool dp_ring__init(void);
void dp_ring__event(struct event_parts *parts);
void dp_ring__definition(struct event_parts *parts);
void dp_ring__after_fork(void);

/* nvtx.c, payload.c */
void dp_nvtx__payload(struct event_parts *parts, const void *data, size_t count);

#endif
