/* Makes hostile names clean and short. */
#include "report/label.h"
#include "base/utf8.h"

#include <string.h>

/* Ranges of characters that may affect a terminal beyond being displayed. */
static const uint32_t unsafe[][2] = {
	{ 0x0000, 0x001f },    /* C0 controls: escape sequences begin here */
	{ 0x007f, 0x009f },    /* delete, C1 controls: 0x9b also begins an escape sequence */
	{ 0x00ad, 0x00ad },    /* soft hyphen */
	{ 0x0300, 0x036f },    /* combining marks: they pile up */
	{ 0x0483, 0x0489 },    /* likewise */
	{ 0x0591, 0x05bd },    /* Hebrew points */
	{ 0x061c, 0x061c },    /* Arabic letter mark */
	{ 0x064b, 0x065f },    /* Arabic marks */
	{ 0x115f, 0x1160 },    /* Hangul fillers: invisible */
	{ 0x180b, 0x180f },    /* Mongolian variation selectors */
	{ 0x1ab0, 0x1aff },    /* combining marks */
	{ 0x1dc0, 0x1dff },    /* combining marks */
	{ 0x200b, 0x200f },    /* zero width, direction marks */
	{ 0x2028, 0x202e },    /* line separators, direction overrides */
	{ 0x2060, 0x206f },    /* invisible operators, direction isolates */
	{ 0x20d0, 0x20ff },    /* combining marks */
	{ 0x3164, 0x3164 },    /* Hangul filler */
	{ 0xd800, 0xf8ff },    /* surrogates, private use */
	{ 0xfe00, 0xfe0f },    /* variation selectors */
	{ 0xfe20, 0xfe2f },    /* combining half marks */
	{ 0xfeff, 0xfeff },    /* byte order mark */
	{ 0xfff0, 0xfffc },    /* interlinear annotation */
	{ 0xfffe, 0xffff },    /* no characters */
	{ 0x1d159, 0x1d182 },  /* musical combining marks */
	{ 0xe0000, 0x10ffff }, /* tags, private use */
};

/* Two columns: East Asian Width W and F, and emoji (Unicode 15, TR 11), in coarse ranges. */
static const uint32_t wide[][2] = {
	{ 0x1100, 0x115e },   { 0x231a, 0x231b },   { 0x23e9, 0x23ec },	  { 0x25fd, 0x25fe },
	{ 0x2614, 0x2615 },   { 0x2648, 0x2653 },   { 0x2705, 0x2705 },	  { 0x270a, 0x270b },
	{ 0x2728, 0x2728 },   { 0x274c, 0x274c },   { 0x2753, 0x2755 },	  { 0x2795, 0x2797 },
	{ 0x2b1b, 0x2b1c },   { 0x2b50, 0x2b50 },   { 0x2e80, 0x303e },	  { 0x3041, 0xa4cf },
	{ 0xa960, 0xa97c },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },	  { 0xfe10, 0xfe19 },
	{ 0xfe30, 0xfe6f },   { 0xff01, 0xff60 },   { 0xffe0, 0xffe6 },	  { 0x16fe0, 0x18cff },
	{ 0x1b000, 0x1b2ff }, { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf }, { 0x1f18e, 0x1f19a },
	{ 0x1f200, 0x1f320 }, { 0x1f32d, 0x1faff }, { 0x20000, 0x3fffd },
};

static bool is_in(const uint32_t (*ranges)[2], size_t count, uint32_t code)
{
	for (size_t i = 0; i < count && code >= ranges[i][0]; i++)
		if (code <= ranges[i][1])
			return true;
	return false;
}

