/*
 * Names of the API functions that a trace is judged by: launches, copies, memory, synchronization,
 * set-up. The numbers are CUPTI's (cupti_runtime_cbid.h, cupti_driver_cbid.h of CUDA 13.0), which
 * are never reused; version suffixes of the runtime's names (_v3020) are left out.
 */
#include "import/cbid.h"

#include "base/base.h"

#include <stdio.h>

struct cbid_name {
	int cbid;
	const char *name;
};

/* clang-format off */
/* In order of their numbers. */
static const struct cbid_name runtime_names[] = {
	{ 3, "cudaGetDeviceCount" }, { 4, "cudaGetDeviceProperties" }, { 8, "cudaConfigureCall" },
	{ 9, "cudaSetupArgument" }, { 10, "cudaGetLastError" }, { 11, "cudaPeekAtLastError" },
	{ 13, "cudaLaunch" }, { 15, "cudaFuncGetAttributes" }, { 16, "cudaSetDevice" },
	{ 17, "cudaGetDevice" }, { 20, "cudaMalloc" }, { 21, "cudaMallocPitch" },
	{ 22, "cudaFree" }, { 23, "cudaMallocArray" }, { 24, "cudaFreeArray" },
	{ 25, "cudaMallocHost" }, { 26, "cudaFreeHost" }, { 27, "cudaHostAlloc" },
	{ 30, "cudaMemGetInfo" }, { 31, "cudaMemcpy" }, { 32, "cudaMemcpy2D" },
	{ 33, "cudaMemcpyToArray" }, { 34, "cudaMemcpy2DToArray" }, { 35, "cudaMemcpyFromArray" },
	{ 36, "cudaMemcpy2DFromArray" }, { 37, "cudaMemcpyArrayToArray" },
	{ 38, "cudaMemcpy2DArrayToArray" }, { 39, "cudaMemcpyToSymbol" },
	{ 40, "cudaMemcpyFromSymbol" }, { 41, "cudaMemcpyAsync" }, { 42, "cudaMemcpyToArrayAsync" },
	{ 43, "cudaMemcpyFromArrayAsync" }, { 44, "cudaMemcpy2DAsync" },
	{ 45, "cudaMemcpy2DToArrayAsync" }, { 46, "cudaMemcpy2DFromArrayAsync" },
	{ 47, "cudaMemcpyToSymbolAsync" }, { 48, "cudaMemcpyFromSymbolAsync" },
	{ 49, "cudaMemset" }, { 50, "cudaMemset2D" }, { 51, "cudaMemsetAsync" },
	{ 52, "cudaMemset2DAsync" }, { 53, "cudaGetSymbolAddress" },
	{ 126, "cudaThreadSynchronize" }, { 129, "cudaStreamCreate" }, { 130, "cudaStreamDestroy" },
	{ 131, "cudaStreamSynchronize" }, { 132, "cudaStreamQuery" }, { 133, "cudaEventCreate" },
	{ 134, "cudaEventCreateWithFlags" }, { 135, "cudaEventRecord" },
	{ 136, "cudaEventDestroy" }, { 137, "cudaEventSynchronize" }, { 138, "cudaEventQuery" },
	{ 140, "cudaMalloc3D" }, { 141, "cudaMalloc3DArray" }, { 142, "cudaMemset3D" },
	{ 143, "cudaMemset3DAsync" }, { 144, "cudaMemcpy3D" }, { 145, "cudaMemcpy3DAsync" },
	{ 147, "cudaStreamWaitEvent" }, { 151, "cudaPointerGetAttributes" },
	{ 152, "cudaHostRegister" }, { 153, "cudaHostUnregister" }, { 160, "cudaMemcpyPeer" },
	{ 161, "cudaMemcpyPeerAsync" }, { 162, "cudaMemcpy3DPeer" },
	{ 163, "cudaMemcpy3DPeerAsync" }, { 164, "cudaDeviceReset" },
	{ 165, "cudaDeviceSynchronize" }, { 170, "cudaProfilerInitialize" },
	{ 171, "cudaProfilerStart" }, { 172, "cudaProfilerStop" },
	{ 198, "cudaStreamCreateWithFlags" }, { 200, "cudaDeviceGetAttribute" },
	{ 201, "cudaStreamDestroy" }, { 202, "cudaStreamCreateWithPriority" },
	{ 206, "cudaMallocManaged" }, { 207, "cudaOccupancyMaxActiveBlocksPerMultiprocessor" },
	{ 210, "cudaOccupancyMaxActiveBlocksPerMultiprocessor" }, { 211, "cudaLaunchKernel" },
	{ 213, "cudaLaunch_ptsz" }, { 214, "cudaLaunchKernel_ptsz" }, { 215, "cudaMemcpy_ptds" },
	{ 216, "cudaMemcpy2D_ptds" }, { 217, "cudaMemcpyToArray_ptds" },
	{ 218, "cudaMemcpy2DToArray_ptds" }, { 219, "cudaMemcpyFromArray_ptds" },
	{ 220, "cudaMemcpy2DFromArray_ptds" }, { 221, "cudaMemcpyArrayToArray_ptds" },
	{ 222, "cudaMemcpy2DArrayToArray_ptds" }, { 223, "cudaMemcpyToSymbol_ptds" },
	{ 224, "cudaMemcpyFromSymbol_ptds" }, { 225, "cudaMemcpyAsync_ptsz" },
	{ 226, "cudaMemcpyToArrayAsync_ptsz" }, { 227, "cudaMemcpyFromArrayAsync_ptsz" },
	{ 228, "cudaMemcpy2DAsync_ptsz" }, { 229, "cudaMemcpy2DToArrayAsync_ptsz" },
	{ 230, "cudaMemcpy2DFromArrayAsync_ptsz" }, { 231, "cudaMemcpyToSymbolAsync_ptsz" },
	{ 232, "cudaMemcpyFromSymbolAsync_ptsz" }, { 233, "cudaMemset_ptds" },
	{ 234, "cudaMemset2D_ptds" }, { 235, "cudaMemsetAsync_ptsz" },
	{ 236, "cudaMemset2DAsync_ptsz" }, { 239, "cudaStreamSynchronize_ptsz" },
	{ 240, "cudaStreamQuery_ptsz" }, { 242, "cudaEventRecord_ptsz" },
	{ 243, "cudaMemset3D_ptds" }, { 244, "cudaMemset3DAsync_ptsz" },
	{ 245, "cudaMemcpy3D_ptds" }, { 246, "cudaMemcpy3DAsync_ptsz" },
	{ 247, "cudaStreamWaitEvent_ptsz" }, { 249, "cudaMemcpy3DPeer_ptds" },
	{ 250, "cudaMemcpy3DPeerAsync_ptsz" },
	{ 251, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags" },
	{ 252, "cudaMemPrefetchAsync" }, { 253, "cudaMemPrefetchAsync_ptsz" },
	{ 269, "cudaLaunchCooperativeKernel" }, { 270, "cudaLaunchCooperativeKernel_ptsz" },
	{ 272, "cudaLaunchCooperativeKernelMultiDevice" }, { 273, "cudaFuncSetAttribute" },
	{ 284, "cudaLaunchHostFunc" }, { 285, "cudaLaunchHostFunc_ptsz" },
	{ 310, "cudaGraphInstantiate" }, { 311, "cudaGraphLaunch" },
	{ 312, "cudaGraphLaunch_ptsz" }, { 313, "cudaGraphExecDestroy" },
	{ 315, "cudaStreamBeginCapture" }, { 316, "cudaStreamBeginCapture_ptsz" },
	{ 317, "cudaStreamIsCapturing" }, { 318, "cudaStreamIsCapturing_ptsz" },
	{ 319, "cudaStreamEndCapture" }, { 320, "cudaStreamEndCapture_ptsz" },
	{ 335, "cudaGraphExecUpdate" }, { 370, "cudaEventRecordWithFlags" },
	{ 371, "cudaEventRecordWithFlags_ptsz" }, { 373, "cudaMallocAsync" },
	{ 374, "cudaMallocAsync_ptsz" }, { 375, "cudaFreeAsync" }, { 376, "cudaFreeAsync_ptsz" },
	{ 391, "cudaMallocFromPoolAsync" }, { 392, "cudaMallocFromPoolAsync_ptsz" },
	{ 418, "cudaGraphInstantiateWithFlags" }, { 430, "cudaLaunchKernelExC" },
	{ 431, "cudaLaunchKernelExC_ptsz" }, { 432, "cudaOccupancyMaxPotentialClusterSize" },
	{ 433, "cudaOccupancyMaxActiveClusters" }, { 436, "cudaGraphInstantiateWithParams" },
	{ 437, "cudaGraphInstantiateWithParams_ptsz" }, { 438, "cudaGraphExecGetFlags" },
	{ 440, "cudaGetDeviceProperties" }, { 443, "cudaGraphInstantiate" },
	{ 449, "cudaMemPrefetchAsync" }, { 450, "cudaMemPrefetchAsync_ptsz" },
	{ 452, "cudaStreamBeginCaptureToGraph" }, { 453, "cudaStreamBeginCaptureToGraph_ptsz" },
	{ 482, "cudaMemcpyBatchAsync" }, { 483, "cudaMemcpyBatchAsync_ptsz" },
	{ 484, "cudaMemcpy3DBatchAsync" }, { 485, "cudaMemcpy3DBatchAsync_ptsz" },
	{ 487, "cudaMemPrefetchBatchAsync" }, { 488, "cudaMemPrefetchBatchAsync_ptsz" },
	{ 505, "__cudaLaunchKernel" }, { 506, "__cudaLaunchKernel_ptsz" },
	{ 509, "cudaMemcpyBatchAsync" }, { 510, "cudaMemcpyBatchAsync_ptsz" },
	{ 511, "cudaMemcpy3DBatchAsync" }, { 512, "cudaMemcpy3DBatchAsync_ptsz" },
};

static const struct cbid_name driver_names[] = {
	{ 1, "cuInit" }, { 9, "cuDeviceGetAttribute" }, { 10, "cuCtxCreate" },
	{ 11, "cuCtxDestroy" }, { 14, "cuCtxPushCurrent" }, { 15, "cuCtxPopCurrent" },
	{ 17, "cuCtxSynchronize" }, { 18, "cuModuleLoad" }, { 19, "cuModuleLoadData" },
	{ 20, "cuModuleLoadDataEx" }, { 21, "cuModuleLoadFatBinary" }, { 22, "cuModuleUnload" },
	{ 23, "cuModuleGetFunction" }, { 27, "cuMemGetInfo" }, { 28, "cu64MemGetInfo" },
	{ 29, "cuMemAlloc" }, { 30, "cu64MemAlloc" }, { 31, "cuMemAllocPitch" },
	{ 32, "cu64MemAllocPitch" }, { 33, "cuMemFree" }, { 34, "cu64MemFree" },
	{ 37, "cuMemAllocHost" }, { 38, "cuMemFreeHost" }, { 39, "cuMemHostAlloc" },
	{ 43, "cuMemcpyHtoD" }, { 44, "cu64MemcpyHtoD" }, { 45, "cuMemcpyDtoH" },
	{ 46, "cu64MemcpyDtoH" }, { 47, "cuMemcpyDtoD" }, { 48, "cu64MemcpyDtoD" },
	{ 49, "cuMemcpyDtoA" }, { 50, "cu64MemcpyDtoA" }, { 51, "cuMemcpyAtoD" },
	{ 52, "cu64MemcpyAtoD" }, { 53, "cuMemcpyHtoA" }, { 54, "cuMemcpyAtoH" },
	{ 55, "cuMemcpyAtoA" }, { 56, "cuMemcpy2D" }, { 57, "cuMemcpy2DUnaligned" },
	{ 58, "cuMemcpy3D" }, { 59, "cu64Memcpy3D" }, { 60, "cuMemcpyHtoDAsync" },
	{ 61, "cu64MemcpyHtoDAsync" }, { 62, "cuMemcpyDtoHAsync" }, { 63, "cu64MemcpyDtoHAsync" },
	{ 64, "cuMemcpyDtoDAsync" }, { 65, "cu64MemcpyDtoDAsync" }, { 66, "cuMemcpyHtoAAsync" },
	{ 67, "cuMemcpyAtoHAsync" }, { 68, "cuMemcpy2DAsync" }, { 69, "cuMemcpy3DAsync" },
	{ 70, "cu64Memcpy3DAsync" }, { 71, "cuMemsetD8" }, { 72, "cu64MemsetD8" },
	{ 73, "cuMemsetD16" }, { 74, "cu64MemsetD16" }, { 75, "cuMemsetD32" },
	{ 76, "cu64MemsetD32" }, { 77, "cuMemsetD2D8" }, { 78, "cu64MemsetD2D8" },
	{ 79, "cuMemsetD2D16" }, { 80, "cu64MemsetD2D16" }, { 81, "cuMemsetD2D32" },
	{ 82, "cu64MemsetD2D32" }, { 85, "cuFuncGetAttribute" }, { 115, "cuLaunch" },
	{ 116, "cuLaunchGrid" }, { 117, "cuLaunchGridAsync" }, { 118, "cuEventCreate" },
	{ 119, "cuEventRecord" }, { 120, "cuEventQuery" }, { 121, "cuEventSynchronize" },
	{ 122, "cuEventDestroy" }, { 124, "cuStreamCreate" }, { 125, "cuStreamQuery" },
	{ 126, "cuStreamSynchronize" }, { 127, "cuStreamDestroy" }, { 187, "cuVDPAUCtxCreate" },
	{ 215, "cu64MemHostAlloc" }, { 216, "cuMemsetD8Async" }, { 217, "cu64MemsetD8Async" },
	{ 218, "cuMemsetD16Async" }, { 219, "cu64MemsetD16Async" }, { 220, "cuMemsetD32Async" },
	{ 221, "cu64MemsetD32Async" }, { 222, "cuMemsetD2D8Async" }, { 223, "cu64MemsetD2D8Async" },
	{ 224, "cuMemsetD2D16Async" }, { 225, "cu64MemsetD2D16Async" },
	{ 226, "cuMemsetD2D32Async" }, { 227, "cu64MemsetD2D32Async" }, { 232, "cu64Memcpy2D" },
	{ 233, "cu64Memcpy2DUnaligned" }, { 234, "cu64Memcpy2DAsync" }, { 235, "cuCtxCreate_v2" },
	{ 240, "cuVDPAUCtxCreate_v2" }, { 242, "cuMemGetInfo_v2" }, { 243, "cuMemAlloc_v2" },
	{ 244, "cuMemAllocPitch_v2" }, { 245, "cuMemFree_v2" }, { 248, "cuMemcpy_v2" },
	{ 249, "cuMemsetD8_v2" }, { 250, "cuMemsetD16_v2" }, { 251, "cuMemsetD32_v2" },
	{ 252, "cuMemsetD2D8_v2" }, { 253, "cuMemsetD2D16_v2" }, { 254, "cuMemsetD2D32_v2" },
	{ 271, "cuMemHostAlloc_v2" }, { 276, "cuMemcpyHtoD_v2" }, { 277, "cuMemcpyHtoDAsync_v2" },
	{ 278, "cuMemcpyDtoH_v2" }, { 279, "cuMemcpyDtoHAsync_v2" }, { 280, "cuMemcpyDtoD_v2" },
	{ 281, "cuMemcpyDtoDAsync_v2" }, { 282, "cuMemcpyAtoH_v2" },
	{ 283, "cuMemcpyAtoHAsync_v2" }, { 284, "cuMemcpyAtoD_v2" }, { 285, "cuMemcpyDtoA_v2" },
	{ 286, "cuMemcpyAtoA_v2" }, { 287, "cuMemcpy2D_v2" }, { 288, "cuMemcpy2DUnaligned_v2" },
	{ 289, "cuMemcpy2DAsync_v2" }, { 290, "cuMemcpy3D_v2" }, { 291, "cuMemcpy3DAsync_v2" },
	{ 292, "cuMemcpyHtoA_v2" }, { 293, "cuMemcpyHtoAAsync_v2" }, { 294, "cuMemAllocHost_v2" },
	{ 295, "cuStreamWaitEvent" }, { 301, "cuMemHostRegister" }, { 302, "cuMemHostUnregister" },
	{ 303, "cuCtxSetCurrent" }, { 304, "cuCtxGetCurrent" }, { 305, "cuMemcpy" },
	{ 306, "cuMemcpyAsync" }, { 307, "cuLaunchKernel" }, { 308, "cuProfilerStart" },
	{ 309, "cuProfilerStop" }, { 310, "cuPointerGetAttribute" },
	{ 311, "cuProfilerInitialize" }, { 318, "cuMemcpyPeer" }, { 319, "cuMemcpyPeerAsync" },
	{ 320, "cuMemcpy3DPeer" }, { 321, "cuMemcpy3DPeerAsync" }, { 322, "cuCtxDestroy_v2" },
	{ 323, "cuCtxPushCurrent_v2" }, { 324, "cuCtxPopCurrent_v2" }, { 325, "cuEventDestroy_v2" },
	{ 326, "cuStreamDestroy_v2" }, { 363, "cuLinkAddData" }, { 364, "cuLinkAddFile" },
	{ 365, "cuLinkComplete" }, { 367, "cuStreamCreateWithPriority" },
	{ 371, "cuMemAllocManaged" }, { 374, "cuOccupancyMaxActiveBlocksPerMultiprocessor" },
	{ 376, "cuBinaryFree" }, { 379, "cuMemHostRegister_v2" }, { 382, "cuLinkAddData_v2" },
	{ 383, "cuLinkAddFile_v2" }, { 384, "cuOccupancyMaxPotentialBlockSize" },
	{ 386, "cuDevicePrimaryCtxRetain" }, { 387, "cuDevicePrimaryCtxRelease" },
	{ 388, "cuDevicePrimaryCtxSetFlags" }, { 389, "cuDevicePrimaryCtxReset" },
	{ 392, "cuDevicePrimaryCtxGetState" }, { 397, "cuMemcpyHtoD_v2_ptds" },
	{ 398, "cuMemcpyDtoH_v2_ptds" }, { 399, "cuMemcpyDtoD_v2_ptds" },
	{ 400, "cuMemcpyDtoA_v2_ptds" }, { 401, "cuMemcpyAtoD_v2_ptds" },
	{ 402, "cuMemcpyHtoA_v2_ptds" }, { 403, "cuMemcpyAtoH_v2_ptds" },
	{ 404, "cuMemcpyAtoA_v2_ptds" }, { 405, "cuMemcpy2D_v2_ptds" },
	{ 406, "cuMemcpy2DUnaligned_v2_ptds" }, { 407, "cuMemcpy3D_v2_ptds" },
	{ 408, "cuMemcpy_ptds" }, { 409, "cuMemcpyPeer_ptds" }, { 410, "cuMemcpy3DPeer_ptds" },
	{ 411, "cuMemsetD8_v2_ptds" }, { 412, "cuMemsetD16_v2_ptds" },
	{ 413, "cuMemsetD32_v2_ptds" }, { 414, "cuMemsetD2D8_v2_ptds" },
	{ 415, "cuMemsetD2D16_v2_ptds" }, { 416, "cuMemsetD2D32_v2_ptds" },
	{ 418, "cuMemcpyAsync_ptsz" }, { 419, "cuMemcpyHtoAAsync_v2_ptsz" },
	{ 420, "cuMemcpyAtoHAsync_v2_ptsz" }, { 421, "cuMemcpyHtoDAsync_v2_ptsz" },
	{ 422, "cuMemcpyDtoHAsync_v2_ptsz" }, { 423, "cuMemcpyDtoDAsync_v2_ptsz" },
	{ 424, "cuMemcpy2DAsync_v2_ptsz" }, { 425, "cuMemcpy3DAsync_v2_ptsz" },
	{ 426, "cuMemcpyPeerAsync_ptsz" }, { 427, "cuMemcpy3DPeerAsync_ptsz" },
	{ 428, "cuMemsetD8Async_ptsz" }, { 429, "cuMemsetD16Async_ptsz" },
	{ 430, "cuMemsetD32Async_ptsz" }, { 431, "cuMemsetD2D8Async_ptsz" },
	{ 432, "cuMemsetD2D16Async_ptsz" }, { 433, "cuMemsetD2D32Async_ptsz" },
	{ 436, "cuStreamWaitEvent_ptsz" }, { 439, "cuStreamQuery_ptsz" },
	{ 440, "cuStreamSynchronize_ptsz" }, { 441, "cuEventRecord_ptsz" },
	{ 442, "cuLaunchKernel_ptsz" }, { 450, "cuPointerGetAttributes" },
	{ 451, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags" },
	{ 452, "cuOccupancyMaxPotentialBlockSizeWithFlags" }, { 458, "cuStreamWaitValue32" },
	{ 459, "cuStreamWaitValue32_ptsz" }, { 466, "cuNNSetAllocator" },
	{ 467, "cuMemPrefetchAsync" }, { 468, "cuMemPrefetchAsync_ptsz" },
	{ 469, "cuEventCreateFromNVNSync" }, { 473, "cuStreamWaitValue64" },
	{ 474, "cuStreamWaitValue64_ptsz" }, { 477, "cuLaunchCooperativeKernel" },
	{ 478, "cuLaunchCooperativeKernel_ptsz" }, { 480, "cuLaunchCooperativeKernelMultiDevice" },
	{ 481, "cuFuncSetAttribute" }, { 495, "cuStreamBeginCapture" },
	{ 496, "cuStreamBeginCapture_ptsz" }, { 497, "cuStreamEndCapture" },
	{ 498, "cuStreamEndCapture_ptsz" }, { 499, "cuStreamIsCapturing" },
	{ 500, "cuStreamIsCapturing_ptsz" }, { 513, "cuGraphInstantiate" },
	{ 514, "cuGraphLaunch" }, { 515, "cuGraphLaunch_ptsz" }, { 516, "cuGraphExecDestroy" },
	{ 527, "cuLaunchHostFunc" }, { 528, "cuLaunchHostFunc_ptsz" },
	{ 539, "cuStreamBeginCapture_v2" }, { 540, "cuStreamBeginCapture_v2_ptsz" },
	{ 544, "cuDevicePrimaryCtxRelease_v2" }, { 545, "cuDevicePrimaryCtxReset_v2" },
	{ 546, "cuDevicePrimaryCtxSetFlags_v2" }, { 548, "cuMemAddressFree" },
	{ 556, "cuMemGetAllocationGranularity" }, { 557, "cuMemGetAllocationPropertiesFromHandle" },
	{ 561, "cuGraphExecUpdate" }, { 565, "cuMemRetainAllocationHandle" },
	{ 578, "cuGraphInstantiate_v2" }, { 587, "cuEventRecordWithFlags" },
	{ 588, "cuEventRecordWithFlags_ptsz" }, { 598, "cuMemAllocAsync" },
	{ 599, "cuMemAllocAsync_ptsz" }, { 600, "cuMemFreeAsync" }, { 601, "cuMemFreeAsync_ptsz" },
	{ 611, "cuMemAllocFromPoolAsync" }, { 612, "cuMemAllocFromPoolAsync_ptsz" },
	{ 643, "cuGraphInstantiateWithFlags" }, { 645, "cuCtxCreate_v3" },
	{ 652, "cuLaunchKernelEx" }, { 653, "cuLaunchKernelEx_ptsz" },
	{ 656, "cuGraphInstantiateWithParams" }, { 657, "cuGraphInstantiateWithParams_ptsz" },
	{ 658, "cuGraphExecGetFlags" }, { 659, "cuStreamWaitValue32_v2" },
	{ 660, "cuStreamWaitValue32_v2_ptsz" }, { 661, "cuStreamWaitValue64_v2" },
	{ 662, "cuStreamWaitValue64_v2_ptsz" }, { 675, "cuOccupancyMaxPotentialClusterSize" },
	{ 676, "cuOccupancyMaxActiveClusters" }, { 696, "cuGraphExecUpdate_v2" },
	{ 716, "cuMemPrefetchAsync_v2" }, { 717, "cuMemPrefetchAsync_v2_ptsz" },
	{ 720, "cuStreamBeginCaptureToGraph" }, { 721, "cuStreamBeginCaptureToGraph_ptsz" },
	{ 737, "cuModuleGetFunctionCount" }, { 743, "cuGreenCtxCreate" },
	{ 744, "cuGreenCtxDestroy" }, { 750, "cuGreenCtxWaitEvent" }, { 756, "cuCtxWaitEvent" },
	{ 757, "cuCtxCreate_v4" }, { 758, "cuGreenCtxStreamCreate" }, { 776, "cuMemcpyBatchAsync" },
	{ 777, "cuMemcpyBatchAsync_ptsz" }, { 778, "cuMemcpy3DBatchAsync" },
	{ 779, "cuMemcpy3DBatchAsync_ptsz" }, { 783, "cuStreamCreateForCaptureToCig" },
	{ 784, "cuMemPrefetchBatchAsync" }, { 785, "cuMemPrefetchBatchAsync_ptsz" },
	{ 796, "cuMemcpyBatchAsync_v2" }, { 797, "cuMemcpyBatchAsync_v2_ptsz" },
	{ 798, "cuMemcpy3DBatchAsync_v2" }, { 799, "cuMemcpy3DBatchAsync_v2_ptsz" },
	{ 800, "cuCtxSynchronize_v2" },
};
/* clang-format on */

static const char *find(const struct cbid_name *names, size_t count, int64_t cbid)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names[middle].cbid < cbid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && names[low].cbid == cbid ? names[low].name : NULL;
}

const char *dp_cbid__name(enum dp_cbid_domain domain, int64_t cbid, char *buf, size_t size)
{
	bool runtime = domain == DP_CBID_RUNTIME;
	const char *name = runtime ? find(runtime_names, DP_COUNT(runtime_names), cbid)
				   : find(driver_names, DP_COUNT(driver_names), cbid);

	if (name)
		return name;
	snprintf(buf, size, "%s cbid %lld", runtime ? "runtime" : "driver", (long long)cbid);
	return buf;
}
