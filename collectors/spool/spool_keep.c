/* What the reader of spools and salvage keep from a file: bytes, strings, and their addresses. */
#include "spool/spool_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BLOCK ((size_t)256 << 10)

bool dp_read__grow(void **array, size_t *room, size_t count, size_t entry_bytes)
{
	size_t more = *room ? *room : 64;
	char *made;

	if (count <= *room)
		return true;
	while (more < count) {
		if (more > SIZE_MAX / 2)
			return false;
		more *= 2;
	}
	if (more > SIZE_MAX / entry_bytes)
		return false;
	made = realloc(*array, more * entry_bytes);
	if (!made)
		return false;
	memset(made + *room * entry_bytes, 0, (more - *room) * entry_bytes);
	*array = made;
	*room = more;
	return true;
}

ssize_t dp_read__at(int fd, void *out, size_t bytes, uint64_t offset)
{
	size_t got = 0;

	while (got < bytes) {
		ssize_t n = pread(fd, (char *)out + got, bytes - got, (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/* Returns room for a text of that length and a NUL. */
static char *text_room(struct dp_spool *spool, size_t bytes)
{
	size_t block = bytes + 1 > TEXT_BLOCK ? bytes + 1 : TEXT_BLOCK;
	char *made;

	if (bytes + 1 > spool->text_left) {
		if (!dp_read__grow((void **)&spool->texts, &spool->text_room, spool->text_count + 1,
				   sizeof(*spool->texts)))
			return NULL;
		made = malloc(block);
		if (!made)
			return NULL;
		spool->texts[spool->text_count++] = made;
		spool->text_left = block;
	}
	/* A block is filled from its end. */
	spool->text_left -= bytes + 1;
	return spool->texts[spool->text_count - 1] + spool->text_left;
}

bool dp_read__define(struct dp_spool *spool, uint32_t id, const char *text, size_t bytes)
{
	char *kept;

	if (!dp_read__grow((void **)&spool->strings, &spool->string_room, id,
			   sizeof(*spool->strings)))
		return false;
	kept = text_room(spool, bytes);
	if (!kept)
		return false;
	if (bytes)
		memcpy(kept, text, bytes);
	kept[bytes] = 0;
	if (id > spool->string_count)
		spool->string_count = id;
	spool->strings[id - 1] = (struct dp_string){ kept, (uint32_t)bytes, true };
	return true;
}

bool dp_read__bind(struct dp_spool *spool, uint64_t address, uint32_t id)
{
	if (!dp_read__grow((void **)&spool->addresses, &spool->address_room,
			   spool->address_count + 1, sizeof(*spool->addresses)))
		return false;
	spool->addresses[spool->address_count++] = (struct dp_address){ address, id };
	return true;
}
