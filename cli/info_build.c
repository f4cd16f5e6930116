/* What this program is: its version, how it was built, and everything that its tables hold. */
#include "info.h"
#include "json.h"

#include <deepprof/deepprof.h>
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
};

static bool importer_at(size_t index, struct row *row)
{
	const struct dp_format_info *format = dp_format(index);

	if (format)
		*row = (struct row){ format->name, NULL, format->help };
	return format != NULL;
}

static bool renderer_at(size_t index, struct row *row)
{
	const struct dp_report_format *format = dp_report_format(index);

	if (format)
		*row = (struct row){ format->name, NULL, format->help };
	return format != NULL;
}

static bool metric_row(const struct dp_metric_info *metric, struct row *row)
{
	if (metric)
		*row = (struct row){ metric->name, metric->unit, metric->help };
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
		*row = (struct row){ rule->id, NULL, rule->help };
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

/* "  name          unit  help": the first column of every table is as wide as its longest. */
static void print_table(struct output *output, size_t table)
{
	struct row row;
	int width = 0;

	output_print(output, "\n%s\n", tables[table].name);
	for (size_t i = 0; tables[table].at(i, &row); i++)
		if ((int)strlen(row.name) > width)
			width = (int)strlen(row.name);
	for (size_t i = 0; tables[table].at(i, &row); i++) {
		output_print(output, "  %-*s", width, row.name);
		if (row.unit)
			output_print(output, "  %-5s", row.unit);
		output_print(output, "  %s\n", row.help);
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

static void write_table(struct json *json, size_t table)
{
	struct row row;

	json_open(json, tables[table].name, '[');
	for (size_t i = 0; tables[table].at(i, &row); i++) {
		json_open(json, NULL, '{');
		json_text(json, "name", row.name);
		if (row.unit)
			json_text(json, "unit", row.unit);
		json_text(json, "help", row.help);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void info_build_json(struct output *output)
{
	struct json json = { output, 0, false };

	json_open(&json, NULL, '{');
	json_count(&json, "schema", 1);
	json_text(&json, "version", CLI_VERSION);
	json_text(&json, "library_version", dp_version());
	json_text(&json, "compiler", CLI_COMPILER);
	json_text(&json, "build_type", CLI_BUILD_TYPE);
	json_text(&json, "host", CLI_HOST);
	json_open(&json, "libraries", '{');
	for (size_t i = 0; i < LIBRARIES; i++)
		json_text(&json, libraries[i].name, libraries[i].version);
	json_close(&json, '}');
	for (size_t i = 0; i < TABLES; i++)
		write_table(&json, i);
	json_close(&json, '}');
}
