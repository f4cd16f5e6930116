/* The spool's reader, and salvage of what a killed process left in its pool. */
#include "mutate.h"
#include "spool/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "broken: %s\n", #condition), abort()))

static uint64_t drain(struct dp_spool *spool, size_t size)
{
	struct dp_spool_record record;
	uint64_t records = 0;
	size_t length;
	int status;

	while (!(status = dp_spool__next(spool, &record))) {
		const char *text = "";

		HOLDS(record.type > 0 && record.type < DP_SPOOL_TYPE_COUNT);
		if (record.type == DP_SPOOL_KERNEL)
			text = dp_spool__string(spool, record.kernel.name, &length);
		else if (record.type == DP_SPOOL_NVTX)
			text = dp_spool__string(spool, record.nvtx.blob, &length);
		else
			text = dp_spool__string(spool, record.info.value, &length);
		HOLDS(length <= DP_SPOOL_STRING_LIMIT && !text[length]);
		records++;
	}
	/* No byte yields more than one record, not counting sums and losses. */
	HOLDS(records <= size + DP_SPOOL_KINDS + DP_LOSS_REASONS);
	HOLDS(status == DP_SPOOL_END || status == DP_SPOOL_IO || status == DP_SPOOL_NO_MEMORY);
	return records;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dp_spool *spool = NULL;
	int spool_fd, pool_fd;

	fuzz_spool_files(data, size, &spool_fd, &pool_fd);
	if (!dp_spool__open(&spool, spool_fd)) {
		drain(spool, size);
		if (pool_fd >= 0 && !dp_spool__salvage(spool, pool_fd))
			drain(spool, size);
		dp_spool__close(spool);
	}
	if (pool_fd >= 0)
		close(pool_fd);
	close(spool_fd);
	return 0;
}
