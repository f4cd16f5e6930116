/*
 * The parts of CUPTI's binary interface that the collector needs, on 64-bit Linux: numbers and
 * layouts from the headers of CUPTI 11.8, 12.1, 12.4, 12.8, 13.0 and 13.5. tests/fake/abi.c
 * compares this with installed headers.
 *
 * Since CUDA 11, records are only extended at their end, so each structure here is the longest
 * known, and a record is copied up to the size that the loaded library writes. Comments at fields
 * give the version that added them if it is later than 11.0.
 */
#ifndef DP_CUPTI_ABI_H
#define DP_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

/* CUptiResult. */
enum {
	CUPTI_OK = 0,
	CUPTI_E_INVALID_PARAMETER = 1,
	CUPTI_E_MAX_LIMIT_REACHED = 12,
	CUPTI_E_NOT_COMPATIBLE = 14,
	CUPTI_E_NOT_INITIALIZED = 15,
	CUPTI_E_INVALID_KIND = 21,
	CUPTI_E_NOT_SUPPORTED = 27,
	CUPTI_E_PRIVILEGES = 35,
	CUPTI_E_MULTIPLE_SUBSCRIBERS = 39,
	CUPTI_E_VIRTUAL_PRIVILEGES = 40,
	CUPTI_E_UNKNOWN = 999,
};

/* CUpti_ActivityKind. */
enum {
	CUPTI_MEMCPY = 1,
	CUPTI_MEMSET = 2,
	CUPTI_KERNEL_SERIAL = 3,
	CUPTI_DRIVER = 4,
	CUPTI_RUNTIME = 5,
	CUPTI_DEVICE = 8,
	CUPTI_CONTEXT = 9,
	CUPTI_KERNEL = 10,
	CUPTI_NAME = 11,
	CUPTI_OVERHEAD = 17,
	CUPTI_MEMCPY2 = 22,
	CUPTI_EVENT = 36,
	CUPTI_STREAM = 37,
	CUPTI_SYNC = 38,
	CUPTI_EXT_CORR = 39,
	CUPTI_INTERNAL_API = 48,
	CUPTI_MEMORY2 = 49,
	CUPTI_MEMORY_POOL = 50,
	CUPTI_GRAPH_TRACE = 51,
	CUPTI_JIT = 52,
	CUPTI_KIND_LIMIT = 64, /* more than any version has */
};

/* CUpti_ActivityAttribute; the value of the first two is a size_t, of the others a uint8_t. */
enum {
	CUPTI_ATTR_DEVICE_BUFFER_SIZE = 0,
	CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT = 2,
	CUPTI_ATTR_ZEROED_BUFFER = 5,
	CUPTI_ATTR_PER_THREAD_BUFFER = 9,
	CUPTI_ATTR_MANY_WHOLE_GRAPHS = 20, /* 13.3: whole graphs, with several subscribers */
};

enum { CUPTI_THREAD_ID_SYSTEM = 1 };
enum { CUPTI_FLUSH_FORCED = 1 };

/* CUpti_CallbackDomain, and the ids that are enabled in them. */
enum {
	CUPTI_DOMAIN_DRIVER = 1,
	CUPTI_DOMAIN_RUNTIME,
	CUPTI_DOMAIN_RESOURCE,
	CUPTI_DOMAIN_STATE = 6
};
enum { CUPTI_RESOURCE_CONTEXT_CREATED = 1, CUPTI_RESOURCE_MODULE_UNLOAD = 7 };
enum { CUPTI_STATE_FATAL_ERROR = 1 };
enum { CUPTI_CUDART_PROFILER_START = 171, CUPTI_CUDART_PROFILER_STOP = 172 };
enum { CUPTI_CU_PROFILER_START = 308, CUPTI_CU_PROFILER_STOP = 309 };

enum { CUPTI_SITE_ENTER = 0, CUPTI_SITE_EXIT = 1 };

struct cupti_callback_data {
	uint32_t site;
	uint32_t pad;
	const char *function;
	const void *params;
	void *result;
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint32_t pad2;
	uint64_t *correlation_data;
	uint32_t correlation;
};

/* Data of the RESOURCE domain. */
struct cupti_resource_data {
	void *context;
	void *stream;
	void *about;
};

/* Data of the STATE domain (12.x). */
struct cupti_state_data {
	uint32_t result;
	uint32_t pad;
	const char *message;
};

