#include "import/kineto_deferred.h"

#include "base/search.h"
#include "import/copy_name.h"

void dp_kineto_deferred__fini(struct dp_kineto_deferred *deferred)
{
	free(deferred->ops);
	free(deferred->sizes);
	free(deferred->syncs);
	*deferred = (struct dp_kineto_deferred){ 0 };
}

int dp_kineto_deferred__op(struct dp_kineto_deferred *deferred, const struct dp_op *op)
{
	if (dp_array__reserve(&deferred->ops, &deferred->op_room, deferred->op_count + 1,
			      sizeof(*op)))
		return DP_ERR_NOMEM;
	deferred->ops[deferred->op_count++] = *op;
	return DP_OK;
}

int dp_kineto_deferred__size(struct dp_kineto_deferred *deferred,
			     const struct dp_chrome_event *call)
{
	if (!(call->has & DP_CHROME_SIZE) || call->size <= 0 || !dp_chrome__correlation(call) ||
	    !(call->has & DP_CHROME_NAME) ||
	    dp_copy_name__read(call->name.at, call->name.length).op == DP_OP_KERNEL)
		return DP_OK;
	if (dp_array__reserve(&deferred->sizes, &deferred->size_room, deferred->size_count + 1,
			      sizeof(*deferred->sizes)))
		return DP_ERR_NOMEM;
	deferred->sizes[deferred->size_count++] =
		(struct dp_kineto_size){ dp_chrome__correlation(call), (uint64_t)call->size };
	return DP_OK;
}

int dp_kineto_deferred__sync(struct dp_kineto_deferred *deferred, const struct dp_sync *sync,
			     const struct dp_key *stream, const struct dp_chrome_event *event)
{
	static const uint32_t link = DP_CHROME_WAIT_STREAM | DP_CHROME_WAIT_RECORD;
	struct dp_kineto_sync *made;

	if (dp_array__reserve(&deferred->syncs, &deferred->sync_room, deferred->sync_count + 1,
			      sizeof(*deferred->syncs)))
		return DP_ERR_NOMEM;
	made = &deferred->syncs[deferred->sync_count++];
	*made = (struct dp_kineto_sync){ *sync, *stream, *stream };
	if ((event->has & link) != link || event->size <= 0 || event->size > UINT32_MAX)
		return DP_OK;
	made->source.part[2] = event->index;
	made->sync.linked = true;
	made->sync.source_correlation = (uint32_t)event->size;
	made->sync.event = event->has & DP_CHROME_WAIT_EVENT ? (uint32_t)event->bytes : 0;
	return DP_OK;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct dp_kineto_size *x = a, *y = b;

	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static uint64_t size_of(const struct dp_kineto_deferred *deferred, uint32_t correlation)
{
	struct dp_kineto_size key = { .correlation = correlation };
	size_t at;

	DP_FIND(at, 0, deferred->size_count, compare_sizes(&deferred->sizes[at], &key) >= 0);
	if (at == deferred->size_count || deferred->sizes[at].correlation != correlation)
		return 0;
	return deferred->sizes[at].bytes;
}

int dp_kineto_deferred__push(struct dp_kineto_deferred *deferred, struct dp_builder *builder,
			     const struct dp_lookup *streams)
{
	int status = DP_OK;

	if (deferred->size_count)
		qsort(deferred->sizes, deferred->size_count, sizeof(*deferred->sizes),
		      compare_sizes);
	for (size_t i = 0; i < deferred->op_count && !status; i++) {
		deferred->ops[i].bytes = size_of(deferred, deferred->ops[i].correlation);
		status = dp_builder__op(builder, &deferred->ops[i]);
	}
	for (size_t i = 0; i < deferred->sync_count && !status; i++) {
		struct dp_kineto_sync *at = &deferred->syncs[i];

		at->sync.stream = dp_lookup__get(streams, &at->stream);
		at->sync.source = dp_lookup__get(streams, &at->source);
		at->sync.linked = at->sync.linked && at->sync.source != DP_NONE;
		status = dp_builder__add_sync(builder, &at->sync);
	}
	return status;
}
