/* Files in the recording's folder. */
#ifndef DP_RECORD_RECORDING_FOLDER_H
#define DP_RECORD_RECORDING_FOLDER_H

#include <stdio.h>

/*
 * Open a file with open()'s flags: for reading, and for reading and writing; -1 or NULL on failure.
 * They reject symbolic links, whoever created them, and anything but a regular file, which could
 * block.
 */
int dp_recording_folder__open(int folder_fd, const char *name, int flags);
FILE *dp_recording_folder__open_samples(int folder_fd, const char *name, int flags);

#endif
