/*
 * Sequences of kernel names as programs make them, with the truth: where each iteration of each
 * loop begins and ends. For tests and the evaluation; pure, and the same for the same seed.
 */
#ifndef DP_TESTS_FAMILIES_H
#define DP_TESTS_FAMILIES_H

#include "loops/loops.h"

enum family_kind {
	FAMILY_CLEAN,
	FAMILY_STATISTICS,   /* kernels of statistics in random iterations */
	FAMILY_ASYNC,	     /* two insertions at random places of each iteration */
	FAMILY_SHAPES,	     /* eight shape buckets rename a third of the kernels */
	FAMILY_JITTER,	     /* 5% of the GEMMs get another name */
	FAMILY_LOSS,	     /* one event in a thousand is lost */
	FAMILY_EVALUATION,   /* a training loop and an evaluation loop */
	FAMILY_GAN,	     /* two networks */
	FAMILY_SUPERSTEP,    /* more kernels every tenth step */
	FAMILY_AUTOTUNE,     /* trial kernels in the first iterations */
	FAMILY_GRAPH,	     /* three or four graph launches a step */
	FAMILY_DECODE,	     /* decoding with prefills */
	FAMILY_RECURRENT,    /* a cell per element of a sequence of varying length */
	FAMILY_RECOMPILE,    /* other kernels from the middle on */
	FAMILY_DENSE,	     /* 3.5% of the events inserted, lost or renamed */
	FAMILY_FEW,	     /* four iterations */
	FAMILY_ACCUMULATION, /* four micro-batches to an optimizer step */
	FAMILY_RANDOM,	     /* no loop */
	FAMILY_SINGLE_PASS,  /* no loop, many equal layers */
	FAMILY_FLAT,	     /* no layers, and a few more kernels every few steps */
	FAMILY_COUNT,
};

enum { FAMILY_LOOPS_MAX = 4 };

struct family_loop {
	const char *name;
	size_t *starts; /* of complete iterations */
	size_t *ends;
	size_t count, room;
	bool main; /* what a user calls the iteration */
};

struct family {
	uint32_t *symbols;
	size_t n, room;
	uint32_t alphabet;
	struct dp_evidence_at *evidence; /* per symbol */
	struct family_loop loops[FAMILY_LOOPS_MAX];
	size_t loop_count;
	bool ambiguous; /* the sequence alone can't say where an iteration begins */
};

const char *family_name(enum family_kind kind);

/*
 * Makes a family. head: the capture begins within an iteration, whose kernels then have no launch.
 * size: roughly the least number of symbols (0: tens of thousands). Exits if memory runs out.
 */
void family_make(struct family *family, enum family_kind kind, uint64_t seed, bool head,
		 size_t size);

/* Drops the symbols before cut; of the rest, those before launched have no launch. */
void family_cut(struct family *family, size_t cut, size_t launched);

void family_free(struct family *family);

/* dp_evidence.at; ctx is the family. */
void family_evidence(void *ctx, size_t index, struct dp_evidence_at *out);

#endif
