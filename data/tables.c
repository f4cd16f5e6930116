/*
 * tables TEMPLATE: copies a template to stdout. A line that only holds @NAME@ becomes that list of
 * the library's metrics, summaries, rules, formats, tables or words, so that a new one is described
 * wherever they are without another file being touched.
 */
#include "report/number.h"
#include "table/table.h"
#include <deepprof/deepprof.h>

#include <stdio.h>
#include <string.h>

static void json_text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

/* Properties of a JSON Schema; others follow. */
static void json_properties(const char *indent, const struct dp_metric_info *(*at)(size_t))
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = at(i)); i++) {
		printf("%s", indent);
		json_text(info->name);
		printf(": {\n%s  \"description\": ", indent);
		json_text(info->help);
		printf(",\n%s  \"type\": [\"%s\", \"null\"]\n%s},\n", indent,
		       dp_number__is_integer(info->unit) ? "integer" : "number", indent);
	}
}

static void metric_properties(const char *indent)
{
	json_properties(indent, dp_metric);
}

static void summary_properties(const char *indent)
{
	json_properties(indent, dp_summary_metric);
}

static void rule_names(const char *indent)
{
	const struct dp_rule_info *info;

	for (size_t i = 0; (info = dp_rule(i)); i++) {
		printf("%s", indent);
		json_text(info->id);
		printf("%s\n", dp_rule(i + 1) ? "," : "");
	}
}

static void phase_names(const char *indent)
{
	for (int i = DP_PHASE_NONE; i <= DP_PHASE_MARKS; i++) {
		printf("%s", indent);
		json_text(dp_phase_name((enum dp_phase_evidence)i));
		printf("%s\n", i < DP_PHASE_MARKS ? "," : "");
	}
}

/* Text of roff: escapes are escaped, and a minus that can be searched for. */
static void roff_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

static const char *better_words(enum dp_better better)
{
	switch (better) {
	case DP_BETTER_LOWER:
		return "; lower is better";
	case DP_BETTER_HIGHER:
		return "; higher is better";
	case DP_BETTER_NEITHER:
		break;
	}
	return "";
}

static void roff_entries(const struct dp_metric_info *(*at)(size_t))
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = at(i)); i++) {
		printf(".TP\n.B ");
		roff_text(info->name);
		putchar('\n');
		roff_text(info->help);
		printf(" (%s%s).\n", strcmp(info->unit, "1") ? info->unit : "a share",
		       better_words(info->better));
	}
}

static void metric_entries(const char *indent)
{
	roff_entries(dp_metric);
}

static void summary_entries(const char *indent)
{
	roff_entries(dp_summary_metric);
}

static void roff_entry(const char *name, const char *help)
{
	printf(".TP\n.B ");
	roff_text(name);
	putchar('\n');
	roff_text(help);
	printf(".\n");
}

static void rule_entries(const char *indent)
{
	const struct dp_rule_info *info;

	for (size_t i = 0; (info = dp_rule(i)); i++) {
		roff_entry(info->id, info->help);
		if (info->threshold > 0)
			printf("Threshold: %g%%.\n", 100 * info->threshold);
	}
}

static void importer_entries(const char *indent)
{
	const struct dp_format_info *info;

	for (size_t i = 0; (info = dp_format(i)); i++)
		roff_entry(info->name, info->help);
}

static void renderer_entries(const char *indent)
{
	const struct dp_report_format *info;

	for (size_t i = 0; (info = dp_report_format(i)); i++)
		roff_entry(info->name, info->help);
}

static const char *cell_name(enum dp_cell cell)
{
	switch (cell) {
	case DP_CELL_BOOL:
		return "bool";
	case DP_CELL_DOUBLE:
		return "float64";
	case DP_CELL_TEXT:
		return "text";
	case DP_CELL_NAME:
		return "dictionary";
	case DP_CELL_UINT32:
		return "uint32";
	case DP_CELL_INT64:
	case DP_CELL_ID:
		break;
	}
	return "int64";
}

static void table_entries(const char *indent)
{
	const struct dp_table *table;

	for (size_t i = 0; (table = dp_table__at(i)); i++) {
		printf(".SS \"%s (of %s%s)\"\n", table->info.name,
		       *table->info.of == 'a' ? "an " : *table->info.of == 'c' ? "a " : "",
		       table->info.of);
		roff_text(table->info.help);
		printf(".\n");
		for (const struct dp_field *field = table->fields; field->name; field++) {
			printf(".TP\n.IR %s \" (%s)\"\n", field->name, cell_name(field->cell));
			roff_text(field->help);
			printf(".\n");
		}
	}
}

static const struct {
	const char *name;
	void (*write)(const char *indent);
} lists[] = {
	{ "@metric-properties@", metric_properties },
	{ "@summary-properties@", summary_properties },
	{ "@rule-names@", rule_names },
	{ "@phase-names@", phase_names },
	{ "@metric-entries@", metric_entries },
	{ "@summary-entries@", summary_entries },
	{ "@rule-entries@", rule_entries },
	{ "@importer-entries@", importer_entries },
	{ "@renderer-entries@", renderer_entries },
	{ "@table-entries@", table_entries },
};

static void copy_line(char *line)
{
	size_t indent = strspn(line, " "), length = strcspn(line + indent, "\n");

	for (size_t i = 0; i < DP_COUNT(lists); i++) {
		if (strlen(lists[i].name) != length ||
		    strncmp(line + indent, lists[i].name, length) != 0)
			continue;
		line[indent] = '\0';
		lists[i].write(line);
		return;
	}
	fputs(line, stdout);
}

int main(int argc, char **argv)
{
	char line[1024];
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	bool failed;

	if (!file) {
		fprintf(stderr, "tables: no template\n");
		return 1;
	}
	while (fgets(line, sizeof(line), file))
		copy_line(line);
	failed = ferror(file);
	fclose(file);
	return failed || fflush(stdout) ? 1 : 0;
}
