/*
 * Files and standard input, decompressed by zlib if they begin with gzip's magic number. Several
 * gzip members in a row form one content (RFC 1952, 2.2). Large files are decompressed on a
 * separate thread while the caller reads earlier content.
 */
#include "import/input.h"
#include "import/ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define HEAD_BYTES ((size_t)64 << 10)
#define RAW_BYTES ((size_t)256 << 10)

/* Smaller files are read before a thread pays off; inflating them takes some 10 ms. */
#define AHEAD_BYTES ((uint64_t)1 << 20)

/*
 * Real traces shrink to a fortieth at most, databases without records to a fiftieth: content that
 * shrinks more is made to cost time, memory and space on disk. Small content is harmless.
 */
#define RATIO_MOST 200
#define SMALL_BYTES ((uint64_t)64 << 20)

struct dp_input {
	int fd; /* -1: reads memory */
	bool own_fd;
	const unsigned char *memory; /* what is left of it */
	size_t memory_length;
	bool gzip;
	bool raw_end;
	bool end; /* of the content */
	bool between_members;
	bool inflating;
	const char *damage; /* set by the thread until the end was read */
	_Atomic uint64_t position;
	uint64_t size;
	uint64_t unpacked; /* bytes of the content so far */
	z_stream inflate;
	unsigned char *raw;
	size_t raw_at, raw_length;
	char *head;
	size_t head_length, head_read;
	struct dp_ahead *ahead; /* has the content behind the head; NULL: no thread */
	bool ahead_tried, ahead_end;
};

/* Reads the next bytes of the file or memory. Returns 0 at the end, -1 and sets errno on error. */
static ssize_t next_bytes(struct dp_input *input)
{
	size_t length = DP_MIN(input->memory_length, RAW_BYTES);
	ssize_t n;

	if (input->memory) {
		memcpy(input->raw, input->memory, length);
		input->memory += length;
		input->memory_length -= length;
		return (ssize_t)length;
	}
	do {
		n = read(input->fd, input->raw, RAW_BYTES);
	} while (n < 0 && errno == EINTR);
	return n;
}

/* Refills the raw buffer if it is empty. */
static int fill(struct dp_input *input, struct dp_error *error)
{
	ssize_t n;

	if (input->raw_at < input->raw_length || input->raw_end)
		return DP_OK;
	n = next_bytes(input);
	if (n < 0)
		return dp_error__system(error, "can't read");
	input->raw_at = 0;
	input->raw_length = (size_t)n;
	input->raw_end = n == 0;
	input->position += (uint64_t)n;
	return DP_OK;
}

/* Reads large pieces directly into the caller's buffer. */
static int read_directly(struct dp_input *input, char *buf, size_t size, size_t *got,
			 struct dp_error *error)
{
	ssize_t n;

	do {
		n = read(input->fd, buf, DP_MIN(size, (size_t)1 << 30));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return dp_error__system(error, "can't read");
	input->raw_end = n == 0;
	input->position += (uint64_t)n;
	*got = (size_t)n;
	return DP_OK;
}

static int read_plain(struct dp_input *input, char *buf, size_t size, size_t *got,
		      struct dp_error *error)
{
	int status;

	if (input->raw_at == input->raw_length && !input->raw_end && !input->memory &&
	    size >= RAW_BYTES)
		return read_directly(input, buf, size, got, error);
	status = fill(input, error);

