/*
 * Every allocation on the way from a file to a trace fails once, for each format: the import
 * reports it, or gives the whole trace without it. SQLite's and jansson's own allocations are
 * redirected, too.
 */
#include "../sanitized.h"
#include "alloc_fail.h"
#include "format/schema.h"
#include "test.h"

#include <deepprof/trace.h>

#include <jansson.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The name of a range that gets a plain name. */
#define XLA_STEP "'XlaModule:#hlo_module=jit_step,program_id=3#'"

static const char *const nsys_sql[] = {
	"CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT)",
	"INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION', '3.25.0')",
	"CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)",
	"INSERT INTO StringIds VALUES(1, 'add(int)'), (2, 'cudaLaunchKernel'), (3, " XLA_STEP ")",
	"CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER)",
	"INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000)",
	"CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, totalMemory INTEGER, cuDevice "
	"INTEGER)",
	"INSERT INTO TARGET_INFO_GPU VALUES(0, 'H100', 80, 0)",
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, "
	"contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
	"demangledName INTEGER, shortName INTEGER)",
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(10, 20, 0, 1, 7, 5, 16777216, 1, 1), "
	"(30, 40, 0, 1, 8, 6, 16777216, 1, 1)",
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, "
	"contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
	"bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER)",
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(21, 22, 0, 1, 7, 9, 16777216, 64, 1, 1, 2)",
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, "
	"correlationId INTEGER, nameId INTEGER)",
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1, 2, 16777217, 5, 2)",
	"CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, "
	"textId INTEGER, globalTid INTEGER, binaryData BLOB)",
	"INSERT INTO NVTX_EVENTS VALUES(1, 50, 59, NULL, 3, 16777217, NULL), (1, 2, 59, "
	"'ncclAllReduce', NULL, 16777217, x'01000000000000000200000000000000"
	"1000000000000000200000000000000005000000000000004000000000000000')",
	"CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId, schemaId, type, name, offset)",
	"INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES(1, 2, 18, 'NCCL communicator ID', NULL), "
	"(1, 2, 22, 'Message size [bytes]', 8)",
	NULL
};

