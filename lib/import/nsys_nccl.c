/*
 * A payload in nsys's export (with --include-blobs=true): the ids of its domain and schema, its
 * size and its offset in the blob, each of 64 bits, then its bytes. NVTX_PAYLOAD_SCHEMA_ENTRIES
 * holds each field's type and offset, once for each process. Derived from exports of schema 3.2x.
 */
#include "import/nsys_nccl.h"
#include "base/communication.h"
#include "import/lookup.h"
#include "import/nccl_call.h"

#include <string.h>

enum { HEADER_BYTES = 32 };

void dp_nsys_nccl__fini(struct dp_nsys_nccl *nccl)
{
	dp_lookup__fini(&nccl->fields);
	dp_lookup__fini(&nccl->members);
}

/* Returns the size of an integer type (nvtxPayloadEntryType); 0 for all others. */
static uint32_t integer_bytes(int64_t type)
{
	switch (type) {
	case 5: /* int, unsigned, and 32-bit types */
	case 6:
	case 15:
	case 16:
		return 4;
	case 7: /* long, long long, 64-bit types, size_t: all of this size on Linux */
	case 8:
	case 9:
	case 10:
	case 17:
	case 18:
	case 22:
		return 8;
	default:
		return 0;
	}
}

int dp_nsys_nccl__read_entry(struct dp_nsys_nccl *nccl, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, DP_NSYS_ENTRY_DOMAIN),
				dp_rows__id(rows, DP_NSYS_ENTRY_SCHEMA) } };
	uint32_t bytes = integer_bytes(dp_rows__id(rows, DP_NSYS_ENTRY_TYPE));
	int64_t offset = dp_rows__is_null(rows, DP_NSYS_ENTRY_OFFSET)
				 ? 0
				 : dp_rows__id(rows, DP_NSYS_ENTRY_OFFSET);
	size_t length;
	const char *name = dp_rows__text(rows, DP_NSYS_ENTRY_NAME, &length);

	if (!name || !bytes || offset < 0 || offset > UINT16_MAX)
		return DP_OK;
	key.part[2] = dp_communication__nccl_field(name, length);
	return key.part[2] < DP_NCCL_FIELDS
		       ? dp_lookup__set(&nccl->fields, &key, (uint32_t)offset << 4 | bytes)
		       : DP_OK;
}

/* Reads values by field; returns a bit for each that is present. */
static uint32_t read_values(uint64_t values[DP_NCCL_FIELDS], const struct dp_nsys_nccl *nccl,
			    const char *blob, size_t length)
{
	uint64_t header[HEADER_BYTES / 8];
	uint32_t has = 0;

	if (length < HEADER_BYTES)
		return 0;
	memcpy(header, blob, HEADER_BYTES);
	length = DP_MIN(length - HEADER_BYTES, header[2]);
	for (int64_t f = 0; f < DP_NCCL_FIELDS; f++) {
		struct dp_key key = { { (int64_t)header[0], (int64_t)header[1], f } };
		uint32_t at = dp_lookup__get(&nccl->fields, &key);

		if (at == DP_NONE || (at >> 4) + (at & 15) > length)
			continue;
		values[f] = 0;
		memcpy(&values[f], blob + HEADER_BYTES + (at >> 4), at & 15);
		has |= 1u << f;
	}
	return has;
}

/* A process with several GPUs is several members: its own rank is then unknown. */
static int note_member(struct dp_nsys_nccl *nccl, int64_t pid,
		       const uint64_t values[DP_NCCL_FIELDS])
{
	struct dp_key rank = { { pid, (int64_t)values[DP_NCCL_COMM], DP_NCCL_RANK } };
	struct dp_key ranks = { { pid, (int64_t)values[DP_NCCL_COMM], DP_NCCL_RANKS } };
	uint32_t known = dp_lookup__get(&nccl->members, &rank);
	uint32_t own = (uint32_t)DP_MIN(values[DP_NCCL_RANK], (uint64_t)INT32_MAX);

	if (known != DP_NONE && known != own)
		own = DP_NONE - 1;
	if (dp_lookup__set(&nccl->members, &rank, own))
		return DP_ERR_NOMEM;
	return dp_lookup__set(&nccl->members, &ranks,
			      (uint32_t)DP_MIN(values[DP_NCCL_RANKS], (uint64_t)INT32_MAX));
}

int dp_nsys_nccl__add(struct dp_nsys_nccl *nccl, struct dp_builder *builder, int64_t pid,
		      const struct dp_range *range, const char *payload, size_t length)
{
	const uint32_t member = 1u << DP_NCCL_COMM | 1u << DP_NCCL_RANK | 1u << DP_NCCL_RANKS;
	const uint32_t message = 1u << DP_NCCL_COMM | 1u << DP_NCCL_BYTES;
	uint64_t values[DP_NCCL_FIELDS] = { 0 };
	uint32_t has = read_values(values, nccl, payload, length), rank, ranks;
	struct dp_key key = { { pid, (int64_t)values[DP_NCCL_COMM], DP_NCCL_RANK } };
	struct dp_nccl_call call = { .op = dp_builder__text(builder, range->name),
				     .has_comm = true,
				     .comm = values[DP_NCCL_COMM],
				     .bytes = values[DP_NCCL_BYTES],
				     .peer = -1 };
	struct dp_collective made;

	if ((has & member) == member)
		return note_member(nccl, pid, values);
	if ((has & message) != message)
		return DP_OK;
	rank = dp_lookup__get(&nccl->members, &key);
	key.part[2] = DP_NCCL_RANKS;
	ranks = dp_lookup__get(&nccl->members, &key);
	call.length = dp_texts__head(call.op);
	call.rank = rank <= INT32_MAX ? (int64_t)rank : -1;
	call.ranks = ranks == DP_NONE ? 0 : ranks;
	if (has & 1u << DP_NCCL_PEER)
		call.peer = (int64_t)values[DP_NCCL_PEER];
	if (dp_nccl_call__collective(&made, builder, &call))
		return DP_ERR_NOMEM;
	made.start_ns = range->start_ns;
	made.end_ns = range->end_ns;
	made.thread = range->thread;
	return dp_builder__add_collective(builder, &made);
}