	if (status)
		return status;
	*got = DP_MIN(size, input->raw_length - input->raw_at);
	memcpy(buf, input->raw + input->raw_at, *got);
	input->raw_at += *got;
	return DP_OK;
}

/* Starts the next member or ends the content. Like gzip, ignores other bytes after a member. */
static void next_member(struct dp_input *input)
{
	if (input->raw_at < input->raw_length && input->raw[input->raw_at] == 0x1f &&
	    inflateReset(&input->inflate) == Z_OK)
		input->between_members = false;
	else
		input->end = true;
}

/* Counts what was unpacked. Fails if it has become too large for its compressed size. */
static int count_unpacked(struct dp_input *input, size_t bytes, struct dp_error *error)
{
	input->unpacked += bytes;
	if (input->unpacked <= SMALL_BYTES ||
	    (input->unpacked - SMALL_BYTES) / RATIO_MOST <= input->position)
		return DP_OK;
	return dp_error__set(
		error, DP_ERR_LIMIT,
		"a compressed file that unpacks to more than %d times its size; if that is "
		"intended, unpack it first",
		RATIO_MOST);
}

static int read_gzip(struct dp_input *input, char *buf, size_t size, size_t *got,
		     struct dp_error *error)
{
	z_stream *z = &input->inflate;
	int status, code;

	*got = 0;
	while (*got == 0 && !input->end) {
		status = fill(input, error);
		if (status)
			return status;
		if (input->between_members) {
			next_member(input);
			continue;
		}
		z->next_in = input->raw + input->raw_at;
		z->avail_in = (uInt)(input->raw_length - input->raw_at);
		z->next_out = (Bytef *)buf;
		z->avail_out = (uInt)DP_MIN(size, (size_t)1 << 30);
		code = inflate(z, Z_NO_FLUSH);
		*got = (size_t)((char *)z->next_out - buf);
		input->raw_at = input->raw_length - z->avail_in;
		if (code == Z_STREAM_END) {
			input->between_members = true;
		} else if (code == Z_MEM_ERROR) {
			return dp_error__nomem(error, 0);
		} else if (code != Z_OK && code != Z_BUF_ERROR) {
			input->damage = "compressed data is damaged";
			input->end = true;
		} else if (input->raw_end && *got == 0) {
			input->damage = "compressed data ends early";
			input->end = true;
		}
	}
	return count_unpacked(input, *got, error);
}

static int read_content(struct dp_input *input, void *buf, size_t size, size_t *got,
			struct dp_error *error)
{
	*got = 0;
	if (input->end || !size)
		return DP_OK;
	if (input->gzip)
		return read_gzip(input, buf, size, got, error);
	return read_plain(input, buf, size, got, error);
}

static int read_head(struct dp_input *input, struct dp_error *error)
{
	size_t got = 1;
	int status = fill(input, error);

	if (status)
		return status;
	if (input->raw_length >= 2 && input->raw[0] == 0x1f && input->raw[1] == 0x8b) {
		/* 32 accepts gzip and zlib headers, 15 is the largest window. */
		if (inflateInit2(&input->inflate, 15 + 32) != Z_OK)
			return dp_error__nomem(error, 0);
		input->inflating = true;
		input->gzip = true;
	}
	while (got && input->head_length < HEAD_BYTES) {
		status = read_content(input, input->head + input->head_length,
				      HEAD_BYTES - input->head_length, &got, error);
		if (status)
			return status;
		input->head_length += got;
	}
	return DP_OK;
}

static int open_file(struct dp_input *input, const char *path, struct dp_error *error)
{
	struct stat info;

	if (!strcmp(path, "-")) {
		input->fd = STDIN_FILENO;
	} else {
		input->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (input->fd < 0)
			return dp_error__system(error, NULL);
		input->own_fd = true;
	}
	if (fstat(input->fd, &info))
		return dp_error__system(error, "can't stat");
	if (S_ISDIR(info.st_mode)) {
		errno = EISDIR;
		return dp_error__system(error, NULL);
	}
	if (S_ISREG(info.st_mode) && info.st_size > 0)
		input->size = (uint64_t)info.st_size;
	return DP_OK;
}

/* Opens path or, if it is NULL, length bytes at memory. */
static int open_any(struct dp_input **input, const char *path, const void *memory, size_t length,
		    struct dp_error *error)
{
	struct dp_input *made = dp_alloc__zeroed(1, sizeof(*made));
	int status = DP_OK;

