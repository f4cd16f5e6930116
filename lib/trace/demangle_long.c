/*
 * The runtime's demangler (libiberty's) rejects names of more than 1,024 bytes to limit its
 * recursion; those of CUTLASS and Composable Kernel have several thousand. It has no limit for names
 * that repeat parts of themselves, which this has. Here, text is written as it is
 * read: a substitution refers to a piece of it, and DEPTH limits recursion.
 */
#include "trace/demangle_long.h"

#include <string.h>

/* Nested templates; and what a name can refer to. */
enum { DEPTH = 200, PIECES = 4096 };

/* A piece of the text written so far; an argument pack has one for each element. */
struct piece {
	size_t at;
	size_t length;
};

struct reader {
	const char *p;
	char *text; /* `room` bytes; never moves */
	size_t used;
	size_t room;
	size_t steps; /* that are left: a pattern that writes nothing may be read again and again */
	unsigned int depth;
	bool failed;
	struct piece *subs; /* of PIECES */
	size_t sub_count;
	struct argument {
		struct piece text;
		size_t first, count; /* of its elements, if it is a pack */
		bool is_pack;
	} * args; /* of the function's template, of PIECES */
	size_t arg_count;
	struct piece *elements; /* of packs, of PIECES */
	size_t element_count;
	size_t expanding; /* the element that replaces its pack, from 1; 0: none */
	size_t expanded;  /* elements of that pack, known when the pattern has been read */
};

static void put(struct reader *r, const char *text, size_t length)
{
	if (r->failed || length > r->room - r->used) {
		r->failed = true;
		return;
	}
	/* text may be in the same buffer, but not beyond its end. */
	memcpy(r->text + r->used, text, length);
	r->used += length;
}

static void puts_text(struct reader *r, const char *text)
{
	put(r, text, strlen(text));
}

static void put_piece(struct reader *r, struct piece piece)
{
	put(r, r->text + piece.at, piece.length);
}

static struct piece since(const struct reader *r, size_t at)
{
	return (struct piece){ at, r->used - at };
}

static void remember(struct reader *r, struct piece piece)
{
	if (r->sub_count == PIECES)
		r->failed = true;
	else
		r->subs[r->sub_count++] = piece;
}

static void count_step(struct reader *r)
{
	if (r->steps)
		r->steps--;
	else
		r->failed = true;
}

