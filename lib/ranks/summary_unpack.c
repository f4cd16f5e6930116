/* Unpacks ranks from untrusted bytes: see summary_pack.c. */
#include "ranks/summary_pack.h"

#include <math.h>
#include <string.h>

struct unpack {
	const unsigned char *at;
	const unsigned char *end;
	bool broken;
};

static uint64_t refuse(struct unpack *unpack)
{
	unpack->broken = true;
	unpack->at = unpack->end;
	return 0;
}

/* Reads a number; high bytes of zeros are refused, so that each has one form. */
static uint64_t take_number(struct unpack *unpack)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && unpack->at < unpack->end; shift += 7) {
		unsigned char byte = *unpack->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if ((!byte && shift) || (shift == 63 && byte > 1))
			break;
		return value;
	}
	return refuse(unpack);
}

static uint64_t take_below(struct unpack *unpack, uint64_t limit)
{
	uint64_t value = take_number(unpack);

	return value < limit ? value : refuse(unpack);
}

/* Reads a count of items that take at least `least` bytes each. */
static size_t take_count(struct unpack *unpack, size_t least)
{
	uint64_t count = take_number(unpack);

	return count <= (size_t)(unpack->end - unpack->at) / least ? (size_t)count
								   : (size_t)refuse(unpack);
}

