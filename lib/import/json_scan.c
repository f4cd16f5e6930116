/*
 * The searches for quotes and brackets look at 16 bytes at once (SSE2, which every x86-64 has) or
 * at 8 (in a register, elsewhere), an idea of Langdale and Lemire, "Parsing gigabytes of JSON per
 * second" (2019). Unlike there, no index of the whole text is built: the reader needs few of the
 * values and skips the others. Cost: linear in the text.
 */
#include "import/json_scan.h"

#include <string.h>

#if defined(__SSE2__) && !defined(DP_JSON_PORTABLE)
#include <emmintrin.h>

#define BLOCK 16

/* Returns a bit for each byte of a block that is a or b. */
static inline uint64_t match2(const char *p, char a, char b)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(a)),
				   _mm_cmpeq_epi8(v, _mm_set1_epi8(b)));

	return (uint64_t)(unsigned)_mm_movemask_epi8(hit);
}

/* Finds quotes and brackets; the two kinds of brackets differ in one bit. */
static inline uint64_t match_structure(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i folded = _mm_or_si128(v, _mm_set1_epi8(0x20));
	__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')),
				   _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));

	hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
	return (uint64_t)(unsigned)_mm_movemask_epi8(hit);
}

static inline size_t first(uint64_t mask)
{
	return (size_t)__builtin_ctzll(mask);
}

static inline size_t population(uint64_t mask)
{
	return (size_t)__builtin_popcountll(mask);
}

#else

#define BLOCK 8
#define ONES UINT64_C(0x0101010101010101)
#define HIGH UINT64_C(0x8080808080808080)

