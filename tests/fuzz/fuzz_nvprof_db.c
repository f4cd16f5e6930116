/* nvprof's database. */
#include "fuzz.h"

extern const struct dp_importer dp_importer__nvprof_db;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_file(&dp_importer__nvprof_db, data, size);
	return 0;
}
