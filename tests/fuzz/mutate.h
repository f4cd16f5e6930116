/*
 * Mutations that know a format's grammar. A format's target names its grammar in meson.build; a
 * grammar is one file, mutate_<grammar>.c, with fuzz_grammar(). Both kinds of fuzzer call it for
 * half of their mutations, and flip and splice bytes for the others.
 */
#ifndef DP_FUZZ_MUTATE_H
#define DP_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* In an input, a file that lies next to a database follows it after one of these marks. */
#define FUZZ_WAL "\n==== write-ahead log\n"
#define FUZZ_JOURNAL "\n==== rollback journal\n"

/* What is mutated, in room bytes. The same seed makes the same mutation. */
struct fuzz_input {
	uint8_t *data;
	size_t size;
	size_t room;
	uint64_t state; /* of the random numbers */
};

/*
 * Changes the input once by its grammar; may leave it as it is if it does not follow the grammar.
 */
void fuzz_grammar(struct fuzz_input *input);

uint64_t fuzz_next(struct fuzz_input *input);

/* A number below limit; 0 if that is 0. */
size_t fuzz_below(struct fuzz_input *input, size_t limit);

/* A number at the ends of types and ranges, or near another number. */
int64_t fuzz_number(struct fuzz_input *input);

/* The text of a number, or of something that is not one. Static, or in buf. */
const char *fuzz_number_text(struct fuzz_input *input, char buf[64]);

/* Replaces length bytes at a place by count others; does nothing if there is no room. */
void fuzz_splice(struct fuzz_input *input, size_t at, size_t length, const void *bytes,
		 size_t count);

/*
 * In mutate_spool.c. An input is a spool and, from a pool's magic number on, if any, a pool. Makes
 * a file of each; *pool is -1 if there is none. The spool's checksums are corrected, since they
 * guard against accidents, not attacks. The caller closes both.
 */
void fuzz_spool_files(const uint8_t *data, size_t size, int *spool, int *pool);

#endif
