/*
 * Holds cupti_abi.h and nvtx_abi.h against the headers that are installed, at compile time, and the
 * sizes of records against the libraries that are named, when run: abi [LIBCUPTI…]
 */
#include "cupti/collector.h"
#include "cupti/nvtx_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* What Meson takes for a test that could not run. */
#define SKIPPED 77

#ifdef HAVE_CUPTI_HEADER
#include <cupti.h>

#define AT(ours, field, theirs, member)                                          \
	_Static_assert(offsetof(struct ours, field) == offsetof(theirs, member), \
		       #theirs "." #member)

#if CUPTI_API_VERSION >= 130000
#define KERNEL CUpti_ActivityKernel10
#elif CUPTI_API_VERSION >= 18
#define KERNEL CUpti_ActivityKernel8
#endif
#ifdef KERNEL
AT(cupti_kernel, registers, KERNEL, registersPerThread);
AT(cupti_kernel, start, KERNEL, start);
AT(cupti_kernel, completed, KERNEL, completed);
AT(cupti_kernel, device, KERNEL, deviceId);
AT(cupti_kernel, grid, KERNEL, gridX);
AT(cupti_kernel, block, KERNEL, blockX);
AT(cupti_kernel, smem_static, KERNEL, staticSharedMemory);
AT(cupti_kernel, local_per_thread, KERNEL, localMemoryPerThread);
AT(cupti_kernel, correlation, KERNEL, correlationId);
AT(cupti_kernel, name, KERNEL, name);
AT(cupti_kernel, queued, KERNEL, queued);
AT(cupti_kernel, launch_type, KERNEL, launchType);
AT(cupti_kernel, graph_node, KERNEL, graphNodeId);
AT(cupti_kernel, graph, KERNEL, graphId);
AT(cupti_kernel, cluster, KERNEL, clusterX);
AT(cupti_kernel, local_total_v2, KERNEL, localMemoryTotal_v2);
#endif
#if CUPTI_API_VERSION >= 130000
_Static_assert(sizeof(CUpti_ActivityKernel10) == offsetof(struct cupti_kernel, priority), "13.0");
AT(cupti_memcpy, count, CUpti_ActivityMemcpy6, copyCount);
AT(cupti_memcpy, graph, CUpti_ActivityMemcpy6, graphId);
AT(cupti_memcpy, correlation, CUpti_ActivityMemcpy6, correlationId);
AT(cupti_memcpy2, src_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
AT(cupti_memcpy2, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
AT(cupti_memcpy2, graph, CUpti_ActivityMemcpyPtoP4, graphId);
AT(cupti_memset, memory_kind, CUpti_ActivityMemset4, memoryKind);
AT(cupti_memset, graph, CUpti_ActivityMemset4, graphId);
AT(cupti_device, sms, CUpti_ActivityDevice5, numMultiprocessors);
AT(cupti_device, clock_khz, CUpti_ActivityDevice5, coreClockRate);
AT(cupti_device, cc_major, CUpti_ActivityDevice5, computeCapabilityMajor);
AT(cupti_device, id, CUpti_ActivityDevice5, id);
AT(cupti_device, uuid, CUpti_ActivityDevice5, uuid);
AT(cupti_device, name, CUpti_ActivityDevice5, name);
AT(cupti_context, null_stream, CUpti_ActivityContext3, nullStreamId);
AT(cupti_context, parent, CUpti_ActivityContext3, parentContextId);
AT(cupti_context, sms, CUpti_ActivityContext3, numMultiprocessors);
AT(cupti_sync, event, CUpti_ActivitySynchronization2, cudaEventId);
AT(cupti_sync, event_sync, CUpti_ActivitySynchronization2, cudaEventSyncId);
AT(cupti_sync, result, CUpti_ActivitySynchronization2, returnValue);
AT(cupti_memory2, async, CUpti_ActivityMemory4, isAsync);
AT(cupti_memory2, name, CUpti_ActivityMemory4, name);
AT(cupti_memory2, pool_kind, CUpti_ActivityMemory4, memoryPoolConfig.memoryPoolType);
AT(cupti_memory2, pool_used, CUpti_ActivityMemory4, memoryPoolConfig.utilizedSize);
AT(cupti_memory2, source, CUpti_ActivityMemory4, source);
AT(cupti_memory_pool, time, CUpti_ActivityMemoryPool3, timestamp);
AT(cupti_memory_pool, threshold, CUpti_ActivityMemoryPool3, releaseThreshold);
AT(cupti_graph_trace, stream, CUpti_ActivityGraphTrace2, streamId);
AT(cupti_graph_trace, end_device, CUpti_ActivityGraphTrace2, endDeviceId);
AT(cupti_jit, cache_path, CUpti_ActivityJit2, cachePath);
AT(cupti_jit, thread, CUpti_ActivityJit2, threadId);
AT(cupti_overhead, start, CUpti_ActivityOverhead3, start);
AT(cupti_overhead, data, CUpti_ActivityOverhead3, overheadData);
AT(cupti_subscriber_params, old_name, CUpti_SubscriberParams, oldSubscriberName);
#endif
AT(cupti_api, thread, CUpti_ActivityAPI, threadId);
AT(cupti_api, result, CUpti_ActivityAPI, returnValue);
AT(cupti_stream, flag, CUpti_ActivityStream, flag);
AT(cupti_name, name, CUpti_ActivityName, name);
AT(cupti_ext_corr, external, CUpti_ActivityExternalCorrelation, externalId);
AT(cupti_callback_data, site, CUpti_CallbackData, callbackSite);
AT(cupti_callback_data, correlation, CUpti_CallbackData, correlationId);
_Static_assert((int)CUPTI_MEMORY2 == (int)CUPTI_ACTIVITY_KIND_MEMORY2, "kind");
_Static_assert((int)CUPTI_JIT == (int)CUPTI_ACTIVITY_KIND_JIT, "kind");
_Static_assert((int)CUPTI_SYNC == (int)CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "kind");
_Static_assert((int)CUPTI_ATTR_PER_THREAD_BUFFER ==
		       (int)CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER,
	       "attribute");
_Static_assert((int)CUPTI_ATTR_ZEROED_BUFFER == (int)CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER,
	       "attribute");
_Static_assert((int)CUPTI_RESOURCE_MODULE_UNLOAD == (int)CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
	       "callback");
#endif

#ifdef HAVE_NVTX_PAYLOAD
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#define NVTX_AT(ours, field, theirs, member)                                     \
	_Static_assert(offsetof(struct ours, field) == offsetof(theirs, member), \
		       #theirs "." #member)

NVTX_AT(nvtx_event, payload_type, nvtxEventAttributes_t, payloadType);
NVTX_AT(nvtx_event, payload, nvtxEventAttributes_t, payload);
NVTX_AT(nvtx_event, message_type, nvtxEventAttributes_t, messageType);
NVTX_AT(nvtx_event, message, nvtxEventAttributes_t, message);
_Static_assert(sizeof(struct nvtx_event) == sizeof(nvtxEventAttributes_t), "event");
_Static_assert(sizeof(struct nvtx_payload) == sizeof(nvtxPayloadData_t), "payload");
_Static_assert(sizeof(struct nvtx_schema_entry) == sizeof(nvtxPayloadSchemaEntry_t), "entry");
NVTX_AT(nvtx_schema_entry, offset, nvtxPayloadSchemaEntry_t, offset);
NVTX_AT(nvtx_schema, entries, nvtxPayloadSchemaAttr_t, entries);
NVTX_AT(nvtx_schema, id, nvtxPayloadSchemaAttr_t, schemaId);
_Static_assert(sizeof(struct nvtx_enum) == sizeof(nvtxPayloadEnumAttr_t), "enum");
NVTX_AT(nvtx_enum, bytes, nvtxPayloadEnumAttr_t, sizeOfEnum);
NVTX_AT(nvtx_enum, id, nvtxPayloadEnumAttr_t, schemaId);
_Static_assert((int)NVTX_ENUM_HAS_SIZE == NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE, "field");
_Static_assert((int)NVTX_ENUM_HAS_ID == NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID, "field");
_Static_assert((int)NVTX_SCHEMA_HAS_ID == NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID, "field");
_Static_assert((int)NVTX_DomainIsEnabled == NVTX3EXT_CBID_nvtxDomainIsEnabled, "place");
_Static_assert(NVTX_PAYLOAD_EXTENDED == NVTX_PAYLOAD_TYPE_EXT, "type");
#endif

/* What the kinds that we decode have, as measured without a driver, against what is known. */
static int check_library(const char *path)
{
	static const uint32_t kinds[] = { 1,  2,  4,  5,  8,  9,  10, 11, 17,
					  22, 37, 38, 39, 49, 50, 51, 52 };
	uint16_t strides[DP_SPOOL_KINDS];
	struct cupti cupti = { .library = dlopen(path, RTLD_NOW | RTLD_LOCAL) };
	int faults = 0;

	if (!cupti.library)
		return printf("%s: %s\n", path, dlerror());
	/* 13.2 (load.c). */
	if (dlsym(cupti.library, "cuptiActivityEnable_v2") &&
	    !dlsym(cupti.library, "cuptiGetTimestamp_v2")) {
		printf("%s: crashes without a driver\n", path);
		return 0;
	}
	cupti.GetVersion = (int (*)(uint32_t *))(uintptr_t)dlsym(cupti.library, "cuptiGetVersion");
	cupti.ActivityGetNextRecord = (int (*)(uint8_t *, size_t, void **))(uintptr_t)dlsym(
		cupti.library, "cuptiActivityGetNextRecord");
	if (!cupti.GetVersion || !cupti.ActivityGetNextRecord)
		return printf("%s: not libcupti\n", path);
	if (cupti.GetVersion(&cupti.version)) {
		printf("%s: answers nothing without a driver\n", path);
		return 0;
	}
	(void)dp_sizes__measure(&cupti, strides);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint32_t kind = kinds[i], known = dp_sizes__known(cupti.version, kind);

		/* 12.0 and 12.1 call themselves 18 as 11.8 does. */
		if (strides[kind] == known ||
		    (cupti.version == 18 && kind == CUPTI_KERNEL && strides[kind] == 208))
			continue;
		faults += printf("%s, version %u: kind %u has %u bytes, not %u\n", path,
				 cupti.version, kind, strides[kind], known);
	}
	printf("%s: version %u, kernels of %u bytes\n", path, cupti.version, strides[CUPTI_KERNEL]);
	return faults;
}

int main(int argc, char **argv)
{
	int faults = 0;

	if (argc < 2 || !*argv[1])
		return puts("no libcupti is installed") == EOF ? 1 : SKIPPED;
	for (int i = 1; i < argc; i++)
		faults += check_library(argv[i]);
	return faults ? 1 : 0;
}
