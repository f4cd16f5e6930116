/* Replaces secrets in a command line. */
#include "spool/secret.h"

#include <string.h>

/* The text written so far, and its length without the limit. */
struct text {
	char *out;
	size_t room;
	size_t length;
};

static void put(struct text *text, const char *from, size_t bytes)
{
	if (text->length < text->room) {
		size_t left = text->room - text->length;

		memcpy(text->out + text->length, from, bytes < left ? bytes : left);
	}
	text->length += bytes;
}

static void put_replaced(struct text *text)
{
	put(text, DP_SECRET_REPLACED, strlen(DP_SECRET_REPLACED));
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

/* Returns true for characters of options, variables and keys. */
static bool is_of_name(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_' || c == '-' || c == '.';
}

static const char *name_end(const char *at, const char *end)
{
	while (at < end && is_of_name(*at))
		at++;
	return at;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* Compares with a lower-case word, ignoring case. */
static bool is_word(const char *at, const char *end, const char *word)
{
	if ((size_t)(end - at) != strlen(word))
		return false;
	for (; at < end; at++, word++)
		if ((*at | 0x20) != *word)
			return false;
	return true;
}

/* Returns true for what precedes a secret in a header: "Bearer X". */
static bool is_scheme(const char *at, const char *end)
{
	return is_word(at, end, "bearer") || is_word(at, end, "basic") ||
	       is_word(at, end, "token") || is_word(at, end, "digest") ||
	       is_word(at, end, "apikey") || is_word(at, end, "negotiate");
}

/* Returns true for an option, not a value: "--lr", "--lr=1". Secrets hardly look like it. */
static bool is_option(const char *at, const char *end)
{
	if (end - at < 3 || at[0] != '-' || at[1] != '-' || at[2] < 'a' || at[2] > 'z')
		return false;
	for (at += 2; at < end && *at != '='; at++)
		if (!(*at >= 'a' && *at <= 'z') && !(*at >= '0' && *at <= '9') && *at != '-' &&
		    *at != '_')
			return false;
	return true;
}

/* "--no-auth" takes no value. */
static bool takes_value(const char *at, const char *end)
{
	return end - at < 5 || memcmp(at, "--no", 4) != 0;
}

/* Returns the end of an unquoted value in an argument: that of the word, or of a header's line. */
static const char *value_end(const char *at, const char *end, bool header)
{
	while (at < end && !is_quote(*at) && *at != '\n' && *at != '&' && *at != ';' &&
	       (header || !is_blank(*at)))
		at++;
	return at;
}

/* Returns true for headers, whose value ends with the line. */
static bool is_header(const char *name, const char *end)
{
	static const char *const headers[] = { "authorization", "cookie" };

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		size_t length = strlen(headers[i]);

		if ((size_t)(end - name) >= length && is_word(end - length, end, headers[i]))
			return true;
	}
	return false;
}

/*
 * Returns where the value of a name in an argument begins: after "=" or ":", and quotes around the
 * name, as in environ["NAME"], or the value; or after blanks, for an option. NULL if it has none.
 */
static const char *value_of(const char *name, const char *stop, const char *end)
{
	const char *at = stop;

	while (at < end && (is_quote(*at) || *at == '\\' || *at == ']'))
		at++;
	at = skip_blanks(at, end);
	if (at < end && (*at == '=' || *at == ':'))
		return skip_blanks(at + 1, end);
	if (*name != '-' || at == stop || !is_blank(*stop) || is_option(at, name_end(at, end)))
		return NULL;
	return at;
}

/*
 * Returns the end of a list or an object, with those in it, and brackets in their strings. Strings
 * that are escaped as a whole end with an escaped quote, others with one that is not. Returns end
 * if it is not closed.
 */
static const char *brackets_end(const char *at, const char *end)
{
	const char *start = at;
	size_t depth = 0;
	bool escaped = false;
	char quote = '\0';

	for (; at < end; at++) {
		bool escape = at > start && at[-1] == '\\';

		if (quote) {
			if (*at == quote && escape == escaped)
				quote = '\0';
		} else if (is_quote(*at)) {
			quote = *at;
			escaped = escape;
		} else if (*at == '[' || *at == '{') {
			depth++;
		} else if ((*at == ']' || *at == '}') && !--depth) {
			return at + 1;
		}
	}
	return end;
}

/* Returns the end of a value that is not quoted. */
static const char *bare_end(const char *at, const char *end, bool header)
{
	const char *closed, *last;

	if (at == end || header || (*at != '[' && *at != '{'))
		return value_end(at, end, header);
	closed = brackets_end(at, end);
	/* The rest of the word is the value's, but for how an object around it goes on or ends. */
	last = value_end(closed, end, false);
	while (last > closed && (last[-1] == ',' || last[-1] == ']' || last[-1] == '}'))
		last--;
	return last;
}

/* Writes a name and its secret value. Returns its end, NULL if it is not a secret. */
static const char *named(struct text *text, const char *at, const char *end)
{
	const char *stop = name_end(at, end), *value, *last;
	char quote = '\0';

	if (stop == at || !dp_secret__is_name(at, (size_t)(stop - at)))
		return NULL;
	value = value_of(at, stop, end);
	if (!value)
		return NULL;
	while (value < end && *value == '\\')
		value++;
	if (value < end && is_quote(*value))
		quote = *value++;
	if (value == end)
		return NULL;
	if (quote) {
		last = memchr(value, quote, (size_t)(end - value));
		last = last ? last : end;
	} else {
		last = bare_end(value, end, is_header(at, stop));
		if (is_scheme(value, last))
			last = value_end(skip_blanks(last, end), end, false);
	}
	put(text, at, (size_t)(value - at));
	if (last > value)
		put_replaced(text);
	return last;
}

/* Returns the end of the part of a URL without bytes of `ends`. */
static const char *part_end(const char *at, const char *end, const char *ends)
{
	while (at < end && !is_blank(*at) && !is_quote(*at) && *at && !strchr(ends, *at))
		at++;
	return at;
}

static const char *last_at(const char *at, const char *end)
{
	while (end > at && end[-1] != '@')
		end--;
	return end > at ? end - 1 : NULL;
}

static bool is_number(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at == end;
}

/* No name and password of a user are longer. */
enum { USER_MOST = 4096 };

static bool is_web(const char *start, const char *at)
{
	return (at - start >= 4 && is_word(at - 4, at, "http")) ||
	       (at - start >= 5 && is_word(at - 5, at, "https"));
}

/*
 * Handles "://": a user and password, or a token in place of both, may follow. A password may
 * contain a slash; but an "@" may also follow a port.
 */
static const char *url(struct text *text, const char *start, const char *at, const char *end)
{
	const char *user = at + 3, *host, *stop, *colon;

	end = end - user > USER_MOST ? user + USER_MOST : end;
	host = part_end(user, end, "/?#");
	stop = last_at(user, host);
	colon = memchr(user, ':', (size_t)((stop ? stop : host) - user));
	if (!stop && colon && *user != '[' && !is_number(colon + 1, host))
		stop = last_at(user, part_end(user, end, ""));
	if (!stop || stop == user || (!colon && !is_web(start, at)))
		return NULL;
	put(text, at, 3);
	put_replaced(text);
	return stop;
}

static const char *bearer(struct text *text, const char *at, const char *end)
{
	const char *stop = name_end(at, end), *value, *last;

	if (!is_word(at, stop, "bearer"))
		return NULL;
	value = skip_blanks(stop, end);
	last = value_end(value, end, false);
	/* A shorter one is a word of a sentence. */
	if (last - value < 8)
		return NULL;
	put(text, at, (size_t)(value - at));
	put_replaced(text);
	return last;
}

static const char *token(struct text *text, const char *start, const char *at, const char *end)
{
	size_t length = dp_secret__token(at, (size_t)(end - at), at > start ? at[-1] : '\0');

	if (length)
		put_replaced(text);
	return length ? at + length : NULL;
}

/* Writes the text of an argument. */
static void put_text(struct text *text, const char *start, const char *end)
{
	const char *at = start, *next;

	while (at < end) {
		bool first = at == start || !is_of_name(at[-1]);

		next = NULL;
		if (end - at > 3 && !memcmp(at, "://", 3))
			next = url(text, start, at, end);
		else if (first)
			next = named(text, at, end);
		if (!next && first)
			next = bearer(text, at, end);
		if (!next)
			next = token(text, start, at, end);
		if (!next) {
			put(text, at, 1);
			next = at + 1;
		}
		at = next;
	}
}

/* What the next argument may be. */
enum next { ANYTHING, SECRET, USER, SCRIPT };

/* Writes "NAME:PASSWORD"; two numbers are ids, as Docker's. */
static bool put_user(struct text *text, const char *at, const char *end)
{
	const char *colon = memchr(at, ':', (size_t)(end - at));

	if (!colon || colon == at || colon + 1 == end || colon[1] == '/' ||
	    is_number(colon + 1, end))
		return false;
	put(text, at, (size_t)(colon + 1 - at));
	put_replaced(text);
	return true;
}

static bool is_user(const char *at, const char *end)
{
	return (end - at == 2 && !memcmp(at, "-u", 2)) ||
	       (end - at == 6 && !memcmp(at, "--user", 6)) ||
	       (end - at == 12 && !memcmp(at, "--proxy-user", 12));
}

/* Writes "NAME=VALUE" or "NAME: VALUE" of a secret or a user: the value goes to the end. */
static bool put_assignment(struct text *text, const char *at, const char *stop, const char *end,
			   enum next *next)
{
	const char *value = skip_blanks(stop + 1, end);
	size_t length = text->length;

	if (*stop != '=' && *stop != ':')
		return false;
	if (is_user(at, stop)) {
		put(text, at, (size_t)(value - at));
		if (put_user(text, value, end))
			return true;
		text->length = length;
		return false;
	}
	if (!dp_secret__is_name(at, (size_t)(stop - at)))
		return false;
	put(text, at, (size_t)(value - at));
	if (value < end)
		put_replaced(text);
	else if (*stop == ':')
		*next = SECRET;
	return true;
}

/* Returns true for "-c" and "-lc", followed by a shell command or a program. */
static bool is_script(const char *at, const char *end)
{
	return end - at >= 2 && end - at <= 4 && at[0] == '-' && at[1] != '-' && end[-1] == 'c';
}

/* Returns what follows an option without "=". */
static enum next after(const char *at, const char *end)
{
	if (end - at < 2 || *at != '-')
		return ANYTHING;
	if (is_user(at, end))
		return USER;
	if (is_script(at, end))
		return SCRIPT;
	return takes_value(at, end) && dp_secret__is_name(at, (size_t)(end - at)) ? SECRET
										  : ANYTHING;
}

static void put_argument(struct text *text, const char *at, const char *end, enum next *next)
{
	const char *name = at, *stop;
	enum next now = *next;

	*next = ANYTHING;
	if (now == SECRET && at < end && !is_option(at, end)) {
		put_replaced(text);
		*next = is_scheme(at, end) ? SECRET : ANYTHING;
		return;
	}
	if (now == USER && put_user(text, at, end))
		return;
	/* Hydra's "+NAME=VALUE". */
	while (name < end && *name == '+')
		name++;
	stop = name_end(name, end);
	/* A script continues after an assignment. */
	if (now != SCRIPT && stop > name && stop < end && put_assignment(text, at, stop, end, next))
		return;
	if (stop == end)
		*next = after(at, end);
	put_text(text, at, end);
}

size_t dp_secret__command(char *out, size_t room, const char *arguments, size_t bytes, char between)
{
	struct text text = { out, room ? room - 1 : 0, 0 };
	const char *at = arguments, *end = arguments + bytes;
	enum next next = ANYTHING;

	while (at < end) {
		const char *stop = memchr(at, '\0', (size_t)(end - at));

		if (at > arguments)
			put(&text, &between, 1);
		stop = stop ? stop : end;
		put_argument(&text, at, stop, &next);
		at = stop + 1;
	}
	if (room)
		out[text.length < room ? text.length : room - 1] = '\0';
	return text.length;
}
