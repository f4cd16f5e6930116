/*
 * Compares cupti_abi.h and nvtx_abi.h with the installed headers at compile time and, when run, the
 * sizes of records with those of the named libraries: abi [LIBCUPTI…]
 */
#include "cupti/collector.h"
#include "cupti/nvtx_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Meson's exit status for a skipped test. */
#define SKIPPED 77

#ifdef HAVE_CUPTI_HEADER
#include <cupti.h>

#define AT(ours, field, theirs, member)                                          \
	_Static_assert(offsetof(struct ours, field) == offsetof(theirs, member), \
		       #theirs "." #member)

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)

/* Records, each of the newest headers that define it. */
#if CUPTI_API_VERSION >= 130400
#define KERNEL CUpti_ActivityKernel13
#define MEMCPY CUpti_ActivityMemcpy7
#define MEMSET CUpti_ActivityMemset5
#define DEVICE CUpti_ActivityDevice6
#define CONTEXT CUpti_ActivityContext4
#elif CUPTI_API_VERSION >= 130000
#define KERNEL CUpti_ActivityKernel10
#define MEMCPY CUpti_ActivityMemcpy6
#define MEMSET CUpti_ActivityMemset4
#define DEVICE CUpti_ActivityDevice5
#define CONTEXT CUpti_ActivityContext3
#elif CUPTI_API_VERSION >= 18
#define KERNEL CUpti_ActivityKernel8
#define MEMCPY CUpti_ActivityMemcpy5
#define MEMSET CUpti_ActivityMemset4
#define DEVICE CUpti_ActivityDevice4
#define CONTEXT CUpti_ActivityContext
#endif
#ifdef KERNEL
AT(cupti_kernel, registers, KERNEL, registersPerThread);
AT(cupti_kernel, start, KERNEL, start);
AT(cupti_kernel, end, KERNEL, end);
AT(cupti_kernel, completed, KERNEL, completed);
AT(cupti_kernel, device, KERNEL, deviceId);
AT(cupti_kernel, context, KERNEL, contextId);
AT(cupti_kernel, stream, KERNEL, streamId);
AT(cupti_kernel, grid, KERNEL, gridX);
AT(cupti_kernel, block, KERNEL, blockX);
AT(cupti_kernel, smem_static, KERNEL, staticSharedMemory);
AT(cupti_kernel, smem_dynamic, KERNEL, dynamicSharedMemory);
AT(cupti_kernel, local_per_thread, KERNEL, localMemoryPerThread);
AT(cupti_kernel, correlation, KERNEL, correlationId);
AT(cupti_kernel, name, KERNEL, name);
AT(cupti_kernel, queued, KERNEL, queued);
AT(cupti_kernel, submitted, KERNEL, submitted);
AT(cupti_kernel, launch_type, KERNEL, launchType);
AT(cupti_kernel, graph_node, KERNEL, graphNodeId);
AT(cupti_kernel, graph, KERNEL, graphId);
AT(cupti_kernel, cluster, KERNEL, clusterX);
AT(cupti_kernel, local_total_v2, KERNEL, localMemoryTotal_v2);
AT(cupti_memcpy, copy_kind, MEMCPY, copyKind);
AT(cupti_memcpy, src_kind, MEMCPY, srcKind);
AT(cupti_memcpy, dst_kind, MEMCPY, dstKind);
AT(cupti_memcpy, flags, MEMCPY, flags);
AT(cupti_memcpy, bytes, MEMCPY, bytes);
AT(cupti_memcpy, start, MEMCPY, start);
AT(cupti_memcpy, end, MEMCPY, end);
AT(cupti_memcpy, device, MEMCPY, deviceId);
AT(cupti_memcpy, context, MEMCPY, contextId);
AT(cupti_memcpy, stream, MEMCPY, streamId);
AT(cupti_memcpy, correlation, MEMCPY, correlationId);
AT(cupti_memcpy, graph_node, MEMCPY, graphNodeId);
AT(cupti_memcpy, graph, MEMCPY, graphId);
AT(cupti_memcpy2, copy_kind, CUpti_ActivityMemcpyPtoP4, copyKind);
AT(cupti_memcpy2, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
AT(cupti_memcpy2, start, CUpti_ActivityMemcpyPtoP4, start);
AT(cupti_memcpy2, stream, CUpti_ActivityMemcpyPtoP4, streamId);
AT(cupti_memcpy2, src_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
AT(cupti_memcpy2, src_context, CUpti_ActivityMemcpyPtoP4, srcContextId);
AT(cupti_memcpy2, dst_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
AT(cupti_memcpy2, dst_context, CUpti_ActivityMemcpyPtoP4, dstContextId);
AT(cupti_memcpy2, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
AT(cupti_memcpy2, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);
AT(cupti_memcpy2, graph, CUpti_ActivityMemcpyPtoP4, graphId);
AT(cupti_memset, value, MEMSET, value);
AT(cupti_memset, bytes, MEMSET, bytes);
AT(cupti_memset, start, MEMSET, start);
AT(cupti_memset, stream, MEMSET, streamId);
AT(cupti_memset, correlation, MEMSET, correlationId);
AT(cupti_memset, flags, MEMSET, flags);
AT(cupti_memset, memory_kind, MEMSET, memoryKind);
AT(cupti_memset, graph_node, MEMSET, graphNodeId);
AT(cupti_memset, graph, MEMSET, graphId);
AT(cupti_device, bandwidth_kBps, DEVICE, globalMemoryBandwidth);
AT(cupti_device, memory_bytes, DEVICE, globalMemorySize);
AT(cupti_device, l2_bytes, DEVICE, l2CacheSize);
AT(cupti_device, clock_khz, DEVICE, coreClockRate);
AT(cupti_device, copy_engines, DEVICE, numMemcpyEngines);
AT(cupti_device, sms, DEVICE, numMultiprocessors);
AT(cupti_device, cc_major, DEVICE, computeCapabilityMajor);
AT(cupti_device, cc_minor, DEVICE, computeCapabilityMinor);
AT(cupti_device, id, DEVICE, id);
AT(cupti_device, uuid, DEVICE, uuid);
AT(cupti_device, name, DEVICE, name);
AT(cupti_context, context, CONTEXT, contextId);
AT(cupti_context, device, CONTEXT, deviceId);
AT(cupti_context, api, CONTEXT, computeApiKind);
AT(cupti_context, null_stream, CONTEXT, nullStreamId);
AT(cupti_memory2, op, CUpti_ActivityMemory3, memoryOperationType);
AT(cupti_memory2, memory_kind, CUpti_ActivityMemory3, memoryKind);
AT(cupti_memory2, correlation, CUpti_ActivityMemory3, correlationId);
AT(cupti_memory2, address, CUpti_ActivityMemory3, address);
AT(cupti_memory2, bytes, CUpti_ActivityMemory3, bytes);
AT(cupti_memory2, time, CUpti_ActivityMemory3, timestamp);
AT(cupti_memory2, device, CUpti_ActivityMemory3, deviceId);
AT(cupti_memory2, stream, CUpti_ActivityMemory3, streamId);
AT(cupti_memory2, name, CUpti_ActivityMemory3, name);
AT(cupti_memory2, async, CUpti_ActivityMemory3, isAsync);
AT(cupti_memory2, pool_kind, CUpti_ActivityMemory3, memoryPoolConfig.memoryPoolType);
AT(cupti_memory2, pool_address, CUpti_ActivityMemory3, memoryPoolConfig.address);
AT(cupti_memory2, pool_size, CUpti_ActivityMemory3, memoryPoolConfig.pool);
AT(cupti_memory2, pool_used, CUpti_ActivityMemory3, memoryPoolConfig.utilizedSize);
AT(cupti_memory_pool, op, CUpti_ActivityMemoryPool2, memoryPoolOperationType);
AT(cupti_memory_pool, address, CUpti_ActivityMemoryPool2, address);
AT(cupti_memory_pool, size, CUpti_ActivityMemoryPool2, size);
AT(cupti_memory_pool, threshold, CUpti_ActivityMemoryPool2, releaseThreshold);
AT(cupti_memory_pool, time, CUpti_ActivityMemoryPool2, timestamp);
AT(cupti_memory_pool, used, CUpti_ActivityMemoryPool2, utilizedSize);
AT(cupti_graph_trace, correlation, CUpti_ActivityGraphTrace, correlationId);
AT(cupti_graph_trace, start, CUpti_ActivityGraphTrace, start);
AT(cupti_graph_trace, end, CUpti_ActivityGraphTrace, end);
AT(cupti_graph_trace, device, CUpti_ActivityGraphTrace, deviceId);
AT(cupti_graph_trace, graph, CUpti_ActivityGraphTrace, graphId);
AT(cupti_graph_trace, context, CUpti_ActivityGraphTrace, contextId);
AT(cupti_graph_trace, stream, CUpti_ActivityGraphTrace, streamId);
AT(cupti_jit, entry, CUpti_ActivityJit, jitEntryType);
AT(cupti_jit, op, CUpti_ActivityJit, jitOperationType);
AT(cupti_jit, start, CUpti_ActivityJit, start);
AT(cupti_jit, correlation, CUpti_ActivityJit, correlationId);
AT(cupti_jit, operation, CUpti_ActivityJit, jitOperationCorrelationId);
AT(cupti_jit, cache_bytes, CUpti_ActivityJit, cacheSize);
AT(cupti_jit, cache_path, CUpti_ActivityJit, cachePath);
#endif
#if CUPTI_API_VERSION >= 130400
AT(cupti_kernel, priority, KERNEL, priority);
AT(cupti_kernel, source_graph, KERNEL, sourceGraphId);
AT(cupti_kernel, source_graph_node, KERNEL, sourceGraphNodeId);
AT(cupti_memcpy, source_graph, MEMCPY, sourceGraphId);
AT(cupti_memset, source_graph, MEMSET, sourceGraphId);
AT(cupti_device, tpcs, DEVICE, numTpcs);
AT(cupti_context, process, CONTEXT, processId);
_Static_assert(sizeof(KERNEL) == sizeof(struct cupti_kernel), "13.4");
_Static_assert(sizeof(MEMCPY) == sizeof(struct cupti_memcpy), "13.4");
_Static_assert(sizeof(MEMSET) == sizeof(struct cupti_memset), "13.4");
_Static_assert(sizeof(DEVICE) == sizeof(struct cupti_device), "13.4");
_Static_assert(sizeof(CONTEXT) == sizeof(struct cupti_context), "13.4");
#elif CUPTI_API_VERSION >= 130000
_Static_assert(sizeof(KERNEL) == offsetof(struct cupti_kernel, priority), "13.0");
#endif
#if CUPTI_API_VERSION >= 130000
AT(cupti_memcpy, count, MEMCPY, copyCount);
AT(cupti_context, parent, CONTEXT, parentContextId);
AT(cupti_context, sms, CONTEXT, numMultiprocessors);
AT(cupti_sync, event_sync, CUpti_ActivitySynchronization2, cudaEventSyncId);
AT(cupti_event, event_sync, CUpti_ActivityCudaEvent2, cudaEventSyncId);
AT(cupti_sync, result, CUpti_ActivitySynchronization2, returnValue);
AT(cupti_memory2, source, CUpti_ActivityMemory4, source);
AT(cupti_graph_trace, end_device, CUpti_ActivityGraphTrace2, endDeviceId);
AT(cupti_graph_trace, end_context, CUpti_ActivityGraphTrace2, endContextId);
AT(cupti_jit, thread, CUpti_ActivityJit2, threadId);
AT(cupti_overhead, data, CUpti_ActivityOverhead3, overheadData);
AT(cupti_subscriber_params, name, CUpti_SubscriberParams, subscriberName);
AT(cupti_subscriber_params, old_name, CUpti_SubscriberParams, oldSubscriberName);
AT(cupti_subscriber_params, old_name_bytes, CUpti_SubscriberParams, oldSubscriberSize);
#endif
#if CUPTI_API_VERSION >= 22
AT(cupti_state_data, message, CUpti_StateData, notification.message);
SAME(CUPTI_DOMAIN_STATE, CUPTI_CB_DOMAIN_STATE);
SAME(CUPTI_STATE_FATAL_ERROR, CUPTI_CBID_STATE_FATAL_ERROR);
SAME(CUPTI_ATTR_PER_THREAD_BUFFER, CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER);
#endif
AT(cupti_sync, type, CUpti_ActivitySynchronization, type);
AT(cupti_sync, start, CUpti_ActivitySynchronization, start);
AT(cupti_sync, correlation, CUpti_ActivitySynchronization, correlationId);
AT(cupti_sync, context, CUpti_ActivitySynchronization, contextId);
AT(cupti_sync, stream, CUpti_ActivitySynchronization, streamId);
AT(cupti_sync, event, CUpti_ActivitySynchronization, cudaEventId);
AT(cupti_event, correlation, CUpti_ActivityCudaEvent, correlationId);
AT(cupti_event, context, CUpti_ActivityCudaEvent, contextId);
AT(cupti_event, stream, CUpti_ActivityCudaEvent, streamId);
AT(cupti_event, event, CUpti_ActivityCudaEvent, eventId);
AT(cupti_overhead, overhead, CUpti_ActivityOverhead, overheadKind);
AT(cupti_overhead, object, CUpti_ActivityOverhead, objectKind);
AT(cupti_overhead, ids, CUpti_ActivityOverhead, objectId);
AT(cupti_overhead, start, CUpti_ActivityOverhead, start);
AT(cupti_api, cbid, CUpti_ActivityAPI, cbid);
AT(cupti_api, start, CUpti_ActivityAPI, start);
AT(cupti_api, thread, CUpti_ActivityAPI, threadId);
AT(cupti_api, correlation, CUpti_ActivityAPI, correlationId);
AT(cupti_api, result, CUpti_ActivityAPI, returnValue);
AT(cupti_stream, context, CUpti_ActivityStream, contextId);
AT(cupti_stream, stream, CUpti_ActivityStream, streamId);
AT(cupti_stream, priority, CUpti_ActivityStream, priority);
AT(cupti_stream, flag, CUpti_ActivityStream, flag);
AT(cupti_name, object, CUpti_ActivityName, objectKind);
AT(cupti_name, ids, CUpti_ActivityName, objectId);
AT(cupti_name, name, CUpti_ActivityName, name);
AT(cupti_ext_corr, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
AT(cupti_ext_corr, external, CUpti_ActivityExternalCorrelation, externalId);
AT(cupti_ext_corr, correlation, CUpti_ActivityExternalCorrelation, correlationId);
AT(cupti_resource_data, context, CUpti_ResourceData, context);
AT(cupti_callback_data, site, CUpti_CallbackData, callbackSite);
AT(cupti_callback_data, correlation, CUpti_CallbackData, correlationId);
SAME(CUPTI_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME(CUPTI_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
SAME(CUPTI_KERNEL_SERIAL, CUPTI_ACTIVITY_KIND_KERNEL);
SAME(CUPTI_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER);
SAME(CUPTI_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME);
SAME(CUPTI_DEVICE, CUPTI_ACTIVITY_KIND_DEVICE);
SAME(CUPTI_CONTEXT, CUPTI_ACTIVITY_KIND_CONTEXT);
SAME(CUPTI_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME(CUPTI_NAME, CUPTI_ACTIVITY_KIND_NAME);
SAME(CUPTI_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD);
SAME(CUPTI_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME(CUPTI_STREAM, CUPTI_ACTIVITY_KIND_STREAM);
SAME(CUPTI_SYNC, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
SAME(CUPTI_EXT_CORR, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
SAME(CUPTI_INTERNAL_API, CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API);
SAME(CUPTI_MEMORY2, CUPTI_ACTIVITY_KIND_MEMORY2);
SAME(CUPTI_MEMORY_POOL, CUPTI_ACTIVITY_KIND_MEMORY_POOL);
SAME(CUPTI_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
SAME(CUPTI_JIT, CUPTI_ACTIVITY_KIND_JIT);
SAME(CUPTI_ATTR_DEVICE_BUFFER_SIZE, CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE);
SAME(CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT, CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT);
SAME(CUPTI_ATTR_ZEROED_BUFFER, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
SAME(CUPTI_THREAD_ID_SYSTEM, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
SAME(CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME(CUPTI_DOMAIN_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
SAME(CUPTI_DOMAIN_RUNTIME, CUPTI_CB_DOMAIN_RUNTIME_API);
SAME(CUPTI_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_RESOURCE);
SAME(CUPTI_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
SAME(CUPTI_RESOURCE_MODULE_UNLOAD, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
SAME(CUPTI_CUDART_PROFILER_START, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000);
SAME(CUPTI_CUDART_PROFILER_STOP, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000);
SAME(CUPTI_CU_PROFILER_START, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
SAME(CUPTI_CU_PROFILER_STOP, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
SAME(CUPTI_SITE_ENTER, CUPTI_API_ENTER);
SAME(CUPTI_SITE_EXIT, CUPTI_API_EXIT);
SAME(CUPTI_E_INVALID_PARAMETER, CUPTI_ERROR_INVALID_PARAMETER);
SAME(CUPTI_E_MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME(CUPTI_E_NOT_COMPATIBLE, CUPTI_ERROR_NOT_COMPATIBLE);
SAME(CUPTI_E_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED);
SAME(CUPTI_E_INVALID_KIND, CUPTI_ERROR_INVALID_KIND);
SAME(CUPTI_E_NOT_SUPPORTED, CUPTI_ERROR_NOT_SUPPORTED);
SAME(CUPTI_E_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME(CUPTI_E_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME(CUPTI_E_VIRTUAL_PRIVILEGES, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME(CUPTI_E_UNKNOWN, CUPTI_ERROR_UNKNOWN);

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

/* Compares the sizes of the decoded kinds, measured without a driver, with the known ones. */
static int check_library(const char *path)
{
	static const uint32_t kinds[] = { 1,  2,  4,  5,  8,  9,  10, 11, 17,
					  22, 36, 37, 38, 39, 49, 50, 51, 52 };
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

		/* 12.0 and 12.1 report version 18, as 11.8 does. */
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
