/*
 * Names the code that processes run, while they run: by the files that they have mapped, and by the
 * perf map of code that was made at run time, such as Python's with PYTHONPERFSUPPORT=1.
 *
 * An address is looked up once: code that takes the place of unloaded code keeps the old names.
 *
 * Nothing that a process has mapped or written is trusted: files are opened only if they are
 * regular, and are the mapped ones or the process's user's.
 */
#ifndef DP_RECORD_CODE_H
#define DP_RECORD_CODE_H

#include "base/base.h"

#include <sys/types.h>

/* The files that processes have mapped; one file is read once for all of them. */
struct dp_code_files;

/* What a process has mapped. */
struct dp_mappings;

/* Longer names are cut off. */
#define DP_CODE_NAME_SIZE 1024
#define DP_CODE_MODULE_SIZE 256

struct dp_code_name {
	char name[DP_CODE_NAME_SIZE];	  /* as in the file: mangled; "": unknown */
	char module[DP_CODE_MODULE_SIZE]; /* the file's name without its folder; "": none */
};

/* Return NULL if memory runs out. folder: the process's in /proc; own_pid: in its namespace. */
struct dp_code_files *dp_code_files__new(void);
struct dp_mappings *dp_mappings__new(const char *folder, uint32_t own_pid);

/* NULL is allowed. */
void dp_code_files__free(struct dp_code_files *files);
void dp_mappings__free(struct dp_mappings *mappings);

/*
 * Names the code at an address. Returns false if the process has no code there that is known (yet).
 * Running out of memory leaves names unknown. Cost: logarithmic, except for what is read: a file
 * once, and for unknown addresses what the process has mapped, up to ten times a second.
 */
bool dp_code__find(struct dp_code_files *files, struct dp_mappings *mappings, uint64_t address,
		   struct dp_code_name *out);

#endif
