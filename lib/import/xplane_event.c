/* Members and stats of events. Cost: linear in the event. */
#include "import/xplane_event.h"

/* Reads a stat of an event. The number of its name comes first. */
static void read_stat(struct dp_xevent *event, const struct dp_xspace *space,
		      const struct dp_xplane *plane, struct dp_wire_cursor cursor)
{
	enum dp_xstat kind = DP_XSTAT_OTHER;
	struct dp_wire_field field;
	uint32_t text = DP_NONE;

	while (dp_wire__next(&cursor, &field)) {
		if (field.number == DP_XSTAT_NAME) {
			kind = dp_xspace__stat(space, plane, (int64_t)field.value);
			if (kind == DP_XSTAT_OTHER)
				return;
			continue;
		}
		if (field.number == DP_XSTAT_REFERENCE)
			text = dp_xplane_ids__get(&plane->stats, (int64_t)field.value);
		switch (kind) {
		case DP_XSTAT_CORRELATION:
			event->correlation = field.value <= UINT32_MAX ? (uint32_t)field.value : 0;
			break;
		case DP_XSTAT_TF_OP:
			event->tf_op = text;
			break;
		case DP_XSTAT_OP_NAME:
			event->op_name = text;
			break;
		case DP_XSTAT_HLO_OP:
			event->hlo_op = text;
			break;
		case DP_XSTAT_STEP:
			event->step = (int64_t)field.value;
			break;
		case DP_XSTAT_GRAPH:
			event->graph = true;
			break;
		case DP_XSTAT_COPY:
		case DP_XSTAT_MEMSET:
		case DP_XSTAT_ALLOCATE:
		case DP_XSTAT_FREE:
			event->details_kind = kind;
			if (text != DP_NONE) {
				event->details = dp_texts__get(&space->stat_names, text);
				event->details_length = dp_texts__head(event->details);
			} else if (field.type == DP_WIRE_BYTES) {
				event->details = (const char *)field.bytes;
				event->details_length = (size_t)field.value;
			}
			break;
		default:
			break;
		}
	}
}

/* Skips stats that are not needed, as most are, by the number of their name. */
static inline void pass_stats(struct dp_wire_cursor *cursor, const struct dp_xplane *plane)
{
	const unsigned char *at = cursor->at;

	while (cursor->end - at >= 4 && at[0] == (DP_XEVENT_STAT << 3 | DP_WIRE_BYTES) &&
	       at[1] >= 2 && at[1] < 0x80 && cursor->end - at - 2 >= at[1] &&
	       at[2] == (DP_XSTAT_NAME << 3 | DP_WIRE_VARINT) && at[3] < DP_XPLANE_NEAR &&
	       plane->near[at[3]] == DP_XSTAT_OTHER)
		at += 2 + at[1];
	cursor->at = at;
}

/* Adds picoseconds, rounded down to nanoseconds. Returns false on overflow. */
static bool add_ps(int64_t *ns, int64_t base_ns, int64_t ps)
{
	return !__builtin_add_overflow(base_ns, ps / 1000 - (ps % 1000 < 0), ns);
}

bool dp_xevent__read(struct dp_xevent *event, const struct dp_xspace *space,
		     const struct dp_xplane *plane, int64_t start_ns, const unsigned char *bytes,
		     size_t length)
{
	struct dp_wire_cursor cursor = { bytes, bytes + length, false };
	int64_t offset_ps = 0, duration_ps = 0, end_ps;
	struct dp_wire_field field;

	*event = (struct dp_xevent){
		.tf_op = DP_NONE, .op_name = DP_NONE, .hlo_op = DP_NONE, .details = "", .step = -1
	};
	for (; dp_wire__next(&cursor, &field); pass_stats(&cursor, plane)) {
		switch (field.number) {
		case DP_XEVENT_NAME:
			event->id = (int64_t)field.value;
			break;
		case DP_XEVENT_OFFSET_PS:
			offset_ps = (int64_t)field.value;
			break;
		case DP_XEVENT_DURATION_PS:
			duration_ps = (int64_t)field.value;
			break;
		case DP_XEVENT_OCCURRENCES:
			event->aggregated = true;
			break;
		case DP_XEVENT_STAT:
			if (field.type == DP_WIRE_BYTES)
				read_stat(event, space, plane, dp_wire__cursor(&field));
			break;
		default:
			break;
		}
	}
	return !cursor.broken && !event->aggregated &&
	       !__builtin_add_overflow(offset_ps, duration_ps, &end_ps) &&
	       add_ps(&event->start_ns, start_ns, offset_ps) &&
	       add_ps(&event->end_ns, start_ns, end_ps);
}
