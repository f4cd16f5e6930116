/*
 * What the ranks of a pipeline stage do in one iteration: fetch and upload the input, the forward
 * and backward passes of the microbatches in the order of 1F1B (Narayanan et al., "Memory-Efficient
 * Pipeline-Parallel DNN Training", 2021) with the collectives of tensor and expert parallel layers,
 * the reduction of gradients by buckets, the update, and the read of the loss.
 */
#include "job.h"

#include <stdlib.h>
#include <string.h>

struct planner {
	struct job_plan *plan;
	const struct job_options *options;
	const struct sim_passes *passes; /* of a network of one layer */
	const struct sim_nets *nets;
	uint32_t stage;
	uint32_t bucket; /* layers whose gradients wait for reduction */
	bool failed;
};

static void push(struct planner *planner, struct job_step step)
{
	struct job_plan *plan = planner->plan;

	if (plan->count == plan->room) {
		size_t room = plan->room * 2 + 256;
		struct job_step *grown = realloc(plan->steps, room * sizeof(*grown));

		if (!grown) {
			planner->failed = true;
			return;
		}
		plan->steps = grown;
		plan->room = room;
	}
	if (!step.every)
		step.every = 1;
	plan->steps[plan->count++] = step;
}

static void push_ops(struct planner *planner, const struct sim_op *ops, size_t count,
		     uint32_t layer)
{
	for (size_t i = 0; i < count; i++)
		push(planner,
		     (struct job_step){ .kind = JOB_KERNEL, .op = &ops[i], .layer = layer });
}

/* A collective whose result the following work needs. */
static void push_blocking(struct planner *planner, struct job_step meeting)
{
	meeting.kind = JOB_MEET;
	push(planner, meeting);
	push(planner, (struct job_step){
			      .kind = JOB_JOIN, .stream = meeting.stream, .every = meeting.every });
}

static void push_tensor(struct planner *planner)
{
	if (planner->options->tensor > 1)
		push_blocking(planner,
			      (struct job_step){ .axis = JOB_TENSOR,
						 .collective = JOB_ALLREDUCE,
						 .stream = JOB_STREAM_TENSOR,
						 .bytes = planner->options->tensor_bytes });
}

static void push_expert(struct planner *planner)
{
	if (planner->options->expert > 1)
		push_blocking(planner,
			      (struct job_step){ .axis = JOB_EXPERT,
						 .collective = JOB_ALL_TO_ALL,
						 .stream = JOB_STREAM_EXPERT,
						 .bytes = planner->options->expert_bytes });
}

/* Attention, then the experts or the MLP; each half ends where its dropout begins. */
static void forward_layer(struct planner *planner, uint32_t layer)
{
	const struct sim_ops *ops = &planner->passes->forward;
	unsigned halves = 0, norms = 0;

	/* A network of one layer has two kernels before the layer and two after it. */
	for (size_t i = 2; i + 2 < ops->count; i++) {
		const struct sim_op *op = &ops->ops[i];

		if (op->oper == SIM_OP_DROPOUT) {
			if (halves++)
				push_expert(planner);
			push_tensor(planner);
		}
		push_ops(planner, op, 1, layer);
		if (op->oper == SIM_OP_LN && norms++)
			push_expert(planner);
	}
}

static void backward_layer(struct planner *planner, uint32_t layer)
{
	const struct sim_ops *ops = &planner->passes->backward;
	unsigned norms = 0, dropouts = 0;

	for (size_t i = 3; i + 1 < ops->count; i++) {
		const struct sim_op *op = &ops->ops[i];

		if (op->oper == SIM_OP_LN_BACKWARD && op->begins) {
			if (!norms++)
				push_expert(planner);
			push_tensor(planner);
		}
		push_ops(planner, op, 1, layer);
		if (op->oper == SIM_OP_DROPOUT && !dropouts++)
			push_expert(planner);
	}
}

static void push_data(struct planner *planner, enum job_collective collective)
{
	push(planner, (struct job_step){ .kind = JOB_MEET,
					 .axis = JOB_DATA,
					 .collective = collective,
					 .stream = JOB_STREAM_DATA,
					 .bytes = planner->options->data_bytes });
}

static void reduce_gradients(struct planner *planner, uint32_t layer)
{
	const struct job_options *options = planner->options;
	uint64_t per_bucket = (options->layers + options->buckets - 1) / options->buckets;

	if (job_replicas(options) < 2)
		return;
	if (++planner->bucket < per_bucket && layer)
		return;
	planner->bucket = 0;
	push_data(planner, options->sharded ? JOB_REDUCE_SCATTER : JOB_ALLREDUCE);
}

