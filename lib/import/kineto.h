/* Reads Kineto's JSON, and that of tools whose files are Chrome traces too. */
#ifndef DP_IMPORT_KINETO_H
#define DP_IMPORT_KINETO_H

#include "import/import.h"

/* Like the read() of an importer. */
int dp_kineto__read(struct dp_import *import);

#endif
