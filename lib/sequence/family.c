/* Kernel families, by the words that libraries put into the names of their kernels. */
#include "sequence/family.h"
#include "base/text.h"

#include <string.h>

/*
 * Words are searched up to here: names of kernels are rarely longer, and each device and
 * stream of a file may have kernels of the same long name.
 */
enum { LOOKED_AT = 4096 };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns true if a text continues with a lower-case word, ignoring case. */
static bool goes_on(const char *at, const char *word)
{
	while (*word && lower(*at) == *word) {
		at++;
		word++;
	}
	return !*word;
}

/* Returns true if one of the words occurs in a name. */
static bool has_any(const char *name, const char *const *words, size_t count)
{
	const char *end = name + strnlen(name, LOOKED_AT);

	for (const char *at = name; at < end; at++)
		for (size_t i = 0; i < count; i++)
			if (lower(*at) == words[i][0] && goes_on(at, words[i]))
				return true;
	return false;
}

static bool depends_on_shape(const char *name)
{
	static const char *const words[] = { "gemm",  "gemv",  "xmma",	 "cutlass", "cudnn",
					     "conv",  "wgrad", "dgrad",	 "fprop",   "winograd",
					     "cijk_", "flash", "splitk", "nvjet",   "miopen" };

	return has_any(name, words, DP_COUNT(words));
}

size_t dp_family__name(char *family, const char *name)
{
	size_t length = strlen(name);

	if (depends_on_shape(name))
		return dp_text__without_numbers(family, name);
	memcpy(family, name, length + 1);
	return length;
}

/*
 * Libraries and compilers put their own names, and those of a network's operations, into the names
 * of kernels. Numerical codes have kernels for convection, conversion and diffusion, so "conv" and
 * "fusion" are not enough by themselves.
 */
static bool is_of_network(const char *name)
{
	/* vectors alone, without matrices: solvers call these in each iteration */
	static const char *const vectors[] = { "axpy",	      "dot_kernel",  "nrm2",
					       "scal_kernel", "asum_kernel", "reduce_1block" };
	static const char *const words[] = {
		"gemm",	      "gemv",	    "xmma",	 "cutlass",    "cublas",    "cudnn",
		"convol",     "conv1",	    "conv2",	 "conv3",      "wgrad",	    "dgrad",
		"fprop",      "winograd",   "cijk_",	 "flash",      "splitk",    "nvjet",
		"miopen",     "rocblas",    "hipblas",	 "at::native", "at6native", "triton",
		"_fusion",    "tensorflow", "tensorrt",	 "myelin",     "__myl",	    "onnx",
		"tvm",	      "ggml",	    "mul_mat",	 "matmul",     "attention", "attn",
		"fmha",	      "softmax",    "layernorm", "layer_norm", "rmsnorm",   "rms_norm",
		"batchnorm",  "batch_norm", "bn_",	 "relu",       "gelu",	    "silu",
		"sigmoid",    "dropout",    "pooling",	 "maxpool",    "avgpool",   "embedding",
		"lstm",	      "gru_",	    "rnn",	 "quantize",   "nccl",	    "rccl",
		"elementwise"
	};

	if (has_any(name, vectors, DP_COUNT(vectors)))
		return false;
	return !strncmp(name, "fusion", strlen("fusion")) || has_any(name, words, DP_COUNT(words));
}

/*
 * Returns true for a kernel of attention. The path of an operator or a module may only say that it
 * is inside an attention block.
 */
static bool is_attention(const char *name)
{
	static const char *const paths[] = { "/", "attention.", "attn." };
	static const char *const words[] = { "flash_", "flash::",   "flashatt", "flashmla",
					     "fmha",   "attention", "attn" };

	return !has_any(name, paths, DP_COUNT(paths)) && has_any(name, words, DP_COUNT(words));
}

enum dp_kernel_kind dp_family__kind(const char *name)
{
	static const char *const moves[] = {
		"copy_kernel", "copy_device_to_device", "fillfunctor", "castkernel", "fillkernel",
		"rocclr_" /* HIP's own copies and fills */
	};
	static const char *const finishes[] = {
		"multi_tensor_apply", "adam",	 "sgd", "rmsprop", "adagrad", "lamb_",
		"applygradient",      "momentum"
	};

	if (has_any(name, finishes, DP_COUNT(finishes)))
		return DP_KERNEL_FINISHES;
	if (has_any(name, moves, DP_COUNT(moves)))
		return DP_KERNEL_MOVES;
	if (!is_of_network(name))
		return DP_KERNEL_OTHER;
	return is_attention(name) ? DP_KERNEL_ATTENTION : DP_KERNEL_NETWORK;
}
