/* Shared by the files of sim-held. */
#ifndef SIM_HELD_H
#define SIM_HELD_H

#include <deepprof/deepprof.h>
#include <jansson.h>

extern int held_failures;

/* Prints an error if the two differ. */
void held_differ(const char *what, int64_t planted, int64_t found);

int64_t held_integer(const json_t *object, const char *key);

/* Whether the stream is the one that a stream or loop of the truth names. */
bool held_is_at(const struct dp_trace *trace, const struct dp_stream *stream, const json_t *place);

void held_check_metrics(const struct dp_trace *trace, const json_t *truth);

#endif
