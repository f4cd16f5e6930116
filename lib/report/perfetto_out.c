/*
 * Packets of Perfetto's format, https://perfetto.dev/docs/reference/trace-packet-proto: one
 * sequence, names interned, tracks by id, absolute times. The order of packets matters only within
 * a track.
 */
#include "report/perfetto.h"
#include "report/number.h"

#include <math.h>
#include <string.h>

/* Fields of TracePacket and its contents. */
enum {
	TRACE_PACKET = 1,
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
	FLAG_CLEARED = 1,
	FLAG_NEEDED = 2,
	CLOCKS_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	CLOCK_REALTIME = 1,
	CLOCK_BOOTTIME = 6,
	INTERNED_CATEGORY = 1,
	INTERNED_EVENT = 2,
	INTERNED_KEY = 3,
	NAME_ID = 1,
	NAME_TEXT = 2,
	TRACK_ID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_ORDERING = 11,
	TRACK_RANK = 12,
	ORDERING_EXPLICIT = 3,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT = 3,
	COUNTER_UNIT_NAME = 6,
	UNIT_NS = 1,
	UNIT_COUNT = 2,
	UNIT_BYTES = 3,
	EVENT_CATEGORY = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNT = 30,
	EVENT_REAL_COUNT = 44,
	EVENT_FLOW = 47,
	EVENT_FLOW_ENDS = 48,
	ANNOTATION_NAME_ID = 1,
	ANNOTATION_INTEGER = 4,
	ANNOTATION_REAL = 5,
	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10,
};

static const char *const categories[] = { "",	  "kernel",	"copy",	    "set",  "call",
					  "nvtx", "annotation", "operator", "sync", "deepprof" };

static struct dp_perfetto *out_of(struct dp_render *render)
{
	return render->state;
}

static void open_packet(struct dp_render *render, uint64_t flags)
{
	struct dp_perfetto *out = out_of(render);

	out->packet.used = 0;
	out->opened[0] = dp_proto__open(&out->packet, TRACE_PACKET);
	dp_proto__uint(&out->packet, PACKET_SEQUENCE, 1);
	if (flags)
		dp_proto__uint(&out->packet, PACKET_FLAGS, flags);
}

static void close_packet(struct dp_render *render)
{
	struct dp_perfetto *out = out_of(render);

	dp_proto__close(&out->packet, out->opened[0]);
	if (!out->packet.failed)
		dp_render__write(render, (const char *)out->packet.bytes, out->packet.used);
	else if (!render->status)
		render->status = dp_error__nomem(render->error, out->packet.used);
}

static void write_name(struct dp_proto *packet, uint32_t field, uint64_t id, const char *text)
{
	size_t opened = dp_proto__open(packet, field);

	dp_proto__uint(packet, NAME_ID, id);
	dp_proto__string(packet, NAME_TEXT, text);
	dp_proto__close(packet, opened);
}

static void write_clock(struct dp_proto *packet, uint64_t id, int64_t time_ns)
{
	size_t opened = dp_proto__open(packet, CLOCKS_CLOCK);

	dp_proto__uint(packet, CLOCK_ID, id);
	dp_proto__int(packet, CLOCK_TIME, time_ns);
	dp_proto__close(packet, opened);
}

/* Times in the file are those of Perfetto's default clock; this states when it was 0. */
static void write_clocks(struct dp_render *render)
{
	struct dp_perfetto *out = out_of(render);
	int64_t t0_ns;
	size_t opened;

	if (!out->trace || !dp_trace_t0(out->trace, &t0_ns) ||
	    __builtin_add_overflow(t0_ns, out->zero_ns, &t0_ns) || t0_ns < 0)
		return;
	opened = dp_proto__open(&out->packet, PACKET_CLOCKS);
	write_clock(&out->packet, CLOCK_BOOTTIME, 0);
	write_clock(&out->packet, CLOCK_REALTIME, t0_ns);
	dp_proto__close(&out->packet, opened);
}

void dp_perfetto__head(struct dp_render *render)
{
	struct dp_perfetto *out = out_of(render);
	const struct dp_metric_info *info;
	size_t opened;

	open_packet(render, FLAG_CLEARED);
	opened = dp_proto__open(&out->packet, PACKET_INTERNED);
	for (size_t i = 1; i < DP_COUNT(categories); i++)
		write_name(&out->packet, INTERNED_CATEGORY, i, categories[i]);
	for (size_t i = DP_KEY_OF_CHROME + 1; i < DP_KEY_METRICS; i++)
		write_name(&out->packet, INTERNED_KEY, i - DP_KEY_OF_CHROME, dp_timeline__keys[i]);
	for (size_t i = 0; (info = dp_metric(i)); i++)
		write_name(&out->packet, INTERNED_KEY, DP_KEY_METRICS - DP_KEY_OF_CHROME + i,
			   info->name);
	dp_proto__close(&out->packet, opened);
	close_packet(render);
	open_packet(render, 0);
	write_clocks(render);
	close_packet(render);
}

