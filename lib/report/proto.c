/* A writer of protocol buffers. */
#include "report/proto.h"

#include <string.h>

enum wire { VARINT = 0, FIXED64 = 1, LENGTH = 2, MOST = 10 };

/* Returns where to write size more bytes, or NULL. */
static unsigned char *grow(struct dp_proto *proto, size_t size)
{
	unsigned char *at;

	if (proto->failed || size > SIZE_MAX - proto->used ||
	    dp_array__reserve(&proto->bytes, &proto->room, proto->used + size, 1)) {
		proto->failed = true;
		return NULL;
	}
	at = proto->bytes + proto->used;
	proto->used += size;
	return at;
}

static size_t encode(unsigned char bytes[MOST], uint64_t value)
{
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[n++] = (unsigned char)(value | 0x80);
	bytes[n++] = (unsigned char)value;
	return n;
}

static void write_varint(struct dp_proto *proto, uint64_t value)
{
	unsigned char bytes[MOST], *at;
	size_t n = encode(bytes, value);

	at = grow(proto, n);
	if (at)
		memcpy(at, bytes, n);
}

static void write_key(struct dp_proto *proto, uint32_t field, enum wire wire)
{
	write_varint(proto, (uint64_t)field << 3 | wire);
}

void dp_proto__uint(struct dp_proto *proto, uint32_t field, uint64_t value)
{
	write_key(proto, field, VARINT);
	write_varint(proto, value);
}

void dp_proto__int(struct dp_proto *proto, uint32_t field, int64_t value)
{
	dp_proto__uint(proto, field, (uint64_t)value);
}

void dp_proto__fixed64(struct dp_proto *proto, uint32_t field, uint64_t value)
{
	unsigned char *at;

	write_key(proto, field, FIXED64);
	at = grow(proto, 8);
	for (size_t i = 0; at && i < 8; i++, value >>= 8)
		at[i] = (unsigned char)value;
}

void dp_proto__double(struct dp_proto *proto, uint32_t field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	dp_proto__fixed64(proto, field, bits);
}

void dp_proto__string(struct dp_proto *proto, uint32_t field, const char *text)
{
	size_t length = strlen(text);
	unsigned char *at;

	write_key(proto, field, LENGTH);
	write_varint(proto, length);
	at = grow(proto, length);
	if (at && length)
		memcpy(at, text, length);
}

size_t dp_proto__open(struct dp_proto *proto, uint32_t field)
{
	write_key(proto, field, LENGTH);
	return proto->used;
}

/*
 * The length precedes the message in as few bytes as it takes: messages are small, so moving them
 * is cheap.
 */
void dp_proto__close(struct dp_proto *proto, size_t opened)
{
	unsigned char bytes[MOST];
	size_t length = proto->used - opened, n = encode(bytes, length);

	if (!grow(proto, n))
		return;
	memmove(proto->bytes + opened + n, proto->bytes + opened, length);
	memcpy(proto->bytes + opened, bytes, n);
}