/* Returns the bytes of a block with the first at the low end, on any byte order. */
static inline uint64_t block(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* Sets the high bit of each byte that is c: no carry crosses a byte, so no false hits. */
static inline uint64_t equal(uint64_t v, char c)
{
	uint64_t x = v ^ (ONES * (unsigned char)c);

	return ~(((x & ~HIGH) + ~HIGH) | x) & HIGH;
}

static inline uint64_t match2(const char *p, char a, char b)
{
	uint64_t v = block(p);

	return equal(v, a) | equal(v, b);
}

static inline uint64_t match_structure(const char *p)
{
	uint64_t v = block(p), folded = v | ONES * 0x20;

	return equal(folded, '{') | equal(folded, '}') | equal(v, '"');
}

static inline size_t first(uint64_t mask)
{
	return (size_t)__builtin_ctzll(mask) / 8;
}

static inline size_t population(uint64_t mask)
{
	return (size_t)__builtin_popcountll(mask);
}

#endif

static inline bool may_follow(char c, enum dp_json_place place)
{
	switch (c) {
	case ',':
		return (place & (DP_JSON_IN_OBJECT | DP_JSON_IN_ARRAY)) != 0;
	case ':':
		return (place & DP_JSON_KEY) != 0;
	case '}':
		return (place & DP_JSON_IN_OBJECT) != 0;
	case ']':
		return (place & DP_JSON_IN_ARRAY) != 0;
	default:
		return false;
	}
}

/*
 * Returns DP_JSON_OK if the quote at p ends a string, DP_JSON_BROKEN if not. In an object, a comma
 * is followed by a key or, wrongly, by the end: any other comma is part of the string.
 */
static inline enum dp_json_result closes(const struct dp_json *json, const char *p,
					 enum dp_json_place place)
{
	const char *q = p + 1;

	while (dp_json__is_space(*q))
		q++;
	if (q >= json->end)
		return DP_JSON_MORE;
	if (!may_follow(*q, place))
		return DP_JSON_BROKEN;
	if (*q != ',' || place != DP_JSON_IN_OBJECT)
		return DP_JSON_OK;
	for (q++; dp_json__is_space(*q);)
		q++;
	if (q >= json->end)
		return DP_JSON_MORE;
	return *q == '"' || *q == '}' ? DP_JSON_OK : DP_JSON_BROKEN;
}

enum dp_json_result dp_json__string(struct dp_json *json, enum dp_json_place place,
				    struct dp_json_text *text)
{
	const char *p = json->at + 1, *end = json->end;
	enum dp_json_result result;
	uint64_t mask;

	text->at = p;
	text->escaped = false;
	text->bare = false;
	for (;;) {
		while (p < end && !(mask = match2(p, '"', '\\')))
			p += BLOCK;
		if (p >= end)
			return DP_JSON_MORE;
		p += first(mask);
		if (p >= end)
			return DP_JSON_MORE;
		if (*p == '\\') {
			text->escaped = true;
			p += 2;
			continue;
		}
		result = closes(json, p, place);
		if (result == DP_JSON_MORE)
			return result;
		if (result == DP_JSON_OK)
			break;
		text->bare = true;
		p++;
	}
	text->length = (size_t)(p - text->at);
	json->at = p + 1;
	return DP_JSON_OK;
}

/* Returns the last character before p that is not white space. The text has one before any p. */
static inline char before(const char *p)
{
	do
		p--;
	while (dp_json__is_space(*p));
	return *p;
}

/*
 * The open brackets form a stack of bits, 1 for an object. Beyond its depth, which no trace
 * reaches, brackets are assumed to match.
 */
#define LEVELS 64

enum dp_json_result dp_json__leave(struct dp_json *json, bool object)
{
	uint64_t mask, stack = object, depth = 1;
	const char *end = json->end;
	struct dp_json_text text;
	enum dp_json_result result;

	while (depth) {
		const char *p = json->at;

		while (p < end && !(mask = match_structure(p)))
			p += BLOCK;
		if (p < end)
			p += first(mask);
		if (p >= end)
			return DP_JSON_MORE;
		json->at = p;
		if (*p == '"') {
			result = dp_json__string(json, DP_JSON_ANYWHERE, &text);
			if (result != DP_JSON_OK)
				return result;
			continue;
		}
		/* Bit 1 is set in '[' and '{' and clear in ']' and '}'; bit 5 is set in braces. */
		if (*p & 2) {
			if (stack & 1 && depth <= LEVELS && before(p) != ':')
				return DP_JSON_BROKEN;
			if (depth++ < LEVELS)
				stack = stack << 1 | (*p >> 5 & 1);
		} else if (depth-- <= LEVELS) {
			if ((stack & 1) != (*p >> 5 & 1))
				return DP_JSON_BROKEN;
			stack >>= 1;
		}
		json->at++;
	}
	return DP_JSON_OK;
}

/* The characters that end a number, true, null, NaN. */
static const bool delimiter[256] = {
	['\0'] = true, [' '] = true, ['\n'] = true, ['\r'] = true, ['\t'] = true, [','] = true,
	[':'] = true,  ['"'] = true, ['{'] = true,  ['}'] = true,  ['['] = true,  [']'] = true,
};

static inline bool is_delimiter(char c)
{
	return delimiter[(unsigned char)c];
}

static enum dp_json_result skip_word(struct dp_json *json)
{
	const char *p = json->at;

	while (!is_delimiter(*p))
		p++;
	if (p >= json->end)
		return DP_JSON_MORE;
	if (p == json->at || !*p)
		return DP_JSON_BROKEN;
	json->at = p;
	return DP_JSON_OK;
}

enum dp_json_result dp_json__skip(struct dp_json *json, enum dp_json_place place)
{
	struct dp_json_text text;

	switch (*json->at) {
	case '"':
		return dp_json__string(json, place, &text);
	case '{':
	case '[':
		json->at++;
		return dp_json__leave(json, json->at[-1] == '{');
	default:
		return skip_word(json);
	}
}

/* A character expected at json->at is missing: because the text ends, or is broken. */
static inline enum dp_json_result missing(const struct dp_json *json)
{
	return json->at >= json->end ? DP_JSON_MORE : DP_JSON_BROKEN;
}

enum dp_json_result dp_json__member(struct dp_json *json, struct dp_json_text *key)
{
	enum dp_json_result result;
	char c = dp_json__peek(json);

	if (c == ',') {
		json->at++;
		c = dp_json__peek(json);
	}
	if (c == '}') {
		json->at++;
		key->at = NULL;
		return DP_JSON_OK;
	}
	if (c != '"')
		return missing(json);
	result = dp_json__string(json, DP_JSON_KEY, key);
	if (result != DP_JSON_OK)
		return result;
	if (key->bare)
		return DP_JSON_BROKEN;
	dp_json__peek(json);
	json->at++; /* the colon that made it a key */
	dp_json__peek(json);
	return json->at >= json->end ? DP_JSON_MORE : DP_JSON_OK;
}

/*
 * Computes m * 10^e, rounded half up; false if it is too large. half: behind m, a half or more was
 * dropped.
 */
static bool scaled(uint64_t m, int e, bool half, bool negative, int64_t *value)
{
	for (; e > 0 && m; e--)
		if (__builtin_mul_overflow(m, UINT64_C(10), &m))
			return false;
	if (e < -20)
		m = half = 0;
	for (; e < 0; e++) {
		half = m % 10 >= 5;
		m /= 10;
	}
	m += half;
	if (m > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)m : (int64_t)m;
	return true;
}

/* Adds the exponent at p to *e. Returns the position after it, NULL if there are no digits. */
static const char *exponent(const char *p, const char *end, int *e)
{
	bool negative = false;
	int x = 0;

	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	if (p >= end || *p < '0' || *p > '9')
		return NULL;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		x = x < 10000 ? x * 10 + (*p - '0') : x;
	*e += negative ? -x : x;
	return p;
}

bool dp_json__decimal(const char *text, size_t length, int scale, int64_t *value)
{
	const char *p = text, *end = text + length;
	bool negative, fraction = false, half = false, cut = false;
	const uint64_t full = (UINT64_MAX - 9) / 10;
	size_t digits = 0;
	uint64_t m = 0;
	int e = scale;

	*value = 0;
	negative = p < end && *p == '-';
	if (negative)
		p++;
	for (; p < end; p++) {
		unsigned d = (unsigned)(*p - '0');

		if (*p == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (d > 9)
			break;
		digits++;
		if (m > full || cut) {
			if (!cut)
				half = d >= 5;
			cut = true;
			if (!fraction && e < 1000)
				e++;
			continue;
		}
		m = m * 10 + d;
		if (fraction)
			e--;
	}
	if (!digits)
		return false;
	if (p < end && (*p == 'e' || *p == 'E'))
		p = exponent(p + 1, end, &e);
	return p == end && scaled(m, e, half, negative, value);
}

int64_t dp_json__last_number(const struct dp_json_text *text)
{
	size_t from = text->length;
	int64_t value;

	while (from > 0 && text->at[from - 1] >= '0' && text->at[from - 1] <= '9')
		from--;
	if (!dp_json__decimal(text->at + from, text->length - from, 0, &value))
		return -1;
	return value;
}

/* Reads the most frequent numbers: up to 16 digits before the point, at most scale after it. */
static bool plain_number(struct dp_json *json, int scale, int64_t *value)
{
	const char *p = json->at, *start;
	bool negative = *p == '-';
	uint64_t m = 0;

	p += negative;
	for (start = p; (unsigned)(*p - '0') <= 9; p++)
		m = m * 10 + (unsigned)(*p - '0');
	if (p == start || p - start > 16)
		return false;
	if (*p == '.' && scale <= 3)
		for (p++; scale > 0 && (unsigned)(*p - '0') <= 9; p++, scale--)
			m = m * 10 + (unsigned)(*p - '0');
	if (p >= json->end || !*p || !is_delimiter(*p) || scale > 3)
		return false;
	for (; scale > 0; scale--)
		m *= 10;
	if (m > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)m : (int64_t)m;
	json->at = p;
	return true;
}

enum dp_json_result dp_json__number(struct dp_json *json, enum dp_json_place place, int scale,
				    int64_t *value, bool *known)
{
	struct dp_json_text text;
	const char *start = json->at;
	enum dp_json_result result;

	*value = 0;
	*known = false;
	if (plain_number(json, scale, value)) {
		*known = true;
		return DP_JSON_OK;
	}
	if (*start == '"') {
		result = dp_json__string(json, place, &text);
		if (result == DP_JSON_OK)
			*known = dp_json__decimal(text.at, text.length, scale, value);
		return result;
	}
	result = dp_json__skip(json, place);
	if (result == DP_JSON_OK)
		*known = dp_json__decimal(start, (size_t)(json->at - start), scale, value);
	return result;
}

/* Returns the value of four hexadecimal digits at p, or -1. */
static long hex4(const char *p, const char *end)
{
	long value = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];

		if (c >= '0' && c <= '9')
			value = value * 16 + (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value * 16 + ((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return value;
}

static char *put_utf8(char *out, long c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	}
	return out;
}

/* Decodes the escape at p (after "\u") to *out. Returns the position after it. */
static const char *unicode(const char *p, const char *end, char **out)
{
	long c = hex4(p, end), low;

	if (c < 0) {
		*(*out)++ = 'u';
		return p;
	}
	p += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
		low = hex4(p + 2, end);
		if (low >= 0xdc00 && low < 0xe000) {
			*out = put_utf8(*out, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
			return p + 6;
		}
	}
	*out = put_utf8(*out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	return p;
}

size_t dp_json__unescape(const struct dp_json_text *text, char *buf)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *p = text->at, *end = text->at + text->length, *known;
	char *out = buf;

	while (p < end) {
		char c = *p++;

		if (c != '\\' || p == end) {
			*out++ = c;
			continue;
		}
		c = *p++;
		known = c ? strchr(from, c) : NULL;
		if (c == 'u')
			p = unicode(p, end, &out);
		else
			*out++ = known ? to[known - from] : c;
	}
	return (size_t)(out - buf);
}

size_t dp_json__count(const char *text, size_t length, char c)
{
	size_t count = 0, i = 0;

	for (; i + BLOCK <= length; i += BLOCK)
		count += population(match2(text + i, c, c));
	for (; i < length; i++)
		count += text[i] == c;
	return count;
}
