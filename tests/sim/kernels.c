/*
 * The catalogue. A row names kernels of one family: "{text}" becomes an identifier of the C++ ABI
 * (its length, then the text: Itanium C++ ABI, 5.1.2), "%" each of the family's tile sizes. Names
 * are demangled at start, by the same runtime that the importers use.
 */
#include "kernels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Itanium C++ ABI, 3.4: of the C++ runtime. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

struct row {
	enum sim_role role;
	uint16_t registers;
	uint32_t shared_memory;
	uint32_t block;
	const char *pattern;
	const char *const *tiles; /* NULL: the name has none */
};

static const char *const sgemm_tiles[] = { "32x32_sliced1x4", "64x32_sliced1x4", "64x64", "128x32",
					   "128x64",	      "128x128",	 NULL };
static const char *const tensor_tiles[] = {
	"64x64_sliced1x2_ldg8_f2f_stages_64x6", "64x128_sliced1x2_ldg8_f2f_stages_64x4",
	"128x64_ldg8_f2f_stages_64x4",		"128x128_ldg8_f2f_stages_64x3",
	"256x64_ldg8_f2f_stages_64x3",		"256x128_ldg8_f2f_stages_32x3",
	"64x256_ldg8_f2f_stages_64x3",		NULL
};
static const char *const cutlass_tiles[] = { "64x64_16x6",  "64x64_32x6",   "128x64_16x6",
					     "64x128_32x3", "128x128_16x5", "256x64_16x4",
					     NULL };
static const char *const conv_tiles[] = {
	"64x32x64_stage5_warpsize2x2x1",   "64x64x64_stage4_warpsize2x2x1",
	"128x64x32_stage3_warpsize4x1x1",  "128x128x16_stage4_warpsize2x2x1",
	"128x128x32_stage3_warpsize2x2x1", "256x64x32_stage3_warpsize4x1x1",
	"256x128x16_stage3_warpsize4x2x1", NULL
};
static const char *const call_sites[] = { "0", "1", "2",  "3",	"4",  "5",  "6", "7",
					  "8", "9", "10", "11", "12", "13", NULL };
static const char *const new_sites[] = { "100", "101", "102", "103", "104", "105", "106", "107",
					 "108", "109", "110", "111", "112", "113", NULL };

#define TI "RNS_18TensorIteratorBaseE"
#define ARRAY(n) "St5arrayIPcLm" n "EE"
#define VECTORIZED "_ZN2at6native29vectorized_elementwise_kernelILi4E"
#define XMMA(op, tail)                                                                 \
	"sm80_xmma_" op "_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_til" \
	"esize%_g1_tensor16x8x8_" tail

