/*
 * Functions of a 64-bit ELF file. The file may be anything: offsets, counts and sizes are checked
 * against its length.
 */
#ifndef DP_RECORD_ELF_H
#define DP_RECORD_ELF_H

#include "base/base.h"

struct dp_elf_function {
	uint64_t address;
	uint32_t bytes;
	uint32_t name; /* offset in the string table */
};

/* What is mapped to be executed. */
struct dp_elf_segment {
	uint64_t offset, address, bytes;
};

/* Linkers make one or two; later ones would have no names. */
enum { DP_ELF_SEGMENTS = 8 };

/* Zeroed storage has no functions. */
struct dp_elf {
	struct dp_elf_function *functions; /* by address */
	size_t count, room;
	struct dp_elf_segment segments[DP_ELF_SEGMENTS];
	size_t segment_count;
	uint64_t names, name_bytes; /* where the string table is in the file */
};

/*
 * Reads the functions of a file, of .symtab or, without it, of .dynsym; none if it is not an ELF
 * file of this machine. The caller releases elf with fini, also after a failure. Errors:
 * DP_ERR_NOMEM. Cost: n log n in its symbols.
 */
int dp_elf__read(struct dp_elf *elf, int fd);
void dp_elf__fini(struct dp_elf *elf);

/* Returns the function at an offset in the file, or NULL. Cost: logarithmic. */
const struct dp_elf_function *dp_elf__find(const struct dp_elf *elf, uint64_t offset);

/* Reads a function's name from the same file. Returns false if it has none. */
bool dp_elf__name(const struct dp_elf *elf, int fd, const struct dp_elf_function *function,
		  char *name, size_t size);

#endif
