/* One object of rocprofv3's JSON: a record, an agent, a kernel symbol, a list of names. */
#ifndef DP_IMPORT_ROCPROFV3_RECORD_H
#define DP_IMPORT_ROCPROFV3_RECORD_H

#include "import/json_scan.h"

/* Numbers; also the bits of dp_rocprofv3_record.has. */
enum dp_rocprofv3_field {
	DP_RV3_KIND,
	DP_RV3_OPERATION,
	DP_RV3_THREAD,
	DP_RV3_CORRELATION,
	DP_RV3_START,
	DP_RV3_END,
	DP_RV3_AGENT,
	DP_RV3_QUEUE,
	DP_RV3_KERNEL,
	DP_RV3_STREAM,
	DP_RV3_SRC_AGENT,
	DP_RV3_DST_AGENT,
	DP_RV3_BYTES,
	DP_RV3_ALLOCATED,
	DP_RV3_ADDRESS,
	DP_RV3_ID,
	DP_RV3_TYPE,
	DP_RV3_TYPE_INDEX,
	DP_RV3_PID,
	DP_RV3_KEY,
	DP_RV3_BY_QUEUE, /* 1: --group-by-queue, records have no streams */
	DP_RV3_NUMBERS,
	/* Texts: */
	DP_RV3_DEMANGLED = DP_RV3_NUMBERS,
	DP_RV3_MANGLED,
	DP_RV3_PRODUCT,
	DP_RV3_KIND_NAME,
	DP_RV3_VALUE,
	DP_RV3_OPERATIONS, /* the text of an array */
	DP_RV3_DISPATCH,   /* no value: the record has dispatch_info */
	DP_RV3_FIELDS,
};

struct dp_rocprofv3_record {
	uint32_t has;
	int64_t number[DP_RV3_NUMBERS];
	struct dp_json_text text[DP_RV3_DISPATCH - DP_RV3_NUMBERS];
};

static inline bool dp_rocprofv3__has(const struct dp_rocprofv3_record *record,
				     enum dp_rocprofv3_field field)
{
	return record->has >> field & 1;
}

/* Valid as long as the parsed text. */
static inline const struct dp_json_text *
dp_rocprofv3__text(const struct dp_rocprofv3_record *record, enum dp_rocprofv3_field field)
{
	return &record->text[field - DP_RV3_NUMBERS];
}

/* Parses the object at json->at into the struct dp_rocprofv3_record at ctx. */
enum dp_json_result dp_rocprofv3__parse(void *ctx, struct dp_json *json);

#endif