static const struct row rows[] = {
	{ SIM_CONV_FWD, 154, 98304, 128, XMMA("fprop", "execute_kernel_cudnn"), conv_tiles },
	{ SIM_CONV_FWD, 128, 49152, 128,
	  "_ZN{cutlass}6KernelI{cutlass_80_tensorop_s1688fprop_optimized_%_nhwc_align4}EEvNT_6ParamsE",
	  cutlass_tiles },
	{ SIM_CONV_DGRAD, 168, 81920, 128, XMMA("dgrad", "kernel_cudnn"), conv_tiles },
	{ SIM_CONV_WGRAD, 166, 81920, 128, XMMA("wgrad", "kernel_cudnn"), conv_tiles },
	{ SIM_CONV_HELP, 38, 0, 256,
	  "_ZN{cask_cudnn}{computeOffsetsKernel}ENS_{ComputeOffsetsParams}E", NULL },
	{ SIM_CONV_HELP, 32, 4224, 256,
	  "_ZN{cudnn}{ops}{nchwToNhwcKernel}IfffLb0ELb1EL{cudnnKernelDataType_t}2EEEvNS0_{nchw2nhwc_"
	  "params_t}IT1_EEPKT_PT0_",
	  NULL },
	{ SIM_CONV_HELP, 32, 4224, 256,
	  "_ZN{cudnn}{ops}{nhwcToNchwKernel}IfffLb1ELb0EL{cudnnKernelDataType_t}0EEEvNS0_{nhwc2nchw_"
	  "params_t}IT1_EEPKT_PT0_",
	  NULL },
	{ SIM_GEMM_TN, 122, 17408, 256, "ampere_sgemm_%_tn", sgemm_tiles },
	{ SIM_GEMM_TN, 152, 73728, 128,
	  "_ZN{cutlass}6KernelI{cutlass_80_tensorop_s1688gemm_%_tn_align4}EEvNT_6ParamsE",
	  cutlass_tiles },
	{ SIM_GEMM_TN, 234, 98304, 256, "ampere_bf16_s16816gemm_bf16_%_tn", tensor_tiles },
	{ SIM_GEMM_NN, 122, 17408, 256, "ampere_sgemm_%_nn", sgemm_tiles },
	{ SIM_GEMM_NN, 144, 73728, 128,
	  "_ZN{cutlass}6KernelI{cutlass_80_tensorop_s1688gemm_%_nn_align4}EEvNT_6ParamsE",
	  cutlass_tiles },
	{ SIM_GEMM_NN, 230, 98304, 256, "ampere_bf16_s16816gemm_bf16_%_nn", tensor_tiles },
	{ SIM_GEMM_NT, 122, 17408, 256, "ampere_sgemm_%_nt", sgemm_tiles },
	{ SIM_GEMM_NT, 152, 73728, 128,
	  "_ZN{cutlass}6KernelI{cutlass_80_tensorop_s1688gemm_%_nt_align4}EEvNT_6ParamsE",
	  cutlass_tiles },
	{ SIM_GEMM_NT, 228, 98304, 256, "ampere_bf16_s16816gemm_bf16_%_nt", tensor_tiles },
	{ SIM_GEMM_HELP, 40, 0, 512,
	  "_Z{splitKreduce_kernel}ILi32ELi16EiffffLb1ELb0ELb0EEv{cublasSplitKParams}IT4_EPKT2_PKT3_PS6_"
	  "PKS1_SB_PKT5_S5_PSC_PvlPS1_Pi",
	  NULL },
	{ SIM_BN_FWD, 40, 26768, 512,
	  "_ZN{cudnn}{bn_fw_tr_1C11_singleread}IfLi512ELb1ELi1ELi2ELi0EEEvNS_{bn_fw_tr_1C11_args}IT_EE",
	  NULL },
	{ SIM_BN_FWD, 64, 144, 512,
	  "_ZN{cudnn}{bn_fw_tr_1C11_kernel_NCHW}IffiLi512ELb1ELi1ELb1EEEvNS_{bn_fw_tr_1C11_args}IT_EE",
	  NULL },
	{ SIM_BN_BWD, 46, 16656, 512,
	  "_ZN{cudnn}{bn_bw_1C11_singleread}IfLi512ELb1ELi1ELi2ELi0EEEvNS_{bn_bw_1C11_args}IT_EE",
	  NULL },
	{ SIM_BN_BWD, 40, 400, 512,
	  "_ZN{cudnn}{bn_bw_1C11_kernel_new}Iff6float2Li512ELb1ELi1EEEvNS_{bn_bw_1C11_args}IT_EE",
	  NULL },
	{ SIM_LN_FWD, 40, 24, 128,
	  "_ZN2at6native12_GLOBAL__N_1{vectorized_layer_norm_kernel}IffLb0EEEviT0_PKT_S6_S6_PS3_S7_PS4_",
	  NULL },
	{ SIM_LN_BWD, 32, 16, 128,
	  "_ZN2at6native12_GLOBAL__N_1{layer_norm_grad_input_kernel}IffEEvPKT_S5_PKT0_S8_S5_PS3_i",
	  NULL },
	{ SIM_LN_BWD, 48, 4096, 512,
	  "_ZN2at6native12_GLOBAL__N_1{GammaBetaBackwardCUDAKernel}IffEEvllPKT_S5_PKT0_S8_PS3_S9_",
	  NULL },
	{ SIM_ACT_FWD, 16, 0, 128,
	  VECTORIZED
	  "NS0_{AUnaryFunctor}IfffNS0_15binary_internal{MaxFunctor}IfEEEE" ARRAY("2") "EEviT"
										      "0_T1_",
	  NULL },
	{ SIM_ACT_FWD, 24, 0, 128,
	  "_ZN2at6native29vectorized_elementwise_kernelILi8EZZZNS0_18GeluCUDAKernelImplER"
	  "NS_18TensorIteratorBaseENS0_8GeluTypeEENKUlvE_clEvENKUlvE2_clEvEUlN3c108BFloat16"
	  "EE_St5arrayIPcLm2EEEEviT0_T1_",
	  NULL },
	{ SIM_ACT_BWD, 22, 0, 128,
	  VECTORIZED "NS0_13BinaryFunctorIfffNS0_15binary_internal{ThresholdFunctor}IfEEEE" ARRAY(
		  "3") "EEviT0_T1_",
	  NULL },
	{ SIM_ADD, 20, 0, 128, VECTORIZED "NS0_15CUDAFunctor_addIfEE" ARRAY("3") "EEviT0_T1_",
	  NULL },
	{ SIM_ELEMENT, 16, 0, 128,
	  VECTORIZED
	  "NS0_13AUnaryFunctorIfffNS0_15binary_internal10MulFunctorIfEEEE" ARRAY("2") "EEviT0_T1_",
	  NULL },
	{ SIM_ELEMENT, 20, 0, 128,
	  VECTORIZED
	  "NS0_13BinaryFunctorIfffNS0_15binary_internal10MulFunctorIfEEEE" ARRAY("3") "EEviT0_T1_",
	  NULL },
	{ SIM_ELEMENT, 18, 0, 128,
	  VECTORIZED "ZZZNS0_17rsqrt_kernel_cudaE" TI
		     "ENKUlvE0_clEvENKUlvE0_clEvEUlfE_" ARRAY("2") "EEviT0_T1_",
	  NULL },
	{ SIM_ELEMENT, 32, 0, 128,
	  "_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocastINS0_13BinaryFuncto"
	  "rIfffNS0_15binary_internal10MulFunctorIfEEEEEEvRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_",
	  NULL },
	{ SIM_ELEMENT, 24, 0, 128,
	  "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_21CUDAFunctorOnSelf_addIfEE" ARRAY(
		  "2") "EEviT0_T1_",
	  NULL },
	{ SIM_CAST, 26, 0, 128,
	  "_ZN2at6native27unrolled_elementwise_kernelIZZZNS0_23direct_copy_kernel_cudaERNS_18TensorItera"
	  "torBaseEENKUlvE1_clEvENKUlvE5_clEvEUlfE_St5arrayIPcLm2EELi4E23TrivialOffsetCalculatorILi1EjES"
	  "B_NS0_6memory12LoadWithCastILi1EEENSC_13StoreWithCastILi1EEEEEviT_T0_T2_T3_T4_T5_",
	  NULL },
	{ SIM_CAST, 26, 0, 128,
	  "_ZN2at6native29vectorized_elementwise_kernelILi8EZNS0_25bfloat16_copy_kernel_cudaERNS_18Tensor"
	  "IteratorBaseEEUlfE_St5arrayIPcLm2EEEEviT0_T1_",
	  NULL },
	{ SIM_REDUCE, 32, 16, 512,
	  "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_7MeanOpsIffffEEjfLi4ELi4EEEEEvT1_",
	  NULL },
	{ SIM_REDUCE, 50, 2064, 128,
	  "_ZN2at6native13reduce_kernelILi128ELi4ENS0_8ReduceOpIfNS0_7NormOpsIffEEjfLi4ELi4EEEEEvT1_",
	  NULL },
	{ SIM_SOFTMAX_FWD, 26, 0, 128,
	  "_ZN12_GLOBAL__N_1{softmax_warp_forward}IfffLi6ELb0ELb0EEEvPT0_PKT_iiiPKbib", NULL },
	{ SIM_SOFTMAX_BWD, 26, 0, 128,
	  "_ZN12_GLOBAL__N_1{softmax_warp_backward}IfffLi6ELb0ELb0EEEvPT0_PKT_S5_iiiPKb", NULL },
	{ SIM_ATTENTION_FWD, 255, 65536, 128,
	  "_ZN5flash16flash_fwd_kernelI23Flash_fwd_kernel_traitsILi128ELi128ELi64ELi4ELb0ELb0EN7cutlass1"
	  "0bfloat16_tE19Flash_kernel_traitsILi128ELi128ELi64ELi4ES3_EELb0ELb0ELb0ELb0ELb0ELb1ELb0ELb0EE"
	  "EvNS_16Flash_fwd_paramsE",
	  NULL },
	{ SIM_ATTENTION_BWD, 255, 81920, 256,
	  "_ZN5flash{flash_bwd_dot_do_o_kernel}ILb1E{Flash_bwd_kernel_traits}ILi128ELi64ELi128ELi8EEEEvNS"
	  "_{Flash_bwd_params}E",
	  NULL },
	{ SIM_ATTENTION_BWD, 255, 147456, 256,
	  "_ZN5flash{flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel}I{Flash_bwd_kernel_traits}ILi128ELi64E"
	  "Li128ELi8EELb0ELb1EEEvNS_{Flash_bwd_params}E",
	  NULL },
	{ SIM_EMBED_FWD, 32, 0, 128,
	  "_Z21indexSelectLargeIndexIfjLi2ELi2ELin2ELb1EEv10TensorInfoIT_T0_ES3_S0_IlS2_EiiS2_S2_l",
	  NULL },
	{ SIM_EMBED_BWD, 28, 0, 512,
	  "_ZN2at6native12_GLOBAL__N_1{embedding_backward_feature_kernel}IffiEEvPKT1_PKT_PS6_ili",
	  NULL },
	{ SIM_POOL_FWD, 26, 0, 256,
	  "_ZN2at6native12_GLOBAL__N_1{max_pool_forward_nchw}IfEEviPKT_lllliiiiiiiiiiPS3_Pl",
	  NULL },
	{ SIM_POOL_BWD, 32, 0, 256,
	  "_ZN2at6native12_GLOBAL__N_1{max_pool_backward_nchw}IffEEvPKT_PKliilllliiiiiiiiPS3_",
	  NULL },
	{ SIM_DROPOUT, 32, 0, 256,
	  "_ZN2at6native12_GLOBAL__N_1{fused_dropout_kernel_vec}IffjLi1ELi4EbEEvT1_PKT_PS4_PT4_T0_",
	  NULL },
	{ SIM_RNN_FWD, 128, 49152, 512, "_Z{RNN_blockPersist_fp_LSTM}IfffLi1024EEvPKT_PT0_PT1_iii",
	  NULL },
	{ SIM_RNN_FWD, 40, 0, 256, "_ZN{cudnn}{rnn}{LSTM_elementWise_fp}IfffLb1EEEviiiPKT_PT0_PT1_",
	  NULL },
	{ SIM_RNN_BWD, 128, 49152, 512, "_Z{RNN_blockPersist_bp_LSTM}IfffLi1024EEvPKT_PT0_PT1_iii",
	  NULL },
	{ SIM_RNN_BWD, 48, 0, 256, "_ZN{cudnn}{rnn}{LSTM_elementWise_bp1}IfffEEviiiPKT_PT0_PT1_",
	  NULL },
	{ SIM_LOSS_FWD, 27, 4096, 1024,
	  "_ZN2at6native12_GLOBAL__N_1{cunn_SoftMaxForward}ILi4EfffNS1_{LogSoftMaxForwardEpilogue}EEEvPT2_"
	  "PKT0_i",
	  NULL },
	{ SIM_LOSS_FWD, 34, 0, 32,
	  "_ZN2at6native12_GLOBAL__N_1{nll_loss_forward_reduce_cuda_kernel_2d}IfflEEvPT_S4_PKS3_PKT1_S6_bl"
	  "ll",
	  NULL },
	{ SIM_LOSS_BWD, 32, 0, 32,
	  "_ZN2at6native12_GLOBAL__N_1{nll_loss_backward_reduce_cuda_kernel_2d}IflEEvPT_PKS3_PKT0_S6_S6_bi"
	  "iil",
	  NULL },
	{ SIM_LOSS_BWD, 27, 4096, 1024,
	  "_ZN2at6native12_GLOBAL__N_1{cunn_SoftMaxBackward}ILi4EfffNS1_{LogSoftMaxBackwardEpilogue}EEEvPT"
	  "0_PKT2_S8_l",
	  NULL },
	{ SIM_FILL, 16, 0, 128, VECTORIZED "NS0_11FillFunctorIfEE" ARRAY("1") "EEviT0_T1_", NULL },
	{ SIM_SGD, 16, 0, 128,
	  VECTORIZED
	  "NS0_13BUnaryFunctorIfffNS0_15binary_internal10MulFunctorIfEEEE" ARRAY("2") "EEviT0_T1_",
	  NULL },
	{ SIM_SGD, 22, 0, 128, VECTORIZED "NS0_15CUDAFunctor_addIdEE" ARRAY("3") "EEviT0_T1_",
	  NULL },
	{ SIM_ADAM, 46, 0, 512,
	  "_ZN2at6native12_GLOBAL__N_1{multi_tensor_apply_kernel}INS1_{FusedOptimizerTensorListMetadata}IL"
	  "i4EEENS1_{FusedAdamMathFunctor}IfLi4EEEEEvT_T0_",
	  NULL },
	{ SIM_FOREACH, 32, 0, 512,
	  "_ZN2at6native12_GLOBAL__N_1{multi_tensor_apply_kernel}INS1_{TensorListMetadata}ILi2EEENS1_{Bina"
	  "ryOpListAlphaFunctor}IfLi2ELi2ELi0EEEJSt4plusIfEfEEEvT_T0_DpT1_",
	  NULL },
	{ SIM_FOREACH, 28, 0, 512,
	  "_ZN2at6native12_GLOBAL__N_1{multi_tensor_apply_kernel}INS1_{TensorListMetadata}ILi1EEENS1_{Bina"
	  "ryOpScalarFunctor}IfLi1ELi1ELi0EEEJSt10multipliesIfEfEEEvT_T0_DpT1_",
	  NULL },
	{ SIM_STATISTICS, 32, 16, 512,
	  "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_{MinMaxOps}IffiEEjfLi4ELi4EEEEEvT1_",
	  NULL },
	{ SIM_STATISTICS, 40, 8192, 256,
	  "_ZN2at4cuda{kernelHistogram1D}IflliLi1ELi2ELin1ELb0EEEvPT_S3_PKT0_iS4_S4_T1_", NULL },
	{ SIM_STATISTICS, 48, 4112, 256,
	  "_ZN3cub{DeviceReduceKernel}INS_{DeviceReducePolicy}IfjNS_3SumEE9Policy600EPfS5_iS3_EEvT0_T1_T2_"
	  "T3_",
	  NULL },
	{ SIM_STATISTICS, 26, 0, 256,
	  "_ZN2at6native{tensor_kernel_scan_outer_dim}IfjSt4plusIfEEEvPT_PKS4_jjjS4_T1_", NULL },
	{ SIM_STATISTICS, 30, 0, 128, "_ZN2at6native{ema_update_kernel}IfEEviPT_PKS2_S2_", NULL },
	{ SIM_FUSED, 36, 0, 256, "triton_poi_fused_add_relu_threshold_backward_%", call_sites },
	{ SIM_FUSED_NEW, 36, 0, 256, "triton_poi_fused_add_relu_threshold_backward_%", new_sites },
	{ SIM_TUNE, 128, 49152, 128, "implicit_convolve_sgemm_candidate_%", conv_tiles },
	{ SIM_TUNE, 122, 32768, 256, "volta_scudnn_%_relu_interior_nn_v1", sgemm_tiles },
	{ SIM_TUNE, 96, 16640, 256,
	  "_ZN{cudnn}{winograd_nonfused}{winogradForwardOutput4x4}IffEEvNS0_{WinogradOutputParams}IT_T0_E"
	  "E",
	  NULL },
	{ SIM_COLLECTIVE, 96, 42024, 640,
	  "_Z{ncclDevKernel_AllReduce_Sum_f32_RING_LL}24ncclDevKernelArgsStorageILm4096EE", NULL },
	{ SIM_COLLECTIVE, 96, 42024, 640,
	  "_Z{ncclDevKernel_AllGather_RING_LL}24ncclDevKernelArgsStorageILm4096EE", NULL },
	{ SIM_COLLECTIVE, 96, 42024, 640,
	  "_Z{ncclDevKernel_ReduceScatter_Sum_f32_RING_LL}24ncclDevKernelArgsStorageILm4096EE", NULL },
	{ SIM_COLLECTIVE, 96, 42024, 640,
	  "_Z{ncclDevKernel_SendRecv}24ncclDevKernelArgsStorageILm4096EE", NULL },
	{ SIM_COLLECTIVE, 96, 42024, 640,
	  "_Z{ncclDevKernel_Broadcast_RING_LL}24ncclDevKernelArgsStorageILm4096EE", NULL },
};

