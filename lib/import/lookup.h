/* Maps identifiers and texts of a source to those of the builder. */
#ifndef DP_IMPORT_LOOKUP_H
#define DP_IMPORT_LOOKUP_H

#include "base/lookup.h"
#include "base/strings.h"
#include "trace/builder.h"

#include <string.h>

/*
 * Processes, threads, devices and streams of one import, so that each row costs one probe. The
 * functions add what they do not find and return DP_NONE on failure; the find functions do not add.
 */
struct dp_places {
	struct dp_builder *builder;
	struct dp_error *error;
	struct dp_lookup streams; /* pid, device, context, stream */
	struct dp_lookup queues;  /* pid, context, stream: for records without a device */
	struct dp_lookup threads; /* pid, tid */
	struct dp_lookup devices; /* pid, device */
	struct dp_lookup pids;	  /* pid */
	struct dp_key last_key;
	uint32_t last_stream; /* DP_NONE: none yet */
};

void dp_places__init(struct dp_places *places, struct dp_builder *builder, struct dp_error *error);
void dp_places__fini(struct dp_places *places);

uint32_t dp_places__process(struct dp_places *places, int64_t pid);
uint32_t dp_places__stream(struct dp_places *places, int64_t pid, int64_t device, int64_t context,
			   int64_t stream);
uint32_t dp_places__thread(struct dp_places *places, int64_t pid, int64_t tid);
uint32_t dp_places__find_process(const struct dp_places *places, int64_t pid);
uint32_t dp_places__find_thread(const struct dp_places *places, int64_t pid, int64_t tid);
uint32_t dp_places__find_device(const struct dp_places *places, int64_t pid, int64_t device);
uint32_t dp_places__find_queue(const struct dp_places *places, int64_t pid, int64_t context,
			       int64_t stream);

/* GPUs that the source reports; zero it first. */
struct dp_gpus {
	struct dp_gpu *list;
	size_t count;
	size_t room;
	struct dp_lookup by_id;	    /* from the source's number of a GPU to its index */
	struct dp_lookup by_device; /* from device to index, in all processes */
	struct dp_lookup by_place;  /* pid, device: index, for one process; takes precedence */
};

void dp_gpus__fini(struct dp_gpus *gpus);

/* Adds a GPU. Errors: DP_ERR_NOMEM, DP_ERR_LIMIT. */
int dp_gpus__add(struct dp_gpus *gpus, int64_t id, int64_t device, const struct dp_gpu *gpu);

/* Maps a device (of every process if pid is -1) to a GPU that was added; ignores unknown GPUs. */
int dp_gpus__map(struct dp_gpus *gpus, int64_t pid, int64_t device, int64_t id);

/* Names all devices that operations ran on. */
void dp_places__name_devices(struct dp_places *places, const struct dp_gpus *gpus);

/*
 * Texts of a file, few of which may be used: they become the trace's strings when used. Zero it
 * first.
 */
struct dp_texts {
	struct dp_strings raw;
	uint32_t *ids; /* by text: the builder's string, DP_NONE before it is used */
	size_t room;
	bool kernels; /* names of kernels */
};

void dp_texts__fini(struct dp_texts *texts);

/* Keeps length bytes, up to a NUL. DP_NONE if memory runs out. Cost: O(length), expected. */
uint32_t dp_texts__keep(struct dp_texts *texts, const char *text, size_t length);

/* Returns a kept text. */
const char *dp_texts__get(const struct dp_texts *texts, uint32_t text);

/*
 * Returns the length of a text's beginning, in which words and numbers are searched for each record
 * that refers to it: many records may share a long text. What tools write there is shorter.
 */
static inline size_t dp_texts__head(const char *text)
{
	return strnlen(text, 128);
}

/* Returns the builder's string; DP_NONE and the builder's error on failure. */
uint32_t dp_texts__use(struct dp_texts *texts, struct dp_builder *builder, uint32_t text);

#endif
