/*
 * The spool: what the library inside the profiled program (collectors/cupti) passes to the launcher
 * and the converter outside. This header and pool.h are the whole contract.
 *
 *   <dir>/                  created by the launcher, mode 0700, named by DEEPPROF_SPOOL (absolute)
 *     socket                a listening SOCK_SEQPACKET socket of the launcher (pool.h: messages)
 *     <pid>.<n>.spool       one per process image (n counts up at exec): this file's format
 *     <pid>.<n>.pool        only if the pool could not be sent over the socket (pool.h)
 *
 * A spool is a struct dp_spool_header, then chunks: a struct dp_spool_chunk and its payload, one
 * write() each, append only, so that the file can be read while it grows. All numbers are little
 * endian, as the machine is. A chunk has a CRC-32C checksum, and decoding it requires nothing of
 * other chunks except the definitions (strings, places, shapes) of earlier ones.
 *
 * A payload is a sequence of records: a byte for the type (enum dp_spool_type), then a mask and the
 * fields that are not 0, as codec.c lists them. dp_spool__next() returns them as the structs below.
 */
#ifndef DP_SPOOL_H
#define DP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The environment that the launcher passes to the program. */
#define DP_SPOOL_ENV "DEEPPROF_SPOOL"		/* the directory, absolute */
#define DP_SPOOL_ENV_ID "DEEPPROF_SPOOL_ID"	/* its device and inode: DP_SPOOL_ID */
#define DP_SPOOL_ENV_OPTIONS "DEEPPROF_OPTIONS" /* key=value,key=value */
#define DP_SPOOL_ENV_CUPTI "DEEPPROF_CUPTI"	/* a libcupti to use, or its folder */
#define DP_SPOOL_ENV_CUDA_INJECTION "CUDA_INJECTION64_PATH"
#define DP_SPOOL_ENV_NVTX_INJECTION "NVTX_INJECTION64_PATH"
#define DP_SPOOL_LIBRARY "libdeepprof-cupti.so"
#define DP_SPOOL_EXIT_LIBRARY "libdeepprof-exit.so" /* for LD_PRELOAD */
#define DP_SPOOL_SOCKET "socket"

/*
 * Anyone who may write to the folder around the directory can replace it with another one, or a
 * link: one with another device or inode is not used. Both are uintmax_t.
 */
#define DP_SPOOL_ID "%ju:%ju"

/*
 * DEEPPROF_OPTIONS. Switches are 0 or 1; sizes are bytes in decimal. Unknown keys are ignored.
 *
 *   api=1            calls that an analysis uses (without any, no correlation ids), or all: every
 *                    call of the runtime and the driver
 *   nvtx=1           NVTX ranges, marks, payloads
 *   memory=1         memory operations and pools
 *   sync=1           synchronizations
 *   jit=1            compilation
 *   overhead=1       CUPTI's own overhead
 *   cmdline=1        the process's command line (secret.h)
 *   graph=graph      or node: CUDA graphs as one operation, or each of their nodes
 *   max-memory=N     limit of the pool, default 512 MiB
 *   max-spool=N      limit of the spool file, default none
 *   slot=N           size of a buffer in bytes, default 1 MiB
 *   flush-ms=N       period of flushes, default 250; 0: none
 *   first=0          1: note in the pool's header when the first kernel was launched
 *   read-held=0      1: store finished records of buffers that CUPTI still holds
 *   exit-ms=N        how long a flush at the end may take, default 4000
 *   start=run        or pause: wait for DP_POOL_RUN in the pool's control word
 *   capture=all      or profiler: only between cudaProfilerStart and cudaProfilerStop
 *   chain=PATH       another CUDA injection library, called first (no comma in its path)
 */

#define DP_SPOOL_MAGIC "DPSPOOL1"
#define DP_SPOOL_VERSION 1
#define DP_SPOOL_CHUNK_MAGIC 0x4b435044u /* "DPCK" */
#define DP_SPOOL_CHUNK_LIMIT (1u << 20)	 /* the longest payload */
#define DP_SPOOL_STRING_LIMIT 65535u	 /* the longest string; longer ones are cut */
#define DP_SPOOL_KINDS 128		 /* CUPTI's kinds of activity; the collector's from 112 */

