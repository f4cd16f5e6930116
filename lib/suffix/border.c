/* Borders of prefixes. Cost: linear, since a border grows by one symbol at a time. */
#include "suffix/border.h"

size_t *dp_border__make(const uint32_t *p, size_t m)
{
	size_t *border = dp_alloc__zeroed(m + 1, sizeof(*border)), k = 0;

	for (size_t i = 1; border && i < m; i++) {
		while (k && p[i] != p[k])
			k = border[k];
		k += p[i] == p[k];
		border[i + 1] = k;
	}
	return border;
}
