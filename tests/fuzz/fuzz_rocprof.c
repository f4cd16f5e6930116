/* rocprof's CSV. */
#include "fuzz.h"

extern const struct dp_importer dp_importer__rocprof;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_stream(&dp_importer__rocprof, data, size);
	return 0;
}
