/* Describes this program: its version, how it was built, and everything in its tables. */
#include "info.h"
#include "tty.h"

#include <deepprof/deepprof.h>
#include <stdio.h>
#include <string.h>

/* Set by meson.build: what the library was compiled against. */
static const struct {
	const char *name;
	const char *version;
} libraries[] = { CLI_LIBRARIES };

/* A row of one of the tables. */
struct row {
	const char *name;
	const char *unit; /* of a metric, else NULL */
	const char *help;
	double threshold; /* of a rule that has one, else 0 */
};

static bool importer_at(size_t index, struct row *row)
{
	const struct dp_format_info *format = dp_format(index);

	if (format)
		*row = (struct row){ format->name, NULL, format->help, 0 };
	return format != NULL;
}

static bool renderer_at(size_t index, struct row *row)
{
	const struct dp_report_format *format = dp_report_format(index);

	if (format)
		*row = (struct row){ format->name, NULL, format->help, 0 };
	return format != NULL;
}

static bool metric_row(const struct dp_metric_info *metric, struct row *row)
{
	if (metric)
		*row = (struct row){ metric->name, metric->unit, metric->help, 0 };
	return metric != NULL;
}

static bool metric_at(size_t index, struct row *row)
{
	return metric_row(dp_metric(index), row);
}

static bool summary_at(size_t index, struct row *row)
{
	return metric_row(dp_summary_metric(index), row);
}

static bool rule_at(size_t index, struct row *row)
{
	const struct dp_rule_info *rule = dp_rule(index);

	if (rule)
		*row = (struct row){ rule->id, NULL, rule->help, rule->threshold };
	return rule != NULL;
}

static const struct {
	const char *name;
	bool (*at)(size_t index, struct row *row);
} tables[] = {
	{ "importers", importer_at },	   { "renderers", renderer_at }, { "metrics", metric_at },
	{ "summary_metrics", summary_at }, { "rules", rule_at },
};

enum {
	TABLES = sizeof(tables) / sizeof(tables[0]),
	LIBRARIES = sizeof(libraries) / sizeof(libraries[0])
};

/* Prints words in lines of the terminal's width, all but the first indented. */
static void print_words(struct output *output, const char *words, size_t indent)
{
	size_t width = tty_width(output->fd), used = indent;

	while (*words) {
		size_t length = strcspn(words, " "), gap = used > indent;

		if (gap && used + gap + length > width) {
			output_print(output, "\n%*s", (int)indent, "");
			used = indent;
			gap = 0;
		}
		output_print(output, "%*s%.*s", (int)gap, "", (int)length, words);
		used += gap + length;
		words += length + (words[length] == ' ');
	}
	output_print(output, "\n");
}

/* Returns the column behind the name: a metric's unit, a rule's threshold. */
static const char *unit_of(char *buf, size_t size, const struct row *row)
{
	if (!(row->threshold > 0))
		return !row->unit ? "" : strcmp(row->unit, "1") ? row->unit : "ratio";
	snprintf(buf, size, "%g%%", 100 * row->threshold);
	return buf;
}

static int longer(int width, const char *text)
{
	int length = text ? (int)strlen(text) : 0;

	return length > width ? length : width;
}

/* Prints rows of "  name  unit  help": columns are as wide as the longest entry in the table. */
static void print_table(struct output *output, size_t table)
{
	int name = 0, unit = 0, indent;
	char text[16];
	struct row row;

	output_print(output, "\n%s\n", tables[table].name);
	for (size_t i = 0; tables[table].at(i, &row); i++) {
		name = longer(name, row.name);
		unit = longer(unit, unit_of(text, sizeof(text), &row));
	}
	indent = 2 + name + 2 + (unit ? unit + 2 : 0);
	for (size_t i = 0; tables[table].at(i, &row); i++) {
		output_print(output, "  %-*s  ", name, row.name);
		if (unit)
			output_print(output, "%-*s  ", unit, unit_of(text, sizeof(text), &row));
		print_words(output, row.help, (size_t)indent);
	}
}

void info_build_text(struct output *output)
{
	output_print(output, "deepprof    %s\n", CLI_VERSION);
	output_print(output, "library     %s\n", dp_version());
	output_print(output, "compiler    %s\n", CLI_COMPILER);
	output_print(output, "build       %s, %s\n", CLI_BUILD_TYPE, CLI_HOST);
	output_print(output, "built with ");
	for (size_t i = 0; i < LIBRARIES; i++)
		output_print(output, "%s %s %s", i ? "," : "", libraries[i].name,
			     libraries[i].version);
	output_print(output, "\n");
	for (size_t i = 0; i < TABLES; i++)
		print_table(output, i);
}

/* Writes one of the program's own texts, which need no escapes. */
static void write_text(struct output *output, const char *before, const char *key, const char *text)
{
	output_print(output, "%s\"%s\": \"%s\"", before, key, text);
}

static void write_table(struct output *output, size_t table)
{
	struct row row;

	output_print(output, ",\n  \"%s\": [", tables[table].name);
	for (size_t i = 0; tables[table].at(i, &row); i++) {
		write_text(output, i ? ",\n    {\n      " : "\n    {\n      ", "name", row.name);
		if (row.unit)
			write_text(output, ",\n      ", "unit", row.unit);
		if (row.threshold > 0)
			output_print(output, ",\n      \"threshold\": %.6f", row.threshold);
		write_text(output, ",\n      ", "help", row.help);
		output_print(output, "\n    }");
	}
	output_print(output, "\n  ]");
}

void info_build_json(struct output *output)
{
	output_print(output, "{\n  \"schema\": 1");
	write_text(output, ",\n  ", "version", CLI_VERSION);
	write_text(output, ",\n  ", "library_version", dp_version());
	write_text(output, ",\n  ", "compiler", CLI_COMPILER);
	write_text(output, ",\n  ", "build_type", CLI_BUILD_TYPE);
	write_text(output, ",\n  ", "host", CLI_HOST);
	output_print(output, ",\n  \"libraries\": {");
	for (size_t i = 0; i < LIBRARIES; i++)
		write_text(output, i ? ",\n    " : "\n    ", libraries[i].name,
			   libraries[i].version);
	output_print(output, "\n  }");
	for (size_t i = 0; i < TABLES; i++)
		write_table(output, i);
	output_print(output, "\n}\n");
}