/* The collector's own kinds, for the sums of completed, stored and lost. */
enum {
	DP_SPOOL_KIND_UNKNOWN = 0, /* lost before their kind was known */
	DP_SPOOL_KIND_NVTX = 112,
};

struct dp_spool_header {
	char magic[8];
	uint32_t version;
	uint32_t bytes; /* of this header */
	uint32_t pid;
	uint32_t ppid;
	uint32_t serial; /* the n in the file's name */
	uint32_t crc;	 /* CRC-32C of the header with this field 0 */
	int64_t realtime_ns;
	int64_t monotonic_ns; /* CLOCK_MONOTONIC at the same time */
	uint64_t reserved[4];
};

/*
 * consumed: where the raw data came from. source is a slot of the pool (slot_sequence identifies
 * its use), or DP_SPOOL_SOURCE_RING + a ring's number; everything before position has been stored
 * up to this chunk. DP_SPOOL_SOURCE_NONE: neither. Salvage continues from there.
 */
#define DP_SPOOL_SOURCE_NONE 0xffffffffu
#define DP_SPOOL_SOURCE_RING 0x80000000u

struct dp_spool_chunk {
	uint32_t magic;
	uint32_t bytes;	   /* of the payload */
	uint32_t records;  /* in the payload */
	uint32_t crc;	   /* CRC-32C of this header with this field 0, and the payload */
	uint64_t sequence; /* counts chunks from 0 */
	uint32_t source;
	uint32_t reserved;
	uint64_t slot_sequence;
	uint64_t position;
};

/*
 * Times are nanoseconds of CUPTI's clock as CUPTI gave them (0 if it gave none) unless the name
 * mentions another clock; DP_SPOOL_CLOCK relates the clocks. Correlation numbers have 64 bits: the
 * low 32 are CUPTI's, the high 32 count its wraps (the schema's epoch). Strings are ids of
 * dp_spool__string(), 0 is none. Ids of devices, contexts and streams are CUPTI's.
 */
enum dp_spool_type {
	DP_SPOOL_INFO = 1, /* key, value: see below */
	DP_SPOOL_STRING,   /* consumed by the reader */
	DP_SPOOL_PLACE,	   /* consumed by the reader */
	DP_SPOOL_SHAPE,	   /* consumed by the reader */
	DP_SPOOL_KERNEL,
	DP_SPOOL_MEMCPY,
	DP_SPOOL_MEMSET,
	DP_SPOOL_GRAPH,
	DP_SPOOL_API,
	DP_SPOOL_SYNC,
	DP_SPOOL_MEM_OP,
	DP_SPOOL_MEM_POOL,
	DP_SPOOL_EXT_CORR,
	DP_SPOOL_NVTX,
	DP_SPOOL_SCHEMA,
	DP_SPOOL_THREAD,
	DP_SPOOL_DEVICE,
	DP_SPOOL_CONTEXT,
	DP_SPOOL_STREAM,
	DP_SPOOL_NAME,
	DP_SPOOL_CBID,
	DP_SPOOL_JIT,
	DP_SPOOL_OVERHEAD,
	DP_SPOOL_CLOCK,
	DP_SPOOL_LOSS,
	DP_SPOOL_COUNT,
	DP_SPOOL_MESSAGE,
	DP_SPOOL_STATE,
	DP_SPOOL_RAW,
	DP_SPOOL_EVENT,
	DP_SPOOL_TYPE_COUNT
};

/*
 * Keys of DP_SPOOL_INFO (the last of a key counts): cmdline (arguments separated by  , secrets
 * replaced), env.NAME for the variables that secret.h lists, cupti.version (the number of
 * cuptiGetVersion), cupti.path, driver.version (the number of cuDriverGetVersion), graph_mode
 * (graph or node).
 */
struct dp_spool_info {
	uint32_t key;
	uint32_t value;
};

struct dp_spool_place {
	uint32_t device;
	uint32_t context;
	uint32_t stream;
};

struct dp_spool_shape {
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t cluster[3]; /* 0 without clusters */
	uint32_t registers;
	uint32_t smem_static;
	uint32_t smem_dynamic;
	uint32_t local_per_thread;
};