bool dp_label__is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c ||
	       (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/*
 * If a name leaves this many columns free, some of the template arguments that distinguish it from
 * similar names are shown: "vectorized_elementwise_kernel<4, FillFu".
 */
#define ROOM_LEFT 4

/* Fewest columns of each part of a name that is shown in two parts: "_nn_" and "_tn_" differ. */
#define PART_LEAST 4
#define WORD_MOST 16

/*
 * Bytes of a name that are looked at: more than compilers write for a kernel (CUTLASS's have up to
 * 8 KB), and few enough that a table with the same long name in each row costs little.
 */
#define LOOKED_AT 16384

/* One character as it will be shown: how many bytes it took, what to show, and how wide. */
struct glyph {
	const char *bytes;
	size_t length;
	size_t width;
};

static size_t next_glyph(struct glyph *glyph, const char *text, size_t length, bool ascii)
{
	uint32_t code;
	size_t taken = dp_utf8__next(text, length, &code);

	*glyph = (struct glyph){ text, taken, 1 };
	if ((ascii && code >= 0x80) || is_in(unsafe, DP_COUNT(unsafe), code))
		*glyph = (struct glyph){ "?", 1, 1 };
	else if (code == 0xfffd)
		*glyph = (struct glyph){ "\xef\xbf\xbd", 3, 1 };
	else if (is_in(wide, DP_COUNT(wide), code))
		glyph->width = 2;
	return taken;
}

static size_t width_of(const char *text, size_t length, bool ascii)
{
	struct glyph glyph;
	size_t width = 0;

	for (size_t i = 0; i < length;) {
		i += next_glyph(&glyph, text + i, length - i, ascii);
		width += glyph.width;
	}
	return width;
}

size_t dp_label__width_of(const char *text, size_t length)
{
	return width_of(text, length, false);
}

size_t dp_label_width(const char *text)
{
	return width_of(text, strlen(text), false);
}

/*
 * Appends columns [from, to) of the text to buf. A wide character that crosses an end is left out.
 */
static size_t append(char *buf, size_t used, const char *text, size_t length, size_t from,
		     size_t to, bool ascii)
{
	struct glyph glyph;
	size_t at = 0;

	for (size_t i = 0; i < length && at < to; at += glyph.width) {
		i += next_glyph(&glyph, text + i, length - i, ascii);
		if (at < from || at + glyph.width > to)
			continue;
		memcpy(buf + used, glyph.bytes, glyph.length);
		used += glyph.length;
	}
	buf[used] = '\0';
	return used;
}

/* The mark for omissions: one column, or three in ASCII. */
static const char *dots(bool ascii)
{
	return ascii ? "..." : "\xe2\x80\xa6";
}

/* The number of columns that fit into a buffer, whatever characters they hold. */
static size_t fitting(size_t columns, size_t size)
{
	return DP_MIN(columns, (size - 1) / 4);
}

static char *cut(char *buf, const char *text, size_t length, size_t columns, bool ascii)
{
	size_t width = width_of(text, length, ascii), gap = ascii ? 3 : 1, head, used;

	if (width <= columns || columns <= gap) {
		append(buf, 0, text, length, 0, columns, ascii);
		return buf;
	}
	head = (columns - gap + 1) / 2;
	used = append(buf, 0, text, length, 0, head, ascii);
	used = append(buf, used, dots(ascii), gap == 3 ? 3 : strlen(dots(false)), 0, gap, ascii);
	append(buf, used, text, length, width - (columns - gap - head), width, ascii);
	return buf;
}

/* The same, but cuts the end. */
static char *cut_end(char *buf, const char *text, size_t length, size_t columns, bool ascii)
{
	size_t used = append(buf, 0, text, length, 0, columns - (ascii ? 3 : 1), ascii);

	strcpy(buf + used, dots(ascii));
	return buf;
}

char *dp_label_text(char *buf, size_t size, const char *text, size_t columns, bool ascii)
{
	return size ? cut(buf, text, strlen(text), fitting(columns, size), ascii) : buf;
}

char *dp_label__text(char buf[DP_LABEL_SIZE], const char *text, size_t columns, bool ascii)
{
	char marker[DP_LABEL_SIZE];

	return dp_label_text(buf, DP_LABEL_SIZE, dp_label__marker(marker, text) ? marker : text,
			     DP_MIN(columns, DP_LABEL_COLUMNS), ascii);
}

/* A demangled name, divided into its parts. */
struct parts {
	const char *name;
	size_t length;	  /* up to the parameters */
	bool is_function; /* has parameters: a return type precedes the last space before them */
};

/* Skips "operator<<" and the like, which contain no real brackets. */
static size_t skip_operator(const char *text, size_t i, size_t length)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	if (length - i < n + 1 || memcmp(text + i, word, n))
		return i;
	i += n;
	if (length - i >= 2 && text[i] == '(' && text[i + 1] == ')')
		return i + 2;
	while (i < length && strchr("<>=-+*/%&|^!~,", text[i]))
		i++;
	/* "operator< <T>", "operator bool": no return type ends at this space */
	return i + (i + 1 < length && text[i] == ' ');
}