static bool take(struct reader *r, const char *word)
{
	size_t length = strlen(word);

	if (r->failed || strncmp(r->p, word, length))
		return false;
	r->p += length;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void read_type(struct reader *r);
static void read_args(struct reader *r, bool own);

/* Reads base 36 behind "S" or decimal behind "T", ended by "_": "_" is 0, "0_" is 1. */
static size_t read_id(struct reader *r, unsigned int base)
{
	size_t number = 0;

	if (take(r, "_"))
		return 0;
	while (!r->failed && *r->p != '_') {
		char c = *r->p;
		unsigned int digit = is_digit(c)	    ? (unsigned int)(c - '0')
				     : c >= 'A' && c <= 'Z' ? (unsigned int)(c - 'A' + 10)
							    : base;

		/* A failed reader does not advance: it may be at the end. */
		if (digit >= base || number > PIECES)
			r->failed = true;
		else
			r->p++;
		number = number * base + digit;
	}
	r->p += !r->failed;
	return number + 1;
}

/* Reads "3foo"; fails if ABI tags follow. */
static void read_source_name(struct reader *r)
{
	static const char anonymous[] = "_GLOBAL__N_";
	size_t length = 0;

	while (is_digit(*r->p) && length < r->room)
		length = length * 10 + (size_t)(*r->p++ - '0');
	if (!length || strnlen(r->p, length) < length) {
		r->failed = true;
		return;
	}
	if (length >= strlen(anonymous) && !strncmp(r->p, anonymous, strlen(anonymous)))
		puts_text(r, "(anonymous namespace)");
	else
		put(r, r->p, length);
	r->p += length;
	if (*r->p == 'B')
		r->failed = true;
}

static void put_element(struct reader *r, const struct argument *argument)
{
	if (!r->expanding) {
		r->failed = true;
		return;
	}
	r->expanded = argument->count;
	if (r->expanding <= argument->count)
		put_piece(r, r->elements[argument->first + r->expanding - 1]);
}

/* Reads a template parameter behind "T". */
static void read_parameter(struct reader *r)
{
	size_t number = read_id(r, 10);

	if (r->failed || number >= r->arg_count)
		r->failed = true;
	else if (r->args[number].is_pack)
		put_element(r, &r->args[number]);
	else
		put_piece(r, r->args[number].text);
}

/* Reads a substitution behind "S"; *known: it is in the list already. */
static void read_substitution(struct reader *r, bool *known)
{
	static const char *const words[][2] = {
		{ "t", "std" },		 { "a", "std::allocator" }, { "b", "std::basic_string" },
		{ "s", "std::string" },	 { "i", "std::istream" },   { "o", "std::ostream" },
		{ "d", "std::iostream" }
	};
	size_t number;

	*known = true;
	for (size_t i = 0; i < DP_COUNT(words); i++)
		if (take(r, words[i][0])) {
			puts_text(r, words[i][1]);
			return;
		}
	number = read_id(r, 36);
	if (r->failed || number >= r->sub_count)
		r->failed = true;
	else
		put_piece(r, r->subs[number]);
}

/* Reads from behind "N" to its "E"; own: the function's name. */
static void read_nested(struct reader *r, bool own)
{
	size_t at = r->used;
	bool known;

	while (!r->failed && !take(r, "E")) {
		bool args = *r->p == 'I';

		count_step(r);
		if (r->used > at && !args)
			puts_text(r, "::");
		known = false;
		if (args)
			read_args(r, own);
		else if (is_digit(*r->p))
			read_source_name(r);
		else if (take(r, "S"))
			read_substitution(r, &known);
		else if (take(r, "T"))
			read_parameter(r);
		else
			r->failed = true;
		/* The whole is remembered only if it is a type. */
		if (!r->failed && !known && *r->p != 'E')
			remember(r, since(r, at));
	}
}

/* Writes a value behind "L" and its type, up to the "E". */
static void put_value(struct reader *r, const char *suffix)
{
	if (take(r, "n"))
		puts_text(r, "-");
	while (!r->failed && *r->p != 'E') {
		if (!is_digit(*r->p) && !(*r->p >= 'a' && *r->p <= 'f'))
			r->failed = true;
		else
			put(r, r->p++, 1);
	}
	r->p += !r->failed;
	puts_text(r, suffix);
}

static void read_literal(struct reader *r)
{
	static const char *const suffixes[][2] = { { "i", "" },	  { "j", "u" },	 { "l", "l" },
						   { "m", "ul" }, { "x", "ll" }, { "y", "ull" } };

	if (take(r, "b0E")) {
		puts_text(r, "false");
		return;
	}
	if (take(r, "b1E")) {
		puts_text(r, "true");
		return;
	}
	for (size_t i = 0; i < DP_COUNT(suffixes); i++)
		if (take(r, suffixes[i][0])) {
			put_value(r, suffixes[i][1]);
			return;
		}
	/* Values of floating-point types (their bytes) and of rare types are not supported. */
	if (*r->p != 'N' && *r->p != 'S' && !is_digit(*r->p) && !strchr("castwh", *r->p)) {
		r->failed = true;
		return;
	}
	puts_text(r, "(");
	read_type(r);
	puts_text(r, ")");
	put_value(r, "");
}

static void read_arg(struct reader *r)
{
	if (take(r, "L")) {
		read_literal(r);
	} else if (take(r, "XT")) {
		/* Of expressions, only a template parameter is supported. */
		read_parameter(r);
		r->failed |= !take(r, "E");
	} else {
		read_type(r);
	}
}

/* Reads elements up to the pack's "E", and keeps them if the pack is the function's own. */
static void read_pack(struct reader *r, struct argument *pack)
{
	size_t begin = r->used;

	if (pack)
		*pack = (struct argument){ .first = r->element_count, .is_pack = true };
	while (!r->failed && !take(r, "E")) {
		size_t at;

		if (r->used > begin)
			puts_text(r, ", ");
		at = r->used;
		read_arg(r);
		if (!pack)
			continue;
		if (r->element_count == PIECES)
			r->failed = true;
		else
			r->elements[r->element_count++] = since(r, at);
		pack->count++;
	}
}

/* Reads from "I" to its "E". */
static void read_args(struct reader *r, bool own)
{
	size_t count = 0, begin;
	bool empty = false;

	if (!take(r, "I") || ++r->depth > DEPTH) {
		r->failed = true;
		return;
	}
	puts_text(r, "<");
	begin = r->used;
	while (!r->failed && !take(r, "E")) {
		struct argument *argument = own && count < PIECES ? &r->args[count] : NULL;
		size_t comma = r->used, at;

		if (comma > begin)
			puts_text(r, ", ");
		at = r->used;
		if (argument)
			*argument = (struct argument){ .is_pack = false };
		if (take(r, "J"))
			read_pack(r, argument);
		else
			read_arg(r);
		if (argument)
			argument->text = since(r, at);
		empty = r->used == at;
		if (empty)
			r->used = comma;
		count++;
		if (own)
			r->arg_count = count;
	}
	/* The runtime's spelling, which the names in reports have, too. */
	if (!empty && r->used && r->text[r->used - 1] == '>')
		puts_text(r, " ");
	puts_text(r, ">");
	r->depth--;
}

static bool read_builtin(struct reader *r)
{
	static const char *const names[][2] = {
		{ "v", "void" },	{ "w", "wchar_t" },
		{ "b", "bool" },	{ "c", "char" },
		{ "a", "signed char" }, { "h", "unsigned char" },
		{ "s", "short" },	{ "t", "unsigned short" },
		{ "i", "int" },		{ "j", "unsigned int" },
		{ "l", "long" },	{ "m", "unsigned long" },
		{ "x", "long long" },	{ "y", "unsigned long long" },
		{ "n", "__int128" },	{ "o", "unsigned __int128" },
		{ "f", "float" },	{ "d", "double" },
		{ "e", "long double" }, { "g", "__float128" },
		{ "z", "..." },		{ "Dn", "decltype(nullptr)" },
		{ "Di", "char32_t" },	{ "Ds", "char16_t" },
	};

	for (size_t i = 0; i < DP_COUNT(names); i++)
		if (take(r, names[i][0])) {
			puts_text(r, names[i][1]);
			return true;
		}
	return false;
}

/* "Dp": writes the pattern once for each element of its pack. */
static void read_expansion(struct reader *r)
{
	const char *pattern = r->p, *behind = pattern;
	size_t subs = 0, begin = r->used;

	if (r->expanding) {
		r->failed = true;
		return;
	}
	r->expanded = 1;
	for (size_t i = 1; i <= r->expanded && !r->failed; i++) {
		r->p = pattern;
		r->expanding = i;
		if (i > 1) {
			puts_text(r, ", ");
			subs = r->sub_count;
		}
		read_type(r);
		/* What the pattern refers to counts once. */
		if (i > 1)
			r->sub_count = subs;
		behind = r->p;
	}
	r->expanding = 0;
	if (!r->expanded)
		r->used = begin;
	r->p = behind;
}

/* "&" and "&&" on a reference collapse to "&", except "&&" on "&&". */
static void put_reference(struct reader *r, const char *sign)
{
	bool one = r->used && r->text[r->used - 1] == '&';
	bool two = one && r->used > 1 && r->text[r->used - 2] == '&';

	if (two && sign[1] == '\0')
		r->used--;
	else if (!one)
		puts_text(r, sign);
}

/* Reads pointers and qualifiers: the type, then the sign. Returns false if there are none. */
static bool read_qualified(struct reader *r)
{
	bool isrestrict, isvolatile, isconst;

	if (take(r, "P")) {
		read_type(r);
		puts_text(r, "*");
		return true;
	}
	if (take(r, "R") || take(r, "O")) {
		const char *sign = r->p[-1] == 'R' ? "&" : "&&";

		read_type(r);
		put_reference(r, sign);
		return true;
	}
	isrestrict = take(r, "r");
	isvolatile = take(r, "V");
	isconst = take(r, "K");
	if (!isrestrict && !isvolatile && !isconst)
		return false;
	read_type(r);
	puts_text(r, isconst ? " const" : "");
	puts_text(r, isvolatile ? " volatile" : "");
	puts_text(r, isrestrict ? " restrict" : "");
	return true;
}

/* Reads the name of a class or a template parameter; *known: it is in the list already. */
static void read_class(struct reader *r, bool *known)
{
	size_t at = r->used;

	*known = false;
	if (take(r, "N")) {
		read_nested(r, false);
		return;
	}
	if (take(r, "St")) {
		puts_text(r, "std::");
		read_source_name(r);
	} else if (take(r, "S")) {
		read_substitution(r, known);
	} else if (take(r, "T")) {
		read_parameter(r);
	} else if (is_digit(*r->p)) {
		read_source_name(r);
	} else {
		r->failed = true;
	}
	if (r->failed || *r->p != 'I')
		return;
	if (!*known)
		remember(r, since(r, at));
	*known = false;
	read_args(r, false);
}

static void read_type(struct reader *r)
{
	size_t at = r->used;
	bool known = false;

	count_step(r);
	if (r->failed || ++r->depth > DEPTH) {
		r->failed = true;
		return;
	}
	if (take(r, "Dp"))
		read_expansion(r);
	else if (take(r, "DF16_"))
		puts_text(r, "_Float16");
	else if (take(r, "DF16b"))
		puts_text(r, "std::bfloat16_t");
	else if (read_builtin(r))
		known = true;
	else if (!read_qualified(r))
		read_class(r, &known);
	if (!known)
		remember(r, since(r, at));
	r->depth--;
}

/* Reads the function's name; *has_args: it is a template, and its return type follows. */
static void read_name(struct reader *r, bool *has_args)
{
	bool nested = take(r, "N");

	if (nested) {
		read_nested(r, true);
	} else {
		if (take(r, "St"))
			puts_text(r, "std::");
		read_source_name(r);
		if (*r->p == 'I') {
			remember(r, since(r, 0));
			read_args(r, true);
		}
	}
	*has_args = !r->failed && r->used && r->text[r->used - 1] == '>';
}

/* Reads parameters up to the end of the name. */
static void read_parameters(struct reader *r)
{
	size_t begin = r->used;

	puts_text(r, "(");
	if (!strcmp(r->p, "v"))
		r->p++;
	while (!r->failed && *r->p) {
		size_t comma = r->used, at;

		if (comma > begin + 1)
			puts_text(r, ", ");
		at = r->used;
		read_type(r);
		if (r->used == at)
			r->used = comma;
	}
	puts_text(r, ")");
}

/* Joins "RETURNS NAME(PARAMETERS)", as the name was read first. Returns NULL without memory. */
static char *assemble(const struct reader *r, size_t name, size_t returns)
{
	char *text = malloc(r->used + 2), *at = text;

	if (!text)
		return NULL;
	memcpy(at, r->text + name, returns - name);
	at += returns - name;
	if (returns > name)
		*at++ = ' ';
	memcpy(at, r->text, name);
	at += name;
	memcpy(at, r->text + returns, r->used - returns);
	at[r->used - returns] = '\0';
	return text;
}

int dp_name__demangle_long(char **out, const char *mangled, size_t most)
{
	struct reader r = { .p = mangled, .room = most, .steps = most };
	int status = DP_ERR_NOMEM;
	size_t name, returns;
	bool has_args;

	*out = NULL;
	r.text = malloc(most + 1);
	r.subs = dp_alloc__array(PIECES, sizeof(*r.subs));
	r.args = dp_alloc__array(PIECES, sizeof(*r.args));
	r.elements = dp_alloc__array(PIECES, sizeof(*r.elements));
	if (!r.text || !r.subs || !r.args || !r.elements)
		goto out;
	status = DP_OK;
	if (!take(&r, "_Z"))
		goto out;
	read_name(&r, &has_args);
	name = r.used;
	if (has_args)
		read_type(&r);
	returns = r.used;
	/* The name of a variable has no parameters. */
	if (*r.p || has_args)
		read_parameters(&r);
	/* The space behind the return type is not counted yet. */
	if (r.failed || *r.p || r.used + (returns > name) > most)
		goto out;
	*out = assemble(&r, name, returns);
	status = *out ? DP_OK : DP_ERR_NOMEM;
out:
	free(r.elements);
	free(r.args);
	free(r.subs);
	free(r.text);
	return status;
}
