/* What both tests of the suffix tree need. */
#ifndef TEST_SUFFIX_CHECKS_H
#define TEST_SUFFIX_CHECKS_H

#include "suffix/tree.h"

#include <check.h>

/* Check writes every assertion to a pipe: too slow for millions that hold. */
#define CHECK_EQ(a, b)                               \
	do {                                         \
		if ((a) != (b))                      \
			ck_assert_uint_eq((a), (b)); \
	} while (0)

static void check_same(const struct dp_suffix_node *a, const struct dp_suffix_node *b)
{
	CHECK_EQ(a->left, b->left);
	CHECK_EQ(a->right, b->right);
	CHECK_EQ(a->depth, b->depth);
	CHECK_EQ(a->position, b->position);
}

static uint64_t seed;

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint32_t random_below(uint32_t limit)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(((z ^ z >> 31) >> 32) * limit >> 32);
}

#endif