/* CUpti_SubscriberParams (13.0). */
struct cupti_subscriber_params {
	size_t bytes;
	const char *name;
	char *old_name; /* receives the current subscriber */
	size_t old_name_bytes;
	uint8_t many; /* 13.3: others may subscribe as well, and did */
	uint8_t pad[7];
};

/* Addresses are stored as numbers, because records are also read outside the process. */
struct cupti_kernel {
	uint32_t kind;
	uint8_t cache_config;
	uint8_t smem_config;
	uint16_t registers;
	uint32_t cache_requested;
	uint32_t cache_executed;
	uint64_t start;
	uint64_t end;
	uint64_t completed;
	uint32_t device;
	uint32_t context;
	uint32_t stream;
	int32_t grid[3];
	int32_t block[3];
	int32_t smem_static;
	int32_t smem_dynamic;
	uint32_t local_per_thread;
	uint32_t local_total;
	uint32_t correlation;
	int64_t grid_id;
	uint64_t name;
	uint64_t reserved;
	uint64_t queued;
	uint64_t submitted;
	uint8_t launch_type;
	uint8_t carveout_requested;
	uint8_t carveout;
	uint8_t pad;
	uint32_t smem_executed;
	uint64_t graph_node;
	uint32_t smem_limit;
	uint32_t graph;
	uint64_t access_policy; /* 11.2 */
	uint32_t channel;	/* 11.6 */
	uint32_t channel_type;
	uint32_t cluster[3]; /* 11.8 */
	uint32_t cluster_policy;
	uint64_t local_total_v2;
	uint32_t clusters_potential; /* 12.0 */
	uint32_t clusters_active;
	uint8_t device_launched; /* 13.0 */
	uint8_t pad3[7];
	int32_t priority; /* 13.1 */
	uint32_t pad4;
	uint32_t execution_model; /* 13.2 or later */
	uint32_t pad5;
	uint32_t source_graph; /* 13.4 */
	uint32_t pad6;
	uint64_t source_graph_node;
};

struct cupti_memcpy {
	uint32_t kind;
	uint8_t copy_kind;
	uint8_t src_kind;
	uint8_t dst_kind;
	uint8_t flags;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t device;
	uint32_t context;
	uint32_t stream;
	uint32_t correlation;
	uint32_t runtime_correlation;
	uint32_t pad;
	uint64_t reserved;
	uint64_t graph_node;
	uint32_t graph;
	uint32_t channel; /* 11.6 */
	uint32_t channel_type;
	uint8_t device_launched; /* 12.8 */
	uint8_t pad2[3];
	uint64_t count;
	uint32_t source_graph; /* 13.4 */
	uint32_t pad3;
	uint64_t source_graph_node;
};

struct cupti_memcpy2 {
	uint32_t kind;
	uint8_t copy_kind;
	uint8_t src_kind;
	uint8_t dst_kind;
	uint8_t flags;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t device;
	uint32_t context;
	uint32_t stream;
	uint32_t src_device;
	uint32_t src_context;
	uint32_t dst_device;
	uint32_t dst_context;
	uint32_t correlation;
	uint64_t reserved;
	uint64_t graph_node;
	uint32_t graph;
	uint32_t channel;
	uint32_t channel_type;
	uint32_t pad;
};

struct cupti_memset {
	uint32_t kind;
	uint32_t value;
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint32_t device;
	uint32_t context;
	uint32_t stream;
	uint32_t correlation;
	uint16_t flags;
	uint16_t memory_kind;
	uint32_t pad;
	uint64_t reserved;
	uint64_t graph_node;
	uint32_t graph;
	uint32_t channel;
	uint32_t channel_type;
	uint8_t device_launched;
	uint8_t pad2[3];
	uint32_t source_graph; /* 13.4 */
	uint32_t pad3;
	uint64_t source_graph_node;
};

struct cupti_api {
	uint32_t kind;
	uint32_t cbid;
	uint64_t start;
	uint64_t end;
	uint32_t process;
	uint32_t thread;
	uint32_t correlation;
	uint32_t result;
};

