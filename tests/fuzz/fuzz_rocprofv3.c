/* rocprofv3's JSON. */
#include "fuzz.h"

extern const struct dp_importer dp_importer__rocprofv3;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_stream(&dp_importer__rocprofv3, data, size);
	return 0;
}