struct text {
	char *data;
	size_t length, room;
	bool failed;
};

static void put(struct text *text, const char *data, size_t length)
{
	if (text->length + length + 1 > text->room) {
		size_t room = (text->room + length + 64) * 2;
		char *grown = realloc(text->data, room);

		if (!grown) {
			text->failed = true;
			return;
		}
		text->data = grown;
		text->room = room;
	}
	memcpy(text->data + text->length, data, length);
	text->length += length;
	text->data[text->length] = 0;
}

/* Replaces "%" by the tile, and "{text}" by its length and itself. */
static char *expand(const char *pattern, const char *tile)
{
	struct text out = { 0 };
	size_t open = 0;
	char digits[16];

	for (; *pattern; pattern++) {
		if (*pattern == '{') {
			open = out.length;
			put(&out, "", 0);
		} else if (*pattern == '}') {
			size_t length = out.length - open, n = 0;
			char *identifier = strdup(out.data + open);

			for (size_t rest = length; rest; rest /= 10)
				digits[sizeof(digits) - ++n] = (char)('0' + rest % 10);
			out.length = open;
			put(&out, digits + sizeof(digits) - n, n);
			put(&out, identifier ? identifier : "", identifier ? length : 0);
			out.failed |= !identifier;
			free(identifier);
		} else if (*pattern == '%') {
			put(&out, tile, strlen(tile));
		} else {
			put(&out, pattern, 1);
		}
	}
	if (out.failed) {
		free(out.data);
		return NULL;
	}
	return out.data;
}