struct cupti_device {
	uint32_t kind;
	uint32_t flags;
	uint64_t bandwidth_kBps;
	uint64_t memory_bytes;
	uint32_t constant_bytes;
	uint32_t l2_bytes;
	uint32_t warp;
	uint32_t clock_khz;
	uint32_t copy_engines;
	uint32_t sms;
	uint32_t limits[14]; /* IPC, warps, blocks, shared memory, registers, threads, dimensions */
	uint32_t cc_major;
	uint32_t cc_minor;
	uint32_t id;
	uint32_t ecc;
	uint8_t uuid[16];
	uint64_t name;
	uint8_t visible;
	uint8_t mig;
	uint8_t reserved[6];
	uint32_t gpu_instance;
	uint32_t compute_instance;
	uint8_t mig_uuid[16];
	uint32_t numa; /* 12.2 */
	uint32_t numa_id;
	uint32_t tpcs; /* 13.x */
	uint32_t reserved0;
};

struct cupti_context {
	uint32_t kind;
	uint32_t context;
	uint32_t device;
	uint16_t api;
	uint16_t null_stream;
	uint32_t parent; /* 12.x */
	uint8_t green;
	uint8_t pad;
	uint16_t sms;
	uint32_t cig_mode;
	uint32_t pad2;
	uint64_t process; /* 13.x */
};

struct cupti_stream {
	uint32_t kind;
	uint32_t context;
	uint32_t stream;
	uint32_t priority;
	uint32_t flag;
	uint32_t correlation;
};

/* ids: process and thread, or device, context and stream. */
struct cupti_name {
	uint32_t kind;
	uint32_t object;
	uint32_t ids[3];
	uint32_t pad;
	uint64_t name;
};

struct cupti_overhead {
	uint32_t kind;
	uint32_t overhead;
	uint32_t object;
	uint32_t ids[3];
	uint64_t start;
	uint64_t end;
	uint32_t correlation; /* 12.2 */
	uint32_t reserved;
	uint64_t data; /* 12.4 */
};

struct cupti_ext_corr {
	uint32_t kind;
	uint32_t external_kind;
	uint64_t external;
	uint32_t correlation;
	uint32_t reserved;
};

struct cupti_sync {
	uint32_t kind;
	uint32_t type;
	uint64_t start;
	uint64_t end;
	uint32_t correlation;
	uint32_t context;
	uint32_t stream;
	uint32_t event;
	uint64_t event_sync; /* 12.8 */
	uint32_t result;
	uint32_t pad;
};

/* An event was recorded in a stream. */
struct cupti_event {
	uint32_t kind;
	uint32_t correlation;
	uint32_t context;
	uint32_t stream;
	uint32_t event;
	uint32_t pad;
	uint32_t device; /* 12.8 */
	uint32_t pad2;
	uint64_t reserved;
	uint64_t timestamp;
	uint64_t event_sync; /* as in cupti_sync */
};

struct cupti_memory2 {
	uint32_t kind;
	uint32_t op;
	uint32_t memory_kind;
	uint32_t correlation;
	uint64_t address;
	uint64_t bytes;
	uint64_t time;
	uint64_t pc;
	uint32_t process;
	uint32_t device;
	uint32_t context;
	uint32_t stream;
	uint64_t name;
	uint32_t async;
	uint32_t pad;
	uint32_t pool_kind;
	uint32_t pad2;
	uint64_t pool_address;
	uint64_t pool_threshold;
	uint64_t pool_size; /* or a process's id, if the pool is imported */
	uint64_t pool_used; /* 11.6 */
	uint64_t source;    /* 12.6 */
};

struct cupti_memory_pool {
	uint32_t kind;
	uint32_t op;
	uint32_t pool_kind;
	uint32_t correlation;
	uint32_t process;
	uint32_t device;
	uint64_t min_bytes;
	uint64_t address;
	uint64_t size;
	uint64_t threshold;
	uint64_t time;
	uint64_t used; /* 11.6 */
	uint8_t managed;
	uint8_t pad[7];
};

struct cupti_graph_trace {
	uint32_t kind;
	uint32_t correlation;
	uint64_t start;
	uint64_t end;
	uint32_t device;
	uint32_t graph;
	uint32_t context;
	uint32_t stream;
	uint64_t reserved;
	uint32_t end_device; /* 12.3 */
	uint32_t end_context;
};

struct cupti_jit {
	uint32_t kind;
	uint32_t entry;
	uint32_t op;
	uint32_t device;
	uint64_t start;
	uint64_t end;
	uint32_t correlation;
	uint32_t pad;
	uint64_t operation;
	uint64_t cache_bytes;
	uint64_t cache_path;
	uint32_t process; /* 12.4 */
	uint32_t thread;
};

#endif
