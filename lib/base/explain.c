#include "base/explain.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 600, NUMBER_MAX = 40, SHOWN_MAX = 40 };

/* Writes 1234567 as "1,234,567". */
static void write_count(char *out, double value)
{
	char digits[NUMBER_MAX];
	int n = snprintf(digits, sizeof(digits), "%.0f", value), used = 0;

	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-')
			out[used++] = ',';
		out[used++] = digits[i];
	}
	out[used] = '\0';
}

static void write_value(char *out, const struct dp_stage_fact *fact)
{
	char digits[DP_TEXT_SIZE];

	if (!isfinite(fact->value) || fabs(fact->value) > 1e18)
		snprintf(out, NUMBER_MAX, "%s", dp_text__digits(digits, fact->value, 6));
	else if (!strcmp(fact->unit, "1"))
		snprintf(out, NUMBER_MAX, "%s%%", dp_text__fixed(digits, fact->value * 100, 1));
	else if (!strcmp(fact->unit, "log-odds"))
		snprintf(out, NUMBER_MAX, "%s%s", fact->value >= 0 ? "+" : "",
			 dp_text__fixed(digits, fact->value + 0.0, 2)); /* -0 is 0 */
	else if (fact->value != floor(fact->value) && fabs(fact->value) < 100)
		snprintf(out, NUMBER_MAX, "%s", dp_text__fixed(digits, fact->value, 1));
	else
		write_count(out, fact->value);
}

/* Returns the fact with this name, NULL if there is none. */
static const struct dp_stage_fact *named(const struct dp_stage_fact *facts, const char *text,
					 size_t length)
{
	for (; facts->name; facts++)
		if (strlen(facts->name) == length && !strncmp(facts->name, text, length))
			return facts;
	return NULL;
}

/* Writes the noun behind a number; "symbol" becomes what a symbol is. */
static void write_noun(char *out, size_t size, const char *noun, int length,
		       const struct dp_explain_names *names)
{
	if (length == (int)strlen("symbol") && !strncmp(noun, "symbol", (size_t)length))
		snprintf(out, size, "%s", names->noun ? names->noun : "kernel");
	else
		snprintf(out, size, "%.*s", length, noun);
}

/*
 * Replaces "{name}" or "{name:noun}" at the beginning of text. Returns its length in text, 0 if
 * there is none.
 */
static size_t replace(char *out, size_t size, const char *text, const struct dp_stage_fact *facts,
		      const struct dp_explain_names *names)
{
	size_t name = strcspn(text + 1, ":}"), all = 1 + strcspn(text, "}");
	const struct dp_stage_fact *fact = named(facts, text + 1, name);
	char number[2 * NUMBER_MAX], noun[NUMBER_MAX];

	if (!fact || text[all - 1] != '}')
		return 0;
	write_value(number, fact);
	if (text[1 + name] == ':') {
		write_noun(noun, sizeof(noun), text + name + 2, (int)(all - name - 3), names);
		dp_text__counted(out, size, number, noun);
	} else {
		snprintf(out, size, "%s", number);
	}
	return all;
}

/* Replaces names by values; cuts what does not fit. */
static void fill_in(char out[TEXT_MAX], const char *text, const struct dp_stage_fact *facts,
		    const struct dp_explain_names *names)
{
	size_t used = 0, length;

	while (*text && used + 1 < TEXT_MAX) {
		length =
			*text == '{' ? replace(out + used, TEXT_MAX - used, text, facts, names) : 0;
		if (length) {
			used += strlen(out + used);
			text += length;
		} else {
			out[used++] = *text++;
		}
	}
	out[used] = '\0';
}

static void keep(struct dp_explain *explain, const char *stage, const struct dp_stage_fact *facts,
		 const char *text)
{
	struct dp_explanation entry = { explain->stream, stage, NULL, 0, NULL };
	struct dp_stage_fact *copy;
	char *kept;

	while (facts[entry.fact_count].name)
		entry.fact_count++;
	copy = dp_alloc__array(entry.fact_count, sizeof(*copy));
	kept = dp_alloc__array(strlen(text) + 1, 1);
	if (!copy || !kept ||
	    dp_array__reserve(&explain->entries, &explain->room, explain->count + 1,
			      sizeof(*explain->entries))) {
		free(copy);
		free(kept);
		explain->status = DP_ERR_NOMEM;
		return;
	}
	memcpy(copy, facts, entry.fact_count * sizeof(*copy));
	strcpy(kept, text);
	entry.facts = copy;
	entry.text = kept;
	explain->entries[explain->count++] = entry;
}

