/* nsys's SQLite export. */
#include "fuzz.h"

extern const struct dp_importer dp_importer__nsys;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_file(&dp_importer__nsys, data, size);
	return 0;
}
