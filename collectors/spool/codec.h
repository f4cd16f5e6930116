/*
 * Records to bytes and back. One table (codec.c) drives both directions, so that they can't differ.
 *
 * A record is its type, a mask with a bit for each field (of as many bytes as the fields need), and
 * the fields whose bit is set. A bit is clear where the field is 0, or, of fields that repeat, what
 * it was in the last record of the type. Numbers are LEB128; what may be negative is zigzag coded.
 * Times are kept as the difference to the last record's of that type in the chunk, the other times
 * of a record as the difference to the one before. All that a chunk's decoding remembers starts
 * from 0 with the chunk, but the dictionaries.
 */
#ifndef DP_SPOOL_CODEC_H
#define DP_SPOOL_CODEC_H

#include "spool/spool.h"

/* The longest encoded record that is not a string. */
#define DP_CODEC_LONGEST 512u

#define DP_CODEC_FIELDS 24

struct dp_codec_state {
	uint64_t last[DP_SPOOL_TYPE_COUNT][DP_CODEC_FIELDS];
};

/* A definition of a string. bytes is not ended by a 0; alias: the id is known, the pointer new. */
struct dp_codec_string {
	uint32_t id;
	bool alias;
	uint64_t pointer; /* 0: none */
	const char *text;
	size_t bytes;
};

/* Ids of the dictionaries: what a place and a shape are encoded as. */
struct dp_codec_ids {
	uint32_t place;
	uint32_t shape;
};

/* Where in the record the place and the shape lie, NULL where the type has none. */
struct dp_spool_place *dp_codec__place(struct dp_spool_record *record);
struct dp_spool_shape *dp_codec__shape(struct dp_spool_record *record);

/* Encodes, at most DP_CODEC_LONGEST bytes; gives the end. */
uint8_t *dp_codec__encode(struct dp_codec_state *state, uint8_t *out,
			  const struct dp_spool_record *record, const struct dp_codec_ids *ids);

/*
 * Decodes what starts at *p, its type's byte included. False where the bytes are not a record.
 * Places and shapes are left to the caller.
 */
bool dp_codec__decode(struct dp_codec_state *state, const uint8_t **p, const uint8_t *end,
		      struct dp_spool_record *record, struct dp_codec_ids *ids);

/* The definitions; the type's byte included. Strings need 32 bytes more than their text. */
uint8_t *dp_codec__put_string(uint8_t *out, const struct dp_codec_string *string);
bool dp_codec__get_string(const uint8_t **p, const uint8_t *end, struct dp_codec_string *out);
uint8_t *dp_codec__put_place(uint8_t *out, uint32_t id, const struct dp_spool_place *place);
bool dp_codec__get_place(const uint8_t **p, const uint8_t *end, uint32_t *id,
			 struct dp_spool_place *place);
uint8_t *dp_codec__put_shape(uint8_t *out, uint32_t id, const struct dp_spool_shape *shape);
bool dp_codec__get_shape(const uint8_t **p, const uint8_t *end, uint32_t *id,
			 struct dp_spool_shape *shape);

#endif
