/*
 * Packs a file's ranks as bytes: deepprof-summary(5) describes them. Times are differences from
 * previous ones, and of a call only what does not follow from previous calls is written: most take
 * 7 to 10 bytes.
 *
 * Also the memory of ranks in a summary, and the forecast of calls, which unpacking needs as well.
 */
#include "ranks/summary_pack.h"

#include <math.h>
#include <string.h>

const char *dp_rank_summary__text(struct dp_rank_summary *rank, const char *text)
{
	uint32_t id = dp_strings__intern(&rank->texts, text, strlen(text));

	return id == DP_NONE ? NULL : dp_strings__get(&rank->texts, id);
}

void dp_rank_summary__fini(struct dp_rank_summary *rank)
{
	free(rank->groups);
	free(rank->calls);
	free(rank->steps);
	free(rank->shares);
	dp_strings__fini(&rank->texts);
}

void dp_file_summary__fini(struct dp_file_summary *file)
{
	for (size_t i = 0; i < file->count; i++)
		dp_rank_summary__fini(&file->ranks[i]);
	free(file->ranks);
	*file = (struct dp_file_summary){ .source = DP_SUMMARY_SOURCE_INIT };
}

int dp_call_forecast__init(struct dp_call_forecast *forecast, size_t keys, size_t groups)
{
	*forecast = (struct dp_call_forecast){
		.next = dp_alloc__zeroed(keys, sizeof(*forecast->next)),
		.sequence = dp_alloc__array(groups, sizeof(*forecast->sequence)),
		.key = DP_NONE,
		.iteration = DP_NONE,
	};
	if (!forecast->next || !forecast->sequence) {
		dp_call_forecast__fini(forecast);
		return DP_ERR_NOMEM;
	}
	for (size_t g = 0; g < groups; g++)
		forecast->sequence[g] = -1;
	return DP_OK;
}

void dp_call_forecast__fini(struct dp_call_forecast *forecast)
{
	free(forecast->next);
	free(forecast->sequence);
}

struct pack {
	unsigned char *bytes;
	size_t size, room;
	bool failed; /* an allocation did */
};

static void put_bytes(struct pack *pack, const void *bytes, size_t size)
{
	if (pack->failed || dp_array__reserve(&pack->bytes, &pack->room, pack->size + size, 1)) {
		pack->failed = true;
		return;
	}
	memcpy(pack->bytes + pack->size, bytes, size);
	pack->size += size;
}