/*
 * The function's own name, as nsys's shortName has it: no return type, namespace, template
 * arguments or parameters.
 */
static char *base_of(const char *name)
{
	int depth = 0;
	const char *start = name, *end = name, *p;
	char *base;

	for (p = name; *p; p++) {
		if (strncmp(p, "(anonymous namespace)", 21) == 0) {
			p += 20;
			continue;
		}
		if (depth == 0 && (*p == '<' || *p == '('))
			break;
		if (depth == 0 && (*p == ' ' || (*p == ':' && p[1] == ':')))
			start = p + (*p == ' ' ? 1 : 2);
	}
	end = p;
	base = malloc((size_t)(end - start) + 1);
	if (base) {
		memcpy(base, start, (size_t)(end - start));
		base[end - start] = 0;
	}
	return base;
}

static int add(struct sim_catalogue *catalogue, const struct row *row, const char *tile)
{
	struct sim_kernel *kernel = &catalogue->kernels[catalogue->count];
	int status = 0;

	kernel->mangled = expand(row->pattern, tile);
	if (!kernel->mangled)
		return -1;
	if (strncmp(kernel->mangled, "_Z", 2) == 0)
		kernel->name = __cxa_demangle(kernel->mangled, NULL, NULL, &status);
	else
		kernel->name = strdup(kernel->mangled);
	kernel->base = kernel->name ? base_of(kernel->name) : NULL;
	kernel->role = (uint16_t)row->role;
	kernel->registers = row->registers;
	kernel->shared_memory = row->shared_memory;
	kernel->block = row->block;
	catalogue->count++;
	return kernel->base ? 0 : -1;
}

