/*
 * The process, its threads, devices, contexts, streams, the names of functions, and the texts that
 * records refer to.
 */
#include "record/facts.h"
#include "record/convert.h"
#include "spool/secret.h"

#include <stdio.h>
#include <string.h>

/* CUpti_ActivityObjectKind. */
enum { OBJECT_THREAD = 2, OBJECT_STREAM = 5 };

int dp_source__text(struct dp_source *source, const char *text, size_t length, int64_t *id)
{
	uint32_t known = dp_strings__intern(&source->convert->strings, text, length);

	if (known == DP_NONE)
		return dp_error__nomem(source->convert->error, 0);
	*id = (int64_t)known + 1;
	return DP_OK;
}

int dp_source__string(struct dp_source *source, uint32_t string, int64_t *id)
{
	const char *text;
	size_t length, before = source->name_room;
	int status;

	*id = string && string < source->name_room ? source->names[string] : 0;
	if (!string || *id)
		return DP_OK;
	text = dp_spool__string(source->spool, string, &length);
	status = dp_source__text(source, text, strnlen(text, length), id);
	/* A string that the spool lacks is not stored: its number may be anything. */
	if (status || !length)
		return status;
	if (dp_array__reserve(&source->names, &source->name_room, (size_t)string + 1,
			      sizeof(*source->names)))
		return dp_error__nomem(source->convert->error, 0);
	if (source->name_room > before)
		memset(source->names + before, 0,
		       (source->name_room - before) * sizeof(*source->names));
	source->names[string] = (uint32_t)*id;
	return DP_OK;
}

void dp_facts__fini(struct dp_facts *facts)
{
	dp_lookup__fini(&facts->places);
	free(facts->facts);
	free(facts->infos);
	facts->facts = NULL;
	facts->infos = NULL;
}

/* Returns the fact with this type and numbers, adding it if new. NULL if memory runs out. */
static struct dp_spool_fact *get(struct dp_facts *facts, enum dp_spool_type type, uint32_t a,
				 uint32_t b)
{
	struct dp_key key = { { type, a, b } };
	uint32_t at = dp_lookup__get(&facts->places, &key);
	struct dp_spool_fact *fact;

	if (at != DP_NONE)
		return &facts->facts[at];
	if (facts->count == DP_NONE ||
	    dp_array__reserve(&facts->facts, &facts->room, facts->count + 1, sizeof(*fact)) ||
	    dp_lookup__set(&facts->places, &key, (uint32_t)facts->count))
		return NULL;
	fact = &facts->facts[facts->count++];
	memset(fact, 0, sizeof(*fact));
	fact->type = type;
	fact->ids[0] = a;
	fact->ids[1] = b;
	return fact;
}

/* The infos that are used. */
static const char *const rank_names[] = { "env.RANK", "env.SLURM_PROCID",
					  "env.OMPI_COMM_WORLD_RANK", "env.PMI_RANK", NULL };
static const char *const local_names[] = { "env.LOCAL_RANK", "env.SLURM_LOCALID",
					   "env.OMPI_COMM_WORLD_LOCAL_RANK", "env.MPI_LOCALRANKID",
					   NULL };
static const char *const world_names[] = { "env.WORLD_SIZE", "env.SLURM_NTASKS",
					   "env.OMPI_COMM_WORLD_SIZE", "env.PMI_SIZE", NULL };
static const char *const other_names[] = { "cmdline", "cupti.version", "driver.version",
					   "graph_mode", NULL };

/* No other info is stored, whatever a spool has. */
static bool is_stored(const char *key, size_t length)
{
	for (const char *const *name = other_names; *name; name++)
		if (strlen(*name) == length && !memcmp(*name, key, length))
			return true;
	return length > strlen("env.") && !memcmp(key, "env.", strlen("env.")) &&
	       dp_secret__may_store(key + strlen("env."), length - strlen("env."));
}

