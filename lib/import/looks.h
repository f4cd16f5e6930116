/* What files look like that no importer reads: to say so, and what to do. */
#ifndef DP_IMPORT_LOOKS_H
#define DP_IMPORT_LOOKS_H

#include "import/import.h"

/* Sets error and returns its status where the content is known, else DP_OK. */
int dp_looks__refuse(const struct dp_probe *probe, struct dp_error *error);

#endif
