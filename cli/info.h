/* Describes this program as text and as JSON. */
#ifndef DP_CLI_INFO_H
#define DP_CLI_INFO_H

#include "output.h"

void info_build_text(struct output *output);
void info_build_json(struct output *output);

#endif
