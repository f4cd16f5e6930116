/* Recognizes files that no importer reads, to report what they are and what to do. */
#ifndef DP_IMPORT_LOOKS_H
#define DP_IMPORT_LOOKS_H

#include "import/import.h"

/* If the content is recognized, sets error and returns its status; otherwise returns DP_OK. */
int dp_looks__refuse(const struct dp_probe *probe, struct dp_error *error);

#endif
