#include "import/kineto_aside.h"
#include "import/copy_name.h"

void dp_kineto_aside__fini(struct dp_kineto_aside *aside)
{
	free(aside->ops);
	free(aside->sizes);
	free(aside->syncs);
	*aside = (struct dp_kineto_aside){ 0 };
}

int dp_kineto_aside__op(struct dp_kineto_aside *aside, const struct dp_op *op)
{
	if (dp_array__reserve(&aside->ops, &aside->op_room, aside->op_count + 1, sizeof(*op)))
		return DP_ERR_NOMEM;
	aside->ops[aside->op_count++] = *op;
	return DP_OK;
}

int dp_kineto_aside__size(struct dp_kineto_aside *aside, const struct dp_chrome_event *call)
{
	if (!(call->has & DP_CHROME_SIZE) || call->size <= 0 || !dp_chrome__correlation(call) ||
	    !(call->has & DP_CHROME_NAME) ||
	    dp_copy_name__read(call->name.at, call->name.length).op == DP_OP_KERNEL)
		return DP_OK;
	if (dp_array__reserve(&aside->sizes, &aside->size_room, aside->size_count + 1,
			      sizeof(*aside->sizes)))
		return DP_ERR_NOMEM;
	aside->sizes[aside->size_count++] =
		(struct dp_kineto_size){ dp_chrome__correlation(call), (uint64_t)call->size };
	return DP_OK;
}

int dp_kineto_aside__sync(struct dp_kineto_aside *aside, const struct dp_sync *sync,
			  const struct dp_key *stream)
{
	if (dp_array__reserve(&aside->syncs, &aside->sync_room, aside->sync_count + 1,
			      sizeof(*aside->syncs)))
		return DP_ERR_NOMEM;
	aside->syncs[aside->sync_count++] = (struct dp_kineto_sync){ *sync, *stream };
	return DP_OK;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct dp_kineto_size *x = a, *y = b;

	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static uint64_t size_of(const struct dp_kineto_aside *aside, uint32_t correlation)
{
	struct dp_kineto_size key = { .correlation = correlation };
	size_t low = 0, high = aside->size_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_sizes(&aside->sizes[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == aside->size_count || aside->sizes[low].correlation != correlation)
		return 0;
	return aside->sizes[low].bytes;
}

int dp_kineto_aside__push(struct dp_kineto_aside *aside, struct dp_builder *builder,
			  const struct dp_lookup *streams)
{
	int status = DP_OK;

	if (aside->size_count)
		qsort(aside->sizes, aside->size_count, sizeof(*aside->sizes), compare_sizes);
	for (size_t i = 0; i < aside->op_count && !status; i++) {
		aside->ops[i].bytes = size_of(aside, aside->ops[i].correlation);
		status = dp_builder__op(builder, &aside->ops[i]);
	}
	for (size_t i = 0; i < aside->sync_count && !status; i++) {
		struct dp_kineto_sync *at = &aside->syncs[i];

		at->sync.stream = dp_lookup__get(streams, &at->stream);
		status = dp_builder__add_sync(builder, &at->sync);
	}
	return status;
}
