/* Builds the kernel lists of networks. Layers of one stage are alike, as in real networks. */
#include "net.h"
#include "rng.h"

#include <stdlib.h>
#include <string.h>

enum { STAGES = 4, STATISTICS = 256 };

struct builder {
	const struct sim_catalogue *catalogue;
	const struct sim_net *net;
	struct sim_rng rng;
	uint64_t stage_seed;
	struct sim_ops *ops;
	bool backward;
	bool failed;
};

static const struct {
	const char *torch, *tensorflow;
} operators[SIM_OPERATORS] = {
	[SIM_OP_CONV] = { "aten::cudnn_convolution", "Conv2D" },
	[SIM_OP_CONV_BACKWARD] = { "aten::convolution_backward", "Conv2DBackpropFilter" },
	[SIM_OP_BN] = { "aten::cudnn_batch_norm", "FusedBatchNormV3" },
	[SIM_OP_BN_BACKWARD] = { "aten::cudnn_batch_norm_backward", "FusedBatchNormGradV3" },
	[SIM_OP_RELU] = { "aten::relu_", "Relu" },
	[SIM_OP_RELU_BACKWARD] = { "aten::threshold_backward", "ReluGrad" },
	[SIM_OP_ADD] = { "aten::add_", "AddV2" },
	[SIM_OP_LINEAR] = { "aten::addmm", "MatMul" },
	[SIM_OP_LINEAR_BACKWARD] = { "aten::mm", "MatMul" },
	[SIM_OP_LN] = { "aten::native_layer_norm", "LayerNorm" },
	[SIM_OP_LN_BACKWARD] = { "aten::native_layer_norm_backward", "LayerNormGrad" },
	[SIM_OP_GELU] = { "aten::gelu", "Gelu" },
	[SIM_OP_ATTENTION] = { "aten::_scaled_dot_product_flash_attention", "Softmax" },
	[SIM_OP_ATTENTION_BACKWARD] = { "aten::_scaled_dot_product_flash_attention_backward",
					"SoftmaxGrad" },
	[SIM_OP_DROPOUT] = { "aten::native_dropout", "Dropout" },
	[SIM_OP_POOL] = { "aten::max_pool2d_with_indices", "MaxPool" },
	[SIM_OP_POOL_BACKWARD] = { "aten::max_pool2d_with_indices_backward", "MaxPoolGrad" },
	[SIM_OP_EMBEDDING] = { "aten::index_select", "GatherV2" },
	[SIM_OP_RNN] = { "aten::_cudnn_rnn", "CudnnRNN" },
	[SIM_OP_RNN_BACKWARD] = { "aten::_cudnn_rnn_backward", "CudnnRNNBackprop" },
	[SIM_OP_FUSED] = { "CompiledFunction", "XlaLaunch" },
	[SIM_OP_LOSS] = { "aten::cross_entropy_loss", "SparseSoftmaxCrossEntropyWithLogits" },
	[SIM_OP_LOSS_BACKWARD] = { "aten::nll_loss_backward", "Mul" },
	[SIM_OP_ZERO] = { "aten::zero_", "ZerosLike" },
	[SIM_OP_OPTIMIZER] = { "aten::_foreach_add_", "ResourceApplyMomentum" },
	[SIM_OP_STATISTICS] = { "aten::histc", "HistogramSummary" },
	[SIM_OP_COPY] = { "aten::copy_", "MEMCPYHtoD" },
	[SIM_OP_REDUCE] = { "c10d::allreduce_", "CollectiveReduce" },
	[SIM_OP_COMMUNICATE] = { "record_param_comms", "CollectiveReduce" },
	[SIM_OP_INPUT] = { "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
			   "IteratorGetNext" },
	[SIM_OP_READ] = { "aten::item", "Identity" },
	[SIM_OP_METRICS] = { "compute_metrics", "Metrics" },
};

const char *sim_operator_name(enum sim_operator oper, bool tensorflow)
{
	return tensorflow ? operators[oper].tensorflow : operators[oper].torch;
}

