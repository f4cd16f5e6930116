/* Which part of the files one of several processes reduces. */
#ifndef DP_CLI_REDUCE_SHARD_H
#define DP_CLI_REDUCE_SHARD_H

#include "ranks_files.h"

#include <stdint.h>

struct reduce_shard {
	uint64_t index; /* below count */
	uint64_t count; /* 0: a launcher that tells only the index */
	const char *variable; /* of the launcher; NULL: not from one */
};

/* All files. */
#define REDUCE_SHARD_ALL  \
	{                 \
		0, 1, NULL \
	}

/* "2/8": the second of eight. False where it is something else. */
bool reduce_shard_parse(struct reduce_shard *shard, const char *text);

/*
 * By the variables that Open MPI, MPICH (PMI, PMIx), MVAPICH, Slurm and Kubernetes set; all files
 * without any. Returns false after printing the error.
 */
bool reduce_shard_detect(struct reduce_shard *shard);

/*
 * Keeps the files of a shard: each process has every count-th. Where the number of processes is not
 * known it has all, from a place of its own on: each skips what others have reduced.
 */
void reduce_shard_keep(const struct reduce_shard *shard, struct ranks_files *files);

#endif
