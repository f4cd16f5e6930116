/* Words in parts of a text. */
#include "import/slice.h"

#include <string.h>

bool dp_slice__is(struct dp_slice text, const char *word)
{
	size_t length = strlen(word);

	return text.length == length && !memcmp(text.at, word, length);
}

bool dp_slice__starts(struct dp_slice text, const char *word)
{
	size_t length = strlen(word);

	return text.length >= length && !memcmp(text.at, word, length);
}

/* memmem() is not POSIX 2008. Only banners and headers are searched: short, or few. */
bool dp_slice__has(struct dp_slice text, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= text.length; i++)
		if (text.at[i] == word[0] && !memcmp(text.at + i, word, length))
			return true;
	return false;
}

struct dp_slice dp_slice__trim(struct dp_slice text)
{
	while (text.length && strchr(" \t\r\n", text.at[text.length - 1]) &&
	       text.at[text.length - 1])
		text.length--;
	while (text.length && (text.at[0] == ' ' || text.at[0] == '\t')) {
		text.at++;
		text.length--;
	}
	return text;
}

bool dp_slice__integer(struct dp_slice text, int64_t *value)
{
	int64_t sum = 0;

	for (size_t i = 0; i < text.length; i++)
		if (text.at[i] < '0' || text.at[i] > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, text.at[i] - '0', &sum))
			return false;
	*value = sum;
	return text.length > 0;
}
