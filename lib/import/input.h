/* Bytes of a trace file, decompressed on the way: what the streaming importers read from. */
#ifndef DP_IMPORT_INPUT_H
#define DP_IMPORT_INPUT_H

#include "base/base.h"

struct dp_input;

/* Opens path ("-": standard input), looks into its beginning. Errors: DP_ERR_IO, DP_ERR_NOMEM. */
int dp_input__open(struct dp_input **input, const char *path, struct dp_error *error);

/* The same from length bytes at bytes, borrowed until the input is closed. Errors: DP_ERR_NOMEM. */
int dp_input__memory(struct dp_input **input, const void *bytes, size_t length,
		     struct dp_error *error);

void dp_input__close(struct dp_input *input);

/* The first bytes of the (decompressed) content, *length of them, 64 KiB at the most. Borrowed. */
const char *dp_input__head(const struct dp_input *input, size_t *length);

/*
 * Reads up to size bytes; the head comes again first. *got is 0 at the end. A gzip stream that
 * ends early or is damaged ends there too, and dp_input__damage() says so: what came before is
 * good.
 */
int dp_input__read(struct dp_input *input, void *buf, size_t size, size_t *got,
		   struct dp_error *error);

/*
 * Passes over bytes of the content, without reading them where the file allows that. *passed is
 * less than bytes at the end.
 */
int dp_input__skip(struct dp_input *input, uint64_t bytes, uint64_t *passed,
		   struct dp_error *error);

/* NULL, or why the compressed content ended before its end. Static. */
const char *dp_input__damage(const struct dp_input *input);

bool dp_input__is_gzip(const struct dp_input *input);

/* Position and size in the file as it lies on the disk, for progress; size 0: not known. */
uint64_t dp_input__position(const struct dp_input *input);
uint64_t dp_input__size(const struct dp_input *input);

#endif
