/* rocprofv3's CSV. */
#include "fuzz.h"

extern const struct dp_importer dp_importer__rocprofv3_csv;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_stream(&dp_importer__rocprofv3_csv, data, size);
	return 0;
}
