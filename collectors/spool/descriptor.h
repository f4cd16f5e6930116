/*
 * A descriptor of our own in a program that knows nothing of it. Programs close what they have not
 * opened, all from 3 on, say, and the numbers are then those of their own files: what went on to
 * write by number would write there. And who starts without standard output gets the next file
 * that is opened for it, which must not be ours.
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

/* Owns fd, which gets a number that is out of the program's way, as far as there is one. */
void dp_descriptor__take(struct dp_descriptor *out, int fd);

/* The number while it is what it was, else -1 and EBADF. Safe in a handler of signals. */
int dp_descriptor__get(const struct dp_descriptor *descriptor);

/* Closes it, if it still is ours. */
void dp_descriptor__close(struct dp_descriptor *descriptor);

#endif
