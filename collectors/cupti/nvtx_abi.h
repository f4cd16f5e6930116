/*
 * The parts of NVTX 3's binary interface that the collector needs (3.0 to 3.2, from the headers
 * that come with CUDA 11.8 to 13.0).
 */
#ifndef DP_NVTX_ABI_H
#define DP_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Modules of callbacks, and indexes in their tables. */
enum { NVTX_MODULE_CORE = 1, NVTX_MODULE_CORE2 = 5 };
enum { NVTX_TABLE_CALLBACKS = 1 };

enum {
	NVTX_MarkEx = 1,
	NVTX_MarkA,
	NVTX_MarkW,
	NVTX_RangeStartEx,
	NVTX_RangeStartA,
	NVTX_RangeStartW,
	NVTX_RangeEnd,
	NVTX_RangePushEx,
	NVTX_RangePushA,
	NVTX_RangePushW,
	NVTX_RangePop,
	NVTX_NameCategoryA,
	NVTX_NameCategoryW,
	NVTX_NameOsThreadA,
	NVTX_NameOsThreadW,
};

enum {
	NVTX_DomainMarkEx = 1,
	NVTX_DomainRangeStartEx,
	NVTX_DomainRangeEnd,
	NVTX_DomainRangePushEx,
	NVTX_DomainRangePop,
	NVTX_DomainResourceCreate,
	NVTX_DomainResourceDestroy,
	NVTX_DomainNameCategoryA,
	NVTX_DomainNameCategoryW,
	NVTX_DomainRegisterStringA,
	NVTX_DomainRegisterStringW,
	NVTX_DomainCreateA,
	NVTX_DomainCreateW,
	NVTX_DomainDestroy,
	NVTX_Initialize,
};

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
	size_t bytes;
	int (*GetModuleFunctionTable)(int module, nvtx_function ***table, unsigned int *count);
};

typedef const void *(*nvtx_get_table_fn)(uint32_t id);

/* nvtxMessageType_t. */
enum { NVTX_MESSAGE_ASCII = 1, NVTX_MESSAGE_UNICODE = 2, NVTX_MESSAGE_REGISTERED = 3 };

/* payload_type of an extended payload; reserved counts the payloads then. */
#define NVTX_PAYLOAD_EXTENDED ((int32_t)0xdfbd0009)

struct nvtx_event {
	uint16_t version;
	uint16_t bytes;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t reserved;
	uint64_t payload;
	int32_t message_type;
	uint32_t pad;
	union {
		const char *ascii;
		const int32_t *unicode; /* wchar_t */
		uint64_t registered;
	} message;
};

/* The extension for payloads: module 2; functions by index. */
enum { NVTX_EXT_PAYLOAD = 2 };
enum {
	NVTX_SchemaRegister = 0,
	NVTX_EnumRegister,
	NVTX_MarkPayload,
	NVTX_RangePushPayload,
	NVTX_RangePopPayload,
	NVTX_RangeStartPayload,
	NVTX_RangeEndPayload,
	NVTX_DomainIsEnabled,
	NVTX_TimestampGet,
	NVTX_ScopeRegister = 12,
};

struct nvtx_segment {
	size_t id;
	size_t count;
	intptr_t *functions;
};

struct nvtx_extension {
	uint16_t version;
	uint16_t bytes;
	uint16_t module;
	uint16_t compatible;
	size_t segment_count;
	struct nvtx_segment *segments;
	const void *(*get_export)(uint32_t id);
	const void *info; /* of payloads: sizes and alignments of types */
};

struct nvtx_payload {
	uint64_t schema;
	size_t bytes;
	const void *data;
};

struct nvtx_schema_entry {
	uint64_t flags;
	uint64_t type;
	const char *name;
	const char *description;
	uint64_t array_detail;
	uint64_t offset;
	const void *semantics;
	const void *reserved;
};

/* Bits of the fields that are set. */
enum {
	NVTX_SCHEMA_HAS_NAME = 1 << 1,
	NVTX_SCHEMA_HAS_ENTRIES = 1 << 4,
	NVTX_SCHEMA_HAS_COUNT = 1 << 5,
	NVTX_SCHEMA_HAS_ID = 1 << 8,
};

/* nvtxPayloadEnumAttr_t, and bits of the fields that are set. */
enum { NVTX_ENUM_HAS_SIZE = 1 << 4, NVTX_ENUM_HAS_ID = 1 << 5 };

struct nvtx_enum {
	uint64_t fields;
	const char *name;
	const void *entries;
	size_t count;
	size_t bytes;
	uint64_t id;
	void *extension;
};

struct nvtx_schema {
	uint64_t fields;
	const char *name;
	uint64_t type;
	uint64_t flags;
	const struct nvtx_schema_entry *entries;
	size_t count;
	size_t static_bytes;
	size_t align;
	uint64_t id;
	void *extension;
};

#endif
