/* The words of the program under test that keep the host from launching. */
#include "fake_app.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 32, FILE_BYTES = 1 << 20 };

static int64_t processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* By processor time: if others compete for the processor, an iteration takes longer. */
void app_compute(const char *value)
{
	uint64_t count = strtoull(value, NULL, 10);
	int64_t us = strtoll(strchr(value, ',') + 1, NULL, 10);

	for (uint64_t i = 0; i < count; i++) {
		int64_t until = processor_ns() + us * 1000;

		while (processor_ns() < until)
			;
		app_step();
	}
}

static void fill(int fd)
{
	static const char block[PAGE];

	for (int i = 0; i < FILE_BYTES / PAGE; i++)
		if (write(fd, block, PAGE) != PAGE)
			abort();
	if (fsync(fd))
		abort();
}

/* Each touches pages of a file that were dropped from the cache. */
void app_pages(const char *value)
{
	uint64_t count = strtoull(value, NULL, 10), sum = 0;
	int fd = open(strchr(value, ',') + 1, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		abort();
	fill(fd);
	for (uint64_t i = 0; i < count; i++) {
		volatile char *at;

		if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
			abort();
		at = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
		if (at == MAP_FAILED || madvise((void *)at, FILE_BYTES, MADV_RANDOM))
			abort();
		for (size_t page = 0; page < PAGES; page++)
			sum += (uint64_t)at[page * 7 * PAGE];
		munmap((void *)at, FILE_BYTES);
		app_step();
	}
	close(fd);
	if (sum)
		abort();
}

/* Each writes a file to the disk. */
void app_files(const char *value)
{
	uint64_t count = strtoull(value, NULL, 10);
	int fd = open(strchr(value, ',') + 1, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		abort();
	for (uint64_t i = 0; i < count; i++) {
		lseek(fd, 0, SEEK_SET);
		fill(fd);
		app_step();
	}
	close(fd);
}