/* Per cent of an ordinary kernel's time; 0 is 100. */
static const uint16_t weight[SIM_ROLES] = {
	[SIM_CONV_FWD] = 260,
	[SIM_CONV_DGRAD] = 280,
	[SIM_CONV_WGRAD] = 300,
	[SIM_CONV_HELP] = 6,
	[SIM_GEMM_TN] = 220,
	[SIM_GEMM_NN] = 230,
	[SIM_GEMM_NT] = 230,
	[SIM_GEMM_HELP] = 10,
	[SIM_BN_BWD] = 150,
	[SIM_ACT_FWD] = 45,
	[SIM_ACT_BWD] = 60,
	[SIM_ADD] = 70,
	[SIM_LN_FWD] = 40,
	[SIM_ATTENTION_FWD] = 240,
	[SIM_ATTENTION_BWD] = 260,
	[SIM_FILL] = 5,
	[SIM_SGD] = 7,
	[SIM_STATISTICS] = 20,
	[SIM_LOSS_FWD] = 15,
	[SIM_LOSS_BWD] = 15,
	[SIM_CAST] = 40,
};

static void push(struct builder *builder, enum sim_role role, uint32_t pick, enum sim_operator oper,
		 bool begins)
{
	const struct sim_catalogue *catalogue = builder->catalogue;
	uint32_t n = catalogue->first[role + 1] - catalogue->first[role];
	struct sim_ops *ops = builder->ops;
	uint64_t ns = builder->net->kernel_ns * (weight[role] ? weight[role] : 100) / 100;
	struct sim_op *op;

	if (ops->count == ops->room) {
		size_t room = ops->room * 2 + 64;
		struct sim_op *grown = realloc(ops->ops, room * sizeof(*grown));

		if (!grown) {
			builder->failed = true;
			return;
		}
		ops->ops = grown;
		ops->room = room;
	}
	if (ns < 1200)
		ns = 1200;
	ns = sim_rng_jitter(&builder->rng, ns, 300000);
	op = &ops->ops[ops->count++];
	*op = (struct sim_op){
		.kernel = catalogue->first[role] + pick % n,
		.gpu_ns = (uint32_t)(ns < UINT32_MAX ? ns : UINT32_MAX),
		.host_ns = (uint32_t)builder->net->host_ns,
		.oper = (uint8_t)oper,
		.begins = begins,
		.backward = builder->backward,
	};
	op->grid = 1 + (uint32_t)(ns / 37 % 65000);
	op->keeps = catalogue->kernels[op->kernel].tiles < 2;
}

/* The stage's choice number n: the same for all layers of a stage. */
static uint32_t choice(const struct builder *builder, uint32_t n)
{
	uint64_t state = builder->stage_seed + n * 0x9e3779b97f4a7c15u;

	return (uint32_t)(sim_splitmix(&state) >> 33);
}

static void enter_stage(struct builder *builder, uint32_t layer, uint64_t seed)
{
	uint64_t stage = builder->net->layers ? (uint64_t)layer * STAGES / builder->net->layers : 0;
	uint64_t state = seed + builder->net->seed * 1000003u + stage * 17;

	builder->stage_seed = sim_splitmix(&state);
}

static void conv_forward(struct builder *builder, uint32_t n)
{
	if (choice(builder, n) % 3 == 0)
		push(builder, SIM_CONV_HELP, choice(builder, n + 1), SIM_OP_CONV, true);
	push(builder, SIM_CONV_FWD, choice(builder, n + 2), SIM_OP_CONV,
	     choice(builder, n) % 3 != 0);
	push(builder, SIM_BN_FWD, choice(builder, n + 3), SIM_OP_BN, true);
}

static void conv_backward(struct builder *builder, uint32_t n)
{
	push(builder, SIM_BN_BWD, choice(builder, n + 4), SIM_OP_BN_BACKWARD, true);
	push(builder, SIM_CONV_DGRAD, choice(builder, n + 5), SIM_OP_CONV_BACKWARD, true);
	if (choice(builder, n) % 2 == 0)
		push(builder, SIM_CONV_HELP, choice(builder, n + 7), SIM_OP_CONV_BACKWARD, false);
	push(builder, SIM_CONV_WGRAD, choice(builder, n + 6), SIM_OP_CONV_BACKWARD, false);
}

static void conv_layer_forward(struct builder *builder, bool down)
{
	for (uint32_t j = 0; j < 3; j++) {
		conv_forward(builder, j * 10);
		if (j < 2)
			push(builder, SIM_ACT_FWD, 0, SIM_OP_RELU, true);
	}
	if (down)
		conv_forward(builder, 40);
	push(builder, SIM_ADD, 0, SIM_OP_ADD, true);
	push(builder, SIM_ACT_FWD, 0, SIM_OP_RELU, true);
}