	if (!made)
		return dp_error__nomem(error, sizeof(*made));
	made->fd = -1;
	made->raw = malloc(RAW_BYTES);
	made->head = malloc(HEAD_BYTES);
	if (!made->raw || !made->head) {
		status = dp_error__nomem(error, RAW_BYTES + HEAD_BYTES);
	} else if (path) {
		status = open_file(made, path, error);
	} else {
		made->memory = memory;
		made->memory_length = made->size = length;
	}
	if (!status)
		status = read_head(made, error);
	if (status)
		dp_input__close(made);
	else
		*input = made;
	return status;
}

int dp_input__open(struct dp_input **input, const char *path, struct dp_error *error)
{
	return open_any(input, path, NULL, 0, error);
}

int dp_input__memory(struct dp_input **input, const void *bytes, size_t length,
		     struct dp_error *error)
{
	/* Empty input may be at NULL, which would select the file here. */
	return open_any(input, NULL, bytes ? bytes : "", length, error);
}

void dp_input__close(struct dp_input *input)
{
	if (!input)
		return;
	dp_ahead__free(input->ahead);
	if (input->inflating)
		inflateEnd(&input->inflate);
	if (input->own_fd)
		close(input->fd);
	free(input->raw);
	free(input->head);
	free(input);
}

const char *dp_input__head(const struct dp_input *input, size_t *length)
{
	*length = input->head_length;
	return input->head;
}

static int make_ahead(void *ctx, char *buf, size_t size, size_t *got, struct dp_error *error)
{
	return read_content(ctx, buf, size, got, error);
}

/* Lets a thread continue from here, if it pays off. */
static void start_ahead(struct dp_input *input)
{
	input->ahead_tried = true;
	if (input->gzip && !input->memory && !input->end &&
	    (!input->size || input->size >= AHEAD_BYTES))
		input->ahead = dp_ahead__new(make_ahead, input);
}

int dp_input__read(struct dp_input *input, void *buf, size_t size, size_t *got,
		   struct dp_error *error)
{
	int status;

	if (input->head_read < input->head_length) {
		*got = DP_MIN(size, input->head_length - input->head_read);
		memcpy(buf, input->head + input->head_read, *got);
		input->head_read += *got;
		return DP_OK;
	}
	if (!input->ahead_tried)
		start_ahead(input);
	if (!input->ahead)
		return read_content(input, buf, size, got, error);
	status = dp_ahead__read(input->ahead, buf, size, got, error);
	input->ahead_end = !*got;
	return status;
}

/* Skips bytes by moving in the file. Returns false if that is not possible. */
static bool seek(struct dp_input *input, uint64_t bytes, uint64_t *passed)
{
	uint64_t left = input->size > input->position ? input->size - input->position : 0;

	if (input->gzip || input->memory || !input->size || input->raw_at < input->raw_length ||
	    input->head_read < input->head_length)
		return false;
	bytes = DP_MIN(bytes, left);
	if (lseek(input->fd, (off_t)bytes, SEEK_CUR) < 0)
		return false;
	input->position += bytes;
	*passed += bytes;
	return true;
}

int dp_input__skip(struct dp_input *input, uint64_t bytes, uint64_t *passed, struct dp_error *error)
{
	char waste[16384];
	size_t got = 1;
	int status = DP_OK;

	*passed = 0;
	while (!status && got && *passed < bytes) {
		if (seek(input, bytes - *passed, passed))
			break;
		status = dp_input__read(
			input, waste, (size_t)DP_MIN(bytes - *passed, sizeof(waste)), &got, error);
		*passed += status ? 0 : got;
	}
	return status;
}

const char *dp_input__damage(const struct dp_input *input)
{
	/* Damage that was not read up to does not count: the thread may or may not have met it. */
	return input->ahead && !input->ahead_end ? NULL : input->damage;
}

bool dp_input__is_gzip(const struct dp_input *input)
{
	return input->gzip;
}

uint64_t dp_input__position(const struct dp_input *input)
{
	return input->position;
}

uint64_t dp_input__size(const struct dp_input *input)
{
	return input->size;
}