static int add_family(struct sim_catalogue *catalogue, const struct row *row, uint16_t family)
{
	uint32_t first = (uint32_t)catalogue->count;
	const char *const single[] = { "", NULL };
	const char *const *tiles = row->tiles ? row->tiles : single;
	uint16_t n = 0;

	for (; tiles[n]; n++)
		if (add(catalogue, row, tiles[n]))
			return -1;
	for (uint32_t i = first; i < catalogue->count; i++) {
		catalogue->kernels[i].family = family;
		catalogue->kernels[i].first = first;
		catalogue->kernels[i].tiles = n;
	}
	return 0;
}

int sim_catalogue_init(struct sim_catalogue *catalogue)
{
	size_t room = 0, count = sizeof(rows) / sizeof(rows[0]);

	memset(catalogue, 0, sizeof(*catalogue));
	for (size_t i = 0; i < count; i++) {
		room++;
		for (size_t n = 0; rows[i].tiles && rows[i].tiles[n]; n++)
			room++;
	}
	catalogue->kernels = calloc(room, sizeof(*catalogue->kernels));
	if (!catalogue->kernels)
		return -1;
	for (int role = 0; role < SIM_ROLES; role++) {
		catalogue->first[role] = (uint32_t)catalogue->count;
		for (size_t i = 0; i < count; i++)
			if (rows[i].role == (enum sim_role)role &&
			    add_family(catalogue, &rows[i], (uint16_t)i))
				return -1;
	}
	catalogue->first[SIM_ROLES] = (uint32_t)catalogue->count;
	return 0;
}

void sim_catalogue_fini(struct sim_catalogue *catalogue)
{
	for (size_t i = 0; i < catalogue->count; i++) {
		free(catalogue->kernels[i].mangled);
		free(catalogue->kernels[i].name);
		free(catalogue->kernels[i].base);
	}
	free(catalogue->kernels);
	memset(catalogue, 0, sizeof(*catalogue));
}
