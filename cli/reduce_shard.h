/* Selects the files that one of several processes reduces. */
#ifndef DP_CLI_REDUCE_SHARD_H
#define DP_CLI_REDUCE_SHARD_H

#include "ranks_files.h"

#include <stdint.h>

struct reduce_shard {
	uint64_t index; /* below count */
	uint64_t count; /* 0: the launcher sets only the index */
	const char *variable; /* of the launcher; NULL: none */
};

/* All files. */
#define REDUCE_SHARD_ALL  \
	{                 \
		0, 1, NULL \
	}

/* Reads "2/8": the second of eight. Returns false for other texts. */
bool reduce_shard_parse(struct reduce_shard *shard, const char *text);

/*
 * Detects the shard by the variables of Open MPI, MPICH (PMI, PMIx), MVAPICH, Slurm and Kubernetes;
 * all files without any. Returns false after printing the error.
 */
bool reduce_shard_detect(struct reduce_shard *shard);

/*
 * Keeps the files of a shard: each process has every count-th. If the number of processes is
 * unknown, it has all files, from its own start: each process skips what others have reduced.
 */
void reduce_shard_keep(const struct reduce_shard *shard, struct ranks_files *files);

#endif