struct dp_spool_kernel {
	struct dp_spool_place place;
	struct dp_spool_shape shape;
	uint64_t start;
	uint64_t end; /* 0: still running */
	uint64_t completed;
	uint64_t queued;
	uint64_t submitted;
	uint64_t correlation;
	uint64_t graph_node;
	uint32_t graph;
	uint32_t name; /* mangled, as in CUPTI */
	uint32_t launch_type;
	int32_t priority;
};

struct dp_spool_memcpy {
	struct dp_spool_place place;
	uint64_t start;
	uint64_t end;
	uint64_t bytes;
	uint64_t correlation;
	uint64_t graph_node;
	uint64_t count;
	uint32_t graph;
	uint32_t kind; /* CUpti_ActivityMemcpyKind */
	uint32_t src_kind;
	uint32_t dst_kind;
	uint32_t flags; /* bit 0: asynchronous */
	bool peer;	/* between devices: src_device … dst_context are set */
	uint32_t src_device;
	uint32_t src_context;
	uint32_t dst_device;
	uint32_t dst_context;
};

struct dp_spool_memset {
	struct dp_spool_place place;
	uint64_t start;
	uint64_t end;
	uint64_t bytes;
	uint64_t correlation;
	uint64_t graph_node;
	uint32_t graph;
	uint32_t value;
	uint32_t flags;
	uint32_t memory_kind;
};

struct dp_spool_graph {
	struct dp_spool_place place;
	uint64_t start;
	uint64_t end;
	uint64_t correlation;
	uint32_t graph;
	uint32_t end_device;
	uint32_t end_context;
};

struct dp_spool_api {
	uint64_t start;
	uint64_t end;
	uint64_t correlation;
	uint32_t tid;
	uint32_t domain; /* 1 driver, 2 runtime: CUpti_CallbackDomain */
	uint32_t cbid;
	uint32_t ret;
};

struct dp_spool_sync {
	uint64_t start;
	uint64_t end;
	uint64_t correlation;
	uint32_t kind;	  /* CUpti_ActivitySynchronizationType */
	uint32_t context; /* as in CUPTI; 0xffffffff: none */
	uint32_t stream;
	uint32_t event;
	uint64_t event_sync;
	uint32_t ret;
};

/* An event was recorded in a stream: a wait for it is a sync with its number. */
struct dp_spool_event {
	uint64_t correlation;
	uint32_t context;
	uint32_t stream;
	uint32_t event;
	uint64_t event_sync; /* of this record alone; 0: CUPTI before 12.8 */
};

struct dp_spool_mem_op {
	uint64_t time;
	uint64_t address;
	uint64_t bytes;
	uint64_t pc;
	uint64_t correlation;
	uint32_t op;   /* CUpti_ActivityMemoryOperationType */
	uint32_t kind; /* CUpti_ActivityMemoryKind */
	uint32_t device;
	uint32_t context;
	uint32_t stream;
	uint32_t async;
	uint32_t name;
	uint32_t pool_kind; /* CUpti_ActivityMemoryPoolType, 0: none */
	uint64_t pool_address;
	uint64_t pool_threshold;
	uint64_t pool_size;
	uint64_t pool_used;
};

struct dp_spool_mem_pool {
	uint64_t time;
	uint64_t address;
	uint64_t bytes;
	uint64_t min_bytes;
	uint64_t threshold;
	uint64_t used;
	uint64_t correlation;
	uint32_t op; /* CUpti_ActivityMemoryPoolOperationType */
	uint32_t kind;
	uint32_t device;
};

struct dp_spool_ext_corr {
	uint64_t external;
	uint64_t correlation;
	uint32_t kind; /* CUpti_ExternalCorrelationKind */
};

/*
 * An NVTX event as it happened, in order within a thread; the reader matches pushes with pops. A
 * payload is the bytes that the program passed with the schema's id; extended payloads have one
 * schema, whose content DP_SPOOL_SCHEMA describes.
 */
