/* What Nsight Systems reports about its own recording. */
#ifndef DP_IMPORT_NSYS_DIAGNOSTICS_H
#define DP_IMPORT_NSYS_DIAGNOSTICS_H

#include "import/database.h"
#include "trace/builder.h"

/*
 * Passes the most informative warning or error about CUDA to the builder as the reason why there is
 * no GPU activity (dp_builder__explain_no_gpu()).
 */
int dp_nsys__explain_no_gpu(struct dp_database *database, struct dp_builder *builder);

#endif
