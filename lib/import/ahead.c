/* A ring of blocks between two threads. Cost: each byte is copied once. */
#include "import/ahead.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

/* Large enough that neither thread waits for the other at a steady pace; 1 MiB in all. */
enum { BLOCKS = 4, BLOCK_BYTES = 256 << 10 };

struct dp_ahead {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	dp_ahead__make *make;
	void *ctx;
	/* Protected by the mutex: */
	size_t first, count; /* full blocks */
	bool stop, end;
	int status; /* what make returned after the last block */
	/* Used by the reader only: */
	size_t used; /* bytes of the first block that were read */
	/* A block belongs to the thread until it is counted as full, then to the reader. */
	size_t length[BLOCKS];
	struct dp_error error;
	char bytes[BLOCKS][BLOCK_BYTES];
};

/* Fills a block. Returns false at the end of the data or if make fails. */
static bool fill(struct dp_ahead *ahead, size_t block, int *status)
{
	size_t got = 1;

	ahead->length[block] = 0;
	while (!*status && got && ahead->length[block] < BLOCK_BYTES) {
		*status = ahead->make(ahead->ctx, ahead->bytes[block] + ahead->length[block],
				      BLOCK_BYTES - ahead->length[block], &got, &ahead->error);
		ahead->length[block] += *status ? 0 : got;
	}
	return !*status && got;
}

static void *run(void *ctx)
{
	struct dp_ahead *ahead = ctx;
	bool more = true;

	pthread_mutex_lock(&ahead->mutex);
	while (more && !ahead->stop) {
		size_t block = (ahead->first + ahead->count) % BLOCKS;
		int status = DP_OK;

		if (ahead->count == BLOCKS) {
			pthread_cond_wait(&ahead->changed, &ahead->mutex);
			continue;
		}
		pthread_mutex_unlock(&ahead->mutex);
		more = fill(ahead, block, &status);
		pthread_mutex_lock(&ahead->mutex);
		ahead->count += ahead->length[block] > 0;
		ahead->end = !more;
		ahead->status = status;
		pthread_cond_signal(&ahead->changed);
	}
	pthread_mutex_unlock(&ahead->mutex);
	return NULL;
}

/* Blocks all signals in the new thread, so that the program's own threads handle them. */
static int start(struct dp_ahead *ahead)
{
	sigset_t all, before;
	int status;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&ahead->thread, NULL, run, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

struct dp_ahead *dp_ahead__new(dp_ahead__make *make, void *ctx)
{
	struct dp_ahead *ahead = malloc(sizeof(*ahead));

	if (!ahead)
		return NULL;
	memset(ahead, 0, offsetof(struct dp_ahead, bytes));
	ahead->make = make;
	ahead->ctx = ctx;
	pthread_mutex_init(&ahead->mutex, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	if (start(ahead) == 0)
		return ahead;
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->mutex);
	free(ahead);
	return NULL;
}

int dp_ahead__read(struct dp_ahead *ahead, char *buf, size_t size, size_t *got,
		   struct dp_error *error)
{
	bool empty;

	*got = 0;
	pthread_mutex_lock(&ahead->mutex);
	while (!ahead->count && !ahead->end)
		pthread_cond_wait(&ahead->changed, &ahead->mutex);
	empty = !ahead->count;
	pthread_mutex_unlock(&ahead->mutex);
	if (empty)
		return ahead->status
			       ? dp_error__set(error, ahead->status, "%s", ahead->error.message)
			       : DP_OK;
	*got = DP_MIN(size, ahead->length[ahead->first] - ahead->used);
	memcpy(buf, ahead->bytes[ahead->first] + ahead->used, *got);
	ahead->used += *got;
	if (ahead->used < ahead->length[ahead->first])
		return DP_OK;
	ahead->used = 0;
	pthread_mutex_lock(&ahead->mutex);
	ahead->first = (ahead->first + 1) % BLOCKS;
	ahead->count--;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->mutex);
	return DP_OK;
}

void dp_ahead__free(struct dp_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->mutex);
	ahead->stop = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->mutex);
	pthread_join(ahead->thread, NULL);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->mutex);
	free(ahead);
}
