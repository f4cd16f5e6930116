/*
 * The pool: memory shared by the profiled program and the launcher, so that the records of CUPTI
 * and NVTX survive the program. A memfd (or <pid>.<n>.pool in the spool's folder) laid out as
 *
 *   struct dp_pool_header                   at 0
 *   struct dp_pool_slot[slots]              at slot_table
 *   struct dp_pool_ring[rings]              at ring_table
 *   slots of slot_bytes each                at slot_data: CUPTI's activity buffers
 *   rings of ring_bytes each                at ring_data: NVTX events, a ring per thread
 *
 * all offsets multiples of 4096. The program maps it; the launcher reads it with pread() and writes
 * the control word with pwrite(), both coherent with the mapping, and never maps it: a program that
 * shrinks the file must not be able to kill the launcher.
 */
#ifndef DP_SPOOL_POOL_H
#define DP_SPOOL_POOL_H

#include "spool/spool.h"

#include <stdatomic.h>

#define DP_POOL_MAGIC "DPPOOL01"
#define DP_POOL_VERSION 2
#define DP_POOL_SLOTS_LIMIT 65536u
#define DP_POOL_RINGS_LIMIT 65536u
#define DP_POOL_SLOT_LIMIT (64u << 20)

/* The control word: the launcher's request. The program reads it every 20 ms. */
enum { DP_POOL_RUN = 0, DP_POOL_PAUSE, DP_POOL_STOP };

/* The state of the program. */
enum {
	DP_POOL_STARTING = 0,
	DP_POOL_RUNNING,
	DP_POOL_PAUSED,
	DP_POOL_STOPPED, /* recording has ended and is stored; the program continues */
	DP_POOL_ENDED,	 /* everything is in the spool; salvage is not needed */
};

/* Why records are lost: LOSS records name these by dp_pool__loss_word(). */
enum {
	DP_LOSS_POOL_FULL = 0, /* no free slot */
	DP_LOSS_CUPTI,	       /* CUPTI dropped them */
	DP_LOSS_DISK,	       /* the spool could not be written: disk full, size limit */
	DP_LOSS_SPOOL_LIMIT,   /* max-spool */
	DP_LOSS_RING_FULL,     /* NVTX: events came faster than they were stored */
	DP_LOSS_THREADS,       /* NVTX: more threads than rings */
	DP_LOSS_DAMAGED,       /* unreadable */
	DP_LOSS_REASONS
};

const char *dp_pool__loss_word(unsigned int reason);

/*
 * The sums, kept only by the writer of the spool. It fills the bank that is not current, then makes
 * it current: if the process dies, one bank is complete. chunks: how many chunks of the spool are
 * counted; the file has at most one more.
 */
struct dp_pool_bank {
	uint64_t chunks;
	uint64_t completed[DP_SPOOL_KINDS];
	uint64_t stored[DP_SPOOL_KINDS];
	uint64_t lost[DP_SPOOL_KINDS];
	uint64_t lost_records[DP_LOSS_REASONS];
	uint64_t lost_bytes[DP_LOSS_REASONS];
};

struct dp_pool_header {
	char magic[8];
	uint32_t version;
	uint32_t bytes; /* of this header */
	uint64_t pool_bytes;
	uint32_t pid;
	uint32_t serial;
	uint32_t slots;
	uint32_t slot_bytes;
	uint32_t rings;
	uint32_t ring_bytes;
	uint64_t slot_table;
	uint64_t ring_table;
	uint64_t slot_data;
	uint64_t ring_data;
	_Atomic uint32_t control; /* written by the launcher */
	_Atomic uint32_t state;
	_Atomic uint32_t slots_ready; /* pre-faulted slots, from the first */
	_Atomic uint32_t peak_slots;  /* the most in use at once */
	_Atomic uint64_t spool_bytes;
	_Atomic int64_t first_launch_ns;  /* CLOCK_MONOTONIC; 0: none, or not requested */
	uint16_t strides[DP_SPOOL_KINDS]; /* sizes of CUPTI's records as measured, 0: unknown */
	_Atomic uint32_t bank;		  /* the current one */
	uint32_t reserved;
	struct dp_pool_bank banks[2];
};

/* The states of a slot. Buffers are zeroed: a held slot is valid up to the first kind of 0. */
enum { DP_SLOT_FREE = 0, DP_SLOT_HELD, DP_SLOT_COMPLETED };

