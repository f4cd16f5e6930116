/*
 * The seam of the importers. An importer is one file with one struct dp_importer named
 * dp_importer__<word>, and its word in the list in lib/import/meson.build.
 */
#ifndef DP_IMPORT_IMPORT_H
#define DP_IMPORT_IMPORT_H

#include "base/base.h"
#include "import/input.h"
#include "trace/builder.h"

/* What a probe sees. */
struct dp_probe {
	const char *path; /* a file that can be opened by name; "-" for standard input */
	const char *head; /* first bytes of the content, decompressed */
	size_t length;
};

/* Is the text among the first 16 KiB? */
bool dp_probe__contains(const struct dp_probe *probe, const char *text);

/* One import under way. */
struct dp_import {
	const char *path;
	struct dp_input *input;
	struct dp_builder *builder;
	const struct dp_open_options *options; /* never NULL, complete */
	struct dp_error *error;
};

struct dp_importer {
	struct dp_format_info info; /* help in one line: "Nsight Systems SQLite export" */
	bool database;		    /* read() opens import->path by itself: SQLite */
	const char *how_to_record;  /* GPU activity, where a trace has none; or NULL */
	/*
	 * How sure it is that the content is its own: 0 (no) to 100, or DP_ERR_NOMEM. Cheap;
	 * sets no error.
	 */
	int (*probe)(const struct dp_probe *probe);
	/*
	 * Pushes everything into the builder. Damage after the first good record is a loss
	 * (dp_builder__loss()) and success; otherwise a status with import->error set to
	 * one clear line with line, or table. Path is added by the caller.
	 */
	int (*read)(struct dp_import *import);
};

/* Tells the caller how far it is; call it about once per 1 MiB or 10,000 rows. */
void dp_import__progress(const struct dp_import *import, uint64_t done, uint64_t total);

/* The table of importers, NULL beyond the end. */
const struct dp_importer *dp_importer__at(size_t index);

#endif