static int64_t from_unsigned(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

static int64_t take_signed(struct unpack *unpack)
{
	return from_unsigned(take_number(unpack));
}

static int64_t checked_time(struct unpack *unpack, int64_t time_ns)
{
	return time_ns >= -DP_TIME_LIMIT && time_ns <= DP_TIME_LIMIT ? time_ns
								     : (int64_t)refuse(unpack);
}

static int64_t take_time(struct unpack *unpack)
{
	return checked_time(unpack, take_signed(unpack));
}

/* a plus the next difference. */
static int64_t take_from(struct unpack *unpack, int64_t a)
{
	return (int64_t)((uint64_t)a + (uint64_t)take_signed(unpack));
}

static double take_real(struct unpack *unpack, double scale)
{
	uint64_t value = take_number(unpack);

	return value ? (double)checked_time(unpack, from_unsigned(value - 1)) / scale : NAN;
}

static const char *take_text(struct unpack *unpack)
{
	uint64_t length = take_number(unpack);
	const char *text = (const char *)unpack->at;

	if (length >= (uint64_t)(unpack->end - unpack->at) ||
	    memchr(text, '\0', length + 1) != text + length) {
		refuse(unpack);
		return "";
	}
	unpack->at += length + 1;
	return text;
}

static struct dp_call_summary *take_keys(struct unpack *unpack, size_t *count,
					 const struct dp_rank_summary *rank)
{
	struct dp_call_summary *keys;

	*count = take_count(unpack, 5);
	keys = dp_alloc__array(*count + 1, sizeof(*keys));
	for (size_t i = 0; keys && i < *count && !unpack->broken; i++) {
		uint64_t kind = take_below(unpack, 2 * DP_KEY_SENDS);
		int64_t peer, self;

		keys[i] = (struct dp_call_summary){
			.kind = (uint8_t)(kind & (DP_KEY_SENDS - 1)),
			.sends = kind & DP_KEY_SENDS,
		};
		keys[i].group = (uint32_t)take_below(unpack, rank->group_count);
		keys[i].bytes = take_below(unpack, (uint64_t)DP_TIME_LIMIT + 1);
		peer = take_signed(unpack);
		self = take_signed(unpack);
		if (keys[i].kind >= DP_COLLECTIVE_KINDS || peer < INT32_MIN || peer > INT32_MAX ||
		    self < INT32_MIN || self > INT32_MAX)
			refuse(unpack);
		keys[i].peer = (int32_t)peer;
		keys[i].self = (int32_t)self;
	}
	return keys;
}

static void take_queued(struct unpack *unpack, struct dp_call_summary *call, unsigned head)
{
	call->queued_ns = head & DP_CALL_READY ? 0 : -1;
	if (!(head & DP_CALL_QUEUED))
		return;
	call->queued_ns = (int64_t)take_below(unpack, DP_TIME_LIMIT);
	if (head & DP_CALL_READY || !call->queued_ns)
		refuse(unpack);
}

static void take_call(struct unpack *unpack, struct dp_call_summary *call,
		      struct dp_call_forecast *forecast, const struct dp_call_summary *keys,
		      size_t key_count, size_t step_count)
{
	unsigned head = (unsigned)take_below(unpack, DP_CALL_FLAGS + 1);
	uint64_t end_ns =
		(uint64_t)forecast->end_ns + take_below(unpack, 2 * (uint64_t)DP_TIME_LIMIT + 1);
	uint64_t duration = take_below(unpack, DP_TIME_LIMIT), exposed = 0, blocks = 0;
	uint64_t key = dp_call_forecast__key(forecast), step = (uint64_t)forecast->iteration + 1;

	if (!(head & DP_CALL_KEY))
		key = take_number(unpack);
	if (key >= key_count) {
		refuse(unpack);
		return;
	}
	*call = keys[key];
	call->end_ns = checked_time(unpack, (int64_t)end_ns);
	call->start_ns = checked_time(unpack, call->end_ns - (int64_t)duration);
	call->sequence = dp_call_forecast__sequence(forecast, call->group);
	if (!(head & DP_CALL_SEQUENCE))
		call->sequence = take_from(unpack, call->sequence);
	if (!(head & DP_CALL_ITERATION))
		step = take_below(unpack, step_count + 1);
	call->iteration = (uint32_t)(step - 1);
	if (head & DP_CALL_EXPOSED) {
		exposed = blocks = duration;
	} else if (!(head & DP_CALL_HIDDEN)) {
		exposed = take_below(unpack, duration + 1);
		blocks = take_below(unpack, duration + 1);
	}
	take_queued(unpack, call, head);
	call->exposed_ns = (int64_t)exposed;
	call->blocks_ns = (int64_t)blocks;
	dp_call_forecast__take(forecast, call, (uint32_t)key);
}

static int take_calls(struct unpack *unpack, struct dp_rank_summary *rank)
{
	size_t key_count;
	struct dp_call_summary *keys = take_keys(unpack, &key_count, rank);
	struct dp_call_forecast forecast;

	if (!keys || dp_call_forecast__init(&forecast, key_count, rank->group_count)) {
		free(keys);
		return DP_ERR_NOMEM;
	}
	rank->call_count = take_count(unpack, 3);
	rank->calls = dp_alloc__array(rank->call_count + 1, sizeof(*rank->calls));
	if (rank->call_count)
		forecast.end_ns = take_time(unpack);
	for (size_t i = 0; rank->calls && i < rank->call_count && !unpack->broken; i++)
		take_call(unpack, &rank->calls[i], &forecast, keys, key_count, rank->step_count);
	dp_call_forecast__fini(&forecast);
	free(keys);
	return rank->calls ? DP_OK : DP_ERR_NOMEM;
}

static int take_steps(struct unpack *unpack, struct dp_rank_summary *rank)
{
	int64_t start_ns = 0;

	rank->step_count = take_count(unpack, 4 + DP_RANK_PARTS);
	rank->steps = dp_alloc__array(rank->step_count + 1, sizeof(*rank->steps));
	if (!rank->steps)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < rank->step_count && !unpack->broken; i++) {
		struct dp_step_summary *step = &rank->steps[i];
		unsigned flags = (unsigned)take_below(unpack, DP_STEP_FLAGS + 1);

		step->whole = flags & DP_STEP_WHOLE;
		step->warmup = flags & DP_STEP_WARM_UP;
		start_ns = step->start_ns = checked_time(unpack, take_from(unpack, start_ns));
		step->end_ns = checked_time(unpack, take_from(unpack, start_ns));
		step->period_ns = take_real(unpack, 1);
		if (step->period_ns < 0)
			refuse(unpack);
		for (int p = 0; p < DP_RANK_PARTS; p++)
			step->part_ns[p] = take_real(unpack, 1);
	}
	return DP_OK;
}

