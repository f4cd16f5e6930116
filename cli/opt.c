/* Parses options against a table, and prints the table as help text. */
#include "opt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HELP_WIDTH = 80, HELP_WIDTH_LEAST = 50, HELP_INDENT = 29 };

static size_t help_width = HELP_WIDTH;

static const struct opt help_option = { .letter = 'h', .name = "help", .help = "show this text" };

bool opt_refuse(struct opt_why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return false;
}

static size_t smallest(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/*
 * Returns the Levenshtein distance of two short words, of which the second has n bytes; for a long
 * word, its length.
 */
static size_t distance(const char *a, const char *b, size_t n)
{
	size_t row[32];

	if (n >= sizeof(row) / sizeof(row[0]))
		return strlen(a) + n;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; *a; a++, i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t above = row[j];

			row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (*a != b[j - 1]));
			diagonal = above;
		}
	}
	return row[n];
}

const char *opt_nearest(const char *(*name)(size_t index), const char *word)
{
	size_t length = strlen(word), least = length < 5 ? 2 : length / 3 + 1;
	const char *nearest = NULL, *candidate;

	for (size_t i = 0; (candidate = name(i)); i++) {
		const char *unit = strrchr(candidate, '_');
		size_t far = distance(word, candidate, strlen(candidate));

		/* "period" for period_ns */
		if (unit)
			far = smallest(far, distance(word, candidate, (size_t)(unit - candidate)),
				       far);
		if (length >= 3 && !strncmp(candidate, word, length))
			return candidate;
		if (far < least && far < strlen(candidate)) {
			least = far;
			nearest = candidate;
		}
	}
	return nearest;
}

/* The current table, for opt_nearest(), which requests names in order up to the NULL. */
static const struct opt *suggestions;

static const char *suggestion(size_t index)
{
	return suggestions[index].name;
}

/* Returns the first option that has a word among its choices: "format" for "html", or NULL. */
static const struct opt *with_choice(const struct opt *options, const char *word)
{
	const char *choice;

	for (; options->name; options++)
		for (size_t i = 0; options->choice && (choice = options->choice(i)); i++)
			if (!strcmp(choice, word))
				return options;
	return NULL;
}

static bool unknown_option(const struct opt *options, const char *name, size_t length,
			   struct opt_why *why)
{
	char word[64];
	const char *nearest;
	const struct opt *option;

	snprintf(word, sizeof(word), "%.*s", (int)(length < 60 ? length : 60), name);
	option = with_choice(options, word);
	if (option)
		return opt_refuse(why, "unknown option '--%s'; did you mean '--%s=%s'?", word,
				  option->name, word);
	suggestions = options;
	nearest = opt_nearest(suggestion, word);
	if (nearest)
		return opt_refuse(why, "unknown option '--%s'; did you mean '--%s'?", word,
				  nearest);
	return opt_refuse(why, "unknown option '--%s'", word);
}

static const struct opt *by_name(const struct opt *options, const char *name, size_t length)
{
	if (length == 4 && !strncmp(name, "help", 4))
		return &help_option;
	for (; options->name; options++)
		if (strlen(options->name) == length && !strncmp(options->name, name, length))
			return options;
	return NULL;
}

static const struct opt *by_letter(const struct opt *options, char letter)
{
	if (letter == 'h')
		return &help_option;
	for (; options->name; options++)
		if (options->letter && options->letter == letter)
			return options;
	return NULL;
}

/* More choices than anyone would read; only tables of this program have this many. */
#define CHOICES_MANY 20

static size_t count_choices(const struct opt *option)
{
	size_t count = 0;

	while (option->choice(count))
		count++;
	return count;
}

/* Reports a value that is not among the choices. */
static bool wrong_choice(const struct opt *option, const char *spelled, const char *value,
			 struct opt_why *why)
{
	const char *nearest = opt_nearest(option->choice, value), *choice;
	size_t used;

	opt_refuse(why, "%s: unknown value '%.40s'", spelled, value);
	used = strlen(why->text);
	if (nearest) {
		snprintf(why->text + used, sizeof(why->text) - used, "; did you mean '%s'?",
			 nearest);
		return false;
	}
	if (count_choices(option) > CHOICES_MANY) {
		snprintf(why->text + used, sizeof(why->text) - used,
			 "; 'deepprof info --build' lists what there is");
		return false;
	}
	for (size_t i = 0; (choice = option->choice(i)) && used < sizeof(why->text); i++)
		used += (size_t)snprintf(why->text + used, sizeof(why->text) - used, "%s%s",
					 i ? ", " : "; choose ", choice);
	return false;
}

static bool set_one(const struct opt *option, const char *spelled, void *into, const char *value,
		    struct opt_why *why)
{
	struct opt_why inner = { "" };
	const char *choice;
	bool known = !option->choice;

	for (size_t i = 0; option->choice && (choice = option->choice(i)); i++)
		known = known || !strcmp(choice, value);
	if (!known)
		return wrong_choice(option, spelled, value, why);
	if (option->set(into, value, &inner))
		return true;
	if (value)
		return opt_refuse(why, "%s%s%.40s: %.110s", spelled, spelled[1] == '-' ? "=" : " ",
				  value, inner.text);
	return opt_refuse(why, "%s: %.150s", spelled, inner.text);
}

