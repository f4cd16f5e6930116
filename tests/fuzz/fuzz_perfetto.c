/* Perfetto's traces. */
#include "fuzz.h"

extern const struct dp_importer dp_importer__perfetto;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_stream(&dp_importer__perfetto, data, size);
	return 0;
}
