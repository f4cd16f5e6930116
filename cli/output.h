/*
 * The destination of a report: standard output, perhaps through a pager, or a file that appears
 * under its name only when it is complete.
 */
#ifndef DP_CLI_OUTPUT_H
#define DP_CLI_OUTPUT_H

#include "pager.h"
#include "place.h"

#include <deepprof/report.h>
#include <stdbool.h>
#include <sys/types.h>

struct output {
	const char *path; /* as given; NULL for standard output */
	int folder;	  /* that holds its last part; -1: the path says */
	struct place place;
	char temporary[256]; /* its name in the place's folder; "": written directly */
	int fd;
	bool force;
	mode_t mode; /* 0: owner only */
	bool pageable;
	bool one_line; /* line breaks are removed */
	int failure;   /* errno of the first write that failed, 0: none */
	struct pager pager;
	char *kept; /* a copy for the pager, in case that shows nothing */
	size_t kept_size;
	bool kept_all;
	bool has_left; /* the pager's reader quit before the end */
};

#define OUTPUT_INIT                                                              \
	{                                                                        \
		.folder = -1, .place = PLACE_INIT, .fd = -1, .pager = PAGER_INIT \
	}

/*
 * path: NULL or "-" for standard output. Without force, rejects an existing regular file. A new
 * file does not inherit permissions: it has mode or, if that is 0, only its owner can read it.
 * Devices and pipes are written to directly; a symbolic link of another user is rejected. Returns
 * false after printing the error.
 */
bool output_open(struct output *output, const char *path, bool force, mode_t mode, bool pageable);

/*
 * The same for a file whose folder is open, which stays the caller's: what has the folder's name by
 * now does not matter. With folder -1 like output_open().
 */
bool output_open_in(struct output *output, int folder, const char *path, bool force, mode_t mode);

/* Returns true if the output appears on a terminal, directly or through a pager. */
bool output_is_terminal(const struct output *output);

/* Returns a sink for dp_report_write() and for the program's own text. */
struct dp_sink output_sink(struct output *output);
void output_write(struct output *output, const void *data, size_t size);
void output_print(struct output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * JSON Lines: output between these two calls is one line. JSON has line breaks only between tokens.
 */
void output_begin_line(struct output *output);
void output_end_line(struct output *output);

/*
 * Call after the library has written to the sink. Returns false after printing the error. Errors of
 * the output are reported when it is closed; a pager's reader may quit before the end.
 */
bool output_written(const struct output *output, int status, const struct dp_error *error);

/* Returns true after a write has failed: the rest is not needed. */
bool output_failed(const struct output *output);

/*
 * Ends the output: waits for the pager, or puts the file in place (keep) or removes it. Returns
 * false after printing the error if something was not written. A closed pipe is no failure for a
 * pager, and otherwise ends the program silently.
 */
bool output_close(struct output *output, bool keep);

#endif