static struct dp_spool_info *find_info(struct dp_source *source, const char *key, size_t length)
{
	struct dp_facts *facts = &source->facts;
	size_t other;

	for (size_t i = 0; i < facts->info_count; i++) {
		const char *known = dp_spool__string(source->spool, facts->infos[i].key, &other);

		if (length == other && !memcmp(key, known, length))
			return &facts->infos[i];
	}
	return NULL;
}

static int take_info(struct dp_source *source, const struct dp_spool_info *info)
{
	struct dp_facts *facts = &source->facts;
	size_t length;
	const char *key = dp_spool__string(source->spool, info->key, &length);
	struct dp_spool_info *known = find_info(source, key, length);

	if (known) {
		*known = *info;
		return DP_OK;
	}
	if (!is_stored(key, length))
		return DP_OK;
	if (dp_array__reserve(&facts->infos, &facts->info_room, facts->info_count + 1,
			      sizeof(*facts->infos)))
		return dp_error__nomem(source->convert->error, 0);
	facts->infos[facts->info_count++] = *info;
	return DP_OK;
}

const char *dp_facts__info(const struct dp_source *source, const char *key)
{
	for (size_t i = 0; i < source->facts.info_count; i++) {
		const struct dp_spool_info *info = &source->facts.infos[i];

		if (!strcmp(dp_spool__string(source->spool, info->key, NULL), key))
			return dp_spool__string(source->spool, info->value, NULL);
	}
	return NULL;
}

static int take_name(struct dp_source *source, const struct dp_spool_name *name)
{
	struct dp_spool_fact *fact;

	if (name->object == OBJECT_THREAD)
		fact = get(&source->facts, DP_SPOOL_THREAD, name->ids[1], 0);
	else if (name->object == OBJECT_STREAM)
		fact = get(&source->facts, DP_SPOOL_STREAM, name->ids[1], name->ids[2]);
	else
		return DP_OK;
	if (!fact)
		return dp_error__nomem(source->convert->error, 0);
	fact->name = name->name;
	if (name->object == OBJECT_STREAM && !fact->stream.stream) {
		fact->stream.context = name->ids[1];
		fact->stream.stream = name->ids[2];
	}
	return DP_OK;
}

static struct dp_spool_fact *fact_of(struct dp_facts *facts, const struct dp_spool_record *record)
{
	struct dp_spool_fact *fact;

	switch (record->type) {
	case DP_SPOOL_THREAD:
		fact = get(facts, record->type, record->thread.tid, 0);
		if (fact)
			fact->name = record->thread.name;
		return fact;
	case DP_SPOOL_DEVICE:
		fact = get(facts, record->type, record->device.device, 0);
		if (fact)
			fact->device = record->device;
		return fact;
	case DP_SPOOL_CONTEXT:
		fact = get(facts, record->type, record->context.context, 0);
		if (fact)
			fact->context = record->context;
		return fact;
	case DP_SPOOL_STREAM:
		fact = get(facts, record->type, record->stream.context, record->stream.stream);
		if (fact)
			fact->stream = record->stream;
		return fact;
	default:
		fact = get(facts, record->type, record->cbid.domain, record->cbid.cbid);
		if (fact)
			fact->name = record->cbid.name;
		return fact;
	}
}

/* Stores a pause since off_ns; times from a spool may have any value. */
static int put_pause(struct dp_source *source, bool ended, int64_t end_ns)
{
	struct dp_db *db = &source->convert->db;
	int64_t length_ns = -1;
	int status = dp_db__row(db, DP_ROW_PAUSE);

	if (status)
		return status;
	if (ended && __builtin_sub_overflow(end_ns, source->facts.off_ns, &length_ns))
		length_ns = -1;
	dp_db__int(db, source->process);
	dp_db__int(db, source->facts.off_ns);
	dp_db__known(db, length_ns >= 0, length_ns);
	source->facts.paused = false;
	return dp_db__done(db);
}

