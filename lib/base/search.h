/* Searches sorted data. */
#ifndef DP_BASE_SEARCH_H
#define DP_BASE_SEARCH_H

/*
 * Sets at, a size_t, to the first index in [begin, end) for which holds, an expression of at, is
 * true, or to end. Once true, holds must stay true. Cost: binary search.
 */
#define DP_FIND(at, begin, end, holds)                          \
	do {                                                    \
		size_t dp_low = (begin), dp_high = (end);       \
                                                                \
		while (dp_low < dp_high) {                      \
			(at) = dp_low + (dp_high - dp_low) / 2; \
			if (holds)                              \
				dp_high = (at);                 \
			else                                    \
				dp_low = (at) + 1;              \
		}                                               \
		(at) = dp_low;                                  \
	} while (0)

#endif
