/* Recognizes tokens by their looks. */
#include "spool/secret.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Returns true for [A-Za-z0-9]. */
static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

/* Lower case, upper case, digits, others. */
static int class_of(char c)
{
	return c >= 'a' && c <= 'z' ? 0 : c >= 'A' && c <= 'Z' ? 1 : c >= '0' && c <= '9' ? 2 : 3;
}

/*
 * Prefixes by which issuers let their tokens be found. `also` are the bytes that may follow besides
 * letters and digits; fewer than `least` bytes are not a token.
 */
static const struct {
	const char *prefix;
	const char *also;
	size_t least;
} known[] = {
	{ "hf_", "", 8 },      { "api_org_", "", 16 },	 { "sk-", "-_", 8 },
	{ "sk_live_", "", 8 }, { "sk_test_", "", 8 },	 { "rk_live_", "", 8 },
	{ "ghp_", "", 8 },     { "gho_", "", 8 },	 { "ghu_", "", 8 },
	{ "ghs_", "", 8 },     { "ghr_", "", 8 },	 { "github_pat_", "_", 8 },
	{ "glpat-", "-_", 8 }, { "AKIA", "", 12 },	 { "ASIA", "", 12 },
	{ "AIza", "-_", 16 },  { "ya29.", "-_.", 16 },	 { "xoxb-", "-", 8 },
	{ "xoxp-", "-", 8 },   { "xoxa-", "-", 8 },	 { "xoxr-", "-", 8 },
	{ "xoxs-", "-", 8 },   { "xapp-", "-", 8 },	 { "eyJ", "-_.=+/", 12 },
	{ "nvapi-", "-_", 8 }, { "npm_", "", 16 },	 { "pypi-", "-_", 16 },
	{ "dop_v1_", "", 16 }, { "wandb_v1_", "_-", 8 }, { "r8_", "", 16 },
	{ "gsk_", "", 16 },    { "dckr_pat_", "-_", 8 },
};

/* Names begin like this, too: hf_model, sk-learn. They are short and in lower case. */
enum { LONG_SECRET = 16 };

static bool is_varied(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (class_of(text[i]) == 1 || class_of(text[i]) == 2)
			return true;
	return false;
}

static size_t known_token(const char *text, size_t length)
{
	for (size_t i = 0; i < COUNT(known); i++) {
		size_t head = strlen(known[i].prefix), end = head;

		if (length < head || memcmp(text, known[i].prefix, head))
			continue;
		while (end < length && text[end] &&
		       (is_alnum(text[end]) || strchr(known[i].also, text[end])))
			end++;
		if (end - head >= known[i].least &&
		    (end - head >= LONG_SECRET || is_varied(text + head, end - head)))
			return end;
	}
	return 0;
}

/*
 * Shorter words never count as random. With the values below, 98% of 20 random letters and digits
 * are found, 99% of 32 or more, all hexadecimal digits, 60% of lower-case letters and digits; and
 * 2% of 150,000 names of files and functions of a Debian system count as random.
 */
enum { RANDOM_LEAST = 20, HEX_LEAST = 32, ROW_LEAST = 4 };

/* What distinguishes random letters from names. */
struct looks {
	size_t letters; /* and digits */
	size_t changes; /* between lower case, upper case and digits */
	size_t spoken;	/* in runs of lower case with a vowel in every four */
	bool hex;
	bool classes[4];
};

/* Ends a run of lower-case letters. */
static void end_row(struct looks *looks, size_t *row, size_t *vowels)
{
	if (*row >= ROW_LEAST && *vowels * 4 >= *row)
		looks->spoken += *row;
	*row = *vowels = 0;
}

static struct looks look(const char *text, size_t length)
{
	struct looks looks = { .hex = true };
	size_t row = 0, vowels = 0;
	int last = 3;

	for (size_t i = 0; i < length; i++) {
		int now = class_of(text[i]);

		looks.classes[now] = true;
		looks.hex &= is_hex(text[i]) || text[i] == '-';
		if (now != 0)
			end_row(&looks, &row, &vowels);
		row += now == 0;
		vowels += now == 0 && strchr("aeiouy", text[i]) != NULL;
		looks.letters += now != 3;
		looks.changes += now != 3 && last != 3 && now != last;
		last = now != 3 ? now : last;
	}
	end_row(&looks, &row, &vowels);
	return looks;
}

/*
 * Names are words: runs of lower-case letters, separated by dashes, with few changes of class. If
 * each byte is drawn from 62, six of ten differ in class from the previous one.
 */
static bool is_random(const char *text, size_t length)
{
	struct looks looks = look(text, length);

	if (looks.hex && looks.letters >= HEX_LEAST && looks.classes[2] &&
	    (looks.classes[0] || looks.classes[1]))
		return true;
	if (length < RANDOM_LEAST || (length - looks.letters) * 8 > length)
		return false;
	if (looks.spoken * 10 >= looks.letters * 4 ||
	    (looks.spoken * 4 >= looks.letters && looks.changes * 20 < looks.letters * 9))
		return false;
	return looks.changes * 4 >= looks.letters;
}

static size_t span(const char *text, size_t length, const char *also)
{
	size_t end = 0;

	while (end < length && text[end] && (is_alnum(text[end]) || strchr(also, text[end])))
		end++;
	return end;
}

/* Base64 has slashes, but fewer than a path of that length. */
static bool is_base64(const char *text, size_t length)
{
	size_t slashes = 0;

	for (size_t i = 0; i < length; i++)
		slashes += text[i] == '/';
	return length >= HEX_LEAST && slashes * 16 <= length && is_random(text, length);
}

size_t dp_secret__token(const char *text, size_t length, char before)
{
	/* From the largest set: a word in a smaller set was examined with it. */
	static const char *const sets[] = { "+/", "+-_", "" };
	size_t end = is_alnum(before) ? 0 : known_token(text, length);

	if (end)
		return end;
	for (size_t i = 0; i < COUNT(sets) && !end; i++) {
		if (is_alnum(before) || (before && strchr(sets[i], before)))
			continue;
		end = span(text, length, sets[i]);
		if (!(i ? is_random(text, end) : is_base64(text, end)))
			end = 0;
	}
	/* Base64's padding. */
	while (end && end < length && text[end] == '=')
		end++;
	return end;
}