struct dp_pool_slot {
	_Atomic uint32_t state;
	_Atomic uint32_t valid_bytes;	 /* once completed */
	_Atomic uint64_t sequence;	 /* of this use: counts from 1 over all slots */
	_Atomic uint64_t consumed_bytes; /* stored in the spool so far */
	uint64_t reserved[5];
};

/*
 * A ring: bytes [tail, head) modulo ring_bytes hold events that are not in the spool yet. Ring 0
 * has the definitions (struct dp_pool_event with types from DP_EVENT_STRING on), written under a
 * lock; every other ring belongs to one thread at a time.
 */
struct dp_pool_ring {
	_Atomic uint64_t head;	       /* written by the thread */
	_Atomic uint64_t tail;	       /* written by the writer of the spool */
	_Atomic uint64_t lost;	       /* events without room */
	_Atomic uint64_t lost_counted; /* those counted in the banks */
	_Atomic uint32_t tid;	       /* of the owner, 0: free */
	_Atomic uint32_t done;	       /* the owner has ended: free once tail is head */
	uint64_t reserved[3];
};

/* Types of events besides DP_SPOOL_NVTX_*. */
enum {
	DP_EVENT_PAD = 64, /* up to the end of the ring */
	DP_EVENT_STRING,   /* a registered string: value is its number */
	DP_EVENT_DOMAIN,   /* value is its number */
	DP_EVENT_SCHEMA,   /* one entry of a schema: text is a struct dp_pool_schema, and names */
	DP_EVENT_NAME,	   /* a thread's name: value is its tid */
};

/* Mark numbers of registered strings and domains, unlike addresses of the program. */
#define DP_NUMBER_STRING 0xffff000000000000u
#define DP_NUMBER_DOMAIN 0xfffe000000000000u

/* An event of a ring, followed by its text and payload. Aligned to 8 bytes, never wrapped. */
struct dp_pool_event {
	uint32_t bytes; /* in all, a multiple of 8 */
	uint16_t type;
	uint16_t payload_bytes;
	uint64_t monotonic_ns;
	uint64_t value;	     /* a range's id, the number of a definition, or a category */
	uint64_t payload;    /* plain */
	uint64_t schema;     /* of the extended payload */
	uint32_t domain;     /* number of the domain, 0: default */
	uint32_t string;     /* number of a registered string, 0: see text */
	uint32_t text_bytes; /* without a NUL */
	uint32_t category;
	uint32_t color;
	uint32_t payload_type;
};

struct dp_pool_schema {
	uint64_t schema;
	uint64_t type;
	uint64_t flags;
	uint64_t offset;
	uint64_t size;
	uint32_t index;
	uint32_t count;
	uint32_t name_bytes;  /* of the schema's name, which follows */
	uint32_t field_bytes; /* of the entry's name, which follows that */
};

/*
 * Messages from the program over the socket, one per packet. DP_HELLO comes first and carries the
 * pool's descriptor (SCM_RIGHTS); text is then the spool's file name in the folder. The launcher
 * does not answer. End of file means that the process has ended or called exec. The launcher trusts
 * SO_PEERCRED more than pid, which a pid namespace may change.
 */
#define DP_MESSAGE_MAGIC 0x4d504470u
enum { DP_HELLO = 1, DP_TEXT, DP_BYE };

struct dp_message {
	uint32_t magic;
	uint32_t type;
	uint32_t pid;
	uint32_t serial;
	uint32_t level;	     /* of DP_TEXT: DP_SPOOL_NOTE … */
	uint32_t code_bytes; /* of DP_TEXT: the code, then the text */
	uint32_t text_bytes;
	uint32_t reserved;
	char text[1024];
};

/* What a launcher needs while the program runs; sums are over all kinds. */
struct dp_pool_status {
	uint32_t pid;
	uint32_t state;
	uint64_t completed;
	uint64_t stored;
	uint64_t lost;
	uint64_t spool_bytes;
	int64_t first_launch_ns;
};

/* Returns false if it is not a pool. */
bool dp_pool__status(int pool_fd, struct dp_pool_status *out);
bool dp_pool__control(int pool_fd, uint32_t control);

/* Reads a pool's header and checks its layout against the file. */
bool dp_pool__read(int pool_fd, struct dp_pool_header *out);

#endif
