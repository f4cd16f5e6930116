#include "families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 4096, BODY_MAX = 20000, NOBODY = -1 };

#define CALL_NS 5000 /* of a launch */

struct body {
	uint32_t kernels[BODY_MAX];
	size_t n;
};

struct maker {
	struct family *f;
	uint64_t rng;
	uint32_t next_name;
	uint32_t common[24];	     /* element-wise kernels that appear everywhere */
	double insert, lose, rename; /* rates of noise */
	uint32_t noise_from, noise_count;
	int begin;     /* loop whose iteration begins with the next kernel, or NOBODY */
	bool boundary; /* the next kernel is the first of an iteration on the host */
	bool begun[FAMILY_LOOPS_MAX];
	struct body forward, backward, optimizer, head;
	size_t layers;
};

static uint64_t next(struct maker *m)
{
	uint64_t z = (m->rng += 0x9e3779b97f4a7c15u);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static size_t below(struct maker *m, size_t n)
{
	return (size_t)(next(m) % n);
}

static size_t between(struct maker *m, size_t low, size_t high)
{
	return low + below(m, high - low + 1);
}

static double uniform(struct maker *m)
{
	return (double)(next(m) >> 11) * 0x1p-53;
}

static void grow(void *data, size_t *room, size_t need, size_t size)
{
	if (dp_array__reserve(data, room, need, size)) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
}

static void put(struct maker *m, uint32_t name)
{
	struct family *f = m->f;
	size_t room = f->room;
	struct dp_evidence_at *e;

	grow(&f->symbols, &f->room, f->n + 1, sizeof(*f->symbols));
	grow(&f->evidence, &room, f->n + 1, sizeof(*f->evidence));
	e = &f->evidence[f->n];
	*e = (struct dp_evidence_at){
		.kernel_gap_ns = 500 + (int64_t)below(m, 1500),
		.launch_gap_ns = 2000 + (int64_t)below(m, 6000),
		.has_launch = true,
	};
	if (uniform(m) < 0.002)
		e->launch_gap_ns += (int64_t)below(m, 400000);
	e->launch_interval_ns = e->launch_gap_ns + CALL_NS;
	f->symbols[f->n++] = name;
	if (name >= f->alphabet)
		f->alphabet = name + 1;
}

/* A kernel of the program. */
static void emit(struct maker *m, uint32_t name)
{
	struct family *f = m->f;
	double x = uniform(m);
	bool first = m->boundary;

	if (x < m->insert)
		put(m, m->noise_from + (uint32_t)below(m, m->noise_count));
	else if (x < m->insert + m->lose)
		return;
	else if (x < m->insert + m->lose + m->rename)
		name = m->noise_from + (uint32_t)below(m, m->noise_count);
	if (m->begin != NOBODY) {
		struct family_loop *loop = &f->loops[m->begin];
		size_t room = loop->room;

		grow(&loop->starts, &loop->room, loop->count + 1, sizeof(*loop->starts));
		grow(&loop->ends, &room, loop->count + 1, sizeof(*loop->ends));
		loop->starts[loop->count] = f->n;
		m->begun[m->begin] = true;
		m->begin = NOBODY;
	}
	put(m, name);
	if (first) {
		f->evidence[f->n - 1].kernel_gap_ns += 20000 + (int64_t)below(m, 20000);
		f->evidence[f->n - 1].launch_gap_ns += 100000 + (int64_t)below(m, 100000);
		f->evidence[f->n - 1].launch_interval_ns =
			f->evidence[f->n - 1].launch_gap_ns + CALL_NS;
		f->evidence[f->n - 1].after_upload = true;
		m->boundary = false;
	}
}

static void emit_body(struct maker *m, const struct body *body)
{
	for (size_t i = 0; i < body->n; i++)
		emit(m, body->kernels[i]);
}

static void begin(struct maker *m, int loop)
{
	m->begin = loop;
	m->boundary = true;
}

/* Ends an iteration whose beginning is in the capture. */
static void end(struct maker *m, int loop)
{
	struct family_loop *l = &m->f->loops[loop];

	m->begin = NOBODY;
	if (!m->begun[loop])
		return;
	m->begun[loop] = false;
	l->ends[l->count++] = m->f->n;
}

static int add_loop(struct maker *m, const char *name, bool main)
{
	m->f->loops[m->f->loop_count] = (struct family_loop){ .name = name, .main = main };
	return (int)m->f->loop_count++;
}

static uint32_t fresh(struct maker *m)
{
	return m->next_name++;
}

static void add(struct body *body, uint32_t kernel)
{
	if (body->n < BODY_MAX)
		body->kernels[body->n++] = kernel;
}

/* The kernels of a layer: some of its own, some that appear everywhere. */
static void invent(struct maker *m, struct body *body, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(body, uniform(m) < 0.5 ? m->common[below(m, 24)] : fresh(m));
}

static void repeat(struct maker *m, struct body *body, size_t n, size_t times)
{
	static struct body layer;

	layer.n = 0;
	invent(m, &layer, n);
	for (size_t t = 0; t < times; t++)
		for (size_t i = 0; i < n; i++)
			add(body, layer.kernels[i]);
}

/* A network: blocks of equal layers between other kernels. */
static void invent_network(struct maker *m, struct body *forward, struct body *backward,
			   size_t scale)
{
	size_t blocks = between(m, 1, 3);

	forward->n = backward->n = 0;
	invent(m, forward, between(m, 3, 8));
	invent(m, backward, between(m, 3, 8));
	for (size_t b = 0; b < blocks; b++) {
		size_t layers = between(m, 2, 12), kernels = between(m, 4, 4 + scale);

		repeat(m, forward, kernels, layers);
		invent(m, forward, between(m, 0, 3));
		repeat(m, backward, 2 * kernels, layers);
		invent(m, backward, between(m, 0, 3));
	}
	invent(m, forward, between(m, 3, 8));
	invent(m, backward, between(m, 2, 5));
}

static void invent_optimizer(struct maker *m, struct body *optimizer)
{
	size_t kinds = between(m, 1, 4);

	optimizer->n = 0;
	for (size_t k = 0; k < kinds; k++) {
		uint32_t name = fresh(m);
		size_t times = between(m, 1, 12);

		for (size_t i = 0; i < times; i++)
			add(optimizer, name);
	}
	if (uniform(m) < 0.5)
		for (size_t i = between(m, 1, 20); i > 0; i--)
			add(optimizer, m->common[0]);
}

static void flag_finish(struct maker *m, size_t from)
{
	/* by name: kernels that also appear elsewhere do not show where */
	for (size_t i = from; i < m->f->n; i++)
		if (m->f->symbols[i] >= DP_COUNT(m->common))
			m->f->evidence[i].kind = DP_KERNEL_FINISHES;
}

static void train_step(struct maker *m, int loop)
{
	size_t from;

	begin(m, loop);
	emit_body(m, &m->forward);
	emit_body(m, &m->backward);
	from = m->f->n;
	emit_body(m, &m->optimizer);
	flag_finish(m, from);
	end(m, loop);
}

static size_t steps_for(struct maker *m, size_t size)
{
	size_t length = m->forward.n + m->backward.n + m->optimizer.n;

	return size ? size / length + 4 : between(m, 24, 120);
}

/* Variations of a plain training loop. */

static void make_plain(struct maker *m, enum family_kind kind, size_t size)
{
	int loop = add_loop(m, "train", true);
	size_t steps = kind == FAMILY_FEW ? 4 : steps_for(m, size);
	static struct body extra;

	extra.n = 0;
	invent(m, &extra, between(m, 5, 20));
	for (size_t i = 0; i < steps; i++) {
		if (kind == FAMILY_AUTOTUNE && i < 2)
			for (size_t t = between(m, 10, 60); t > 0; t--)
				put(m, m->noise_from + (uint32_t)below(m, m->noise_count));
		train_step(m, loop);
		if (kind == FAMILY_STATISTICS && uniform(m) < 0.15)
			emit_body(m, &extra);
	}
}

static void make_superstep(struct maker *m, size_t size)
{
	int step = add_loop(m, "train", true), super = add_loop(m, "superstep", false);
	size_t steps = steps_for(m, size) + 30;
	static struct body extra;

	extra.n = 0;
	invent(m, &extra, between(m, 5, 20));
	for (size_t i = 0; i < steps; i++) {
		struct family_loop *l = &m->f->loops[super];
		size_t before = m->f->loops[step].count;

		train_step(m, step);
		if (i % 10 == 0 && m->f->loops[step].count > before) {
			size_t room = l->room;

			grow(&l->starts, &l->room, l->count + 1, sizeof(*l->starts));
			grow(&l->ends, &room, l->count + 1, sizeof(*l->ends));
			l->starts[l->count] = m->f->loops[step].starts[before];
			m->begun[super] = true;
		}
		if (i % 10 == 9) {
			emit_body(m, &extra);
			end(m, super);
		}
	}
}

/* Steps without layers; every few steps have some kernels more. */
static void make_flat(struct maker *m, size_t size)
{
	int loop = add_loop(m, "train", true);
	size_t length = between(m, 40, 400), every = between(m, 3, 60), n;
	static struct body step, extra;

	step.n = extra.n = 0;
	invent(m, &step, length);
	/* 2, 4, 8 … might be micro-batches */
	every += (every & (every - 1)) == 0;
	n = DP_MAX(3 * every, size ? size / length : between(m, 24, 120));
	invent(m, &extra, between(m, 1, DP_MAX(length / 40, 1)));
	for (size_t i = 1; i <= n; i++) {
		begin(m, loop);
		emit_body(m, &step);
		end(m, loop);
		if (i % every == 0)
			emit_body(m, &extra);
	}
}

/* Insertions at random places, which have their own kernels. */
static void make_async(struct maker *m, size_t size)
{
	int loop = add_loop(m, "train", true);
	size_t steps = steps_for(m, size);
	size_t length = m->forward.n + m->backward.n + m->optimizer.n;

	m->insert = 2.0 / (double)length;
	m->noise_count = 3;
	while (steps-- > 0)
		train_step(m, loop);
}

static void rename_kernels(struct maker *m, struct body *body, const uint32_t *map)
{
	(void)m;
	for (size_t i = 0; i < body->n; i++)
		body->kernels[i] = map[body->kernels[i]];
}

/* Shapes: each iteration is of one of eight, and a third of the names depend on it. */
static void make_shapes(struct maker *m, size_t size)
{
	static struct body forward[8], backward[8];
	static uint32_t map[NAMES_MAX];
	int loop = add_loop(m, "train", true);
	size_t steps = steps_for(m, size);
	uint32_t names = m->next_name;

	for (int s = 0; s < 8; s++) {
		for (uint32_t i = 0; i < names; i++)
			map[i] = i;
		for (uint32_t i = 0; i < names; i++)
			if (i % 3 == 0 && s > 0)
				map[i] = fresh(m);
		forward[s] = m->forward;
		backward[s] = m->backward;
		rename_kernels(m, &forward[s], map);
		rename_kernels(m, &backward[s], map);
	}
	while (steps-- > 0) {
		size_t s = below(m, 8);

		m->forward = forward[s];
		m->backward = backward[s];
		train_step(m, loop);
	}
}

/* A fifth of the names are of GEMMs; each of those varies in 5% of its uses. */
static void make_jitter(struct maker *m, size_t size)
{
	int loop = add_loop(m, "train", true);
	size_t steps = steps_for(m, size);
	uint32_t names = m->next_name;
	static struct body forward, backward;

	forward = m->forward;
	backward = m->backward;
	m->next_name += names;
	while (steps-- > 0) {
		m->forward = forward;
		m->backward = backward;
		for (size_t i = 0; i < forward.n; i++)
			if (forward.kernels[i] % 5 == 0 && uniform(m) < 0.05)
				m->forward.kernels[i] += names;
		for (size_t i = 0; i < backward.n; i++)
			if (backward.kernels[i] % 5 == 0 && uniform(m) < 0.05)
				m->backward.kernels[i] += names;
		train_step(m, loop);
	}
}

static void make_evaluation(struct maker *m, size_t size)
{
	int train = add_loop(m, "train", true), eval = add_loop(m, "eval", true);
	size_t rounds = between(m, 2, 5), each = steps_for(m, size) / rounds + 6;
	static struct body loss;

	loss.n = 0;
	invent(m, &loss, between(m, 3, 12));
	for (size_t r = 0; r < rounds; r++) {
		for (size_t i = 0; i < each; i++)
			train_step(m, train);
		for (size_t i = between(m, 4, 4 + each / 3); i > 0; i--) {
			begin(m, eval);
			emit_body(m, &m->forward);
			emit_body(m, &loss);
			end(m, eval);
		}
	}
}

static void make_gan(struct maker *m, size_t size)
{
	static struct body forward, backward, optimizer;
	int loop = add_loop(m, "train", true);
	size_t steps = steps_for(m, size);

	invent_network(m, &forward, &backward, 8);
	invent_optimizer(m, &optimizer);
	while (steps-- > 0) {
		size_t from;

		begin(m, loop);
		emit_body(m, &forward); /* sizes that the generator makes */
		emit_body(m, &m->forward);
		emit_body(m, &m->forward);
		emit_body(m, &m->backward);
		emit_body(m, &m->optimizer);
		emit_body(m, &forward);
		emit_body(m, &m->forward);
		emit_body(m, &backward);
		from = m->f->n;
		emit_body(m, &optimizer);
		flag_finish(m, from);
		end(m, loop);
	}
}

static void make_graph(struct maker *m, size_t size)
{
	int loop = add_loop(m, "train", true);
	size_t kernels = between(m, 3, 4), steps = size ? size / kernels : between(m, 200, 800);
	uint32_t names[4];

	for (size_t i = 0; i < kernels; i++)
		names[i] = fresh(m);
	while (steps-- > 0) {
		begin(m, loop);
		for (size_t i = 0; i < kernels; i++)
			emit(m, names[i]);
		end(m, loop);
	}
}

static void make_decode(struct maker *m, size_t size)
{
	static struct body decode, prefill;
	int loop = add_loop(m, "decode", true);
	size_t layers = between(m, 16, 40), kernels = between(m, 8, 14), steps;

	decode.n = prefill.n = 0;
	invent(m, &decode, 3);
	repeat(m, &decode, kernels, layers);
	invent(m, &decode, between(m, 4, 8));
	invent(m, &prefill, 3);
	repeat(m, &prefill, kernels, layers);
	invent(m, &prefill, between(m, 3, 6));
	steps = size ? size / decode.n : between(m, 60, 150);
	while (steps > 0) {
		size_t run = between(m, 5, 40);

		run = DP_MIN(run, steps);
		m->boundary = true;
		emit_body(m, &prefill);
		steps -= run;
		while (run-- > 0) {
			begin(m, loop);
			emit_body(m, &decode);
			end(m, loop);
		}
	}
}

static void make_recurrent(struct maker *m, size_t size)
{
	static struct body before, cell, loss, back, after;
	int loop = add_loop(m, "train", true);
	size_t steps = size ? size / 600 + 4 : between(m, 30, 100);

	before.n = cell.n = loss.n = back.n = after.n = 0;
	invent(m, &before, between(m, 4, 10));
	invent(m, &cell, between(m, 4, 8));
	invent(m, &loss, between(m, 6, 12));
	invent(m, &back, between(m, 8, 14));
	invent(m, &after, between(m, 4, 8));
	while (steps-- > 0) {
		size_t length = between(m, 10, 50), from;

		begin(m, loop);
		emit_body(m, &before);
		for (size_t i = 0; i < length; i++)
			emit_body(m, &cell);
		emit_body(m, &loss);
		for (size_t i = 0; i < length; i++)
			emit_body(m, &back);
		emit_body(m, &after);
		from = m->f->n;
		emit_body(m, &m->optimizer);
		flag_finish(m, from);
		end(m, loop);
	}
}

static void make_recompile(struct maker *m, size_t size)
{
	int loop = add_loop(m, "train", true), then = add_loop(m, "recompiled", true);
	size_t steps = steps_for(m, size);
	static struct body forward, backward;

	forward.n = backward.n = 0;
	for (size_t i = 0; i < steps / 2; i++)
		train_step(m, loop);
	/* every third kernel is fused into the one before, most of the others are new */
	for (size_t i = 0; i < m->forward.n; i++)
		if (i % 3)
			add(&forward, i % 4 ? m->forward.kernels[i] + 2000 : m->forward.kernels[i]);
	for (size_t i = 0; i < m->backward.n; i++)
		if (i % 3)
			add(&backward,
			    i % 4 ? m->backward.kernels[i] + 2000 : m->backward.kernels[i]);
	m->forward = forward;
	m->backward = backward;
	for (size_t t = between(m, 10, 60); t > 0; t--)
		put(m, m->noise_from + (uint32_t)below(m, m->noise_count));
	for (size_t i = steps / 2; i < steps; i++)
		train_step(m, then);
}

static void make_accumulation(struct maker *m, size_t size)
{
	int step = add_loop(m, "step", true), micro = add_loop(m, "micro", false);
	size_t steps = size ? size / (4 * (m->forward.n + m->backward.n)) + 4 : between(m, 20, 50);

	while (steps-- > 0) {
		size_t from;

		begin(m, step);
		emit(m, m->common[1]); /* zeroes the gradients */
		for (int i = 0; i < 4; i++) {
			begin(m, micro);
			m->boundary = i > 0;
			emit_body(m, &m->forward);
			emit_body(m, &m->backward);
			end(m, micro);
		}
		from = m->f->n;
		emit_body(m, &m->optimizer);
		flag_finish(m, from);
		end(m, step);
	}
}

static void make_random(struct maker *m, size_t size)
{
	size_t n = size ? size : between(m, 200, 20000), names = between(m, 2, 150);
	double skew = uniform(m) * 2;

	for (size_t i = 0; i < n; i++)
		put(m, (uint32_t)((double)names * pow(uniform(m), 1 + skew)));
}

static void make_single_pass(struct maker *m, size_t size)
{
	static struct body forward, backward, optimizer;
	size_t layers = size ? size / 30 : between(m, 6, 96), kernels = between(m, 5, 30);
	bool train = uniform(m) < 0.5;

	forward.n = backward.n = optimizer.n = 0;
	invent(m, &forward, between(m, 4, 30));
	repeat(m, &forward, kernels, layers);
	invent(m, &forward, between(m, 3, 12));
	emit_body(m, &forward);
	if (!train)
		return;
	invent(m, &backward, between(m, 3, 12));
	repeat(m, &backward, 2 * kernels, layers);
	invent(m, &backward, between(m, 3, 12));
	emit_body(m, &backward);
	invent_optimizer(m, &optimizer);
	emit_body(m, &optimizer);
}

/* Cuts the head off, so that the capture begins inside the first iteration. */
static void behead(struct maker *m)
{
	const struct family_loop *l = &m->f->loops[0];
	size_t length;

	if (!m->f->loop_count || l->count < 2)
		return;
	length = l->ends[0] - l->starts[0];
	if (length >= 3)
		family_cut(m->f, l->starts[0] + 1 + below(m, length - 1), l->ends[0]);
}

static void make(struct maker *m, enum family_kind kind, size_t size)
{
	switch (kind) {
	case FAMILY_ASYNC:
		make_async(m, size);
		break;
	case FAMILY_SHAPES:
		make_shapes(m, size);
		break;
	case FAMILY_JITTER:
		make_jitter(m, size);
		break;
	case FAMILY_EVALUATION:
		make_evaluation(m, size);
		break;
	case FAMILY_GAN:
		make_gan(m, size);
		break;
	case FAMILY_SUPERSTEP:
		make_superstep(m, size);
		break;
	case FAMILY_GRAPH:
		make_graph(m, size);
		break;
	case FAMILY_DECODE:
		make_decode(m, size);
		break;
	case FAMILY_RECURRENT:
		make_recurrent(m, size);
		break;
	case FAMILY_RECOMPILE:
		make_recompile(m, size);
		break;
	case FAMILY_ACCUMULATION:
		make_accumulation(m, size);
		break;
	case FAMILY_FLAT:
		make_flat(m, size);
		break;
	case FAMILY_RANDOM:
		make_random(m, size);
		break;
	case FAMILY_SINGLE_PASS:
		make_single_pass(m, size);
		break;
	default:
		make_plain(m, kind, size);
	}
}

/* Whether other kernels sometimes run between iterations, so that names show where they begin. */
static bool comes_between(enum family_kind kind)
{
	return kind == FAMILY_STATISTICS || kind == FAMILY_EVALUATION || kind == FAMILY_SUPERSTEP ||
	       kind == FAMILY_DECODE || kind == FAMILY_RECOMPILE || kind == FAMILY_FLAT;
}

void family_make(struct family *family, enum family_kind kind, uint64_t seed, bool head,
		 size_t size)
{
	static struct maker m;

	memset(family, 0, sizeof(*family));
	memset(&m, 0, sizeof(m));
	m.f = family;
	m.rng = seed * 1000003 + (uint64_t)kind;
	m.begin = NOBODY;
	for (size_t i = 0; i < DP_COUNT(m.common); i++)
		m.common[i] = fresh(&m);
	m.noise_from = m.next_name;
	m.noise_count = 30;
	m.next_name += m.noise_count;
	invent_network(&m, &m.forward, &m.backward, 16);
	invent_optimizer(&m, &m.optimizer);
	if (kind == FAMILY_LOSS)
		m.lose = 1e-3;
	if (kind == FAMILY_DENSE)
		m.insert = m.lose = m.rename = 0.035 / 3;
	make(&m, kind, size);
	if (head)
		behead(&m);
	family->ambiguous = head && !comes_between(kind);
}