void dp_explain__add(struct dp_explain *explain, const char *stage,
		     const struct dp_stage_fact *facts, const char *format, ...)
{
	char text[TEXT_MAX], filled[TEXT_MAX];
	va_list args;

	if (!explain || explain->status)
		return;
	if (explain->count - explain->first >= DP_EXPLAIN_MOST) {
		explain->left_out++;
		return;
	}
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fill_in(filled, text, facts, &explain->names);
	keep(explain, stage, facts, filled);
}

/* The length of a namespace without a name, as compilers and Nsight Systems write it, or 0. */
static size_t unnamed_at(const char *text)
{
	static const char *const forms[] = { "(anonymous namespace)::", "<unnamed>::" };

	for (size_t i = 0; i < DP_COUNT(forms); i++)
		if (!strncmp(text, forms[i], strlen(forms[i])))
			return strlen(forms[i]);
	return 0;
}

/* Returns a function's own name, without "void ", namespaces, template arguments and parameters. */
static size_t function_of(const char **name)
{
	const char *at = *name, *last;
	size_t length, unnamed;

	if (!strncmp(at, "void ", 5))
		at += 5;
	while ((unnamed = unnamed_at(at + (length = strcspn(at, "<(")))))
		at += length + unnamed;
	last = at;
	for (size_t i = 0; i + 2 < length; i++)
		if (at[i] == ':' && at[i + 1] == ':')
			last = at + i + 2;
	*name = last;
	return length - (size_t)(last - at);
}

/* Writes a name from a file as plain text between two characters. */
static const char *show(struct dp_explain *explain, const char *name, size_t length, char open,
			char close)
{
	char *out = explain->shown[explain->shown_next];
	bool cut = length > SHOWN_MAX;

	explain->shown_next = !explain->shown_next;
	snprintf(out, sizeof(explain->shown[0]), " %c%.*s%s%c", open,
		 (int)(cut ? SHOWN_MAX - 3 : length), name, cut ? "..." : "", close);
	for (char *at = out; *at; at++)
		if (*at < ' ' || *at > '~' || *at == '{')
			*at = '?';
	return out;
}

const char *dp_explain__quote(struct dp_explain *explain, const char *name)
{
	return explain && name ? show(explain, name, strlen(name), '\'', '\'') : "";
}

const char *dp_explain__name(struct dp_explain *explain, size_t position)
{
	const char *name;
	size_t length;

	if (!explain || !explain->names.at)
		return "";
	name = explain->names.at(explain->names.ctx, position);
	if (!name)
		return "";
	length = function_of(&name);
	return show(explain, name, length, '(', ')');
}

const char *dp_explain__collapsed_at(const void *ctx, size_t position)
{
	const struct dp_explain_collapsed *collapsed = ctx;
	const struct dp_explain_names *before = &collapsed->before;

	return before->at ? before->at(before->ctx, collapsed->position[position]) : NULL;
}

struct dp_explain_names dp_explain__rename(struct dp_explain *explain,
					   struct dp_explain_names names)
{
	struct dp_explain_names before = { 0 };

	if (explain) {
		before = explain->names;
		explain->names = names;
	}
	return before;
}

void dp_explain__begin(struct dp_explain *explain, uint32_t stream)
{
	if (!explain)
		return;
	explain->stream = stream;
	explain->first = explain->count;
	explain->left_out = 0;
}

void dp_explain__end(struct dp_explain *explain)
{
	double left_out = explain ? (double)explain->left_out : 0;

	if (left_out <= 0)
		return;
	explain->first = explain->count;
	dp_explain__add(explain, "left-out", DP_FACTS({ "entries", "count", left_out }),
			"{entries} further entries are left out");
}

void dp_explain__fini(struct dp_explain *explain)
{
	for (size_t i = 0; i < explain->count; i++) {
		free((char *)explain->entries[i].text);
		free((struct dp_stage_fact *)explain->entries[i].facts);
	}
	free(explain->entries);
}
