/*
 * A writer of protocol buffers: https://protobuf.dev/programming-guides/encoding/. Messages are
 * built in memory. If memory runs out `failed` is set, which the caller checks at the end.
 */
#ifndef DP_REPORT_PROTO_H
#define DP_REPORT_PROTO_H

#include "base/base.h"

struct dp_proto {
	unsigned char *bytes; /* to be freed */
	size_t used;
	size_t room;
	bool failed; /* memory ran out: the message is incomplete */
};

/* Writes a field of a varint type: integers, enums, bools. Negative numbers take ten bytes. */
void dp_proto__uint(struct dp_proto *proto, uint32_t field, uint64_t value);
void dp_proto__int(struct dp_proto *proto, uint32_t field, int64_t value);

void dp_proto__fixed64(struct dp_proto *proto, uint32_t field, uint64_t value);
void dp_proto__double(struct dp_proto *proto, uint32_t field, double value);
void dp_proto__string(struct dp_proto *proto, uint32_t field, const char *text);

/* Begins a nested message, which ends with close(); close() takes what open() returned. */
size_t dp_proto__open(struct dp_proto *proto, uint32_t field);
void dp_proto__close(struct dp_proto *proto, size_t opened);

#endif