static int bracket(const char *text, size_t i)
{
	if (text[i] == '(' || text[i] == '<' || text[i] == '[' || text[i] == '{')
		return 1;
	if (text[i] == '>' && i && text[i - 1] == '-')
		return 0;
	return text[i] == ')' || text[i] == '>' || text[i] == ']' || text[i] == '}' ? -1 : 0;
}

/* Returns true if only qualifiers follow the parameters, as in "f(int) const [clone .part.0]". */
static bool ends_after(const char *text, size_t i, size_t length)
{
	return i >= length || text[i] == '&' ||
	       (text[i] == ' ' && i + 1 < length && (text[i + 1] == '[' || text[i + 1] == 'c'));
}

/* Divides a name. Returns false if brackets do not match: then it is no C++ name. */
static bool parse(struct parts *parts, const char *text, size_t length)
{
	size_t open = SIZE_MAX, space = SIZE_MAX;
	int depth = 0;

	*parts = (struct parts){ text, length, false };
	for (size_t i = 0; i < length; i++) {
		size_t after = skip_operator(text, i, length);

		if (after > i) {
			i = after - 1;
			continue;
		}
		if (!depth && text[i] == ' ' && !parts->is_function)
			space = i;
		if (!depth && text[i] == '(' && i && text[i - 1] != ' ' && text[i - 1] != ':')
			open = i;
		depth += bracket(text, i);
		if (depth < 0)
			return false;
		if (!depth && text[i] == ')' && open != SIZE_MAX && !parts->is_function &&
		    ends_after(text, i + 1, length)) {
			parts->length = open;
			parts->is_function = true;
		}
	}
	if (parts->is_function && space != SIZE_MAX && space < parts->length) {
		parts->name += space + 1;
		parts->length -= space + 1;
	}
	return depth == 0;
}

/* A name that is being shortened. */
struct shorter {
	char text[1024];
	size_t used;
	bool full; /* the rest is left out */
};

static void put(struct shorter *to, const char *text, size_t length)
{
	to->full |= to->used + length >= sizeof(to->text);
	if (to->full)
		return;
	memcpy(to->text + to->used, text, length);
	to->used += length;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '~';
}

/*
 * At "::" drops the plain name before it, unless what it qualifies is meaningless alone, like a
 * lambda.
 */
static bool drop_qualifier(struct shorter *to, const char *after)
{
	static const char anonymous[] = "(anonymous namespace)";
	size_t n = sizeof(anonymous) - 1, used = to->used;

	if (*after == '{' || !strncmp(after, "operator", 8))
		return false;
	if (used >= n && !memcmp(to->text + used - n, anonymous, n)) {
		to->used -= n;
		return true;
	}
	while (used && is_word(to->text[used - 1]))
		used--;
	if (used == to->used)
		return false;
	to->used = used;
	return true;
}

/* Copies a name without namespaces and without template arguments nested deeper than `most`. */
static void shorten(struct shorter *to, const struct parts *parts, int most, bool ascii)
{
	const char *text = parts->name;
	int depth = 0, hidden = 0; /* depth in angle brackets; in all brackets inside an omission */

	*to = (struct shorter){ .used = 0 };
	for (size_t i = 0; i < parts->length && !to->full; i++) {
		size_t after = hidden ? i : skip_operator(text, i, parts->length);
		int step = bracket(text, i);

		if (after > i) {
			put(to, text + i, after - i);
			i = after - 1;
			continue;
		}
		if (hidden) {
			hidden += step;
			if (!hidden)
				put(to, ">", 1);
			continue;
		}
		if (text[i] == '<' && depth == most) {
			put(to, "<", 1);
			put(to, dots(ascii), strlen(dots(ascii)));
			hidden = 1;
			continue;
		}
		if (text[i] == '<' || (text[i] == '>' && step))
			depth += step;
		if (text[i] == ':' && i + 2 < parts->length && text[i + 1] == ':') {
			if (!drop_qualifier(to, text + i + 2))
				put(to, "::", 2);
			i++;
			continue;
		}
		put(to, text + i, 1);
	}
	to->text[to->used] = '\0';
}