/* Sets an option, spelled "-n" or "--iterations" by the user. Splits lists at commas. */
static bool set(const struct opt *option, const char *spelled, void *into, char *value,
		struct opt_why *why)
{
	char *comma;

	if (!option->list || !value)
		return set_one(option, spelled, into, value, why);
	do {
		comma = strchr(value, ',');
		if (comma)
			*comma = '\0';
		if (!set_one(option, spelled, into, value, why))
			return false;
		value = comma ? comma + 1 : NULL;
	} while (value);
	return true;
}

/* The rest of the command line. */
struct rest {
	const struct opt *options;
	void *into;
	int argc;
	char **argv;
	int next;
	bool help;
	struct opt_why *why;
};

/* Returns true for "--ignore-marks", "-v", "--": hardly intended as a value. */
static bool is_option(const struct opt *options, const char *word)
{
	if (word[0] != '-' || !word[1])
		return false;
	if (word[1] == '-')
		return !word[2] || by_name(options, word + 2, strcspn(word + 2, "="));
	return !word[2] && by_letter(options, word[1]);
}

/* Returns the word after an option that needs a value. */
static bool argument(struct rest *rest, const struct opt *option, const char *spelled, char **value)
{
	const char *joint = spelled[1] == '-' ? "=" : " ";
	char *word = rest->next < rest->argc ? rest->argv[rest->next] : NULL;

	if (!word)
		return opt_refuse(rest->why, "%s needs a value: %s%s%s", spelled, spelled, joint,
				  option->argument);
	if (is_option(rest->options, word))
		return opt_refuse(
			rest->why,
			"%s needs a value, and %.60s is an option; use --%s=%.60s to pass "
			"it as the value",
			spelled, word, option->name, word);
	rest->next++;
	*value = word;
	return true;
}

static bool long_option(struct rest *rest, char *word)
{
	size_t length = strcspn(word, "=");
	const struct opt *option = by_name(rest->options, word, length);
	char *value = word[length] ? word + length + 1 : NULL;
	char spelled[64];

	if (!option)
		return unknown_option(rest->options, word, length, rest->why);
	if (!option->argument && value)
		return opt_refuse(rest->why, "--%s takes no value", option->name);
	if (option == &help_option) {
		rest->help = true;
		return true;
	}
	snprintf(spelled, sizeof(spelled), "--%s", option->name);
	if (option->argument && !value && !argument(rest, option, spelled, &value))
		return false;
	return set(option, spelled, rest->into, value, rest->why);
}

/* Parses "-v", "-vf", "-n5", "-n 5". */
static bool letters(struct rest *rest, char *word)
{
	while (*word && !rest->help) {
		const struct opt *option = by_letter(rest->options, *word);
		const char spelled[] = { '-', *word, '\0' };
		char *value = NULL;

		if (!option)
			return opt_refuse(rest->why, "unknown option '-%c'",
					  *word >= ' ' && *word < 0x7f ? *word : '?');
		word++;
		if (option == &help_option) {
			rest->help = true;
			return true;
		}
		if (option->argument && *word) {
			value = word;
			word += strlen(word);
		} else if (option->argument && !argument(rest, option, spelled, &value)) {
			return false;
		}
		if (!set(option, spelled, rest->into, value, rest->why))
			return false;
	}
	return true;
}

bool opt_parse(const struct opt *options, void *into, int argc, char **argv, bool command,
	       int *operands, bool *help, struct opt_why *why)
{
	struct rest rest = { options, into, argc, argv, 0, false, why };
	bool ended = false;
	int kept = 0;

	while (rest.next < argc && !rest.help) {
		char *word = argv[rest.next++];

		if (ended || word[0] != '-' || !word[1]) {
			argv[kept++] = word;
			ended = ended || command;
		} else if (!strcmp(word, "--")) {
			ended = true;
		} else if (word[1] == '-' ? !long_option(&rest, word + 2)
					  : !letters(&rest, word + 1))
			return false;
	}
	*operands = kept;
	*help = rest.help;
	return true;
}

void opt_wrap_at(size_t width)
{
	help_width = width > HELP_WIDTH		? HELP_WIDTH
		     : width < HELP_WIDTH_LEAST ? HELP_WIDTH_LEAST
						: width;
}

void opt_print_wrapped(const char *text, size_t indent)
{
	size_t column = indent;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (column > indent && column + 1 + length > help_width) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)length, text);
		column += length;
		text += length + (text[length] == ' ');
	}
	putchar('\n');
}

static void print_option(const struct opt *option)
{
	char left[64], text[512];
	size_t used;
	const char *choice;

	snprintf(left, sizeof(left), "  %c%c%c --%s%s%s", option->letter ? '-' : ' ',
		 option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->name,
		 option->argument ? "=" : "", option->argument ? option->argument : "");
	used = (size_t)snprintf(text, sizeof(text), "%s", option->help);
	for (size_t i = 0; option->choice && !option->hide_choices && (choice = option->choice(i));
	     i++)
		if (used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 i ? ", " : ": ", choice);
	if (strlen(left) + 1 >= HELP_INDENT)
		printf("%s\n%*s", left, HELP_INDENT, "");
	else
		printf("%-*s", HELP_INDENT, left);
	opt_print_wrapped(text, HELP_INDENT);
}

void opt_print(const struct opt *options)
{
	for (; options->name; options++)
		print_option(options);
	print_option(&help_option);
}
