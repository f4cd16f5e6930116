/*
 * The collector's descriptors in a program that does not know of them. Programs may close
 * descriptors that they have not opened, for example all from 3 on, and reuse the numbers for their
 * own files: a collector that continued to write by number would write there. And a program without
 * standard output gets the next file opened in its place, which must not be the collector's.
 */
#ifndef DP_SPOOL_DESCRIPTOR_H
#define DP_SPOOL_DESCRIPTOR_H

#include <sys/types.h>

struct dp_descriptor {
	int fd; /* -1: none */
	dev_t device;
	ino_t inode;
};

/* Remembers what fd is, which stays the caller's; -1 is none. */
void dp_descriptor__note(struct dp_descriptor *out, int fd);

/* Takes ownership of fd and moves it to a number that the program is unlikely to use. */
void dp_descriptor__take(struct dp_descriptor *out, int fd);

/* Returns the number if it still is the same file, else -1 and EBADF. Safe in signal handlers. */
int dp_descriptor__get(const struct dp_descriptor *descriptor);

/* Closes it, if it still is the collector's. */
void dp_descriptor__close(struct dp_descriptor *descriptor);

#endif