static int take_state(struct dp_source *source, const struct dp_spool_state *state)
{
	struct dp_facts *facts = &source->facts;
	int64_t time_ns = dp_source__moment(source, state->realtime_ns);

	facts->cupti |= state->state == DP_SPOOL_STARTED;
	if (state->state == DP_SPOOL_PAUSED && !facts->paused) {
		facts->paused = true;
		facts->off_ns = time_ns;
	}
	if (state->state == DP_SPOOL_ENDED) {
		facts->end_ns = time_ns;
		source->ended = true;
	}
	if (facts->paused && (state->state == DP_SPOOL_RESUMED || source->ended))
		return put_pause(source, true, time_ns);
	return DP_OK;
}

int dp_facts__take(struct dp_source *source, const struct dp_spool_record *record, bool *taken)
{
	*taken = true;
	switch (record->type) {
	case DP_SPOOL_INFO:
		return take_info(source, &record->info);
	case DP_SPOOL_NAME:
		return take_name(source, &record->name);
	case DP_SPOOL_THREAD:
	case DP_SPOOL_DEVICE:
	case DP_SPOOL_CONTEXT:
	case DP_SPOOL_STREAM:
	case DP_SPOOL_CBID:
		if (!fact_of(&source->facts, record))
			return dp_error__nomem(source->convert->error, 0);
		return DP_OK;
	case DP_SPOOL_COUNT:
		if (record->count.kind < DP_SPOOL_KINDS)
			source->facts.counts[record->count.kind] = record->count;
		return DP_OK;
	case DP_SPOOL_STATE:
		return take_state(source, &record->state);
	default:
		*taken = false;
		return DP_OK;
	}
}

/* Returns NULL if there is no such text. */
static const char *text_of(const struct dp_source *source, uint32_t string)
{
	return string ? dp_spool__string(source->spool, string, NULL) : NULL;
}

static int put_device(struct dp_source *source, const struct dp_spool_device *device)
{
	struct dp_db *db = &source->convert->db;
	static const uint8_t none[sizeof(device->uuid)];
	const uint8_t *u = device->uuid;
	char uuid[48], cc[24];
	int status = dp_db__row(db, DP_ROW_DEVICE);

	if (status)
		return status;
	snprintf(uuid, sizeof(uuid),
		 "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0],
		 u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
		 u[14], u[15]);
	snprintf(cc, sizeof(cc), "%u.%u", (unsigned)device->cc_major, (unsigned)device->cc_minor);
	dp_db__int(db, source->process);
	dp_db__int(db, device->device);
	dp_db__text(db, memcmp(u, none, sizeof(none)) ? uuid : NULL);
	dp_db__text(db, text_of(source, device->name));
	dp_db__text(db, cc);
	dp_db__known(db, device->sms != 0, device->sms);
	dp_db__known(db, device->memory_bytes != 0, (int64_t)device->memory_bytes);
	dp_db__known(db, device->clock_khz != 0, device->clock_khz);
	dp_db__known(db, device->bandwidth_kBps != 0, (int64_t)device->bandwidth_kBps);
	return dp_db__done(db);
}

static int put_stream(struct dp_source *source, const struct dp_spool_fact *fact)
{
	struct dp_db *db = &source->convert->db;
	int status = dp_db__row(db, DP_ROW_STREAM);

	if (status)
		return status;
	dp_db__int(db, source->process);
	dp_db__int(db, fact->stream.context);
	dp_db__int(db, fact->stream.stream);
	dp_db__int(db, fact->stream.priority);
	dp_db__int(db, fact->stream.flags);
	dp_db__text(db, text_of(source, fact->name));
	return dp_db__done(db);
}

static int put_context(struct dp_source *source, const struct dp_spool_context *context)
{
	struct dp_db *db = &source->convert->db;
	int status = dp_db__row(db, DP_ROW_CONTEXT);

	if (status)
		return status;
	dp_db__int(db, source->process);
	dp_db__int(db, context->context);
	dp_db__int(db, context->device);
	dp_db__int(db, context->null_stream);
	return dp_db__done(db);
}

