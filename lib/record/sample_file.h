/* Files of samples in the recording's folder. */
#ifndef DP_RECORD_SAMPLE_FILE_H
#define DP_RECORD_SAMPLE_FILE_H

#include <stdio.h>

/*
 * Opens a file for reading and writing, with open()'s flags added; NULL on failure. Rejects
 * symbolic links, whoever created them, and anything but a regular file, which could block.
 */
FILE *dp_sample_file__open(int folder_fd, const char *name, int flags);

#endif
