/*
 * Names of XLA's ranges. XLA encodes what a range is about into its name, as TraceMe does in TSL:
 * "XlaModule:#hlo_module=jit_step,program_id=7#". Numbers in it differ from program to program, and
 * most of the text is the same in all ranges.
 */
#ifndef DP_IMPORT_XLA_NAME_H
#define DP_IMPORT_XLA_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns false if the text (up to a NUL) is certainly no such name. Cost: constant. */
bool dp_xla_name__is_likely(const char *text);

/*
 * Writes a range's plain name, which is shorter than its text: of XlaModule the module, of Thunk
 * the framework's operator or else XLA's, of other kinds "XlaPass: NAME" with a name or a module.
 * Returns its length, or 0 if the text does not have exactly this form or lacks these values. No
 * NUL ends text or name. Cost: linear in the text.
 */
size_t dp_xla_name__plain(char *plain, const char *text, size_t length);

enum { DP_XLA_STEP_SIZE = 112 };

/*
 * Writes the name of a step, "0" or "train 7", with the prefix that it is known by as a step
 * (sequence/marks.h); number, "3 " or "", comes first. A long name is cut. Returns the length.
 */
size_t dp_xla_name__step(char step[DP_XLA_STEP_SIZE], const char *number, const char *name,
			 size_t length);

#endif
