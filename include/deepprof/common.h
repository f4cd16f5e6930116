/* What every other header needs: export macro, status codes, errors, log callback. */
#ifndef DEEPPROF_COMMON_H
#define DEEPPROF_COMMON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DP_API __attribute__((visibility("default")))
#define DP_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define DP_API
#define DP_PRINTF(string, first)
#endif

/* An index that names nothing: no launch call, no parent, no name. */
#define DP_NONE UINT32_MAX

/* What a function returns: 0, or why it failed. New codes may be added at the end. */
enum dp_status {
	DP_OK = 0,
	DP_ERR_NOMEM = -1,	 /* an allocation failed */
	DP_ERR_IO = -2,		 /* a file could not be opened, read or written */
	DP_ERR_FORMAT = -3,	 /* the content is of no format that is known */
	DP_ERR_DAMAGED = -4,	 /* the format is known, the content is broken */
	DP_ERR_NO_GPU = -5,	 /* a good trace, but without any GPU operation */
	DP_ERR_ARGUMENT = -6,	 /* the caller asked for something that does not exist */
	DP_ERR_LIMIT = -7,	 /* more than an index of the model can name */
	DP_ERR_UNSUPPORTED = -8, /* known, and known not to be supported */
};

/* A name for a status, "ok" for DP_OK; never NULL. Static storage. */
DP_API const char *dp_status_name(int status);

/*
 * What went wrong and where, in storage of the caller's, set to DP_ERROR_INIT before use. The
 * first error wins: a function leaves an error that is set as it is. Every function that takes
 * one accepts NULL.
 */
struct dp_error {
	int status;	   /* enum dp_status */
	char path[256];	   /* the file, or "" */
	char table[64];	   /* the table or section inside it, or "" */
	uint64_t line;	   /* 1-based, 0 if not known */
	uint64_t column;   /* 1-based, 0 if not known */
	char message[512]; /* one line, no full stop, no newline */
};

#define DP_ERROR_INIT               \
	{                           \
		0, "", "", 0, 0, "" \
	}

/*
 * Writes "path:line:column: message" (or "path: table: message", with what is known) as one
 * line into buf, cut to size bytes with the NUL. Control characters in the path are shown as '?'.
 * Returns the length that the whole line has. Cost: the line's length.
 */
DP_API size_t dp_error_format(const struct dp_error *error, char *buf, size_t size);

enum dp_log_level { DP_LOG_DEBUG, DP_LOG_INFO, DP_LOG_WARNING };

/*
 * Where the library tells of things that are not errors (a clamped duration, a skipped row).
 * write may be NULL: then nothing is told. message is one line, borrowed for the call. It is
 * called on the thread that called the library.
 */
struct dp_log {
	void (*write)(void *ctx, enum dp_log_level level, const char *message);
	void *ctx;
};

/* The version of these headers: a number to compare, 100 for 0.1.0, and in words. */
#define DP_VERSION_NUMBER (0 * 10000 + 1 * 100 + 0)
#define DP_VERSION_STRING "0.1.0"

/* The version of the library that is loaded, "major.minor.patch". Static storage. */
DP_API const char *dp_version(void);

#ifdef __cplusplus
}
#endif

#endif
