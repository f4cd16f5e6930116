/* Helpers for JSON. Keys are deepprof's own and need no escapes. */
#ifndef DP_REPORT_JSON_TEXT_H
#define DP_REPORT_JSON_TEXT_H

#include "report/report.h"

/*
 * Writes a text in quotes. Whatever a name contains, the result is valid UTF-8 without control
 * characters, line separators and marks that change the direction of writing.
 */
enum dp_json_style {
	DP_JSON_PLAIN,
	DP_JSON_IN_SCRIPT, /* also without '<', '>' and '&' */
	DP_JSON_MARKED,	   /* U+FFFD as an escape */
};
void dp_json_text__write(struct dp_render *render, const char *text, size_t length,
			 enum dp_json_style style);

void dp_json_text__string(struct dp_render *render, const char *text);

/*
 * Long names are listed once in full and cut elsewhere. A format that repeats an event's name with
 * each event turns a trace of a few MB with names of 50,000 bytes into 500 MB. Names are cut if
 * their bytes beyond DP_LONG_NAME come to more than DP_LONG_NAME_EXCESS times the trace in memory.
 * Recorded kernel names have up to 5,000 bytes, and few more than 1,024: their excess is less than
 * the trace itself.
 */
enum { DP_LONG_NAME = 1024, DP_LONG_NAME_EXCESS = 16, DP_LONG_NAME_CUT = DP_LONG_NAME + 32 };

bool dp_long_name__is(const char *name);

/* Writes the beginning of a long name, made unique by its number, to cut, and returns cut. */
const char *dp_long_name__cut(char cut[DP_LONG_NAME_CUT], const char *name, uint32_t number);

/*
 * A value of dp_json__put(). Null stands for an identifier below 0, a count of 0 where that means
 * unknown, a number that is not finite, and NULL.
 */
struct dp_json_value {
	enum { DP_JSON_INTEGER, DP_JSON_COUNT, DP_JSON_NUMBER, DP_JSON_TEXT, DP_JSON_RAW } kind;
	enum dp_json_style style;
	int64_t integer;
	uint64_t count; /* of a text: its length */
	double number;
	const char *text; /* of a number: its unit */
};

static inline struct dp_json_value dp_json__raw(const char *text)
{
	return (struct dp_json_value){ .kind = DP_JSON_RAW, .text = text };
}

static inline struct dp_json_value dp_json__int(int64_t value)
{
	return (struct dp_json_value){ .kind = DP_JSON_INTEGER, .integer = value };
}

static inline struct dp_json_value dp_json__id(int64_t id)
{
	return id < 0 ? dp_json__raw("null") : dp_json__int(id);
}

static inline struct dp_json_value dp_json__count(uint64_t count)
{
	return (struct dp_json_value){ .kind = DP_JSON_COUNT, .count = count };
}

static inline struct dp_json_value dp_json__known(uint64_t count)
{
	return count ? dp_json__count(count) : dp_json__raw("null");
}

static inline struct dp_json_value dp_json__real(double number, const char *unit)
{
	return (struct dp_json_value){ .kind = DP_JSON_NUMBER, .number = number, .text = unit };
}

static inline struct dp_json_value dp_json__bool(bool value)
{
	return dp_json__raw(value ? "true" : "false");
}

static inline struct dp_json_value dp_json__comma(bool follows)
{
	return dp_json__raw(follows ? "," : "");
}

struct dp_json_value dp_json__text(const char *text);

/*
 * Writes a template in which each % stands for the next value and each ' for a quotation mark:
 * dp_json__put(render, "{ 'name': %, 'id': % }", dp_json__text(name), dp_json__id(id)).
 */
#define dp_json__put(render, template, ...)                                              \
	dp_json__values(render, template, (const struct dp_json_value[]){ __VA_ARGS__ }, \
			sizeof((const struct dp_json_value[]){ __VA_ARGS__ }) /          \
				sizeof(struct dp_json_value))
void dp_json__values(struct dp_render *render, const char *template,
		     const struct dp_json_value *values, size_t count);

/*
 * Writes what is known of an analyzed stream without a loop, as a member of its object; nothing for
 * other streams.
 */
void dp_json__candidate(struct dp_render *render, size_t stream);

/* Writes what a loop waited for, as members of its object. */
void dp_json__waits(struct dp_render *render, size_t loop);

#endif
