/*
 * Random numbers that are the same on every machine: xoshiro256** (Blackman and Vigna, "Scrambled
 * linear pseudorandom number generators", 2021), seeded through splitmix64. Integers only, so that
 * no mathematical library decides a byte of a trace.
 */
#ifndef SIM_RNG_H
#define SIM_RNG_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_MILLION 1000000u

struct sim_rng {
	uint64_t s[4];
};

static inline uint64_t sim_splitmix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Two streams of one seed are independent. */
static inline void sim_rng_init(struct sim_rng *rng, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed ^ (stream * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du);

	for (int i = 0; i < 4; i++)
		rng->s[i] = sim_splitmix(&state);
}

static inline uint64_t sim_rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static inline uint64_t sim_rng_next(struct sim_rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = sim_rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = sim_rotl(s[3], 45);
	return result;
}

/* 0 … n - 1; 0 if n is 0. */
static inline uint32_t sim_rng_below(struct sim_rng *rng, uint32_t n)
{
	return (uint32_t)(((sim_rng_next(rng) >> 32) * n) >> 32);
}

/* low … high, both included. */
static inline uint32_t sim_rng_between(struct sim_rng *rng, uint32_t low, uint32_t high)
{
	return high > low ? low + sim_rng_below(rng, high - low + 1) : low;
}

/* True with a probability in millionths. Draws nothing if the answer is certain. */
static inline bool sim_rng_chance(struct sim_rng *rng, uint32_t millionths)
{
	if (millionths == 0)
		return false;
	return millionths >= SIM_MILLION || sim_rng_below(rng, SIM_MILLION) < millionths;
}

/* value with a triangular error of at most millionths of it to either side. */
static inline uint64_t sim_rng_jitter(struct sim_rng *rng, uint64_t value, uint32_t millionths)
{
	uint64_t r, spread;

	if (millionths > SIM_MILLION)
		millionths = SIM_MILLION;
	spread = value / 1000 * millionths / 1000 + value % 1000 * millionths / SIM_MILLION;
	if (spread == 0)
		return value;
	r = sim_rng_next(rng);
	/* Two uniform halves of one draw, scaled to 16 bits each: their sum is triangular. */
	return value - spread + ((spread * ((r & 0xffff) + ((r >> 16) & 0xffff))) >> 16);
}

#endif
