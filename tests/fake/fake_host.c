/* The words of the program under test that keep the host from launching. */
#include "fake_app.h"

#include <fcntl.h>
#include <stdio.h>
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

static void spin_until(int64_t until_ns, void (*work)(void))
{
	while (processor_ns() < until_ns)
		work();
}

static volatile uint64_t turns;

/* These call nothing, so that all samples of their time are their own. */
static void __attribute__((noinline)) seventy(void)
{
	for (int i = 0; i < 100000; i++)
		turns = turns + 1;
}

static void __attribute__((noinline)) thirty(void)
{
	for (int i = 0; i < 100000; i++)
		turns = turns + 1;
}

/* Each spends 70% of its processor time in one function, and 30% in another. */
void app_shares(const char *value)
{
	uint64_t count = strtoull(value, NULL, 10);
	int64_t us = strtoll(strchr(value, ',') + 1, NULL, 10);

	for (uint64_t i = 0; i < count; i++) {
		int64_t start_ns = processor_ns();

		spin_until(start_ns + us * 700, seventy);
		spin_until(start_ns + us * 1000, thirty);
		app_step();
	}
}

/* Spins in code that is made at run time, and that a perf map names as Python's is. */
void app_made(uint64_t ms)
{
	/* push %rbp; mov %rsp,%rbp; mov %rdi,%rax; 1: dec %rax; jnz 1b; pop %rbp; ret */
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8,
					      0x48, 0xff, 0xc8, 0x75, 0xfb, 0x5d, 0xc3 };
	int64_t until = processor_ns() + (int64_t)ms * 1000000;
	void *made = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[40];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "wxe");
	if (made == MAP_FAILED || !map)
		abort();
	memcpy(made, code, sizeof(code));
	fprintf(map, "%llx %zx py::spin:/made/up.py\n", (unsigned long long)(uintptr_t)made,
		sizeof(code));
	fclose(map);
	while (processor_ns() < until)
		((void (*)(uint64_t))(uintptr_t)made)(100000);
	unlink(path);
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