static const char *const nvprof_sql[] = {
	"CREATE TABLE Version(version INTEGER)",
	"INSERT INTO Version VALUES(12)",
	"CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT)",
	"INSERT INTO StringTable VALUES(1, '_Z3addPfi'), (2, " XLA_STEP ")",
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(_id_ INTEGER PRIMARY KEY, start "
	"INTEGER, "
	"end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId "
	"INTEGER, "
	"name INTEGER)",
	"INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES(1, 10, 20, 0, 1, 7, 5, 1), "
	"(2, 30, 40, 0, 1, 7, 6, 1)",
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(_id_ INTEGER PRIMARY KEY, copyKind INTEGER, "
	"srcKind INTEGER, dstKind INTEGER, bytes INTEGER, start INTEGER, end INTEGER, "
	"deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER)",
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1, 1, 1, 3, 64, 21, 22, 0, 1, 7, 9)",
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(_id_ INTEGER PRIMARY KEY, cbid INTEGER, "
	"start INTEGER, end INTEGER, processId INTEGER, threadId INTEGER, correlationId INTEGER)",
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1, 211, 1, 2, 42, 43, 5)",
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER(_id_ INTEGER PRIMARY KEY, flags INTEGER, "
	"timestamp INTEGER, id INTEGER, objectKind INTEGER, objectId BLOB, name INTEGER)",
	"INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES(1, 2, 1, 1, 2, "
	"X'2A0000002B00000000000000', 2), "
	"(2, 4, 50, 1, 2, X'2A0000002B00000000000000', 0)",
	NULL
};

static const char *const rocpd_sql[] = {
	"CREATE TABLE rocpd_metadata_a(id INTEGER PRIMARY KEY, tag TEXT, value TEXT)",
	"CREATE TABLE rocpd_string_a(id INTEGER PRIMARY KEY, string TEXT NOT NULL)",
	"CREATE TABLE rocpd_info_process_a(id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, "
	"extdata JSONB DEFAULT '{}' NOT NULL)",
	"CREATE TABLE rocpd_info_thread_a(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER "
	"NOT NULL, tid INTEGER NOT NULL)",
	"CREATE TABLE rocpd_info_agent_a(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER "
	"NOT NULL, type TEXT, type_index INTEGER, product_name TEXT)",
	"CREATE TABLE rocpd_info_kernel_symbol_a(id INTEGER PRIMARY KEY, nid INTEGER, pid "
	"INTEGER NOT NULL, kernel_name TEXT, display_name TEXT)",
	"CREATE TABLE rocpd_event_a(id INTEGER PRIMARY KEY, category_id INTEGER, stack_id "
	"INTEGER, extdata JSONB DEFAULT '{}' NOT NULL)",
	"CREATE TABLE rocpd_region_a(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER NOT "
	"NULL, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER)",
	"CREATE TABLE rocpd_kernel_dispatch_a(id INTEGER PRIMARY KEY, nid INTEGER, pid "
	"INTEGER NOT NULL, agent_id INTEGER, kernel_id INTEGER, queue_id INTEGER, stream_id "
	"INTEGER, start BIGINT, end BIGINT, event_id INTEGER)",
	"CREATE TABLE rocpd_memory_copy_a(id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER "
	"NOT NULL, start BIGINT, end BIGINT, dst_agent_id INTEGER, src_agent_id INTEGER, "
	"size INTEGER, stream_id INTEGER, event_id INTEGER)",
	"CREATE TABLE rocpd_memory_allocate_a(id INTEGER PRIMARY KEY, nid INTEGER, pid "
	"INTEGER NOT NULL, agent_id INTEGER, type TEXT, level TEXT, start BIGINT, end "
	"BIGINT, address INTEGER, size INTEGER)",
	"INSERT INTO rocpd_metadata_a(tag,value) VALUES('schema_version','3')",
	"INSERT INTO rocpd_string_a(id,string) "
	"VALUES(1,'KERNEL_DISPATCH'),(2,'HIP_RUNTIME_API'),(3,'MARKER_CORE_RANGE_API'),(4,'RC"
	"CL_API'),(5,'hipLaunchKernel')",
	"INSERT INTO rocpd_info_process_a(id,pid) VALUES(900,42)",
	"INSERT INTO rocpd_info_thread_a(id,nid,pid,tid) VALUES(1,1,900,43)",
	"INSERT INTO rocpd_info_agent_a(id,nid,pid,type,type_index,product_name) "
	"VALUES(0,1,900,'CPU',0,'EPYC'),(4,1,900,'GPU',0,'MI300X')",
	"INSERT INTO rocpd_info_kernel_symbol_a(id,nid,pid,kernel_name,display_name) "
	"VALUES(1,1,900,'x','_Z3addPfi.kd')",
	"INSERT INTO rocpd_event_a(id,category_id,stack_id,extdata) "
	"VALUES(1,2,70,'{}'),(2,1,70,'{}'),(3,3,72,'{\"message\":\"step "
	"\\\\\"1\"}'),(4,4,73,'{}')",
	"INSERT INTO rocpd_region_a(nid,pid,tid,start,end,name_id,event_id) "
	"VALUES(1,900,1,90,95,5,1),(1,900,1,80,400,5,3),(1,900,1,82,83,5,4)",
	"INSERT INTO rocpd_kernel_dispatch_a(nid,pid,agent_id,kernel_id,queue_id,stream_id,st"
	"art,end,event_id) VALUES(1,900,4,1,3,7,100,105,2),(1,900,4,1,4,7,106,109,9)",
	"INSERT INTO rocpd_memory_copy_a(nid,pid,start,end,dst_agent_id,src_agent_id,size,str"
	"eam_id,event_id) VALUES(1,900,110,120,4,0,64,8,NULL)",
	"INSERT INTO rocpd_memory_allocate_a(nid,pid,agent_id,type,level,start,end,address,si"
	"ze) VALUES(1,900,4,'ALLOC','REAL',85,86,4096,10),(1,900,NULL,'FREE','REAL',300,301,4"
	"096,0)",
	NULL
};

/* The same in tables of schema 4.0, where records refer to tracks and times. */
static const char *const rocpd_4_sql[] = {
	"CREATE TABLE rocpd_info_category_a(id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
	"CREATE TABLE rocpd_string_a(id INTEGER PRIMARY KEY, string TEXT NOT NULL)",
	"CREATE TABLE rocpd_info_agent_a(id INTEGER PRIMARY KEY, pid INTEGER, type TEXT, "
	"type_index INTEGER)",
	"CREATE TABLE rocpd_info_kernel_symbol_a(id INTEGER PRIMARY KEY, display_name TEXT)",
	"CREATE TABLE rocpd_track_a(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, agent_id "
	"INTEGER, queue_id INTEGER, stream_id INTEGER)",
	"CREATE TABLE rocpd_timestamp_a(id INTEGER PRIMARY KEY, value BIGINT NOT NULL)",
	"CREATE TABLE rocpd_event_a(id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER)",
	"CREATE TABLE rocpd_region_a(id INTEGER PRIMARY KEY, track_id INTEGER, name_id INTEGER, "
	"start_id INTEGER, end_id INTEGER, event_id INTEGER)",
	"CREATE TABLE rocpd_kernel_dispatch_a(id INTEGER PRIMARY KEY, track_id INTEGER, kernel_id "
	"INTEGER, start_id INTEGER, end_id INTEGER, event_id INTEGER)",
	"INSERT INTO rocpd_info_category_a VALUES(1, 'KERNEL_DISPATCH'), (2, 'HIP_RUNTIME_API')",
	"INSERT INTO rocpd_string_a VALUES(5, 'hipLaunchKernel')",
	"INSERT INTO rocpd_info_agent_a VALUES(4, 900, 'GPU', 0)",
	"INSERT INTO rocpd_info_kernel_symbol_a VALUES(1, 'add(float*, int)')",
	"INSERT INTO rocpd_track_a VALUES(8, 900, 43, NULL, NULL, NULL), (9, 900, 43, 4, 3, 7)",
	"INSERT INTO rocpd_timestamp_a VALUES(1, 90), (2, 95), (3, 100), (4, 105), (5, 106), (6, "
	"109), (7, 130)",
	"INSERT INTO rocpd_event_a VALUES(1, 2, 70), (2, 1, 70)",
	"INSERT INTO rocpd_region_a VALUES(1, 8, 5, 1, 2, 1)",
	"INSERT INTO rocpd_kernel_dispatch_a VALUES(1, 9, 1, 3, 4, 2), (2, 9, 1, 4, 5, NULL), "
	"(3, 9, 1, 6, 7, NULL)",
	NULL
};

static const char *const deepprof_sql[] = {
	"INSERT INTO meta VALUES('schema', 2), ('t0_realtime_ns', 1700000000000000000)",
	"INSERT INTO process(id, pid, cmdline) VALUES(1, 42, 'a')",
	"INSERT INTO thread VALUES(1, 43, 'main')",
	"INSERT INTO string(id, value) VALUES(1, 'add(int)'), (2, " XLA_STEP ")",
	"INSERT INTO device(process, device, name) VALUES(1, 0, 'H100')",
	"INSERT INTO kernel(id, process, device, context, stream, start, dur_ns, name, corr) "
	"VALUES(1, 1, 0, 1, 7, 10, 10, 1, 5), (2, 1, 0, 1, 7, 30, 10, 1, 6)",
	"INSERT INTO memcpy(id, process, device, context, stream, start, dur_ns, kind, bytes) "
	"VALUES(1, 1, 0, 1, 7, 21, 1, 1, 64)",
	"INSERT INTO api(id, process, tid, start, dur_ns, domain, cbid, corr) "
	"VALUES(1, 1, 43, 1, 1, 1, 211, 5)",
	"INSERT INTO nvtx(process, tid, name, type, start, dur_ns) VALUES(1, 43, 2, 59, 1, 50)",
	"INSERT INTO pause VALUES(1, 12, 10)",
	"INSERT INTO call_stack VALUES(1, NULL, 'py::f:a.py', NULL), (2, 1, NULL, 'b.so')",
	"INSERT INTO cpu_sample VALUES(1, 1, 43, 5, 10, 1), (2, 1, 43, 6, 10, 2)",
	NULL
};

static const char csv_text[] =
	"==7== NVPROF is profiling process 7, command: a\n"
	"==7== Warning: Found 0 problems\n"
	"\"Start\",\"Duration\",\"Grid X\",\"Size\",\"Device\",\"Context\",\"Stream\",\"Name\"\n"
	"s,us,,KB,,,,\n"
	"0.000001,1,1,,\"T (0)\",1,7,\"_Z3addPfi [5]\"\n"
	"0.000002,1,,4,\"T (0)\",1,8,\"[CUDA memcpy HtoD]\"\n"
	"0.000003,1,1,,\"T (0)\",1,7,\"mul(\xff)\"\n";

static const char kineto_text[] =
	"{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"H100\", "
	"\"totalGlobalMem\": 80}], \"traceEvents\": [\n"
	"{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 42, \"tid\": 0, \"args\": "
	"{\"name\": \"python\"}},\n"
	"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"_Z3addPfi\", \"pid\": 0, \"tid\": 7, "
	"\"ts\": 10, \"dur\": 2, \"args\": {\"device\": 0, \"context\": 1, \"stream\": 7, "
	"\"correlation\": 5}},\n"
	"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"mul\\u00e9\", \"pid\": 0, \"tid\": 7, "
	"\"ts\": 14, \"dur\": 2, \"args\": {\"device\": 0, \"context\": 1, \"stream\": 7, "
	"\"correlation\": 6}},\n"
	"{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD (Pageable -> Device)\", "
	"\"pid\": 0, \"tid\": 7, \"ts\": 13, \"dur\": 1, \"args\": {\"device\": 0, "
	"\"context\": 1, "
	"\"stream\": 7, \"correlation\": 8, \"bytes\": 64}},\n"
	"{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 42, "
	"\"tid\": 43, \"ts\": 1, \"dur\": 2, \"args\": {\"correlation\": 5}},\n"
	"{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", \"pid\": 42, "
	"\"tid\": 43, \"ts\": 0, \"dur\": 20}\n"
	"]}\n";

static const char inspector_text[] =
	"{\"header\":{\"id\":\"0x7f8c\",\"comm_name\":\"default_pg\",\"rank\":2,\"n_ranks\":8},"
	"\"metadata\":{\"inspector_output_format_version\":\"v4.2\",\"dump_timestamp_us\":"
	"1748030377748202,\"hostname\":\"node7\",\"pid\":42},\"coll_perf\":{\"coll\":\"AllReduce\","
	"\"coll_sn\":7,\"coll_msg_size_bytes\":4096,\"coll_exec_time_us\":60}}\n"
	"{\"p2p_perf\":{\"p2p\":\"Send\",\"p2p_sn\":1,\"p2p_peer\":3,\"p2p_msg_size_bytes\":64,"
	"\"p2p_exec_time_us\":5}}\n"
	"{\"coll_perf\":{\"coll\":\"AllGather\",\"coll_sn\":8,\"coll_exec_time_us\":9}}\n";

static const char rocprofv3_text[] =
	"{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"node\":{\"id\":0},\"pid\":42,\"config"
	"\":{\"group_by_queue\":false},\"command\":[\"a\"]},\"agents\":[{\"size\":312,\"id\""
	":{\"handle\":90},\"type\":1},{\"size\":312,\"id\":{\"handle\":91},\"type\":2,\"prod"
	"uct_name\":\"MI300X \\u00e9\",\"logical_node_type_id\":0}],\"strings\":{\"callb"
	"ack_records\":[{\"kind\":\"X\",\"operations\":[\"y\"]}],\"buffer_records\":[{\"kin"
	"d\":\"NONE\",\"operations\":[]},{\"kind\":\"HIP_RUNTIME_API\",\"operations\":[\"hi"
	"pLaunchKernel\",\"hipFree\"]},{\"kind\":\"MARKER_CORE_RANGE_API\",\"operations"
	"\":[\"roctxThreadRangeA\"]},{\"kind\":\"MEMORY_COPY\",\"operations\":[\"NONE\",\"M"
	"EMORY_COPY_HOST_TO_DEVICE\"]},{\"kind\":\"MEMORY_ALLOCATION\",\"operations\":"
	"[\"MEMORY_ALLOCATION_ALLOCATE\",\"MEMORY_ALLOCATION_FREE\"]}],\"marker_api\""
	":[{\"key\":77,\"value\":\"step \\\"1\\\"\"}]},\"kernel_symbols\":[{\"size\":88,\"kern"
	"el_id\":1,\"kernel_name\":\"_Z3addPfi.kd\",\"demangled_kernel_name\":\"add(flo"
	"at*, int) [clone .kd]\"},{\"size\":88,\"kernel_id\":2,\"kernel_name\":\"_Z3mul"
	"Pfi.kd\"}],\"buffer_records\":{\"kernel_dispatch\":[{\"size\":96,\"kind\":9,\"op"
	"eration\":2,\"correlation_id\":{\"internal\":5,\"external\":0},\"start_timesta"
	"mp\":100,\"end_timestamp\":105,\"thread_id\":43,\"dispatch_info\":{\"size\":72,"
	"\"agent_id\":{\"handle\":91},\"queue_id\":{\"handle\":3},\"kernel_id\":1,\"dispat"
	"ch_id\":1,\"grid_size\":{\"x\":1,\"y\":1,\"z\":1}},\"stream_id\":{\"handle\":7}},{\""
	"size\":96,\"kind\":9,\"operation\":2,\"correlation_id\":{\"internal\":6,\"extern"
	"al\":0},\"start_timestamp\":106,\"end_timestamp\":109,\"thread_id\":43,\"dispa"
	"tch_info\":{\"size\":72,\"agent_id\":{\"handle\":91},\"queue_id\":{\"handle\":3},"
	"\"kernel_id\":2,\"dispatch_id\":1,\"grid_size\":{\"x\":1,\"y\":1,\"z\":1}},\"stream"
	"_id\":{\"handle\":7}}],\"hip_api\":[{\"size\":96,\"kind\":1,\"operation\":0,\"corr"
	"elation_id\":{\"internal\":5,\"external\":0},\"start_timestamp\":90,\"end_time"
	"stamp\":95,\"thread_id\":43}],\"marker_api\":[{\"size\":96,\"kind\":2,\"operatio"
	"n\":0,\"correlation_id\":{\"internal\":77,\"external\":0},\"start_timestamp\":8"
	"0,\"end_timestamp\":400,\"thread_id\":43}],\"memory_copy\":[{\"size\":96,\"kind"
	"\":3,\"operation\":1,\"correlation_id\":{\"internal\":9,\"external\":0},\"start_"
	"timestamp\":110,\"end_timestamp\":120,\"thread_id\":43,\"dst_agent_id\":{\"han"
	"dle\":91},\"src_agent_id\":{\"handle\":90},\"bytes\":64,\"stream_id\":{\"handle\""
	":8}}],\"memory_allocation\":[{\"size\":96,\"kind\":4,\"operation\":0,\"correlat"
	"ion_id\":{\"internal\":11,\"external\":0},\"start_timestamp\":85,\"end_timesta"
	"mp\":86,\"thread_id\":43,\"agent_id\":{\"handle\":91},\"address\":{\"value\":4096"
	"},\"allocation_size\":1000},{\"size\":96,\"kind\":4,\"operation\":1,\"correlati"
	"on_id\":{\"internal\":12,\"external\":0},\"start_timestamp\":300,\"end_timesta"
	"mp\":301,\"thread_id\":43,\"agent_id\":{\"handle\":0},\"address\":{\"value\":4096"
	"},\"allocation_size\":0}]}}]}";

/* A GPU's plane with two kernels and a copy, and the host's with a launch and a step. */
static const char xplane_bytes[] =
	"\x0a\x9d\x02\x12\x0d\x2f\x64\x65\x76\x69\x63\x65\x3a\x47\x50\x55\x3a\x30\x1a\x59\x08\x11"
	"\x12\x12\x53\x74\x72\x65\x61\x6d\x20\x23\x31\x37\x28\x4b\x65\x72\x6e\x65\x6c\x29\x18\x95"
	"\x9a\x97\xec\xe3\x9f\xe7\xcb\x17\x22\x17\x08\x01\x10\xc0\x96\xb1\x02\x18\x80\x89\x7a\x22"
	"\x04\x08\x01\x20\x46\x22\x04\x08\x04\x38\x07\x22\x0b\x08\x08\x10\xe0\xe1\xc9\x03\x18\x80"
	"\x89\x7a\x22\x11\x08\x0f\x10\xe0\x9f\xdc\x04\x18\xa0\x8d\x06\x22\x04\x08\x0a\x38\x0d\x22"
	"\x11\x08\x0f\x12\x0d\x08\x0f\x12\x09\x4d\x65\x6d\x63\x70\x79\x48\x32\x44\x22\x0b\x08\x08"
	"\x12\x07\x08\x08\x12\x03\x6d\x75\x6c\x22\x11\x08\x01\x12\x0d\x08\x01\x12\x09\x5f\x5a\x33"
	"\x61\x64\x64\x50\x66\x69\x2a\x2f\x08\x0d\x12\x2b\x08\x0d\x12\x27\x6b\x69\x6e\x64\x5f\x73"
	"\x72\x63\x3a\x70\x69\x6e\x6e\x65\x64\x20\x6b\x69\x6e\x64\x5f\x64\x73\x74\x3a\x64\x65\x76"
	"\x69\x63\x65\x20\x73\x69\x7a\x65\x3a\x36\x34\x2a\x16\x08\x0a\x12\x12\x08\x0a\x12\x0e\x6d"
	"\x65\x6d\x63\x70\x79\x5f\x64\x65\x74\x61\x69\x6c\x73\x2a\x0e\x08\x07\x12\x0a\x08\x07\x12"
	"\x06\x6d\x2f\x63\x6f\x6e\x76\x2a\x0d\x08\x04\x12\x09\x08\x04\x12\x05\x74\x66\x5f\x6f\x70"
	"\x2a\x16\x08\x01\x12\x12\x08\x01\x12\x0e\x63\x6f\x72\x72\x65\x6c\x61\x74\x69\x6f\x6e\x5f"
	"\x69\x64\x0a\x9a\x01\x08\x01\x12\x09\x2f\x68\x6f\x73\x74\x3a\x43\x50\x55\x1a\x3a\x08\x2b"
	"\x12\x09\x70\x79\x74\x68\x6f\x6e\x2f\x34\x33\x18\x95\x9a\x97\xec\xe3\x9f\xe7\xcb\x17\x22"
	"\x10\x08\x01\x10\xc0\x84\x3d\x18\xa0\xc2\x1e\x22\x04\x08\x01\x20\x46\x22\x0f\x08\x08\x10"
	"\x01\x18\x80\xda\xc4\x09\x22\x04\x08\x04\x20\x03\x22\x0d\x08\x08\x12\x09\x08\x08\x12\x05"
	"\x74\x72\x61\x69\x6e\x22\x16\x08\x01\x12\x12\x08\x01\x12\x0e\x63\x75\x4c\x61\x75\x6e\x63"
	"\x68\x4b\x65\x72\x6e\x65\x6c\x2a\x10\x08\x04\x12\x0c\x08\x04\x12\x08\x73\x74\x65\x70\x5f"
	"\x6e\x75\x6d\x2a\x16\x08\x01\x12\x12\x08\x01\x12\x0e\x63\x6f\x72\x72\x65\x6c\x61\x74\x69"
	"\x6f\x6e\x5f\x69\x64";

/* A kernel and its launch, another kernel and a copy. */
static const char perfetto_bytes[] =
	"\x0a\x89\x02\x50\x02\x68\x01\x32\x15\x0a\x04\x08\x06\x10\x09\x0a\x05\x08\x01\x10\xe8\x07"
	"\x0a\x06\x08\x40\x10\x09\x18\x01\xda\x03\x07\xd0\x03\x40\x5a\x02\x58\x03\x62\xe1\x01\x0a"
	"\x13\x08\x01\x12\x0f\x6b\x65\x72\x6e\x65\x6c\x5f\x64\x69\x73\x70\x61\x74\x63\x68\x0a\x0f"
	"\x08\x02\x12\x0b\x6d\x65\x6d\x6f\x72\x79\x5f\x63\x6f\x70\x79\x0a\x0b\x08\x03\x12\x07\x68"
	"\x69\x70\x5f\x61\x70\x69\x0a\x0e\x08\x04\x12\x0a\x6d\x61\x72\x6b\x65\x72\x5f\x61\x70\x69"
	"\x1a\x0b\x08\x01\x12\x07\x63\x6f\x72\x72\x5f\x69\x64\x1a\x09\x08\x02\x12\x05\x61\x67\x65"
	"\x6e\x74\x1a\x09\x08\x03\x12\x05\x71\x75\x65\x75\x65\x1a\x0e\x08\x04\x12\x0a\x63\x6f\x70"
	"\x79\x5f\x62\x79\x74\x65\x73\x1a\x0d\x08\x05\x12\x09\x73\x72\x63\x5f\x61\x67\x65\x6e\x74"
	"\x1a\x0d\x08\x06\x12\x09\x64\x73\x74\x5f\x61\x67\x65\x6e\x74\x12\x0d\x08\x01\x12\x09\x5f"
	"\x5a\x33\x61\x64\x64\x50\x66\x69\x12\x07\x08\x02\x12\x03\x6d\x75\x6c\x12\x13\x08\x03\x12"
	"\x0f\x68\x69\x70\x4c\x61\x75\x6e\x63\x68\x4b\x65\x72\x6e\x65\x6c\x12\x1e\x08\x04\x12\x1a"
	"\x4d\x45\x4d\x4f\x52\x59\x5f\x43\x4f\x50\x59\x5f\x48\x4f\x53\x54\x5f\x54\x4f\x5f\x44\x45"
	"\x56\x49\x43\x45\x0a\x13\x50\x02\xe2\x03\x0e\x08\x01\x12\x06\x70\x79\x74\x68\x6f\x6e\x1a"
	"\x02\x08\x2a\x0a\x17\x50\x02\xe2\x03\x12\x08\x02\x12\x06\x54\x48\x52\x45\x41\x44\x28\x01"
	"\x22\x04\x08\x2a\x10\x2b\x0a\x2b\x50\x02\xe2\x03\x26\x08\x03\x12\x20\x43\x4f\x4d\x50\x55"
	"\x54\x45\x20\x47\x50\x55\x20\x5b\x30\x5d\x20\x53\x54\x52\x45\x41\x4d\x20\x5b\x37\x5d\x20"
	"\x28\x47\x50\x55\x29\x28\x01\x0a\x2b\x50\x02\xe2\x03\x26\x08\x04\x12\x20\x43\x4f\x50\x59"
	"\x20\x74\x6f\x20\x47\x50\x55\x20\x5b\x30\x5d\x20\x53\x54\x52\x45\x41\x4d\x20\x5b\x38\x5d"
	"\x20\x28\x47\x50\x55\x29\x28\x01\x0a\x19\x50\x02\x68\x02\x40\x32\xd0\x03\x06\x5a\x0e\x48"
	"\x01\x58\x02\x18\x03\x50\x03\x22\x04\x08\x01\x18\x05\x0a\x0d\x50\x02\x40\x37\xd0\x03\x06"
	"\x5a\x04\x48\x02\x58\x02\x0a\x2a\x50\x02\x68\x02\x40\x64\xd0\x03\x06\x5a\x1f\x48\x01\x58"
	"\x03\x18\x01\x50\x01\x22\x04\x08\x01\x18\x05\x22\x09\x08\x02\x32\x05\x47\x50\x55\x2d\x30"
	"\x22\x04\x08\x03\x18\x02\x0a\x0d\x50\x02\x40\x69\xd0\x03\x06\x5a\x04\x48\x02\x58\x03\x0a"
	"\x19\x50\x02\x68\x02\x40\x6a\xd0\x03\x06\x5a\x0e\x48\x01\x58\x03\x18\x01\x50\x02\x22\x04"
	"\x08\x01\x18\x06\x0a\x0d\x50\x02\x40\x6d\xd0\x03\x06\x5a\x04\x48\x02\x58\x03\x0a\x2f\x50"
	"\x02\x68\x02\x40\x6e\xd0\x03\x06\x5a\x24\x48\x01\x58\x04\x18\x02\x50\x04\x22\x04\x08\x04"
	"\x18\x40\x22\x09\x08\x05\x32\x05\x43\x50\x55\x2d\x30\x22\x09\x08\x06\x32\x05\x47\x50\x55"
	"\x2d\x30\x0a\x0d\x50\x02\x40\x78\xd0\x03\x06\x5a\x04\x48\x02\x58\x04";

static const char timeline_text[] =
	"{\"traceEvents\": [{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 3, \"args\": "
	"{\"name\": \"/device:GPU:0/stream:13 Compute\"}}, {\"name\": \"process_name\", \"ph\": "
	"\"M\", \"pid\": 4, \"args\": {\"name\": \"/device:GPU:0/stream:14 Compute\"}}, "
	"{\"ph\": \"X\", \"cat\": \"Op\", \"name\": \"MatMul\", \"pid\": 3, \"tid\": 0, "
	"\"ts\": 1563253055453811, \"dur\": 5, \"args\": {\"name\": \"a/MatMul\", \"op\": "
	"\"MatMul\"}}, {\"ph\": \"X\", \"cat\": \"Op\", \"name\": \"MEMCPYHtoD\", \"pid\": 4, "
	"\"tid\": 0, \"ts\": 1563253055453820, \"dur\": 5, \"args\": {\"name\": \"b\", \"op\": "
	"\"MEMCPYHtoD\"}}, {\"ph\": \"X\", \"cat\": \"Op\", \"name\": \"Relu\", \"pid\": 3, "
	"\"tid\": 0, \"ts\": 1563253055453830, \"dur\": 5, \"args\": {\"name\": \"a/Relu\", "
	"\"op\": \"Relu\"}}]}\n";

static const char rocprof_text[] =
	"\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"pid\",\"BeginNs\",\"EndNs\"\n"
	"0,\"_Z3addPfi.kd\",2,0,77,1000,1500\n1,\"k.kd\",3,1,78,2000,2500\n"
	"2,\"k.kd\",3,1,78,3000,3500\n";

static const char *const rpd_sql[] = {
	"CREATE TABLE rocpd_metadata(id INTEGER PRIMARY KEY, tag TEXT, value TEXT)",
	"CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, string TEXT NOT NULL)",
	"CREATE TABLE rocpd_ustring(id INTEGER PRIMARY KEY, string TEXT NOT NULL)",
	"CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end "
	"INTEGER, apiName_id BIGINT, domain_id BIGINT, args_id BIGINT)",
	"CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, sequenceId "
	"INTEGER, start INTEGER, end INTEGER, description_id BIGINT, opType_id BIGINT)",
	"CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY, api_id BIGINT, op_id BIGINT)",
	"CREATE TABLE rocpd_copyapi(api_ptr_id BIGINT PRIMARY KEY, size INTEGER, width INTEGER, "
	"height INTEGER, kind INTEGER, srcDevice INTEGER, dstDevice INTEGER)",
	"INSERT INTO rocpd_metadata(tag,value) VALUES('schema_version','3')",
	"INSERT INTO rocpd_string VALUES(1,''),(2,'hipLaunchKernel'),(3,'UserMarker'),"
	"(4,'KernelExecution'),(5,'CopyHostToDevice'),(6,'_Z3addPfi'),(7,'FillBuffer')",
	"INSERT INTO rocpd_ustring VALUES(1,'step')",
	"INSERT INTO rocpd_api VALUES(1,42,43,90,95,2,1,1),(2,42,43,80,400,3,1,1)",
	"INSERT INTO rocpd_op VALUES(1,2,0,0,100,110,6,4),(2,2,0,0,120,130,1,5),"
	"(3,3,1,0,140,150,1,7)",
	"INSERT INTO rocpd_api_ops(api_id,op_id) VALUES(1,2),(1,1)",
	"INSERT INTO rocpd_copyapi VALUES(2,8,0,0,1,0,0),(1,64,0,0,1,0,0)",
	NULL,
};

static const char rocprofv3_csv_text[] =
	"\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\"\n0,0,\"CPU\"\n2,2,\"GPU\"\n3,3,\"GPU\"\n"
	"\"Kind\",\"Agent_Id\",\"Stream_Id\",\"Kernel_Name\",\"Correlation_Id\","
	"\"Start_Timestamp\",\"End_Timestamp\"\n"
	"\"KERNEL_DISPATCH\",\"Agent 2\",0,\"_Z3addPfi\",7,1000,1500\n"
	"\"KERNEL_DISPATCH\",\"Agent 3\",1,\"k\",8,2000,2500\n"
	"\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Start_Timestamp\","
	"\"End_Timestamp\"\n\"MEMORY_COPY\",\"HOST_TO_DEVICE\",0,3,4000,4500\n"
	"\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\","
	"\"Start_Timestamp\",\"End_Timestamp\"\n"
	"\"HIP_RUNTIME_API\",\"hipLaunchKernel\",42,43,7,900,950\n"
	"\"MARKER_CORE_API\",\"step\",42,43,9,800,5000\n";

static const char xla_text[] =
	"{\"traceEvents\": ["
	"{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": "
	"\"/device:GPU:0\"}},"
	"{\"ph\": \"M\", \"pid\": 1, \"tid\": 17, \"name\": \"thread_name\", \"args\": {\"name\": "
	"\"Stream #17(Kernel)\"}},"
	"{\"ph\": \"M\", \"pid\": 7, \"name\": \"process_name\", \"args\": {\"name\": \"/host:CPU\"}},"
	"{\"ph\": \"X\", \"pid\": 1, \"tid\": 17, \"ts\": 10, \"dur\": 2, \"name\": \"fusion\", "
	"\"args\": {\"correlation_id\": \"70\"}},"
	"{\"ph\": \"X\", \"pid\": 1, \"tid\": 17, \"ts\": 13, \"dur\": 2, \"name\": \"b\"},"
	"{\"ph\": \"X\", \"pid\": 1, \"tid\": 17, \"ts\": 16, \"dur\": 2, \"name\": \"c\"},"
	"{\"ph\": \"X\", \"pid\": 7, \"tid\": 5, \"ts\": 8, \"dur\": 1, \"name\": "
	"\"cuLaunchKernel\", \"args\": {\"correlation_id\": \"70\"}},{}]}";

static const struct {
	const char *format;
	const char *text;
	const char *const *before;
	const char *const *statements;
	size_t length; /* of the text, where it has NULs */
	bool no_calls; /* the format has none */
} sources[] = {
	{ "nvprof_csv", csv_text, .no_calls = true },
	{ "rocprof", rocprof_text, .no_calls = true },
	{ "kineto", kineto_text, NULL, NULL },
	{ "xla_json", xla_text, NULL, NULL },
	{ "tf_timeline", timeline_text, .no_calls = true },
	{ "nccl_inspector", inspector_text, .no_calls = true },
	{ "rocprofv3", rocprofv3_text, NULL, NULL },
	{ "rocprofv3_csv", rocprofv3_csv_text, NULL, NULL },
	{ "xplane", xplane_bytes, .length = sizeof(xplane_bytes) - 1 },
	{ "perfetto", perfetto_bytes, .length = sizeof(perfetto_bytes) - 1 },
	{ "nsys", NULL, NULL, nsys_sql },
	{ "nvprof_db", NULL, NULL, nvprof_sql },
	{ "rocpd", NULL, NULL, rocpd_sql },
	{ "rocpd", NULL, NULL, rocpd_4_sql },
	{ "rpd", NULL, NULL, rpd_sql },
	{ "deepprof_db", NULL, dp_schema__tables, deepprof_sql },
};

/* SQLite wants to know how long a block is: its length lies before it. */
#define FRONT 16

static void *sized_malloc(int size)
{
	char *block = malloc((size_t)size + FRONT);

	if (!block)
		return NULL;
	memcpy(block, &size, sizeof(size));
	return block + FRONT;
}

static void sized_free(void *block)
{
	if (block)
		free((char *)block - FRONT);
}

static void *sized_realloc(void *block, int size)
{
	char *moved = realloc((char *)block - FRONT, (size_t)size + FRONT);

	if (!moved)
		return NULL;
	memcpy(moved, &size, sizeof(size));
	return moved + FRONT;
}

static int sized_length(void *block)
{
	int size = 0;

	if (block)
		memcpy(&size, (char *)block - FRONT, sizeof(size));
	return size;
}

static int sized_round(int size)
{
	return (size + 7) & ~7;
}

static int sized_init(void *data)
{
	return SQLITE_OK;
}

static void sized_end(void *data)
{
}

static void run_sql(sqlite3 *db, const char *const *statements)
{
	char *message = NULL;

	for (size_t i = 0; statements && statements[i]; i++) {
		sqlite3_exec(db, statements[i], NULL, NULL, &message);
		ck_assert_msg(!message, "%s: %s", statements[i], message);
	}
}

static void make_file(char *path, size_t source)
{
	size_t length;
	sqlite3 *db;
	int fd;

	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	if (sources[source].text) {
		length = sources[source].length ? sources[source].length
						: strlen(sources[source].text);
		ck_assert_int_eq(write(fd, sources[source].text, length), (ssize_t)length);
	} else {
		ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
		run_sql(db, sources[source].before);
		run_sql(db, sources[source].statements);
		ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
	}
	close(fd);
}

/* What a trace must contain if a failed allocation was not reported. */
static void check_whole(const struct dp_trace *trace, size_t source)
{
	ck_assert_str_eq(dp_trace_format(trace), sources[source].format);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 3);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	ck_assert_uint_eq(dp_trace_calls(trace)->count, sources[source].no_calls ? 0 : 1);
}

/* Opens a trace while allocation k, or all from k on, fail. Returns whether any failed. */
static bool open_with(const char *path, size_t source, size_t k, bool all, size_t *survived)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace = NULL;
	bool failed;
	int status;

	if (all)
		alloc_fail_from(k);
	else
		alloc_fail_after(k);
	status = dp_trace_open(&trace, path, NULL, &error);
	failed = alloc_fail_stop();
	if (status == DP_OK) {
		check_whole(trace, source);
		*survived += failed;
		dp_trace_free(trace);
	} else {
		ck_assert_msg(status == DP_ERR_NOMEM, "allocation %zu: %s", k, error.message);
		ck_assert_int_eq(error.status, DP_ERR_NOMEM);
		ck_assert(failed && error.message[0] && !trace);
	}
	sqlite3_shutdown();
	return failed;
}

