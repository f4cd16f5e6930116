/* TensorFlow's timeline. */
#include "fuzz.h"

extern const struct dp_importer dp_importer__tf_timeline;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_stream(&dp_importer__tf_timeline, data, size);
	return 0;
}
