/* zlib between a renderer and its sink. */
#include "report/gzip.h"

#include <zlib.h>

#define LEVEL 4	       /* above it, traces shrink little more and take much longer */
#define WINDOW_BITS 31 /* the largest, and 16 for gzip's header */
#define ROOM 65536

struct dp_gzip {
	const struct dp_sink *sink;
	struct dp_sink own;
	z_stream stream;
	unsigned char out[ROOM];
};

static int deflate_all(struct dp_gzip *gzip, int flush)
{
	z_stream *stream = &gzip->stream;
	size_t used;

	do {
		stream->next_out = gzip->out;
		stream->avail_out = ROOM;
		if (deflate(stream, flush) == Z_STREAM_ERROR)
			return -1;
		used = ROOM - stream->avail_out;
		if (used && gzip->sink->write(gzip->sink->ctx, gzip->out, used))
			return -1;
	} while (!stream->avail_out);
	return 0;
}

static int write_some(void *ctx, const void *data, size_t size)
{
	struct dp_gzip *gzip = ctx;
	const unsigned char *at = data;

	while (size) {
		size_t piece = DP_MIN(size, (size_t)1 << 30);

		/* zlib does not write to it, but older headers lack const */
		gzip->stream.next_in = (unsigned char *)(uintptr_t)at;
		gzip->stream.avail_in = (unsigned)piece;
		if (deflate_all(gzip, Z_NO_FLUSH))
			return -1;
		at += piece;
		size -= piece;
	}
	return 0;
}

int dp_gzip__new(struct dp_gzip **out, const struct dp_sink *sink, struct dp_error *error)
{
	struct dp_gzip *gzip = dp_alloc__zeroed(1, sizeof(*gzip));

	if (!gzip)
		return dp_error__nomem(error, sizeof(*gzip));
	gzip->sink = sink;
	gzip->own = (struct dp_sink){ write_some, gzip };
	if (deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, WINDOW_BITS, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK) {
		free(gzip);
		return dp_error__nomem(error, 0);
	}
	*out = gzip;
	return DP_OK;
}

const struct dp_sink *dp_gzip__sink(struct dp_gzip *gzip)
{
	return &gzip->own;
}

int dp_gzip__finish(struct dp_gzip *gzip)
{
	gzip->stream.avail_in = 0;
	return deflate_all(gzip, Z_FINISH);
}

void dp_gzip__free(struct dp_gzip *gzip)
{
	if (!gzip)
		return;
	deflateEnd(&gzip->stream);
	free(gzip);
}
