/* JSON written as it goes, two spaces a level. */
#ifndef DP_CLI_JSON_H
#define DP_CLI_JSON_H

#include "output.h"

struct json {
	struct output *output;
	unsigned depth;
	bool follows; /* a value stands before the next one */
};

/* key is NULL inside arrays. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_put_integer(struct json *json, const char *key, int64_t value);
void json_put_count(struct json *json, const char *key, uint64_t value);
void json_put_null(struct json *json, const char *key);
/* text is UTF-8; NULL is null. */
void json_put_text(struct json *json, const char *key, const char *text);
/* Six digits after the point. */
void json_put_real(struct json *json, const char *key, double value);

#endif
