/*
 * The interface of importers. An importer is one file with one struct dp_importer named
 * dp_importer__<word>, and its word in the list in lib/import/meson.build.
 */
#ifndef DP_IMPORT_IMPORT_H
#define DP_IMPORT_IMPORT_H

#include "base/base.h"
#include "import/input.h"
#include "trace/builder.h"

/* The input of a probe. */
struct dp_probe {
	const char *path; /* can be opened; "-" for standard input */
	const char *head; /* first bytes of the content, decompressed */
	size_t length;
};

/* Returns true if the text is in the first 16 KiB. */
bool dp_probe__contains(const struct dp_probe *probe, const char *text);

/* An import in progress. */
struct dp_import {
	const char *path;
	struct dp_input *input;
	struct dp_builder *builder;
	const struct dp_open_options *options; /* never NULL, complete */
	struct dp_error *error;
};

struct dp_importer {
	struct dp_format_info info; /* help in one line: "Nsight Systems SQLite export" */
	bool database;		    /* SQLite: read() opens import->path itself */
	const char *how_to_record;  /* advice if a trace has no GPU activity, unless read() sets
				       other; or NULL */
	const char *how_to_get_kernels; /* the same if launches are recorded; or NULL */
	/*
	 * Returns how certain it is that it can read the content: 0 (no) to 100, or DP_ERR_NOMEM.
	 * Cheap; sets no error.
	 */
	int (*probe)(const struct dp_probe *probe);
	/*
	 * Passes everything to the builder. Damage after the first valid record is a loss
	 * (dp_builder__loss()), and read() succeeds. Otherwise it returns a status and sets
	 * import->error to one clear line with the line or table; the caller adds the path.
	 */
	int (*read)(struct dp_import *import);
};

/* Reports progress; call it about once per 1 MiB or 10,000 rows. */
void dp_import__progress(const struct dp_import *import, uint64_t done, uint64_t total);

/* Returns an importer of the table, NULL beyond its end. */
const struct dp_importer *dp_importer__at(size_t index);

#endif