static void transfer(struct planner *planner, bool forward, bool send)
{
	struct job_step step = {
		.axis = JOB_PIPELINE,
		.collective = send ? JOB_SEND : JOB_RECEIVE,
		.forward = forward,
		.bytes = planner->options->pipeline_bytes,
		.stream = forward ? (send ? JOB_STREAM_SEND_FORWARD : JOB_STREAM_RECEIVE_FORWARD)
				  : (send ? JOB_STREAM_SEND_BACKWARD : JOB_STREAM_RECEIVE_BACKWARD),
		.kind = JOB_MEET,
	};

	if (send)
		push(planner, step);
	else
		push_blocking(planner, step);
}

static bool first_stage(const struct planner *planner)
{
	return planner->stage == 0;
}

static bool last_stage(const struct planner *planner)
{
	return planner->stage + 1 == planner->options->pipeline;
}

static void forward(struct planner *planner)
{
	const struct sim_ops *ops = &planner->passes->forward;

	if (first_stage(planner))
		push_ops(planner, ops->ops, 2, SIM_NONE);
	else
		transfer(planner, true, false);
	for (uint32_t i = 0; i < planner->options->layers; i++)
		forward_layer(planner, i);
	if (!last_stage(planner)) {
		transfer(planner, true, true);
		return;
	}
	push_ops(planner, ops->ops + ops->count - 2, 2, SIM_NONE);
	push_ops(planner, planner->nets->loss.ops, planner->nets->loss.count, SIM_NONE);
}

static void backward(struct planner *planner, bool last)
{
	const struct sim_ops *ops = &planner->passes->backward;

	if (last_stage(planner))
		push_ops(planner, ops->ops, 3, SIM_NONE);
	else
		transfer(planner, false, false);
	for (uint32_t i = (uint32_t)planner->options->layers; i-- > 0;) {
		backward_layer(planner, i);
		if (last)
			reduce_gradients(planner, i);
	}
	if (first_stage(planner))
		push_ops(planner, ops->ops + ops->count - 1, 1, SIM_NONE);
	else
		transfer(planner, false, true);
}

static void passes(struct planner *planner)
{
	uint64_t count = planner->options->microbatches;
	uint64_t ahead = planner->options->pipeline - planner->stage - 1, done = 0;

	if (ahead > count)
		ahead = count;
	for (uint64_t i = 0; i < ahead; i++)
		forward(planner);
	for (uint64_t i = ahead; i < count; i++) {
		forward(planner);
		backward(planner, ++done == count);
	}
	while (done < count)
		backward(planner, ++done == count);
}

static void update(struct planner *planner)
{
	const struct job_options *options = planner->options;
	const struct sim_ops *ops = &planner->passes->optimize;

	if (job_replicas(options) > 1)
		push(planner, (struct job_step){ .kind = JOB_JOIN, .stream = JOB_STREAM_DATA });
	if (options->norm)
		push_blocking(planner, (struct job_step){ .axis = JOB_WORLD,
							  .collective = JOB_ALLREDUCE,
							  .stream = JOB_STREAM_WORLD,
							  .bytes = 4 });
	push_ops(planner, ops->ops, ops->count, SIM_NONE);
	if (options->sharded && job_replicas(options) > 1) {
		for (uint64_t i = 0; i < options->buckets; i++)
			push_data(planner, JOB_ALLGATHER);
		push(planner, (struct job_step){ .kind = JOB_JOIN, .stream = JOB_STREAM_DATA });
	}
	push(planner, (struct job_step){ .kind = JOB_READ, .every = (uint32_t)options->sync });
	if (options->barrier)
		push_blocking(planner, (struct job_step){ .axis = JOB_WORLD,
							  .collective = JOB_BARRIER,
							  .stream = JOB_STREAM_WORLD,
							  .bytes = 4,
							  .every = (uint32_t)options->barrier });
}

static void build(struct planner *planner)
{
	const struct job_options *options = planner->options;

	if (first_stage(planner)) {
		push(planner, (struct job_step){ .kind = JOB_FETCH });
		push(planner, (struct job_step){ .kind = JOB_UPLOAD, .bytes = 3145728 });
	}
	if (options->buffers && job_replicas(options) > 1)
		push_blocking(planner, (struct job_step){ .axis = JOB_DATA,
							  .collective = JOB_BROADCAST,
							  .stream = JOB_STREAM_DATA,
							  .bytes = 212480 });
	passes(planner);
	update(planner);
}

int job_plans_init(struct job_plan **plans, const struct job_options *options,
		   const struct sim_nets *nets)
{
	*plans = calloc(options->pipeline, sizeof(**plans));
	if (!*plans)
		return -1;
	for (uint32_t i = 0; i < options->pipeline; i++) {
		struct planner planner = { .plan = &(*plans)[i],
					   .options = options,
					   .passes = &nets->passes[0],
					   .nets = nets,
					   .stage = i };

		build(&planner);
		if (planner.failed)
			return -1;
	}
	return 0;
}

void job_plans_fini(struct job_plan *plans, const struct job_options *options)
{
	for (uint32_t i = 0; plans && i < options->pipeline; i++)
		free(plans[i].steps);
	free(plans);
}