static void write_owner(struct dp_proto *packet, const struct dp_perfetto_track *track)
{
	size_t opened = dp_proto__open(packet, track->process ? TRACK_PROCESS : TRACK_THREAD);

	dp_proto__uint(packet, track->process ? PROCESS_PID : THREAD_PID, (uint64_t)track->pid);
	if (track->thread)
		dp_proto__uint(packet, THREAD_TID, (uint64_t)track->tid);
	if (track->name)
		dp_proto__string(packet, track->process ? PROCESS_NAME : THREAD_NAME, track->name);
	dp_proto__close(packet, opened);
}

static void write_counter(struct dp_proto *packet, const char *unit)
{
	size_t opened = dp_proto__open(packet, TRACK_COUNTER);

	if (!strcmp(unit, "ns"))
		dp_proto__uint(packet, COUNTER_UNIT, UNIT_NS);
	else if (!strcmp(unit, "bytes"))
		dp_proto__uint(packet, COUNTER_UNIT, UNIT_BYTES);
	else if (!strcmp(unit, "count"))
		dp_proto__uint(packet, COUNTER_UNIT, UNIT_COUNT);
	else if (strcmp(unit, "1") != 0)
		dp_proto__string(packet, COUNTER_UNIT_NAME, unit);
	dp_proto__close(packet, opened);
}

uint64_t dp_perfetto__track(struct dp_render *render, const struct dp_perfetto_track *track)
{
	struct dp_perfetto *out = out_of(render);
	struct dp_proto *packet = &out->packet;
	uint64_t id = ++out->tracks;
	size_t opened;

	open_packet(render, 0);
	opened = dp_proto__open(packet, PACKET_TRACK);
	dp_proto__uint(packet, TRACK_ID, id);
	if (track->parent)
		dp_proto__uint(packet, TRACK_PARENT, track->parent);
	if (track->process || track->thread)
		write_owner(packet, track);
	else if (track->name)
		dp_proto__string(packet, TRACK_NAME, track->name);
	if (track->unit)
		write_counter(packet, track->unit);
	dp_proto__uint(packet, TRACK_ORDERING, ORDERING_EXPLICIT);
	dp_proto__int(packet, TRACK_RANK, track->rank);
	dp_proto__close(packet, opened);
	close_packet(render);
	return id;
}

/* Writes a name of the trace by id, with the name itself the first time. */
static void write_string(struct dp_perfetto *out, uint32_t string)
{
	uint8_t bit = (uint8_t)(1 << (string & 7)), *byte = &out->known[string >> 3];
	size_t opened;

	if (*byte & bit)
		return;
	*byte |= bit;
	opened = dp_proto__open(&out->packet, PACKET_INTERNED);
	write_name(&out->packet, INTERNED_EVENT, (uint64_t)string + 1,
		   dp_trace_string(out->trace, string));
	dp_proto__close(&out->packet, opened);
}

void dp_perfetto__begin(struct dp_render *render, const struct dp_perfetto_event *event)
{
	struct dp_perfetto *out = out_of(render);
	struct dp_proto *packet = &out->packet;
	bool named = event->type != DP_PERFETTO_END && event->type != DP_PERFETTO_COUNTER;
	bool known = named && event->string != DP_NONE &&
		     event->string < dp_trace_string_count(out->trace);

	open_packet(render, named ? FLAG_NEEDED : 0);
	dp_proto__int(packet, PACKET_TIME,
		      DP_MAX(dp_timeline__since(event->time_ns, out->zero_ns), 0));
	if (known)
		write_string(out, event->string);
	out->opened[1] = dp_proto__open(packet, PACKET_EVENT);
	dp_proto__uint(packet, EVENT_TYPE, event->type);
	dp_proto__uint(packet, EVENT_TRACK, event->track);
	if (named && event->category)
		dp_proto__uint(packet, EVENT_CATEGORY, event->category);
	if (known)
		dp_proto__uint(packet, EVENT_NAME_ID, (uint64_t)event->string + 1);
	else if (named && event->name)
		dp_proto__string(packet, EVENT_NAME, event->name);
}

void dp_perfetto__end(struct dp_render *render)
{
	struct dp_perfetto *out = out_of(render);

	dp_proto__close(&out->packet, out->opened[1]);
	close_packet(render);
}

void dp_perfetto__flow(struct dp_render *render, uint64_t id, bool ends)
{
	dp_proto__fixed64(&out_of(render)->packet, ends ? EVENT_FLOW_ENDS : EVENT_FLOW, id);
}

void dp_perfetto__integer(struct dp_render *render, enum dp_timeline_key key, int64_t value)
{
	struct dp_proto *packet = &out_of(render)->packet;
	size_t opened;

	if (key <= DP_KEY_OF_CHROME)
		return;
	opened = dp_proto__open(packet, EVENT_ANNOTATION);
	dp_proto__uint(packet, ANNOTATION_NAME_ID, key - DP_KEY_OF_CHROME);
	dp_proto__int(packet, ANNOTATION_INTEGER, value);
	dp_proto__close(packet, opened);
}