enum {
	DP_SPOOL_NVTX_MARK = 1,
	DP_SPOOL_NVTX_PUSH,
	DP_SPOOL_NVTX_POP,
	DP_SPOOL_NVTX_START,
	DP_SPOOL_NVTX_END,
	DP_SPOOL_NVTX_CATEGORY, /* value: the category, name: its name */
};

struct dp_spool_nvtx {
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC */
	uint64_t range;	       /* of start and end */
	uint64_t payload;      /* a plain one, its bits */
	uint64_t schema;       /* of an extended one, else 0 */
	uint32_t tid;
	uint32_t type;
	uint32_t domain; /* a string: the domain's name; 0 is the default domain */
	uint32_t name;
	uint32_t category;
	uint32_t color;
	uint32_t payload_type; /* nvtxPayloadType_t; 0 none */
	uint32_t blob;	       /* an extended payload: dp_spool__string(), may contain NULs */
};

/* One entry of a schema that the program registered: NCCL's name their fields in plain text. */
struct dp_spool_schema {
	uint64_t schema;
	uint32_t domain; /* a string */
	uint32_t name;	 /* of the schema, or 0 */
	uint32_t index;
	uint32_t count; /* entries of the schema */
	uint32_t field; /* a string: the entry's name */
	uint64_t type;	/* NVTX_PAYLOAD_ENTRY_TYPE_* or a schema's id */
	uint64_t flags;
	uint64_t offset; /* in the payload, computed if the program left it to the tool */
	uint64_t bytes;	 /* size of the entry, 0 if unknown */
};

struct dp_spool_thread {
	uint32_t tid;
	uint32_t name;
};

struct dp_spool_device {
	uint32_t device;
	uint32_t name;
	uint8_t uuid[16];
	uint32_t cc_major;
	uint32_t cc_minor;
	uint32_t sms;
	uint32_t clock_khz;
	uint64_t memory_bytes;
	uint64_t bandwidth_kBps;
	uint32_t copy_engines;
	uint32_t l2_bytes;
};

struct dp_spool_context {
	uint32_t context;
	uint32_t device;
	uint32_t api; /* CUpti_ActivityComputeApiKind */
	uint32_t null_stream;
	uint32_t parent;
	uint32_t sms;
};

struct dp_spool_stream {
	uint32_t context;
	uint32_t stream;
	int32_t priority;
	uint32_t flags; /* CUpti_ActivityStreamFlag */
	uint64_t correlation;
};

/* A name set by the program: object is CUpti_ActivityObjectKind. */
struct dp_spool_name {
	uint32_t object;
	uint32_t ids[3]; /* process, thread; or device, context, stream */
	uint32_t name;
};

struct dp_spool_cbid {
	uint32_t domain; /* as in dp_spool_api */
	uint32_t cbid;
	uint32_t name;
};

struct dp_spool_jit {
	uint64_t start;
	uint64_t end;
	uint64_t correlation;
	uint64_t operation; /* shared by the steps of one compilation */
	uint64_t cache_bytes;
	uint32_t kind;
	uint32_t op;
	uint32_t device;
	uint32_t tid;
	uint32_t cache_path;
};

struct dp_spool_overhead {
	uint64_t start;
	uint64_t end;
	uint64_t correlation;
	uint32_t kind;
	uint32_t object;
	uint32_t ids[3];
};

/* Read one after the other, CUPTI's in the middle of the others. */
struct dp_spool_clock {
	uint64_t cupti; /* 0: no CUPTI */
	int64_t realtime;
	int64_t monotonic;
	int64_t monotonic_raw;
};

/*
 * Lost records, summed by reason when a process ends (or by salvage): COUNT's lost includes them.
 * kind is 0 if they are of several kinds.
 */
struct dp_spool_loss {
	int64_t realtime_ns;
	uint32_t reason; /* a string: dp_pool__loss_word() */
	uint32_t kind;
	uint64_t records;
	uint64_t bytes;
};

/* The sums of one kind, written when a process ends; completed = stored + lost. */
struct dp_spool_count {
	uint32_t kind;
	uint64_t completed;
	uint64_t stored;
	uint64_t lost;
};

enum { DP_SPOOL_NOTE = 1, DP_SPOOL_WARNING, DP_SPOOL_ERROR };

