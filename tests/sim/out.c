/* Buffered output. gzip members have no name and no time: the same text gives the same bytes. */
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { ROOM = 1 << 20 };

struct sim_out {
	int fd;
	int error; /* errno of the first failure */
	bool gzip;
	z_stream deflate;
	size_t used;
	char buffer[ROOM];
	unsigned char packed[1 << 16];
};

static void write_all(struct sim_out *out, const void *data, size_t length)
{
	const char *p = data;

	while (length && !out->error) {
		ssize_t n = write(out->fd, p, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			out->error = errno;
			return;
		}
		p += n;
		length -= (size_t)n;
	}
}

static void pack(struct sim_out *out, int flush)
{
	out->deflate.next_in = (unsigned char *)out->buffer;
	out->deflate.avail_in = (uInt)out->used;
	do {
		out->deflate.next_out = out->packed;
		out->deflate.avail_out = sizeof(out->packed);
		if (deflate(&out->deflate, flush) == Z_STREAM_ERROR) {
			out->error = EIO;
			return;
		}
		write_all(out, out->packed, sizeof(out->packed) - out->deflate.avail_out);
	} while (out->deflate.avail_out == 0);
}

static void flush(struct sim_out *out)
{
	if (out->gzip)
		pack(out, Z_NO_FLUSH);
	else
		write_all(out, out->buffer, out->used);
	out->used = 0;
}

struct sim_out *sim_out_open(const char *path, bool gzip)
{
	struct sim_out *out = malloc(sizeof(*out));

	if (!out)
		return NULL;
	memset(out, 0, offsetof(struct sim_out, buffer));
	out->gzip = gzip;
	out->fd = strcmp(path, "-") == 0 ? dup(STDOUT_FILENO)
					 : open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (out->fd < 0 ||
	    (gzip && deflateInit2(&out->deflate, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY))) {
		if (out->fd >= 0) {
			close(out->fd);
			errno = ENOMEM;
		}
		free(out);
		return NULL;
	}
	return out;
}

int sim_out_close(struct sim_out *out)
{
	int error;

	if (!out)
		return 0;
	if (out->gzip) {
		pack(out, Z_FINISH);
		deflateEnd(&out->deflate);
	} else {
		flush(out);
	}
	if (close(out->fd) && !out->error)
		out->error = errno;
	error = out->error;
	free(out);
	errno = error;
	return error ? -1 : 0;
}

char *sim_out_room(struct sim_out *out, size_t n)
{
	if (ROOM - out->used < n)
		flush(out);
	return out->buffer + out->used;
}

void sim_out_advance(struct sim_out *out, char *end)
{
	out->used = (size_t)(end - out->buffer);
}

void sim_out_text(struct sim_out *out, const char *text, size_t length)
{
	while (length) {
		size_t n = length < 65536 ? length : 65536;
		char *p = sim_out_room(out, n);

		memcpy(p, text, n);
		sim_out_advance(out, p + n);
		text += n;
		length -= n;
	}
}

static char *put_u64(char *p, uint64_t value)
{
	char digits[20];
	size_t n = 0;

	do
		digits[sizeof(digits) - ++n] = (char)('0' + value % 10);
	while (value /= 10);
	memcpy(p, digits + sizeof(digits) - n, n);
	return p + n;
}

void sim_out_u64(struct sim_out *out, uint64_t value)
{
	sim_out_advance(out, put_u64(sim_out_room(out, 24), value));
}

void sim_out_fixed(struct sim_out *out, uint64_t value, unsigned digits)
{
	char *p = sim_out_room(out, 48);
	uint64_t scale = 1;

	for (unsigned i = 0; i < digits; i++)
		scale *= 10;
	p = put_u64(p, value / scale);
	if (digits) {
		*p++ = '.';
		value %= scale;
		for (unsigned i = 0; i < digits; i++) {
			scale /= 10;
			*p++ = (char)('0' + value / scale);
			value %= scale;
		}
	}
	sim_out_advance(out, p);
}

void sim_out_json(struct sim_out *out, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	size_t plain;

	sim_out_text(out, "\"", 1);
	while (*text) {
		for (plain = 0; (unsigned char)text[plain] >= 0x20 && text[plain] != '"' &&
				text[plain] != '\\';
		     plain++)
			;
		sim_out_text(out, text, plain);
		text += plain;
		if (!*text)
			break;
		if (*text == '"' || *text == '\\') {
			char escaped[2] = { '\\', *text };

			sim_out_text(out, escaped, 2);
		} else {
			char escaped[6] = {
				'\\', 'u', '0', '0', hex[(unsigned char)*text >> 4], hex[*text & 15]
			};

			sim_out_text(out, escaped, 6);
		}
		text++;
	}
	sim_out_text(out, "\"", 1);
}
