/*
 * Perfetto's traces (perfetto/trace/trace_packet.proto) as rocprofv3 and rocprof-sys write them:
 * kernels, copies and calls are slices on tracks, and their categories identify them. Packets
 * belong to sequences, each of which has its own names, clock and default track. A sequence
 * describes a track before its first event there, and writes the beginnings and ends of slices in
 * order, so one pass is enough.
 */
#include "import/perfetto_slice.h"

#include <string.h>

/* Field numbers; those of InternedData also identify the kinds of its names. */
enum { TRACE_PACKET = 1 };
enum { PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11 };
enum { PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_CONFIG = 33, PACKET_SYNC = 36 };
enum { PACKET_DROPPED = 42, PACKET_COMPRESSED = 50, PACKET_CLOCK = 58, PACKET_DEFAULTS = 59 };
enum { PACKET_TRACK = 60, FLAG_CLEARED = 1, FLAG_NEEDED = 2 };
enum { CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_INCREMENTAL = 3, CLOCK_UNIT_NS = 4 };
enum { DEFAULTS_EVENT = 11, DEFAULTS_TRACK = 11 };
enum { INTERNED_CATEGORY = 1, INTERNED_EVENT = 2, INTERNED_NOTE = 3, INTERNED_TEXT = 29 };
enum { NAME_ID = 1, NAME_TEXT = 2 };
enum { EVENT_CATEGORY_ID = 3, EVENT_NOTE = 4, EVENT_TYPE = 9, EVENT_NAME_ID = 10 };
enum { EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_NAME = 23, EVENT_FLOW = 47 };
enum { TYPE_BEGIN = 1, TYPE_END = 2 };
enum { NOTE_NAME_ID = 1, NOTE_UINT = 3, NOTE_INT = 4, NOTE_TEXT = 6, NOTE_NAME = 10 };
enum { NOTE_TEXT_ID = 17 };

/* Clocks; those from 64 on belong to a sequence. */
enum { CLOCK_REALTIME = 1, CLOCK_BOOTTIME = 6, CLOCK_OF_SEQUENCE = 64 };

/* Slices that may be open at a time; more are damage. */
#define MOST_OPEN ((size_t)1 << 20)

/* Numbers of agents are small; a larger one is a handle. */
#define MOST_AGENTS 1024

struct sequence {
	struct dp_lookup interned; /* kind, number: a text, a kind of slice, or an annotation */
	uint64_t clock, track;	   /* defaults */
	uint64_t ticking;	   /* the clock whose times are relative to last_ns, 0: none */
	int64_t last_ns, unit_ns;
	bool whole; /* what was interned is known */
};

struct reader {
	const struct dp_import *import;
	struct dp_builder *builder;
	struct dp_wire wire;
	struct dp_slices out;
	struct dp_lookup sequence_ids;
	struct dp_lookup open; /* from sequence and track to the innermost slice */
	struct sequence *sequences;
	struct dp_perfetto_slice *slices;
	size_t sequence_count, sequence_room, slice_count, slice_room;
	uint32_t free_slice;
	int64_t epoch_ns; /* 0: unknown */
	uint64_t packets, broken, broken_at, nameless, undated, unended, unbegun;
	bool cut;
};

static int nomem(struct reader *reader)
{
	return dp_error__nomem(reader->import->error, 0);
}

static int failed(struct reader *reader)
{
	return reader->import->error->status;
}

/* Remembers the names of an InternedData message. */
static int intern(struct reader *reader, struct sequence *sequence, struct dp_wire_cursor cursor)
{
	struct dp_wire_field field;
	struct dp_wire_message name;

	while (dp_wire__next(&cursor, &field)) {
		size_t length = 0;
		const char *text;
		struct dp_key key;
		uint32_t what;

		if (field.number != INTERNED_CATEGORY && field.number != INTERNED_EVENT &&
		    field.number != INTERNED_NOTE && field.number != INTERNED_TEXT)
			continue;
		dp_wire__message(&name, dp_wire__cursor(&field));
		text = dp_wire__text(&name, NAME_TEXT, &length);
		key = (struct dp_key){ { field.number, (int64_t)dp_wire__value(&name, NAME_ID) } };
		text = text ? text : "";
		what = field.number == INTERNED_CATEGORY ? dp_slice__kind(text, length)
		       : field.number == INTERNED_NOTE
			       ? dp_slice__note(text, length)
			       : dp_texts__keep(&reader->out.texts, text, length);
		if (field.number == INTERNED_CATEGORY && what == DP_SLICE_OWN)
			return dp_error__set(reader->import->error, DP_ERR_UNSUPPORTED,
					     "a Perfetto timeline that deepprof exported: read the "
					     "original trace");
		if (what == DP_NONE || dp_lookup__set(&sequence->interned, &key, what))
			return nomem(reader);
	}
	return DP_OK;
}