void dp_perfetto__text(struct dp_render *render, enum dp_timeline_key key, const char *value)
{
	struct dp_proto *packet = &out_of(render)->packet;
	size_t opened = dp_proto__open(packet, EVENT_ANNOTATION);

	dp_proto__uint(packet, ANNOTATION_NAME_ID, key - DP_KEY_OF_CHROME);
	dp_proto__string(packet, ANNOTATION_TEXT, value);
	dp_proto__close(packet, opened);
}

void dp_perfetto__name(struct dp_render *render, const char *name, const char *value)
{
	struct dp_proto *packet = &out_of(render)->packet;
	size_t opened = dp_proto__open(packet, EVENT_ANNOTATION);

	dp_proto__string(packet, ANNOTATION_NAME, name);
	dp_proto__string(packet, ANNOTATION_TEXT, value);
	dp_proto__close(packet, opened);
}

/* Returns true if a value is written as an integer. */
static bool is_whole(double value, const char *unit)
{
	return dp_number__is_integer(unit) && fabs(value) < 9e18;
}

void dp_perfetto__value(struct dp_render *render, size_t key, const char *name, double value,
			const char *unit)
{
	struct dp_proto *packet = &out_of(render)->packet;
	size_t opened;

	if (!isfinite(value))
		return;
	opened = dp_proto__open(packet, EVENT_ANNOTATION);
	if (key)
		dp_proto__uint(packet, ANNOTATION_NAME_ID, key - DP_KEY_OF_CHROME);
	else
		dp_proto__string(packet, ANNOTATION_NAME, name);
	if (is_whole(value, unit))
		dp_proto__int(packet, ANNOTATION_INTEGER, llround(value));
	else
		dp_proto__double(packet, ANNOTATION_REAL, value);
	dp_proto__close(packet, opened);
}

void dp_perfetto__count(struct dp_render *render, uint64_t track, int64_t time_ns, double value,
			const char *unit)
{
	struct dp_perfetto_event event = { .type = DP_PERFETTO_COUNTER,
					   .track = track,
					   .time_ns = time_ns };

	if (!isfinite(value))
		return;
	dp_perfetto__begin(render, &event);
	if (is_whole(value, unit))
		dp_proto__int(&out_of(render)->packet, EVENT_COUNT, llround(value));
	else
		dp_proto__double(&out_of(render)->packet, EVENT_REAL_COUNT, value);
	dp_perfetto__end(render);
}

static void end_slice(void *ctx, const struct dp_slice_row *lane, int64_t end_ns)
{
	struct dp_perfetto_event event = { .type = DP_PERFETTO_END,
					   .track = (uint64_t)lane->row,
					   .time_ns = end_ns };

	dp_perfetto__begin(ctx, &event);
	dp_perfetto__end(ctx);
}

/* Adds a row; further rows of a thread are children of its first. */
static struct dp_slice_row *add_lane(struct dp_render *render, struct dp_perfetto_lanes *lanes)
{
	if (lanes->lanes.count && lanes->info.thread) {
		lanes->info.parent = (uint64_t)lanes->lanes.lanes[0].row;
		lanes->info.thread = false;
	}
	return dp_lanes__add(&lanes->lanes, (int64_t)dp_perfetto__track(render, &lanes->info));
}

/* A slice that no lane has room for becomes a mark in the last one, with all its arguments. */
void dp_perfetto_lanes__begin(struct dp_render *render, struct dp_perfetto_lanes *lanes,
			      struct dp_perfetto_event event, int64_t end_ns)
{
	struct dp_slice_row *lane;
	bool full = false;

	end_ns = DP_MAX(end_ns, event.time_ns);
	lane = dp_lanes__find(&lanes->lanes, event.time_ns, end_ns, end_slice, render);
	if (!lane) {
		full = lanes->lanes.count == DP_LANES_MOST;
		lane = full ? &lanes->lanes.lanes[DP_LANES_MOST - 1] : add_lane(render, lanes);
	}
	if (!lane || (!full && dp_lane__push(lane, end_ns))) {
		/* the caller continues the event: close_packet() reports this */
		out_of(render)->packet.failed = true;
		return;
	}
	event.track = (uint64_t)lane->row;
	event.type = full ? DP_PERFETTO_INSTANT : DP_PERFETTO_BEGIN;
	dp_perfetto__begin(render, &event);
	if (full)
		dp_perfetto__integer(render, DP_KEY_DURATION,
				     dp_timeline__since(end_ns, event.time_ns));
}

void dp_perfetto_lanes__finish(struct dp_render *render, struct dp_perfetto_lanes *lanes)
{
	dp_lanes__finish(&lanes->lanes, end_slice, render);
	dp_lanes__fini(&lanes->lanes);
}