static int take_groups(struct unpack *unpack, struct dp_rank_summary *rank)
{
	rank->group_count = take_count(unpack, 3);
	rank->groups = dp_alloc__array(rank->group_count + 1, sizeof(*rank->groups));
	if (!rank->groups)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < rank->group_count && !unpack->broken; i++) {
		rank->groups[i].name = take_text(unpack);
		rank->groups[i].size = (uint32_t)take_below(unpack, (uint64_t)UINT32_MAX + 1);
	}
	return DP_OK;
}

static int take_shares(struct unpack *unpack, struct dp_rank_summary *rank)
{
	rank->share_count = take_count(unpack, 4);
	if (rank->share_count > DP_SHARES_MOST)
		rank->share_count = (size_t)refuse(unpack);
	rank->shares = dp_alloc__array(rank->share_count + 1, sizeof(*rank->shares));
	if (!rank->shares)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < rank->share_count && !unpack->broken; i++) {
		struct dp_share_summary *share = &rank->shares[i];
		unsigned part;

		share->name = take_text(unpack);
		part = (unsigned)take_below(unpack, 2 * DP_SHARE_OPERATOR);
		share->part = (uint8_t)(part & (DP_SHARE_OPERATOR - 1));
		share->operator_ = part & DP_SHARE_OPERATOR;
		share->ns = take_real(unpack, 1);
		if (share->part >= DP_RANK_PARTS)
			refuse(unpack);
	}
	return DP_OK;
}

static int take_rank(struct unpack *unpack, struct dp_rank_summary *rank)
{
	unsigned flags;
	int status;

	rank->rank = take_signed(unpack);
	rank->pid = take_signed(unpack);
	flags = (unsigned)take_below(unpack, DP_RANK_FLAGS + 1);
	rank->is_epoch = flags & DP_RANK_EPOCH;
	rank->untimed = flags & DP_RANK_UNTIMED;
	rank->device =
		flags & DP_RANK_DEVICE ? (int64_t)take_below(unpack, (uint64_t)INT64_MAX + 1) : -1;
	rank->t0_ns = take_time(unpack);
	rank->host = take_text(unpack);
	rank->pattern = take_below(unpack, (uint64_t)UINT32_MAX + 1);
	rank->clock_mhz = take_real(unpack, DP_CLOCK_SCALE);
	rank->throttled = take_real(unpack, DP_SHARE_SCALE);
	status = take_groups(unpack, rank);
	if (!status)
		status = take_steps(unpack, rank);
	if (!status)
		status = take_calls(unpack, rank);
	return status ? status : take_shares(unpack, rank);
}

int dp_summary__unpack(struct dp_file_summary *file, const unsigned char *bytes, size_t size)
{
	struct unpack unpack = { bytes, bytes + size, false };
	/* a rank without contents: a byte for each of its numbers */
	const size_t least = 13;
	size_t count;
	int status = DP_OK;

	*file = (struct dp_file_summary){ .source = DP_SUMMARY_SOURCE_INIT };
	file->source.name = take_text(&unpack);
	file->source.bytes = take_number(&unpack);
	file->source.modified_ns = take_signed(&unpack);
	file->source.settings = take_text(&unpack);
	count = take_count(&unpack, least);
	file->ranks = dp_alloc__zeroed(count + 1, sizeof(*file->ranks));
	if (!file->ranks)
		return DP_ERR_NOMEM;
	while (file->count < count && !status && !unpack.broken)
		status = take_rank(&unpack, &file->ranks[file->count++]);
	if (!status && (unpack.broken || unpack.at < unpack.end))
		status = DP_ERR_DAMAGED;
	if (status)
		dp_file_summary__fini(file);
	return status;
}