static uint32_t interned(const struct sequence *sequence, uint32_t kind, uint64_t id)
{
	struct dp_key key = { { kind, (int64_t)id } };

	return dp_lookup__get(&sequence->interned, &key);
}

/* Reads a snapshot of clocks: where the sequence's own clock begins, and the time of day. */
static void take_clocks(struct reader *reader, struct sequence *sequence,
			struct dp_wire_cursor cursor)
{
	int64_t real_ns = -1, boot_ns = -1, unit_ns, time_ns;
	struct dp_wire_field field;
	struct dp_wire_message clock;

	while (dp_wire__next(&cursor, &field)) {
		if (field.number != CLOCKS_CLOCK ||
		    !dp_wire__message(&clock, dp_wire__cursor(&field)))
			continue;
		unit_ns =
			(int64_t)DP_MIN(dp_wire__value(&clock, CLOCK_UNIT_NS), (uint64_t)INT32_MAX);
		unit_ns = DP_MAX(unit_ns, 1);
		if (__builtin_mul_overflow(dp_wire__value(&clock, CLOCK_TIME), unit_ns, &time_ns))
			continue;
		if (dp_wire__value(&clock, CLOCK_ID) == CLOCK_REALTIME)
			real_ns = time_ns;
		if (dp_wire__value(&clock, CLOCK_ID) == CLOCK_BOOTTIME)
			boot_ns = time_ns;
		if (dp_wire__value(&clock, CLOCK_INCREMENTAL)) {
			sequence->ticking = dp_wire__value(&clock, CLOCK_ID);
			sequence->last_ns = time_ns;
			sequence->unit_ns = unit_ns;
		}
	}
	if (real_ns > boot_ns && boot_ns >= 0 && !reader->epoch_ns)
		reader->epoch_ns = real_ns - boot_ns;
}

/* Sets the time of a packet. Returns false if it is unknown. */
static bool time_of(struct sequence *sequence, const struct dp_wire_message *packet,
		    int64_t *time_ns)
{
	uint64_t clock = dp_wire__has(packet, PACKET_CLOCK) ? dp_wire__value(packet, PACKET_CLOCK)
							    : sequence->clock;
	int64_t unit_ns = clock >= CLOCK_OF_SEQUENCE ? sequence->unit_ns : 1;

	if (!dp_wire__has(packet, PACKET_TIME) ||
	    (clock >= CLOCK_OF_SEQUENCE && !sequence->ticking) ||
	    __builtin_mul_overflow(dp_wire__value(packet, PACKET_TIME), unit_ns, time_ns))
		return false;
	if (clock < CLOCK_OF_SEQUENCE || clock != sequence->ticking)
		return true;
	if (__builtin_add_overflow(*time_ns, sequence->last_ns, time_ns))
		return false;
	sequence->last_ns = *time_ns;
	return true;
}

