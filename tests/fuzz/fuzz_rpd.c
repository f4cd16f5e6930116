/* RPD, rocmProfileData's database. */
#include "fuzz.h"

extern const struct dp_importer dp_importer__rpd;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_file(&dp_importer__rpd, data, size);
	return 0;
}