/* For the user. code is a word that the launcher may know; text is complete without it. */
struct dp_spool_message {
	int64_t realtime_ns;
	uint32_t level;
	uint32_t code; /* a string: no-cupti, no-driver, subscriber-taken, not-permitted, … */
	uint32_t text;
};

enum {
	DP_SPOOL_STARTED = 1, /* CUPTI records */
	DP_SPOOL_PAUSED,
	DP_SPOOL_RESUMED,
	DP_SPOOL_ENDED,	  /* the last record of a process with an orderly end */
	DP_SPOOL_NVTX_ON, /* NVTX is recorded */
};

struct dp_spool_state {
	int64_t realtime_ns;
	uint32_t state;
};

/* The bytes of a record with an unknown kind or size. */
struct dp_spool_raw {
	uint32_t kind;
	uint32_t bytes; /* a string: the record */
};

struct dp_spool_record {
	enum dp_spool_type type;
	bool salvaged; /* from the pool, after a death */
	union {
		struct dp_spool_info info;
		struct dp_spool_kernel kernel;
		struct dp_spool_memcpy memcpy;
		struct dp_spool_memset memset;
		struct dp_spool_graph graph;
		struct dp_spool_api api;
		struct dp_spool_sync sync;
		struct dp_spool_event event;
		struct dp_spool_mem_op mem_op;
		struct dp_spool_mem_pool mem_pool;
		struct dp_spool_ext_corr ext_corr;
		struct dp_spool_nvtx nvtx;
		struct dp_spool_schema schema;
		struct dp_spool_thread thread;
		struct dp_spool_device device;
		struct dp_spool_context context;
		struct dp_spool_stream stream;
		struct dp_spool_name name;
		struct dp_spool_cbid cbid;
		struct dp_spool_jit jit;
		struct dp_spool_overhead overhead;
		struct dp_spool_clock clock;
		struct dp_spool_loss loss;
		struct dp_spool_count count;
		struct dp_spool_message message;
		struct dp_spool_state state;
		struct dp_spool_raw raw;
	};
};

/* The reader (spool_read.c). Not thread-safe; one reader may follow a growing file. */
struct dp_spool;

enum {
	DP_SPOOL_OK = 0,
	DP_SPOOL_END,	    /* nothing more now: the file may grow */
	DP_SPOOL_NO_MEMORY, /* the rest are permanent failures */
	DP_SPOOL_IO,	    /* see errno */
	DP_SPOOL_NOT_SPOOL, /* no header, or one of a later version */
};

/* Opens the spool open as fd, which stays the caller's. */
int dp_spool__open(struct dp_spool **out, int fd);
void dp_spool__close(struct dp_spool *spool);

const struct dp_spool_header *dp_spool__header(const struct dp_spool *spool);

/*
 * Reads the next record, valid until the next call. Damaged chunks are skipped and counted; if
 * definitions were lost with them, strings, places and shapes are 0. Returns DP_SPOOL_END at the
 * end of what is written.
 */
int dp_spool__next(struct dp_spool *spool, struct dp_spool_record *out);

/*
 * Call after the process is gone and dp_spool__next() returned DP_SPOOL_END: continues with what
 * the pool still holds, then COUNT records of the whole process (they replace those of the file, if
 * any), then DP_SPOOL_END. pool_fd stays the caller's; the pool is as untrusted as the file. If it
 * is damaged or another process's, returns DP_SPOOL_NOT_SPOOL.
 */
int dp_spool__salvage(struct dp_spool *spool, int pool_fd);

/* Returns a string's bytes, ended by a NUL that length excludes. "" for 0 and unknown ids. */
const char *dp_spool__string(const struct dp_spool *spool, uint32_t id, size_t *length);

/* How much of the file was consumed, and what was wrong with it. */
struct dp_spool_health {
	uint64_t bytes_read;
	uint64_t chunks;
	uint64_t damaged_bytes; /* skipped */
	uint64_t undefined;	/* references to missing definitions */
	bool ended;		/* DP_SPOOL_ENDED was seen */
	bool torn;		/* the last chunk is incomplete */
};
void dp_spool__health(const struct dp_spool *spool, struct dp_spool_health *out);

#endif