static void conv_layer_backward(struct builder *builder, bool down)
{
	push(builder, SIM_ACT_BWD, 0, SIM_OP_RELU_BACKWARD, true);
	if (down)
		conv_backward(builder, 40);
	for (uint32_t j = 3; j-- > 0;) {
		conv_backward(builder, j * 10);
		if (j > 0)
			push(builder, SIM_ACT_BWD, 0, SIM_OP_RELU_BACKWARD, true);
	}
	push(builder, SIM_ADD, 0, SIM_OP_ADD, true);
}

static void linear(struct builder *builder, uint32_t n)
{
	push(builder, SIM_GEMM_TN, choice(builder, n), SIM_OP_LINEAR, true);
	if (choice(builder, n) % 5 == 0)
		push(builder, SIM_GEMM_HELP, 0, SIM_OP_LINEAR, false);
}

static void linear_backward(struct builder *builder, uint32_t n)
{
	push(builder, SIM_GEMM_NN, choice(builder, n + 1), SIM_OP_LINEAR_BACKWARD, true);
	push(builder, SIM_GEMM_NT, choice(builder, n + 2), SIM_OP_LINEAR_BACKWARD, true);
	push(builder, SIM_REDUCE, 0, SIM_OP_LINEAR_BACKWARD, true);
}

static void transformer_forward(struct builder *builder)
{
	push(builder, SIM_LN_FWD, 0, SIM_OP_LN, true);
	linear(builder, 100);
	push(builder, SIM_CAST, 0, SIM_OP_COPY, true);
	push(builder, SIM_ATTENTION_FWD, 0, SIM_OP_ATTENTION, true);
	linear(builder, 110);
	push(builder, SIM_DROPOUT, 0, SIM_OP_DROPOUT, true);
	push(builder, SIM_ADD, 0, SIM_OP_ADD, true);
	push(builder, SIM_LN_FWD, 0, SIM_OP_LN, true);
	linear(builder, 120);
	push(builder, SIM_ACT_FWD, 1, SIM_OP_GELU, true);
	linear(builder, 130);
	push(builder, SIM_DROPOUT, 0, SIM_OP_DROPOUT, true);
	push(builder, SIM_ADD, 0, SIM_OP_ADD, true);
}

static void transformer_backward(struct builder *builder)
{
	push(builder, SIM_ELEMENT, 1, SIM_OP_DROPOUT, true);
	linear_backward(builder, 130);
	push(builder, SIM_ACT_BWD, 0, SIM_OP_GELU, true);
	linear_backward(builder, 120);
	push(builder, SIM_LN_BWD, 0, SIM_OP_LN_BACKWARD, true);
	push(builder, SIM_LN_BWD, 1, SIM_OP_LN_BACKWARD, false);
	push(builder, SIM_ADD, 0, SIM_OP_ADD, true);
	push(builder, SIM_ELEMENT, 1, SIM_OP_DROPOUT, true);
	linear_backward(builder, 110);
	push(builder, SIM_ATTENTION_BWD, 0, SIM_OP_ATTENTION_BACKWARD, true);
	push(builder, SIM_ATTENTION_BWD, 1, SIM_OP_ATTENTION_BACKWARD, false);
	linear_backward(builder, 100);
	push(builder, SIM_LN_BWD, 0, SIM_OP_LN_BACKWARD, true);
	push(builder, SIM_LN_BWD, 1, SIM_OP_LN_BACKWARD, false);
	push(builder, SIM_ADD, 0, SIM_OP_ADD, true);
}

static void layer_forward(struct builder *builder, uint32_t layer, bool down)
{
	switch (builder->net->kind) {
	case SIM_NET_CONV:
		conv_layer_forward(builder, down);
		break;
	case SIM_NET_TRANSFORMER:
		transformer_forward(builder);
		break;
	case SIM_NET_RNN:
		linear(builder, 200);
		push(builder, SIM_RNN_FWD, 0, SIM_OP_RNN, true);
		push(builder, SIM_RNN_FWD, 1, SIM_OP_RNN, false);
		break;
	case SIM_NET_MLP:
		linear(builder, 300);
		push(builder, SIM_ACT_FWD, 0, SIM_OP_RELU, true);
		break;
	case SIM_NET_FUSED:
		push(builder, SIM_FUSED, layer, SIM_OP_FUSED, true);
		push(builder, SIM_GEMM_TN, choice(builder, 400), SIM_OP_FUSED, false);
		break;
	}
}