/* Reads a debug annotation; nested ones have no number. */
static void read_note(const struct reader *reader, struct dp_perfetto_slice *slice,
		      const struct sequence *sequence, struct dp_wire_cursor cursor)
{
	struct dp_wire_message message;
	const char *text, *shared;
	uint32_t note, shared_id;
	int64_t number = -1;
	size_t length;

	dp_wire__message(&message, cursor);
	text = dp_wire__text(&message, NOTE_NAME, &length);
	note = text ? dp_slice__note(text, length)
		    : interned(sequence, INTERNED_NOTE, dp_wire__value(&message, NOTE_NAME_ID));
	if (note >= DP_NOTES)
		return;
	shared_id = interned(sequence, INTERNED_TEXT, dp_wire__value(&message, NOTE_TEXT_ID));
	shared = shared_id == DP_NONE ? "" : dp_texts__get(&reader->out.texts, shared_id);
	if (dp_wire__has(&message, NOTE_UINT) || dp_wire__has(&message, NOTE_INT))
		number = (int64_t)dp_wire__value(
			&message, dp_wire__has(&message, NOTE_UINT) ? NOTE_UINT : NOTE_INT);
	else if ((text = dp_wire__text(&message, NOTE_TEXT, &length)))
		number = dp_slice__number(text, length, "");
	else
		number = dp_slice__number(shared, dp_texts__head(shared), "");
	if (number >= 0 &&
	    (note < DP_NOTE_AGENT || note > DP_NOTE_DST_AGENT || number < MOST_AGENTS))
		slice->note[note] = number;
}

/* Reads an event's categories and annotations, of which there may be several. */
static void read_slice(const struct reader *reader, struct dp_perfetto_slice *slice,
		       const struct sequence *sequence, struct dp_wire_cursor cursor)
{
	struct dp_wire_field field;
	uint32_t what;

	while (dp_wire__next(&cursor, &field)) {
		if (field.number == EVENT_NOTE)
			read_note(reader, slice, sequence, dp_wire__cursor(&field));
		what = DP_SLICE_OTHER;
		if (field.number == EVENT_CATEGORY_ID)
			what = interned(sequence, INTERNED_CATEGORY, field.value);
		if (field.number == EVENT_CATEGORY && field.type == DP_WIRE_BYTES)
			what = dp_slice__kind((const char *)field.bytes, (size_t)field.value);
		if (slice->kind == DP_SLICE_OTHER && what != DP_NONE)
			slice->kind = (enum dp_slice_kind)what;
	}
}

static int begin_slice(struct reader *reader, const struct dp_key *key,
		       const struct dp_perfetto_slice *slice)
{
	uint32_t index = reader->free_slice;

	reader->unended++;
	if (index == DP_NONE && reader->slice_count >= MOST_OPEN)
		return DP_OK;
	if (index == DP_NONE) {
		if (dp_array__reserve(&reader->slices, &reader->slice_room, reader->slice_count + 1,
				      sizeof(*slice)))
			return nomem(reader);
		index = (uint32_t)reader->slice_count++;
	} else {
		reader->free_slice = reader->slices[index].below;
	}
	reader->slices[index] = *slice;
	reader->slices[index].below = dp_lookup__get(&reader->open, key);
	return dp_lookup__set(&reader->open, key, index) ? nomem(reader) : DP_OK;
}

static int end_slice(struct reader *reader, const struct dp_key *key, int64_t time_ns)
{
	uint32_t index = dp_lookup__get(&reader->open, key);
	struct dp_perfetto_slice slice;

	if (index == DP_NONE) {
		reader->unbegun++;
		return DP_OK;
	}
	slice = reader->slices[index];
	reader->slices[index].below = reader->free_slice;
	reader->free_slice = index;
	reader->unended--;
	if (slice.below == DP_NONE)
		dp_lookup__remove(&reader->open, key);
	else if (dp_lookup__set(&reader->open, key, slice.below))
		return nomem(reader);
	return dp_slices__push(&reader->out, &slice, time_ns);
}

