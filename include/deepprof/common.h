/* What every other header needs: the export macro, status codes, errors and the log. */
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

/* An index that refers to nothing: no launch call, no parent, no name. */
#define DP_NONE UINT32_MAX

/* What a function returns: 0, or why it failed. Later versions may add codes at the end. */
enum dp_status {
	DP_OK = 0,
	DP_ERR_NOMEM = -1,	 /* an allocation failed */
	DP_ERR_IO = -2,		 /* a file could not be opened, read or written */
	DP_ERR_FORMAT = -3,	 /* the content is in no known format */
	DP_ERR_DAMAGED = -4,	 /* the format is known, the content is broken */
	DP_ERR_NO_GPU = -5,	 /* a valid trace without GPU operations */
	DP_ERR_ARGUMENT = -6,	 /* an argument or option is invalid, or names what is not there */
	DP_ERR_LIMIT = -7,	 /* the input exceeds a limit of size, number or cost */
	DP_ERR_UNSUPPORTED = -8, /* recognized, but not supported */
};

/* The name of a status, "ok" for DP_OK; never NULL. Static storage. */
DP_API const char *dp_status_name(int status);

/*
 * What went wrong and where. The caller owns it and sets it to DP_ERROR_INIT before use. A function
 * does not change an error that is already set, so that the first error is kept. Every function
 * that takes an error accepts NULL.
 */
struct dp_error {
	int status;	   /* enum dp_status */
	char path[256];	   /* the file, or "" */
	char table[64];	   /* the table or section in it, or "" */
	uint64_t line;	   /* counted from 1; 0 if unknown */
	uint64_t column;   /* counted from 1; 0 if unknown */
	char message[512]; /* one line, no full stop, no newline */
	int system;	   /* errno of the system's call that failed; 0: none did */
};

#define DP_ERROR_INIT               \
	{                           \
		0, "", "", 0, 0, "", 0 \
	}

/*
 * Writes one line, "path:line:column: message" or "path: table: message", without the parts that
 * are unknown. At most size bytes are written, the NUL included; control characters become '?'.
 * Returns the length of the whole line. Cost: linear in that length.
 */
DP_API size_t dp_error_format(const struct dp_error *error, char *buf, size_t size);

enum dp_log_level { DP_LOG_DEBUG, DP_LOG_INFO, DP_LOG_WARNING };

/*
 * Receives events that are not errors, such as a clamped duration or a skipped row. If write is
 * NULL, nothing is logged. message is one line, valid during the call, which is made on the thread
 * that called the library.
 */
struct dp_log {
	void (*write)(void *ctx, enum dp_log_level level, const char *message);
	void *ctx;
};

/* The version of these headers, as a number to compare (100 for 0.1.0) and as text. */
#define DP_VERSION_NUMBER (0 * 10000 + 1 * 100 + 0)
#define DP_VERSION_STRING "0.1.0"

/* The version of the loaded library, "major.minor.patch". Static storage. */
DP_API const char *dp_version(void);

#ifdef __cplusplus
}
#endif

#endif
