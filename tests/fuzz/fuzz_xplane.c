/* XSpaces. They are read twice, so they need a file. */
#include "fuzz.h"

extern const struct dp_importer dp_importer__xplane;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_file(&dp_importer__xplane, data, size);
	return 0;
}
