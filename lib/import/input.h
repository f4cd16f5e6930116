/* The bytes of a trace file, decompressed on the way: what the streaming importers read. */
#ifndef DP_IMPORT_INPUT_H
#define DP_IMPORT_INPUT_H

#include "base/base.h"

struct dp_input;

/* Opens path ("-": standard input) and reads its beginning. Errors: DP_ERR_IO, DP_ERR_NOMEM. */
int dp_input__open(struct dp_input **input, const char *path, struct dp_error *error);

/* Opens length bytes in memory, borrowed until the input is closed. Errors: DP_ERR_NOMEM. */
int dp_input__memory(struct dp_input **input, const void *bytes, size_t length,
		     struct dp_error *error);

void dp_input__close(struct dp_input *input);

/* Returns the first *length bytes of the (decompressed) content, at most 64 KiB. Borrowed. */
const char *dp_input__head(const struct dp_input *input, size_t *length);

/*
 * Reads up to size bytes, beginning with the head; *got is 0 at the end. A gzip stream that ends
 * early or is damaged ends there too, and dp_input__damage() reports it: the bytes before are
 * valid.
 */
int dp_input__read(struct dp_input *input, void *buf, size_t size, size_t *got,
		   struct dp_error *error);

/*
 * Skips bytes of the content, without reading them if the file allows that. *passed is less than
 * bytes at the end.
 */
int dp_input__skip(struct dp_input *input, uint64_t bytes, uint64_t *passed,
		   struct dp_error *error);

/* Returns why the compressed content ended early, NULL if it did not. Static. */
const char *dp_input__damage(const struct dp_input *input);

bool dp_input__is_gzip(const struct dp_input *input);

/* Position and size in the file on disk, for progress; size 0: unknown. */
uint64_t dp_input__position(const struct dp_input *input);
uint64_t dp_input__size(const struct dp_input *input);

#endif
