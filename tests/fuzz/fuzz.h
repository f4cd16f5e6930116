/*
 * Shared by the fuzz targets. A target is fuzz_<word>.c with LLVMFuzzerTestOneInput(), and its word
 * in the list in meson.build; corpus/<word>/ has its initial inputs.
 */
#ifndef DP_FUZZ_H
#define DP_FUZZ_H

#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Runs a streaming importer over the bytes in memory and checks the trace. Returns it, or NULL if
 * there is none. The caller frees it with dp_trace_free().
 */
struct dp_trace *fuzz_trace(const struct dp_importer *importer, const uint8_t *data, size_t size);

/* The same, and frees it. */
void fuzz_stream(const struct dp_importer *importer, const uint8_t *data, size_t size);

/*
 * Runs an importer that opens its file by name: the bytes go to a file that exists in memory only,
 * those behind a mark of mutate.h to one next to it.
 */
void fuzz_file(const struct dp_importer *importer, const uint8_t *data, size_t size);

/* The same for an existing file. */
void fuzz_path(const struct dp_importer *importer, const char *path);

#endif
