/*
 * Where a report goes: standard output, perhaps through a pager, or a file that appears under its
 * name only when it is whole.
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
	struct place place;
	char temporary[256]; /* its name in the place's folder; "": written directly */
	int fd;
	bool force;
	mode_t mode; /* 0: its owner's alone */
	bool pageable;
	bool one_line; /* line breaks are left out */
	int failure;   /* errno of the first write that failed, 0: none */
	struct pager pager;
	char *kept; /* what may go to a pager, or went there, should that show nothing */
	size_t kept_size;
	bool kept_all;
	bool has_left; /* the pager's reader, before the end */
};

#define OUTPUT_INIT                                                \
	{                                                          \
		.place = PLACE_INIT, .fd = -1, .pager = PAGER_INIT \
	}

/*
 * path: NULL or "-" for standard output. An existing regular file is refused without force, and its
 * permissions are not those of the new one: that has mode, or, where it is 0, only its owner reads
 * it. A device or a pipe is written to as it is; a symbolic link of another user is refused.
 * Returns false after printing the error.
 */
bool output_open(struct output *output, const char *path, bool force, mode_t mode, bool pageable);

/* True where what is written appears on a terminal, at once or through a pager. */
bool output_is_terminal(const struct output *output);

/* For dp_report_write() and for text of our own. */
struct dp_sink output_sink(struct output *output);
void output_write(struct output *output, const void *data, size_t size);
void output_print(struct output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * JSON Lines: what is written between these two is one line. JSON has no line breaks but between
 * its words.
 */
void output_begin_line(struct output *output);
void output_end_line(struct output *output);

/*
 * After the library has written to the sink: false after printing the error. What went wrong with
 * the output is reported where it is closed; a pager's reader may leave before the end.
 */
bool output_written(const struct output *output, int status, const struct dp_error *error);

/* True after a write that failed: the rest need not be made. */
bool output_failed(const struct output *output);

/*
 * Ends it: waits for the pager, or puts the file in place (keep) or removes it (not keep).
 * Returns false after printing the error if something was not written; a closed pipe is no failure
 * in a pager, and ends the program quietly elsewhere.
 */
bool output_close(struct output *output, bool keep);

#endif