static void layer_backward(struct builder *builder, uint32_t layer, bool down)
{
	switch (builder->net->kind) {
	case SIM_NET_CONV:
		conv_layer_backward(builder, down);
		break;
	case SIM_NET_TRANSFORMER:
		transformer_backward(builder);
		break;
	case SIM_NET_RNN:
		push(builder, SIM_RNN_BWD, 0, SIM_OP_RNN_BACKWARD, true);
		push(builder, SIM_RNN_BWD, 1, SIM_OP_RNN_BACKWARD, false);
		linear_backward(builder, 200);
		break;
	case SIM_NET_MLP:
		push(builder, SIM_ACT_BWD, 0, SIM_OP_RELU_BACKWARD, true);
		linear_backward(builder, 300);
		break;
	case SIM_NET_FUSED:
		push(builder, SIM_FUSED, layer + 7, SIM_OP_FUSED, true);
		push(builder, SIM_GEMM_NN, choice(builder, 401), SIM_OP_FUSED, false);
		push(builder, SIM_GEMM_NT, choice(builder, 402), SIM_OP_FUSED, false);
		break;
	}
}

/* Kernels before the first layer and after the last one. */
static void stem_forward(struct builder *builder)
{
	if (builder->net->kind == SIM_NET_CONV) {
		conv_forward(builder, 60);
		push(builder, SIM_ACT_FWD, 0, SIM_OP_RELU, true);
		push(builder, SIM_POOL_FWD, 0, SIM_OP_POOL, true);
	} else if (builder->net->kind == SIM_NET_TRANSFORMER) {
		push(builder, SIM_EMBED_FWD, 0, SIM_OP_EMBEDDING, true);
		push(builder, SIM_ELEMENT, 2, SIM_OP_ADD, true);
	}
}

static void head_forward(struct builder *builder)
{
	if (builder->net->kind == SIM_NET_RNN)
		return;
	push(builder, SIM_REDUCE, 0, SIM_OP_POOL, true);
	push(builder, SIM_GEMM_TN, choice(builder, 500), SIM_OP_LINEAR, true);
}

static void head_backward(struct builder *builder)
{
	if (builder->net->kind == SIM_NET_RNN)
		return;
	push(builder, SIM_GEMM_NN, choice(builder, 501), SIM_OP_LINEAR_BACKWARD, true);
	push(builder, SIM_GEMM_NT, choice(builder, 502), SIM_OP_LINEAR_BACKWARD, true);
	push(builder, SIM_ELEMENT, 3, SIM_OP_POOL_BACKWARD, true);
}

static void stem_backward(struct builder *builder)
{
	if (builder->net->kind == SIM_NET_CONV) {
		push(builder, SIM_POOL_BWD, 0, SIM_OP_POOL_BACKWARD, true);
		push(builder, SIM_ACT_BWD, 0, SIM_OP_RELU_BACKWARD, true);
		push(builder, SIM_BN_BWD, choice(builder, 64), SIM_OP_BN_BACKWARD, true);
		push(builder, SIM_CONV_WGRAD, choice(builder, 66), SIM_OP_CONV_BACKWARD, true);
	} else if (builder->net->kind == SIM_NET_TRANSFORMER) {
		push(builder, SIM_EMBED_BWD, 0, SIM_OP_EMBEDDING, true);
	}
}

static bool stage_begins(const struct sim_net *net, uint32_t layer)
{
	return layer == 0 || (uint64_t)layer * STAGES / net->layers !=
				     (uint64_t)(layer - 1) * STAGES / net->layers;
}

static void build_passes(struct builder *builder, struct sim_passes *passes, uint64_t seed)
{
	const struct sim_net *net = builder->net;

	builder->ops = &passes->forward;
	enter_stage(builder, 0, seed);
	stem_forward(builder);
	for (uint32_t i = 0; i < net->layers; i++) {
		enter_stage(builder, i, seed);
		layer_forward(builder, i, stage_begins(net, i));
	}
	head_forward(builder);
	builder->ops = &passes->backward;
	builder->backward = true;
	head_backward(builder);
	for (uint32_t i = net->layers; i-- > 0;) {
		enter_stage(builder, i, seed);
		layer_backward(builder, i, stage_begins(net, i));
	}
	enter_stage(builder, 0, seed);
	stem_backward(builder);
	builder->backward = false;
}