static int take_event(struct reader *reader, const struct dp_wire_message *packet,
		      const struct sequence *sequence, int64_t time_ns)
{
	struct dp_perfetto_slice slice = { .start_ns = time_ns };
	struct dp_key key = { { (int64_t)dp_wire__value(packet, PACKET_SEQUENCE) } };
	struct dp_wire_message event;
	const char *text;
	size_t length;

	if (!dp_wire__message(&event, dp_wire__inside(packet, PACKET_EVENT))) {
		reader->broken++;
		return DP_OK;
	}
	slice.track = dp_wire__has(&event, EVENT_TRACK) ? dp_wire__value(&event, EVENT_TRACK)
							: sequence->track;
	key.part[1] = (int64_t)slice.track;
	if (dp_wire__value(&event, EVENT_TYPE) == TYPE_END)
		return end_slice(reader, &key, time_ns);
	if (dp_wire__value(&event, EVENT_TYPE) != TYPE_BEGIN)
		return DP_OK;
	memset(slice.note, -1, sizeof(slice.note));
	slice.flow = dp_wire__value(&event, EVENT_FLOW);
	slice.name = interned(sequence, INTERNED_EVENT, dp_wire__value(&event, EVENT_NAME_ID));
	text = dp_wire__text(&event, EVENT_NAME, &length);
	if (text) {
		slice.name = dp_texts__keep(&reader->out.texts, text, length);
		if (slice.name == DP_NONE)
			return nomem(reader);
	}
	read_slice(reader, &slice, sequence, dp_wire__inside(packet, PACKET_EVENT));
	return begin_slice(reader, &key, &slice);
}

static void take_defaults(struct sequence *sequence, struct dp_wire_cursor cursor)
{
	struct dp_wire_message defaults, event;

	dp_wire__message(&defaults, cursor);
	dp_wire__message(&event, dp_wire__inside(&defaults, DEFAULTS_EVENT));
	sequence->clock = dp_wire__value(&defaults, PACKET_CLOCK);
	sequence->track = dp_wire__value(&event, DEFAULTS_TRACK);
}

static int take_packet(struct reader *reader, const struct dp_wire_message *packet)
{
	size_t known = reader->sequence_count;
	uint32_t index = dp_slices__place(
		&reader->sequence_ids, dp_wire__value(packet, PACKET_SEQUENCE), &reader->sequences,
		&reader->sequence_room, &reader->sequence_count, sizeof(*reader->sequences));
	struct sequence *sequence;
	int64_t time_ns = 0;
	bool dated;

	if (index == DP_NONE)
		return nomem(reader);
	sequence = &reader->sequences[index];
	if (index == known)
		*sequence = (struct sequence){ .unit_ns = 1 };
	if (dp_wire__value(packet, PACKET_DROPPED))
		sequence->whole = false;
	if (dp_wire__value(packet, PACKET_FLAGS) & FLAG_CLEARED) {
		dp_lookup__fini(&sequence->interned);
		sequence->interned = (struct dp_lookup){ 0 };
		sequence->clock = sequence->track = 0;
		sequence->whole = true;
	}
	if (dp_wire__has(packet, PACKET_COMPRESSED))
		return dp_error__set(reader->import->error, DP_ERR_UNSUPPORTED,
				     "a Perfetto trace with compressed packets: run "
				     "traceconv decompress_packets");
	if (dp_wire__has(packet, PACKET_DEFAULTS))
		take_defaults(sequence, dp_wire__inside(packet, PACKET_DEFAULTS));
	if (intern(reader, sequence, dp_wire__inside(packet, PACKET_INTERNED)))
		return failed(reader);
	take_clocks(reader, sequence, dp_wire__inside(packet, PACKET_CLOCKS));
	dated = time_of(sequence, packet, &time_ns);
	if (dp_wire__has(packet, PACKET_TRACK) &&
	    dp_slices__track(&reader->out, dp_wire__inside(packet, PACKET_TRACK)))
		return failed(reader);
	if (!dp_wire__has(packet, PACKET_EVENT))
		return DP_OK;
	if (dp_wire__value(packet, PACKET_FLAGS) & FLAG_NEEDED && !sequence->whole)
		reader->nameless++;
	else if (!dated)
		reader->undated++;
	else
		return take_event(reader, packet, sequence, time_ns);
	return DP_OK;
}

static int read_packets(struct reader *reader)
{
	struct dp_wire *wire = &reader->wire;
	enum dp_wire_result result;
	struct dp_wire_field field;
	struct dp_wire_message packet;
	int status = DP_OK;

	while (!status && (result = dp_wire__field(wire, UINT64_MAX, &field)) == DP_WIRE_FIELD) {
		uint64_t at = dp_wire__offset(wire);

		if (field.type != DP_WIRE_BYTES)
			continue;
		field.bytes = dp_wire__view(wire, field.value);
		if (!field.bytes && !dp_wire__seek(wire, at + field.value))
			break;
		if (!field.bytes || field.number != TRACE_PACKET ||
		    !dp_wire__message(&packet, dp_wire__cursor(&field))) {
			if (!reader->broken++)
				reader->broken_at = at;
			continue;
		}
		status = take_packet(reader, &packet);
		if (++reader->packets % 4096 == 0)
			dp_import__progress(reader->import, dp_input__position(wire->input),
					    dp_input__size(wire->input));
	}
	/* Nothing follows the last packet. */
	reader->cut = !status && (result != DP_WIRE_CUT || wire->at != wire->end);
	return status ? status : wire->status;
}