char *dp_label_kernel(char *buf, size_t size, const char *name, size_t columns, bool ascii)
{
	size_t length = strnlen(name, LOOKED_AT);
	struct shorter shorter;
	struct parts parts;
	int most = 3;

	if (!size)
		return buf;
	columns = fitting(columns, size);
	if (width_of(name, length, ascii) <= columns || !parse(&parts, name, length))
		return cut(buf, name, length, columns, ascii);
	if (width_of(parts.name, parts.length, ascii) <= columns)
		return cut(buf, parts.name, parts.length, columns, ascii);
	for (; most >= 0; most--) {
		shorten(&shorter, &parts, most, ascii);
		if (!shorter.full && width_of(shorter.text, shorter.used, ascii) <= columns)
			break;
	}
	if (most >= 0 && most < 3 &&
	    width_of(shorter.text, shorter.used, ascii) + ROOM_LEFT <= columns) {
		shorten(&shorter, &parts, most + 1, ascii);
		return cut_end(buf, shorter.text, shorter.used, columns, ascii);
	}
	return cut(buf, shorter.text, shorter.used, columns, ascii);
}

char *dp_label__kernel(char buf[DP_LABEL_SIZE], const char *name, size_t columns, bool ascii)
{
	char marker[DP_LABEL_SIZE];

	if (dp_label__marker(marker, name))
		return dp_label__text(buf, marker, columns, ascii);
	return dp_label_kernel(buf, DP_LABEL_SIZE, name, DP_MIN(columns, DP_LABEL_COLUMNS), ascii);
}

/* Writes the function's name without arguments in at most this many columns. Returns its bytes. */
static size_t put_function(char *buf, const char *name, size_t length, size_t columns, bool ascii)
{
	struct shorter shorter;
	struct parts parts;
	size_t angle;

	if (!parse(&parts, name, length))
		return append(buf, 0, name, length, 0, columns, ascii);
	shorten(&shorter, &parts, 0, ascii);
	angle = strcspn(shorter.text, "<");
	return append(buf, 0, shorter.text, angle ? angle : shorter.used, 0, columns, ascii);
}

/*
 * The bytes from where a word begins to a place, so that labels differ where the reader sees it, not
 * because what is shown begins elsewhere. Of words that are too long, a part begins behind '_':
 * "sm80_xmma_gemm_f32f32_tn_n_tilesize64x64x8".
 */
static size_t back_to_word(const char *name, size_t place, size_t most)
{
	size_t back = 0;

	while (back < place && back <= most && is_word(name[place - back - 1]))
		back++;
	if (back <= most)
		return back;
	for (back = 0; back < most && name[place - back - 1] != '_';)
		back++;
	return back;
}

char *dp_label__kernel_at(char buf[DP_LABEL_SIZE], const char *name, size_t place, size_t columns,
			  bool ascii)
{
	size_t length = strnlen(name, LOOKED_AT), gap = ascii ? 3 : 1, used, room, from, width;
	char marker[DP_LABEL_SIZE];

	columns = DP_MIN(columns, DP_LABEL_COLUMNS);
	if (!place || place >= length || columns < 2 * (PART_LEAST + gap) ||
	    dp_label__marker(marker, name))
		return dp_label__kernel(buf, name, columns, ascii);
	used = put_function(buf, name, length, DP_MIN(columns / 2, columns - 2 * gap - PART_LEAST),
			    ascii);
	room = columns - width_of(buf, used, ascii) - gap;
	used = append(buf, used, dots(ascii), strlen(dots(ascii)), 0, gap, false);
	place -= back_to_word(name, place, DP_MIN(WORD_MOST, room - gap - PART_LEAST / 2));
	from = width_of(name, place, ascii);
	width = width_of(name, length, ascii);
	if (width <= room + from) {
		append(buf, used, name, length, width > room ? width - room : 0, width, ascii);
		return buf;
	}
	used = append(buf, used, name, length, from, from + room - gap, ascii);
	append(buf, used, dots(ascii), strlen(dots(ascii)), 0, gap, false);
	return buf;
}