static void build_update(struct builder *builder, struct sim_passes *passes)
{
	const struct sim_net *net = builder->net;
	bool foreach = strcmp(net->optimizer, "foreach") == 0;
	bool adam = strcmp(net->optimizer, "adam") == 0;
	uint32_t parameters = net->layers * (net->kind == SIM_NET_CONV ? 9 : 6) + 2;
	/* Fused optimizers take about 30 tensors per kernel. */
	uint32_t chunks = parameters / 30 + 1;

	builder->ops = &passes->zero;
	for (uint32_t i = 0; i < (foreach || adam ? chunks : parameters); i++)
		push(builder, foreach || adam ? SIM_FOREACH : SIM_FILL, 1, SIM_OP_ZERO, true);
	builder->ops = &passes->optimize;
	for (uint32_t i = 0; i < chunks && (foreach || adam); i++)
		for (uint32_t j = 0; j < (foreach ? 3u : 1u); j++)
			push(builder, foreach ? SIM_FOREACH : SIM_ADAM, j % 2, SIM_OP_OPTIMIZER,
			     true);
	for (uint32_t i = 0; i < parameters && !foreach && !adam; i++)
		for (uint32_t j = 0; j < 3; j++)
			push(builder, SIM_SGD, j % 2, SIM_OP_OPTIMIZER, j == 0);
}

static void build_graph(struct builder *builder, struct sim_passes *passes)
{
	size_t n = passes->forward.count + passes->backward.count;

	passes->graph.ops = malloc((n ? n : 1) * sizeof(struct sim_op));
	if (!passes->graph.ops) {
		builder->failed = true;
		return;
	}
	if (passes->forward.count)
		memcpy(passes->graph.ops, passes->forward.ops,
		       passes->forward.count * sizeof(struct sim_op));
	if (passes->backward.count)
		memcpy(passes->graph.ops + passes->forward.count, passes->backward.ops,
		       passes->backward.count * sizeof(struct sim_op));
	passes->graph.count = passes->graph.room = n;
}

static void build_common(struct builder *builder, struct sim_nets *nets)
{
	builder->ops = &nets->loss;
	push(builder, SIM_LOSS_FWD, 0, SIM_OP_LOSS, true);
	push(builder, SIM_LOSS_FWD, 1, SIM_OP_LOSS, false);
	builder->backward = true;
	push(builder, SIM_FILL, 0, SIM_OP_LOSS_BACKWARD, true);
	push(builder, SIM_LOSS_BWD, 0, SIM_OP_LOSS_BACKWARD, true);
	push(builder, SIM_LOSS_BWD, 1, SIM_OP_LOSS_BACKWARD, false);
	builder->backward = false;
	builder->ops = &nets->statistics;
	for (uint32_t i = 0; i < STATISTICS; i++)
		push(builder, SIM_STATISTICS, sim_rng_below(&builder->rng, 1000), SIM_OP_STATISTICS,
		     true);
}

int sim_nets_init(struct sim_nets *nets, const struct sim_program *program,
		  const struct sim_catalogue *catalogue, uint64_t seed)
{
	static const struct sim_net common = { .kernel_ns = 30000, .host_ns = 6000, .layers = 1 };
	struct builder builder = { .catalogue = catalogue, .net = &common };

	memset(nets, 0, sizeof(*nets));
	sim_rng_init(&builder.rng, seed, 1);
	nets->passes = calloc(program->net_count + 1, sizeof(*nets->passes));
	if (!nets->passes)
		return -1;
	nets->count = program->net_count;
	build_common(&builder, nets);
	for (size_t i = 0; i < nets->count; i++) {
		builder.net = &program->nets[i];
		build_passes(&builder, &nets->passes[i], seed);
		build_update(&builder, &nets->passes[i]);
		build_graph(&builder, &nets->passes[i]);
	}
	return builder.failed ? -1 : 0;
}

void sim_nets_fini(struct sim_nets *nets)
{
	for (size_t i = 0; i < nets->count; i++) {
		free(nets->passes[i].forward.ops);
		free(nets->passes[i].backward.ops);
		free(nets->passes[i].zero.ops);
		free(nets->passes[i].optimize.ops);
		free(nets->passes[i].graph.ops);
	}
	free(nets->passes);
	free(nets->loss.ops);
	free(nets->statistics.ops);
	memset(nets, 0, sizeof(*nets));
}