/* Writes seven bits per byte, lowest first. */
static void put_number(struct pack *pack, uint64_t value)
{
	unsigned char bytes[DP_PACKED_NUMBER];
	size_t size = 0;

	while (value > 0x7f) {
		bytes[size++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	bytes[size++] = (unsigned char)value;
	put_bytes(pack, bytes, size);
}

/* Writes 0, -1, 1, -2 … as 0, 1, 2, 3 … */
static void put_signed(struct pack *pack, int64_t value)
{
	put_number(pack, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* Writes a - b modulo 2^64. */
static void put_difference(struct pack *pack, int64_t a, int64_t b)
{
	put_signed(pack, (int64_t)((uint64_t)a - (uint64_t)b));
}

static void put_text(struct pack *pack, const char *text)
{
	size_t length = strlen(text);

	put_number(pack, length);
	put_bytes(pack, text, length + 1);
}

/* Writes a value in units of 1 / scale, plus one; 0 is NaN. */
static void put_real(struct pack *pack, double value, double scale)
{
	double limit = (double)DP_TIME_LIMIT;

	if (isnan(value)) {
		put_number(pack, 0);
		return;
	}
	value = fmax(-limit, fmin(limit, round(value * scale)));
	put_number(pack, ((uint64_t)(int64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0)) + 1);
}

/* The members of a call that many calls share, in order of kind, group, bytes … */
struct key {
	uint64_t bytes;
	uint32_t group;
	int32_t peer;
	int32_t self;
	uint8_t kind;
	uint8_t sends;
};

static struct key key_of(const struct dp_call_summary *call)
{
	return (struct key){ DP_MIN(call->bytes, (uint64_t)DP_TIME_LIMIT),
			     call->group,
			     call->peer,
			     call->self,
			     call->kind,
			     call->sends };
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *one = a, *two = b;

	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	if (one->group != two->group)
		return one->group < two->group ? -1 : 1;
	if (one->bytes != two->bytes)
		return one->bytes < two->bytes ? -1 : 1;
	if (one->peer != two->peer)
		return one->peer < two->peer ? -1 : 1;
	if (one->self != two->self)
		return one->self < two->self ? -1 : 1;
	return one->sends < two->sends ? -1 : one->sends > two->sends;
}

static size_t list_keys(struct key *keys, const struct dp_rank_summary *rank)
{
	size_t kept = 0;

	for (size_t i = 0; i < rank->call_count; i++)
		keys[i] = key_of(&rank->calls[i]);
	if (rank->call_count)
		qsort(keys, rank->call_count, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < rank->call_count; i++)
		if (!kept || compare_keys(&keys[kept - 1], &keys[i]))
			keys[kept++] = keys[i];
	return kept;
}

static void put_keys(struct pack *pack, const struct key *keys, size_t count)
{
	put_number(pack, count);
	for (size_t i = 0; i < count; i++) {
		put_number(pack, keys[i].kind | (keys[i].sends ? DP_KEY_SENDS : 0));
		put_number(pack, keys[i].group);
		put_number(pack, keys[i].bytes);
		put_signed(pack, keys[i].peer);
		put_signed(pack, keys[i].self);
	}
}

static void put_call(struct pack *pack, struct dp_call_forecast *forecast,
		     const struct dp_call_summary *call, uint32_t key)
{
	uint64_t duration = (uint64_t)(call->end_ns - call->start_ns);
	uint64_t exposed = (uint64_t)DP_MAX(0, DP_MIN(call->exposed_ns, (int64_t)duration));
	uint64_t blocks = (uint64_t)DP_MAX(0, DP_MIN(call->blocks_ns, (int64_t)duration));
	int64_t sequence = dp_call_forecast__sequence(forecast, call->group);
	uint32_t next = dp_call_forecast__key(forecast);
	unsigned head = (key == next ? DP_CALL_KEY : 0) |
			(call->sequence == sequence ? DP_CALL_SEQUENCE : 0) |
			(call->iteration == forecast->iteration ? DP_CALL_ITERATION : 0) |
			(exposed == duration && blocks == duration ? DP_CALL_EXPOSED
			 : exposed || blocks			   ? 0
								   : DP_CALL_HIDDEN) |
			(call->queued_ns > 0 ? DP_CALL_QUEUED
			 : call->queued_ns   ? 0
					     : DP_CALL_READY);

	put_number(pack, head);
	put_number(pack, (uint64_t)(call->end_ns - forecast->end_ns));
	put_number(pack, duration);
	if (!(head & DP_CALL_KEY))
		put_number(pack, key);
	if (!(head & DP_CALL_SEQUENCE))
		put_difference(pack, call->sequence, sequence);
	if (!(head & DP_CALL_ITERATION))
		put_number(pack, (uint32_t)(call->iteration + 1)); /* none: 0 */
	if (!(head & (DP_CALL_EXPOSED | DP_CALL_HIDDEN))) {
		put_number(pack, exposed);
		put_number(pack, blocks);
	}
	if (head & DP_CALL_QUEUED)
		put_number(pack, (uint64_t)DP_MIN(call->queued_ns, DP_TIME_LIMIT - 1));
	dp_call_forecast__take(forecast, call, key);
}

static void put_calls(struct pack *pack, const struct dp_rank_summary *rank)
{
	struct key *keys = dp_alloc__array(rank->call_count + 1, sizeof(*keys));
	struct dp_call_forecast forecast;
	size_t count = keys ? list_keys(keys, rank) : 0;

	if (!keys || dp_call_forecast__init(&forecast, count, rank->group_count)) {
		pack->failed = true;
		free(keys);
		return;
	}
	put_keys(pack, keys, count);
	put_number(pack, rank->call_count);
	if (rank->call_count)
		put_signed(pack, rank->calls[0].end_ns);
	forecast.end_ns = rank->call_count ? rank->calls[0].end_ns : 0;
	for (size_t i = 0; i < rank->call_count; i++) {
		struct key key = key_of(&rank->calls[i]);
		const struct key *at = bsearch(&key, keys, count, sizeof(key), compare_keys);

		put_call(pack, &forecast, &rank->calls[i], (uint32_t)(at - keys));
	}
	dp_call_forecast__fini(&forecast);
	free(keys);
}

static void put_steps(struct pack *pack, const struct dp_rank_summary *rank)
{
	int64_t start_ns = 0;

	put_number(pack, rank->step_count);
	for (size_t i = 0; i < rank->step_count; i++) {
		const struct dp_step_summary *step = &rank->steps[i];

		put_number(pack, (step->whole ? DP_STEP_WHOLE : 0) |
					 (step->warmup ? DP_STEP_WARM_UP : 0));
		put_difference(pack, step->start_ns, start_ns);
		put_difference(pack, step->end_ns, step->start_ns);
		put_real(pack, step->period_ns, 1);
		for (int p = 0; p < DP_RANK_PARTS; p++)
			put_real(pack, step->part_ns[p], 1);
		start_ns = step->start_ns;
	}
}

static void put_rank(struct pack *pack, const struct dp_rank_summary *rank)
{
	put_signed(pack, rank->rank);
	put_signed(pack, rank->pid);
	put_number(pack, (rank->is_epoch ? DP_RANK_EPOCH : 0) |
				 (rank->untimed ? DP_RANK_UNTIMED : 0) |
				 (rank->device >= 0 ? DP_RANK_DEVICE : 0));
	if (rank->device >= 0)
		put_number(pack, (uint64_t)rank->device);
	put_signed(pack, DP_MAX(-DP_TIME_LIMIT, DP_MIN(rank->t0_ns, DP_TIME_LIMIT)));
	put_text(pack, rank->host);
	put_number(pack, rank->pattern);
	put_real(pack, rank->clock_mhz, DP_CLOCK_SCALE);
	put_real(pack, rank->throttled, DP_SHARE_SCALE);
	put_number(pack, rank->group_count);
	for (size_t i = 0; i < rank->group_count; i++) {
		put_text(pack, rank->groups[i].name);
		put_number(pack, rank->groups[i].size);
	}
	put_steps(pack, rank);
	put_calls(pack, rank);
	put_number(pack, rank->share_count);
	for (size_t i = 0; i < rank->share_count; i++) {
		const struct dp_share_summary *share = &rank->shares[i];

		put_text(pack, share->name);
		put_number(pack, share->part | (share->operator_ ? DP_SHARE_OPERATOR : 0));
		put_real(pack, share->ns, 1);
	}
}

int dp_summary__pack(unsigned char **bytes, size_t *size, const struct dp_file_summary *file)
{
	struct pack pack = { NULL, 0, 0, false };

	put_text(&pack, file->source.name);
	put_number(&pack, file->source.bytes);
	put_signed(&pack, file->source.modified_ns);
	put_text(&pack, file->source.settings);
	put_number(&pack, file->count);
	for (size_t i = 0; i < file->count; i++)
		put_rank(&pack, &file->ranks[i]);
	if (pack.failed) {
		free(pack.bytes);
		return DP_ERR_NOMEM;
	}
	dp_array__shrink(&pack.bytes, &pack.room, pack.size, 1);
	*bytes = pack.bytes;
	*size = pack.size;
	return DP_OK;
}
