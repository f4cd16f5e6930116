/*
 * Mutations that know a format's grammar. A format's target names its grammar in meson.build; a
 * grammar is one file, mutate_<grammar>.c, with fuzz_grammar(). Both kinds of fuzzer call it for
 * half of their mutations, and flip and splice bytes for the others.
 */
#ifndef DP_FUZZ_MUTATE_H
#define DP_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* A file that lies next to a database follows it in an input, behind one of these. */
#define FUZZ_WAL "\n==== write-ahead log\n"
#define FUZZ_JOURNAL "\n==== rollback journal\n"

/* What is mutated, in room bytes. The same seed makes the same mutation. */
struct fuzz_input {
	uint8_t *data;
	size_t size;
	size_t room;
	uint64_t state; /* of the random numbers */
};

/* Changes the input once, as its grammar has it; may leave it as it is where it has no grammar. */
void fuzz_grammar(struct fuzz_input *input);

uint64_t fuzz_next(struct fuzz_input *input);

/* Below limit; 0 where that is 0. */
size_t fuzz_below(struct fuzz_input *input, size_t limit);

/* A number of those at the ends of types and ranges, or near another's. */
int64_t fuzz_number(struct fuzz_input *input);

/* The text of one, or of what is none. Static, or in buf. */
const char *fuzz_number_text(struct fuzz_input *input, char buf[64]);

/* Replaces length bytes at a place by count others; does nothing where there is no room. */
void fuzz_splice(struct fuzz_input *input, size_t at, size_t length, const void *bytes,
		 size_t count);

/*
 * Of mutate_spool.c. An input is a spool, and from where a pool's magic is, if anywhere, a pool.
 * Makes a file of each; *pool is -1 where there is none. The spool's checksums are set right: they
 * are for accidents, not for enemies. The caller closes both.
 */
void fuzz_spool_files(const uint8_t *data, size_t size, int *spool, int *pool);

#endif