static int put_thread(struct dp_source *source, const struct dp_spool_fact *fact)
{
	struct dp_db *db = &source->convert->db;
	int status = dp_db__row(db, DP_ROW_THREAD);

	if (status)
		return status;
	dp_db__int(db, source->process);
	dp_db__int(db, fact->ids[0]);
	dp_db__text(db, text_of(source, fact->name));
	return dp_db__done(db);
}

/* The names of functions are the same in all processes. *known: one has reported this already. */
static int know_function(struct dp_convert *convert, const struct dp_spool_fact *fact, bool *known)
{
	struct dp_key key = { { fact->ids[0], fact->ids[1] } };

	*known = dp_lookup__get(&convert->functions, &key) != DP_NONE;
	if (!*known && dp_lookup__set(&convert->functions, &key, 0))
		return dp_error__nomem(convert->error, 0);
	return DP_OK;
}

static int put_cbid(struct dp_source *source, const struct dp_spool_fact *fact)
{
	struct dp_db *db = &source->convert->db;
	bool known = true;
	int64_t name;
	int status = dp_source__string(source, fact->name, &name);

	if (!status && name)
		status = know_function(source->convert, fact, &known);
	if (status || known)
		return status;
	status = dp_db__row(db, DP_ROW_CBID);
	if (status)
		return status;
	dp_db__int(db, fact->ids[0]);
	dp_db__int(db, fact->ids[1]);
	dp_db__int(db, name);
	return dp_db__done(db);
}

static int put_fact(struct dp_source *source, const struct dp_spool_fact *fact)
{
	switch (fact->type) {
	case DP_SPOOL_THREAD:
		return put_thread(source, fact);
	case DP_SPOOL_DEVICE:
		return put_device(source, &fact->device);
	case DP_SPOOL_CONTEXT:
		return put_context(source, &fact->context);
	case DP_SPOOL_STREAM:
		return put_stream(source, fact);
	default:
		return put_cbid(source, fact);
	}
}

static int put_counts(struct dp_source *source)
{
	struct dp_convert *convert = source->convert;
	struct dp_db *db = &convert->db;
	int status = DP_OK;

	for (uint32_t kind = 0; kind < DP_SPOOL_KINDS && !status; kind++) {
		const struct dp_spool_count *count = &source->facts.counts[kind];
		uint64_t out, cut;

		/* What is cut off is not part of the recording. */
		cut = DP_MIN(source->cut[kind], count->stored);
		if (count->completed == cut && count->stored == cut && !count->lost)
			continue;
		out = DP_MIN(source->left_out[kind], count->stored - cut);
		convert->result.lost += count->lost + out;
		convert->result.unbalanced += count->completed != count->stored + count->lost;
		status = dp_db__row(db, DP_ROW_COUNT);
		if (status)
			break;
		dp_db__int(db, source->process);
		dp_db__int(db, kind);
		dp_db__int(db, (int64_t)(count->completed - cut));
		dp_db__int(db, (int64_t)(count->stored - cut - out));
		dp_db__int(db, (int64_t)(count->lost + out));
		status = dp_db__done(db);
	}
	return status;
}

/* Stores the first of the variables that is a number. */
static void put_variable(struct dp_source *source, const char *const *names)
{
	for (; *names; names++) {
		const char *text = dp_facts__info(source, *names);
		char *end;
		long value;

		if (!text || !*text)
			continue;
		value = strtol(text, &end, 10);
		if (*end || value < 0 || value > INT32_MAX)
			continue;
		dp_db__int(&source->convert->db, value);
		return;
	}
	dp_db__null(&source->convert->db);
}

