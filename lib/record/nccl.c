/* NCCL's NVTX payloads as stored in spools. */
#include "base/communication.h"
#include "record/convert.h"

#include <string.h>

/* The types that are not integers: float, double, long double (nvtxPayloadEntryType). */
enum { TYPE_FLOAT = 19, TYPE_LONG_DOUBLE = 21 };

static bool is_integer(const struct dp_spool_schema *entry)
{
	return !(entry->type >= TYPE_FLOAT && entry->type <= TYPE_LONG_DOUBLE) &&
	       (entry->bytes == 1 || entry->bytes == 2 || entry->bytes == 4 || entry->bytes == 8);
}

int dp_nccl__field(const struct dp_spool_schema *entry, const char *name)
{
	enum dp_nccl_field field = dp_communication__nccl_field(name, strlen(name));

	return is_integer(entry) && field < DP_NCCL_FIELDS ? (int)field : -1;
}

/* Reads an integer in the byte order of x86 and Arm. */
static bool integer(const char *blob, size_t length, const struct dp_spool_schema *entry,
		    int64_t *out)
{
	uint64_t value = 0;

	if (entry->offset > length || entry->bytes > length - entry->offset)
		return false;
	memcpy(&value, blob + entry->offset, (size_t)entry->bytes);
	*out = (int64_t)value;
	return true;
}

bool dp_nccl__read(const struct dp_source *source, const struct dp_spool_nvtx *event,
		   struct dp_nccl *out)
{
	int64_t *const values[DP_NCCL_FIELDS] = { &out->comm, &out->bytes, &out->reduction,
						  &out->root, &out->peer,  &out->rank,
						  &out->ranks };
	struct dp_key key = { { (int64_t)event->schema, event->domain } };
	size_t length;
	const char *blob = dp_spool__string(source->spool, event->blob, &length);
	const struct dp_nccl_layout *layout;
	uint32_t at;

	memset(out, 0, sizeof(*out));
	if (strcmp(dp_spool__string(source->spool, event->domain, NULL), "NCCL"))
		return false;
	at = dp_lookup__get(&source->nvtx.places, &key);
	if (at == DP_NONE)
		return false;
	layout = &source->nvtx.layouts[at];
	for (int i = 0; i < DP_NCCL_FIELDS; i++)
		if ((layout->has & 1u << i) && integer(blob, length, &layout->fields[i], values[i]))
			out->has |= 1u << i;
	return out->has != 0;
}

int dp_nccl__write(struct dp_source *source, int64_t nvtx, const char *name,
		   const struct dp_nccl *params)
{
	/* ncclRedOp_t */
	static const char *const reductions[] = { "sum", "prod", "max", "min", "avg" };
	struct dp_db *db = &source->convert->db;
	const char *reduction = NULL;
	int status = dp_db__row(db, DP_ROW_NCCL);

	if (status)
		return status;
	if (params->has & 1u << DP_NCCL_REDUCTION)
		reduction =
			params->reduction >= 0 && params->reduction < (int64_t)DP_COUNT(reductions)
				? reductions[params->reduction]
				: "other";
	dp_db__int(db, nvtx);
	dp_db__known(db, params->has & 1u << DP_NCCL_COMM, params->comm);
	dp_db__text(db, name + (strncmp(name, "nccl", 4) ? 0 : 4));
	dp_db__known(db, params->has & 1u << DP_NCCL_BYTES, params->bytes);
	dp_db__null(db);
	dp_db__text(db, reduction);
	dp_db__known(db, params->has & 1u << DP_NCCL_ROOT, params->root);
	dp_db__known(db, params->has & 1u << DP_NCCL_PEER, params->peer);
	dp_db__known(db, params->has & 1u << DP_NCCL_RANK, params->rank);
	dp_db__known(db, params->has & 1u << DP_NCCL_RANKS, params->ranks);
	return dp_db__done(db);
}
