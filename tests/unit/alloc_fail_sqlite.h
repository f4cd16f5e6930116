/*
 * Has SQLite allocate through functions of the test's own, whose malloc() is the one that fails
 * (alloc_fail.h).
 */
#ifndef DP_TEST_ALLOC_FAIL_SQLITE_H
#define DP_TEST_ALLOC_FAIL_SQLITE_H

#include "alloc_fail.h"

#include <check.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>

/* A block has its size before it, as SQLite asks for that. */
static void *take(int size)
{
	int64_t *block = malloc((size_t)size + 16);

	if (!block)
		return NULL;
	block[0] = size;
	return block + 2;
}

static void give(void *block)
{
	if (block)
		free((int64_t *)block - 2);
}

static void *resize(void *block, int size)
{
	int64_t *moved = realloc((int64_t *)block - 2, (size_t)size + 16);

	if (!moved)
		return NULL;
	moved[0] = size;
	return moved + 2;
}

static int size_of(void *block)
{
	return block ? (int)((int64_t *)block - 2)[0] : 0;
}

static int round_up(int size)
{
	return (size + 7) & ~7;
}

static int start(void *ctx)
{
	return SQLITE_OK;
}

static void stop(void *ctx)
{
}

static void take_over_sqlite(void)
{
	static const sqlite3_mem_methods methods = { take,     give,  resize, size_of,
						     round_up, start, stop,   NULL };

	sqlite3_shutdown();
	ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
	/* Preallocated memory would hide failures. */
	ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
	ck_assert_int_eq(sqlite3_initialize(), SQLITE_OK);
}

#endif