/* Each of the first allocations fails, and of the others, thousands of SQLite's, one in a few. */
static const size_t each = DP_SANITIZED ? 100 : 500, stride = DP_SANITIZED ? 23 : 11;

static void sweep(size_t source, bool all)
{
	static const struct sqlite3_mem_methods methods = { sized_malloc,  sized_free,
							    sized_realloc, sized_length,
							    sized_round,   sized_init,
							    sized_end,	   NULL };
	char path[] = "/tmp/deepprof-test-XXXXXX";
	size_t k = 0, runs = 0, survived = 0;

	sqlite3_shutdown();
	ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
	json_set_alloc_funcs(malloc, free);
	make_file(path, source);
	sqlite3_shutdown();
	while (open_with(path, source, k, all, &survived)) {
		ck_assert_uint_lt(k, 100000);
		runs++;
		k += k < each ? 1 : stride;
	}
	unlink(path);
	/* The sweep reached something, and few failures were survived silently. */
	ck_assert_uint_gt(k, 10);
	ck_assert_uint_lt(survived, all ? 2 : runs / 2);
}

TEST_LOOP(one_allocation_fails, sizeof(sources) / sizeof(sources[0]))
{
	sweep((size_t)_i, false);
}

TEST_LOOP(all_later_allocations_fail, sizeof(sources) / sizeof(sources[0]))
{
	sweep((size_t)_i, true);
}

/* A new format can't be forgotten here. */
TEST(every_importer_is_swept)
{
	const struct dp_format_info *info;
	size_t j;

	for (size_t i = 0; (info = dp_format(i)); i++) {
		for (j = 0; j < sizeof(sources) / sizeof(sources[0]); j++)
			if (strcmp(sources[j].format, info->name) == 0)
				break;
		ck_assert_msg(j < sizeof(sources) / sizeof(sources[0]), "%s", info->name);
	}
}
