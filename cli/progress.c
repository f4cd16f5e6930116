/* The progress line. One thread may show it while another prints a message. */
#include "progress.h"
#include "tty.h"
#include "utf8.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
	const char *name;
	bool allowed;
	bool shown;
	int64_t begin_ms;
	int64_t last_ms;
} line;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects shown, and the screen */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_begin(const char *name, int allowed)
{
	const char *slash = strrchr(name, '/');

	line.name = slash && slash[1] ? slash + 1 : name;
	/* A dumb terminal cannot erase it. */
	line.allowed = allowed && tty_is_terminal(STDERR_FILENO) && !tty_is_dumb();
	line.begin_ms = now_ms();
	line.last_ms = line.begin_ms;
}

/* Returns true if it is time for a line: after the first second, then ten times a second. */
static bool due(int64_t every_ms)
{
	int64_t now;

	if (!line.allowed)
		return false;
	now = now_ms();
	if (now - line.begin_ms < 1000 || now - line.last_ms < every_ms)
		return false;
	line.last_ms = now;
	return true;
}

static void show(const char *text)
{
	unsigned width = tty_width(STDERR_FILENO);
	char safe[256];
	size_t n;

	snprintf(safe, sizeof(safe), "%s", text);
	n = strlen(safe);
	if (width > 1 && n > width - 1)
		safe[width - 1] = '\0';
	utf8_mask(safe);
	pthread_mutex_lock(&lock);
	fprintf(stderr, "\r\033[K%s", safe);
	fflush(stderr);
	line.shown = true;
	pthread_mutex_unlock(&lock);
}

void progress_bytes(void *ctx, uint64_t done, uint64_t total)
{
	char text[256];
	double seconds, megabytes = (double)done / 1e6;

	if (!due(100))
		return;
	seconds = (double)(line.last_ms - line.begin_ms) / 1e3;
	if (total)
		snprintf(text, sizeof(text), "%3u%% of %.0f MB, %.0f MB/s  %.120s",
			 (unsigned)(done < total ? done * 100.0 / total : 100), (double)total / 1e6,
			 megabytes / seconds, line.name);
	else
		snprintf(text, sizeof(text), "%.0f MB, %.0f MB/s  %.120s", megabytes,
			 megabytes / seconds, line.name);
	show(text);
}

void progress_step(const char *what)
{
	char text[256];

	if (!due(0))
		return;
	snprintf(text, sizeof(text), "%s  %.120s", what, line.name);
	show(text);
}

void progress_clear(void)
{
	pthread_mutex_lock(&lock);
	if (line.shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	line.shown = false;
	pthread_mutex_unlock(&lock);
}

void progress_end(void)
{
	progress_clear();
	line.allowed = false;
}
