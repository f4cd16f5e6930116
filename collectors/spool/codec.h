/*
 * Encodes records as bytes and decodes them. One table (codec.c) drives both directions, so that
 * they cannot differ.
 *
 * A record is its type, a mask with a bit for each field (of as many bytes as the fields need), and
 * the fields whose bit is set. A bit is clear if the field is 0 or, for fields that repeat, equal
 * to that in the last record of the type. Numbers are LEB128; those that may be negative are zigzag
 * coded. Times are stored as the difference to the last record of that type in the chunk, the other
 * times of a record as the difference to the previous one. All state of the decoder starts from 0
 * with each chunk, except the dictionaries.
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

/* Defines a string. bytes has no final NUL; alias: the id is known, the pointer new. */
struct dp_codec_string {
	uint32_t id;
	bool alias;
	uint64_t pointer; /* 0: none */
	const char *text;
	size_t bytes;
};

/* Ids in the dictionaries, as which a place and a shape are encoded. */
struct dp_codec_ids {
	uint32_t place;
	uint32_t shape;
};

/* The record's place and shape, NULL if the type has none. */
struct dp_spool_place *dp_codec__place(struct dp_spool_record *record);
struct dp_spool_shape *dp_codec__shape(struct dp_spool_record *record);

/* Encodes at most DP_CODEC_LONGEST bytes; returns their end. */
uint8_t *dp_codec__encode(struct dp_codec_state *state, uint8_t *out,
			  const struct dp_spool_record *record, const struct dp_codec_ids *ids);

/*
 * Decodes the record at *p, which includes the byte of its type. Returns false if the bytes are not
 * a record. The caller resolves places and shapes.
 */
bool dp_codec__decode(struct dp_codec_state *state, const uint8_t **p, const uint8_t *end,
		      struct dp_spool_record *record, struct dp_codec_ids *ids);

/* Encode definitions, with the byte of their type. Strings need 32 bytes more than their text. */
uint8_t *dp_codec__put_string(uint8_t *out, const struct dp_codec_string *string);
bool dp_codec__get_string(const uint8_t **p, const uint8_t *end, struct dp_codec_string *out);
uint8_t *dp_codec__put_place(uint8_t *out, uint32_t id, const struct dp_spool_place *place);
bool dp_codec__get_place(const uint8_t **p, const uint8_t *end, uint32_t *id,
			 struct dp_spool_place *place);
uint8_t *dp_codec__put_shape(uint8_t *out, uint32_t id, const struct dp_spool_shape *shape);
bool dp_codec__get_shape(const uint8_t **p, const uint8_t *end, uint32_t *id,
			 struct dp_spool_shape *shape);

#endif
