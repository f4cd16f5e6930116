/* What ids and names a profiler would show, and the kernels of an undisturbed iteration. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

const struct sim_call_name sim_call_names[SIM_CALLS] = {
	[SIM_CALL_LAUNCH] = { "cudaLaunchKernel", 211 },
	[SIM_CALL_COPY] = { "cudaMemcpyAsync", 41 },
	[SIM_CALL_SET] = { "cudaMemsetAsync", 51 },
	[SIM_CALL_STREAM_SYNC] = { "cudaStreamSynchronize", 131 },
	[SIM_CALL_DEVICE_SYNC] = { "cudaDeviceSynchronize", 165 },
	[SIM_CALL_GRAPH] = { "cudaGraphLaunch", 311 },
	[SIM_CALL_MALLOC] = { "cudaMalloc", 20 },
	[SIM_CALL_FREE] = { "cudaFree", 22 },
	[SIM_CALL_HOST_ALLOC] = { "cudaHostAlloc", 27 },
};

uint32_t sim_run_pid(const struct sim_run *run, uint32_t rank)
{
	if (run->ranks)
		return run->ranks[rank].pid;
	return 41000 + (uint32_t)(run->seed % 900) + rank / run->program->devices * 77;
}

/* Each device of a process has host threads of its own; the first one's is the process's first. */
uint32_t sim_run_tid(const struct sim_run *run, uint32_t rank, uint32_t thread)
{
	uint32_t device = rank % run->program->devices;

	return sim_run_pid(run, rank) + device + thread * 200;
}

uint32_t sim_run_device(const struct sim_run *run, uint32_t rank)
{
	if (run->ranks)
		return run->ranks[rank].local;
	return run->program->processes > 1 ? rank : rank % run->program->devices;
}

uint32_t sim_run_context(const struct sim_run *run, uint32_t rank)
{
	return 1 + rank % run->program->devices;
}

uint32_t sim_run_stream(const struct sim_run *run, uint32_t stream)
{
	static const uint32_t torch[SIM_STREAMS] = { 7, 14, 15, 20, 24 };
	static const uint32_t tensorflow[SIM_STREAMS] = { 13, 14, 15, 20, 16 };

	/* A job's streams: the main one, and one for each communicator. */
	if (run->ranks)
		return stream ? 16 + 4 * stream : torch[SIM_STREAM_MAIN];
	return strcmp(run->program->framework, "tensorflow") == 0 ? tensorflow[stream]
								  : torch[stream];
}

static int pattern_add(struct sim_pattern *pattern, const struct sim_ops *ops, size_t count,
		       uint32_t repeats)
{
	size_t need = pattern->count + count * repeats;

	if (need > pattern->room) {
		uint32_t *grown = realloc(pattern->kernels, need * 2 * sizeof(*grown));

		if (!grown)
			return -1;
		pattern->kernels = grown;
		pattern->room = need * 2;
	}
	for (uint32_t r = 0; r < repeats; r++)
		for (size_t i = 0; i < count; i++)
			pattern->kernels[pattern->count++] = ops->ops[i].kernel;
	return 0;
}

static uint32_t middle(struct sim_pattern *pattern, struct sim_range range)
{
	pattern->varies |= range.low != range.high;
	return range.low + (range.high - range.low) / 2;
}

static int pattern_expand(struct sim_pattern *pattern, const struct sim_run *run,
			  const struct sim_loop *loop);

static int pattern_act(struct sim_pattern *pattern, const struct sim_run *run,
		       const struct sim_loop *loop, const struct sim_action *action)
{
	const struct sim_nets *nets = run->nets;
	const struct sim_passes *passes = &nets->passes[action->target];
	struct sim_op graph = { .kernel = (uint32_t)run->catalogue->count + action->target };
	const struct sim_ops replayed = { &graph, 1, 1 };
	const struct sim_loop *inner = &run->program->loops[action->target];
	uint32_t times;

	switch (action->verb) {
	case SIM_DO_LOOP:
		times = middle(pattern, inner->count);
		for (uint32_t i = 0; i < times; i++)
			if (pattern_expand(pattern, run, inner))
				return -1;
		return 0;
	case SIM_DO_FORWARD:
	case SIM_DO_BACKWARD:
		times = middle(pattern, action->times_length ? loop->length : action->times);
		passes = &nets->passes[action->target];
		return action->verb == SIM_DO_FORWARD ? pattern_add(pattern, &passes->forward,
								    passes->forward.count, times)
						      : pattern_add(pattern, &passes->backward,
								    passes->backward.count, times);
	case SIM_DO_ZERO:
		return pattern_add(pattern, &passes->zero, passes->zero.count, 1);
	case SIM_DO_OPTIMIZE:
		return pattern_add(pattern, &passes->optimize, passes->optimize.count, 1);
	case SIM_DO_LOSS:
		return pattern_add(pattern, &nets->loss, nets->loss.count, 1);
	case SIM_DO_STATISTICS:
		times = middle(pattern, action->count);
		return pattern_add(pattern, &nets->statistics,
				   times < nets->statistics.count ? times : nets->statistics.count,
				   1);
	case SIM_DO_GRAPH:
		if (run->graphs)
			return pattern_add(pattern, &replayed, 1, 1);
		return pattern_add(pattern, &passes->graph, passes->graph.count, 1);
	default:
		return 0;
	}
}

static int pattern_expand(struct sim_pattern *pattern, const struct sim_run *run,
			  const struct sim_loop *loop)
{
	for (size_t i = 0; i < loop->action_count; i++)
		if (!sim_action_conditional(&loop->actions[i]) &&
		    pattern_act(pattern, run, loop, &loop->actions[i]))
			return -1;
	return 0;
}

int sim_pattern_init(struct sim_pattern *pattern, const struct sim_run *run,
		     const struct sim_loop *loop)
{
	memset(pattern, 0, sizeof(*pattern));
	if (pattern_expand(pattern, run, loop) == 0)
		return 0;
	sim_pattern_fini(pattern);
	return -1;
}

void sim_pattern_fini(struct sim_pattern *pattern)
{
	free(pattern->kernels);
	memset(pattern, 0, sizeof(*pattern));
}