/* Separates arguments by spaces, variables by lines. The caller frees both; NULL without memory. */
static char *command_of(const struct dp_source *source)
{
	const char *text = dp_facts__info(source, "cmdline");
	char *copy = strdup(text ? text : "");

	for (char *at = copy; at && *at; at++)
		if (*at == '\n')
			*at = ' ';
	return copy;
}

static char *variables_of(const struct dp_source *source)
{
	size_t bytes = 1, used = 0;
	char *text;

	for (int pass = 0; pass < 2; pass++) {
		text = pass ? malloc(bytes) : NULL;
		if (pass && !text)
			return NULL;
		for (size_t i = 0; i < source->facts.info_count; i++) {
			const struct dp_spool_info *info = &source->facts.infos[i];
			const char *key = dp_spool__string(source->spool, info->key, NULL);
			const char *value = dp_spool__string(source->spool, info->value, NULL);

			if (strncmp(key, "env.", 4))
				continue;
			if (!pass)
				bytes += strlen(key) + strlen(value) + 2;
			else
				used += (size_t)snprintf(text + used, bytes - used, "%s%s=%s",
							 used ? "\n" : "", key + 4, value);
		}
	}
	text[used] = '\0';
	return text;
}

/* Returns "12.4" for 12040; NULL if unknown. */
static const char *driver_of(const struct dp_source *source, char *buf, size_t size)
{
	const char *text = dp_facts__info(source, "driver.version");
	long version = text ? strtol(text, NULL, 10) : 0;

	snprintf(buf, size, "%ld.%ld", version / 1000, version % 1000 / 10);
	return version > 0 ? buf : NULL;
}

static int put_process(struct dp_source *source, const char *command, const char *variables)
{
	const struct dp_spool_header *header = dp_spool__header(source->spool);
	struct dp_convert *convert = source->convert;
	const struct dp_record_about *about = convert->about;
	struct dp_db *db = &convert->db;
	const char *version = dp_facts__info(source, "cupti.version");
	int64_t start = dp_clock__monotonic(&source->clock, header->monotonic_ns);
	int64_t end = DP_MAX(source->facts.end_ns, source->last_ns), length = 0;
	char driver[48]; /* the row borrows it */
	bool exited = about->pid == (int64_t)header->pid && about->exit_status >= 0;
	int status = dp_db__row(db, DP_ROW_PROCESS);

	if (status)
		return status;
	/* Times from a spool may have any value. */
	if (__builtin_sub_overflow(end, start, &length))
		length = -1;
	dp_db__int(db, source->process);
	dp_db__int(db, header->pid);
	dp_db__int(db, header->ppid);
	dp_db__int(db, start);
	dp_db__known(db, length >= 0, length);
	dp_db__known(db, exited, about->exit_status);
	put_variable(source, rank_names);
	put_variable(source, local_names);
	put_variable(source, world_names);
	dp_db__text(db, *command ? command : NULL);
	dp_db__text(db, *variables ? variables : NULL);
	dp_db__known(db, version != NULL, version ? strtol(version, NULL, 10) : 0);
	dp_db__text(db, driver_of(source, driver, sizeof(driver)));
	dp_db__text(db, dp_facts__info(source, "graph_mode"));
	return dp_db__done(db);
}

int dp_facts__write(struct dp_source *source)
{
	char *command = command_of(source);
	char *variables = variables_of(source);
	int status = DP_OK;

	if (!command || !variables)
		status = dp_error__nomem(source->convert->error, 0);
	if (!status)
		status = put_process(source, command, variables);
	if (!status && source->facts.paused)
		status = put_pause(source, false, 0);
	for (size_t i = 0; i < source->facts.count && !status; i++)
		status = put_fact(source, &source->facts.facts[i]);
	if (!status)
		status = put_counts(source);
	/* A short process may end before its state was noted. */
	if (!source->facts.refused)
		source->convert->result.cupti |=
			source->facts.cupti || dp_facts__info(source, "cupti.version");
	free(command);
	free(variables);
	return status;
}