static int finish(struct reader *reader)
{
	const struct {
		const char *reason;
		uint64_t count;
	} losses[] = { { "broken packets", reader->broken },
		       { "events whose names were lost while recording", reader->nameless },
		       { "events without a known time", reader->undated },
		       { "slices without an end", reader->unended },
		       { "ends of slices without a beginning", reader->unbegun } };
	struct dp_builder *builder = reader->builder;
	struct dp_error *error = reader->import->error;
	int status = DP_OK;

	if (!reader->packets)
		return dp_error__set(error, DP_ERR_DAMAGED,
				     "not a Perfetto trace, or a truncated one: it has no complete "
				     "packet");
	if (reader->epoch_ns)
		dp_builder__epoch(builder, reader->epoch_ns);
	for (size_t i = 0; !status && i < DP_COUNT(losses); i++)
		if (losses[i].count)
			status = dp_builder__loss(builder, losses[i].reason, losses[i].count,
						  i ? 0 : reader->broken_at);
	if (!status && reader->cut)
		status = dp_builder__truncated(builder, "file ends inside a packet", 0,
					       dp_wire__offset(&reader->wire));
	return status;
}

static int read_perfetto(struct dp_import *import)
{
	struct reader *reader = dp_alloc__zeroed(1, sizeof(*reader));
	int status;

	if (!reader)
		return dp_error__nomem(import->error, sizeof(*reader));
	reader->import = import;
	reader->builder = import->builder;
	reader->free_slice = DP_NONE;
	dp_slices__init(&reader->out, import);
	status = dp_wire__open(&reader->wire, import->input, import->error);
	if (!status)
		status = read_packets(reader);
	if (!status)
		status = finish(reader);
	for (size_t i = 0; i < reader->sequence_count; i++)
		dp_lookup__fini(&reader->sequences[i].interned);
	free(reader->sequences);
	free(reader->slices);
	dp_lookup__fini(&reader->sequence_ids);
	dp_lookup__fini(&reader->open);
	dp_slices__fini(&reader->out);
	dp_wire__close(&reader->wire);
	free(reader);
	return status;
}

/* The first packets have a sequence and clocks, a configuration, tracks or events. */
static int probe_perfetto(const struct dp_probe *probe)
{
	static const uint8_t known[] = { PACKET_CLOCKS, PACKET_EVENT, PACKET_INTERNED,
					 PACKET_CONFIG, PACKET_SYNC,  PACKET_TRACK };
	const unsigned char *head = (const unsigned char *)probe->head;
	struct dp_wire_cursor trace = { head, head + probe->length, false };
	struct dp_wire_field field;
	struct dp_wire_message packet;

	if (!dp_wire__next(&trace, &field) || field.number != TRACE_PACKET ||
	    !dp_wire__message(&packet, dp_wire__cursor(&field)))
		return 0;
	if (dp_wire__has(&packet, PACKET_COMPRESSED) &&
	    packet.field[PACKET_COMPRESSED].type == DP_WIRE_BYTES)
		return 85;
	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (dp_wire__has(&packet, known[i]) && dp_wire__has(&packet, PACKET_SEQUENCE) &&
		    packet.field[PACKET_SEQUENCE].type == DP_WIRE_VARINT)
			return 85;
	return 0;
}

const struct dp_importer dp_importer__perfetto = {
	.info = { "perfetto", "ROCm rocprofv3, rocprof-sys, Perfetto trace" },
	.how_to_record = "rocprofv3 --sys-trace --output-format pftrace",
	.probe = probe_perfetto,
	.read = read_perfetto,
};
