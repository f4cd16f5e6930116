/* Logs of the NCCL Inspector. */
#include "fuzz.h"

extern const struct dp_importer dp_importer__nccl_inspector;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_stream(&dp_importer__nccl_inspector, data, size);
	return 0;
}
