/* The SQL text of deepprof's own trace file, schema 6. */
#include "format/schema.h"

#include <stddef.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* Columns of all GPU operations; those of one kind follow. */
#define OPERATION                                                                             \
	"id INTEGER PRIMARY KEY, process INTEGER NOT NULL, device INTEGER, context INTEGER, " \
	"stream INTEGER, start INTEGER NOT NULL, dur_ns INTEGER, "

/* Columns that link an operation to its call, and to a graph. */
#define CAUSE "corr INTEGER, epoch INTEGER, graph INTEGER, graph_node INTEGER"

const char *const dp_schema__tables[] = {
	"PRAGMA page_size = 16384",
	"PRAGMA application_id = " TEXT(DP_SCHEMA_APPLICATION_ID),
	"PRAGMA user_version = " TEXT(DP_SCHEMA_VERSION),

	"CREATE TABLE meta(key TEXT NOT NULL PRIMARY KEY, value)",

	"CREATE TABLE process(id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, ppid INTEGER, "
	"start INTEGER, dur_ns INTEGER, exit INTEGER, rank INTEGER, local_rank INTEGER, "
	"world_size INTEGER, cmdline TEXT, env TEXT, cupti_version INTEGER, driver TEXT, "
	"graph_mode TEXT)",

	"CREATE TABLE thread(process INTEGER NOT NULL, tid INTEGER NOT NULL, name TEXT)",

	"CREATE TABLE string(id INTEGER PRIMARY KEY, value TEXT NOT NULL, mangled TEXT)",

	"CREATE TABLE device(process INTEGER NOT NULL, device INTEGER NOT NULL, uuid TEXT, "
	"name TEXT, cc TEXT, sms INTEGER, mem_bytes INTEGER, clock_khz INTEGER, bw_kBps INTEGER)",

	"CREATE TABLE context(process INTEGER NOT NULL, context INTEGER NOT NULL, device INTEGER, "
	"null_stream INTEGER)",

	"CREATE TABLE stream(process INTEGER NOT NULL, context INTEGER, stream INTEGER NOT NULL, "
	"priority INTEGER, flags INTEGER, name TEXT)",

	"CREATE TABLE kernel(" OPERATION "name INTEGER NOT NULL, corr INTEGER, epoch INTEGER, "
	"grid_x INTEGER, grid_y INTEGER, grid_z INTEGER, "
	"block_x INTEGER, block_y INTEGER, block_z INTEGER, "
	"cluster_x INTEGER, cluster_y INTEGER, cluster_z INTEGER, "
	"regs INTEGER, smem_static INTEGER, smem_dyn INTEGER, local INTEGER, "
	"graph INTEGER, graph_node INTEGER, queued INTEGER, submitted INTEGER, complete INTEGER)",

	"CREATE TABLE memcpy(" OPERATION "kind INTEGER, src_kind INTEGER, dst_kind INTEGER, "
	"bytes INTEGER, src_dev INTEGER, dst_dev INTEGER, async INTEGER, " CAUSE ")",

	"CREATE TABLE memset(" OPERATION "bytes INTEGER, value INTEGER, mem_kind INTEGER, " CAUSE
	")",

	"CREATE TABLE graph_launch(" OPERATION "graph INTEGER, corr INTEGER, epoch INTEGER)",

	"CREATE TABLE api(id INTEGER PRIMARY KEY, process INTEGER NOT NULL, tid INTEGER, "
	"start INTEGER NOT NULL, dur_ns INTEGER, domain INTEGER NOT NULL, cbid INTEGER NOT NULL, "
	"corr INTEGER, epoch INTEGER, ret INTEGER)",

	"CREATE TABLE cbid(domain INTEGER NOT NULL, cbid INTEGER NOT NULL, name INTEGER NOT NULL)",

	"CREATE TABLE sync(id INTEGER PRIMARY KEY, process INTEGER NOT NULL, context INTEGER, "
	"stream INTEGER, start INTEGER NOT NULL, dur_ns INTEGER, kind INTEGER, event INTEGER, "
	"corr INTEGER, epoch INTEGER, event_sync INTEGER)",

	"CREATE TABLE cuda_event(id INTEGER PRIMARY KEY, process INTEGER NOT NULL, "
	"context INTEGER, stream INTEGER, event INTEGER NOT NULL, event_sync INTEGER, "
	"corr INTEGER, epoch INTEGER)",

	"CREATE TABLE mem_op(process INTEGER NOT NULL, ts INTEGER NOT NULL, op INTEGER, "
	"kind INTEGER, address INTEGER, bytes INTEGER, device INTEGER, stream INTEGER, "
	"pool INTEGER, corr INTEGER)",

	"CREATE TABLE mem_pool(process INTEGER NOT NULL, ts INTEGER NOT NULL, op INTEGER, "
	"kind INTEGER, address INTEGER, bytes INTEGER, device INTEGER, min_bytes INTEGER, "
	"threshold INTEGER, used INTEGER, corr INTEGER)",

	"CREATE TABLE ext_corr(process INTEGER NOT NULL, corr INTEGER NOT NULL, epoch INTEGER, "
	"kind INTEGER, external INTEGER)",

	"CREATE TABLE nvtx(id INTEGER PRIMARY KEY, process INTEGER NOT NULL, tid INTEGER, "
	"domain INTEGER, name INTEGER, type INTEGER NOT NULL, start INTEGER NOT NULL, "
	"dur_ns INTEGER, depth INTEGER, payload)",

	"CREATE TABLE nccl(nvtx INTEGER NOT NULL, comm_hash INTEGER, op TEXT, bytes INTEGER, "
	"datatype TEXT, reduction TEXT, root INTEGER, peer INTEGER, rank INTEGER, ranks INTEGER)",

	"CREATE TABLE jit(process INTEGER NOT NULL, tid INTEGER, device INTEGER, "
	"start INTEGER NOT NULL, dur_ns INTEGER, kind INTEGER, op INTEGER, cache_bytes INTEGER, "
	"cache_path TEXT, corr INTEGER, epoch INTEGER)",

	"CREATE TABLE overhead(process INTEGER NOT NULL, tid INTEGER, start INTEGER NOT NULL, "
	"dur_ns INTEGER, kind INTEGER)",

	"CREATE TABLE gpu_sample(device_uuid TEXT NOT NULL, ts INTEGER NOT NULL, power_mW INTEGER, "
	"energy_mJ INTEGER, sm_pct INTEGER, mem_pct INTEGER, mem_used_B INTEGER, sm_clk INTEGER, "
	"mem_clk INTEGER, temp_C INTEGER, throttle INTEGER)",

	"CREATE TABLE gpu_metric(device_uuid TEXT NOT NULL, start INTEGER NOT NULL, "
	"dur_ns INTEGER NOT NULL, sm_ppm INTEGER, tensor_ppm INTEGER, dram_read_ppm INTEGER, "
	"dram_write_ppm INTEGER, gr_ppm INTEGER, warps_ppm INTEGER, inst_ppm INTEGER, "
	"pcie_read_Bps INTEGER, pcie_write_Bps INTEGER, nvlink_read_Bps INTEGER, "
	"nvlink_write_Bps INTEGER)",

	"CREATE TABLE clock_sync(process INTEGER NOT NULL, cupti INTEGER NOT NULL, "
	"realtime INTEGER NOT NULL, monotonic INTEGER, monotonic_raw INTEGER)",

	"CREATE TABLE loss(process INTEGER, ts INTEGER, reason TEXT NOT NULL, records INTEGER, "
	"bytes INTEGER)",

	"CREATE TABLE count(process INTEGER NOT NULL, kind INTEGER NOT NULL, completed INTEGER, "
	"stored INTEGER, lost INTEGER)",

	"CREATE TABLE untimed(id INTEGER PRIMARY KEY, process INTEGER NOT NULL, "
	"kind INTEGER NOT NULL, device INTEGER, context INTEGER, stream INTEGER, name INTEGER, "
	"corr INTEGER, epoch INTEGER)",

	"CREATE TABLE host_sample(id INTEGER PRIMARY KEY, process INTEGER NOT NULL, "
	"tid INTEGER NOT NULL, ts INTEGER NOT NULL, run_ns INTEGER NOT NULL, wait_ns INTEGER, "
	"voluntary INTEGER, involuntary INTEGER, processor INTEGER, major_faults INTEGER)",

	"CREATE TABLE host_load(id INTEGER PRIMARY KEY, process INTEGER NOT NULL, "
	"ts INTEGER NOT NULL, read_bytes INTEGER, write_bytes INTEGER, throttled_ns INTEGER, "
	"cpu_stall_ns INTEGER, memory_stall_ns INTEGER, io_stall_ns INTEGER)",

	"CREATE TABLE off_cpu(id INTEGER PRIMARY KEY, process INTEGER NOT NULL, "
	"tid INTEGER NOT NULL, start INTEGER NOT NULL, dur_ns INTEGER NOT NULL, "
	"kind INTEGER NOT NULL)",

	"CREATE TABLE call_stack(id INTEGER PRIMARY KEY, parent INTEGER, name TEXT, module TEXT)",

	"CREATE TABLE cpu_sample(id INTEGER PRIMARY KEY, process INTEGER NOT NULL, "
	"tid INTEGER NOT NULL, ts INTEGER NOT NULL, dur_ns INTEGER NOT NULL, "
	"stack INTEGER NOT NULL)",

	"CREATE TABLE message(process INTEGER, ts INTEGER, level INTEGER, code TEXT, text TEXT)",

	"CREATE TABLE pause(process INTEGER NOT NULL, start INTEGER NOT NULL, dur_ns INTEGER)",
	NULL,
};

/* nsys's names for an operation's start, end, place and cause. */
#define NSYS_OPERATION                                                                         \
	"o.start AS start, o.start + coalesce(o.dur_ns, 0) AS \"end\", o.device AS deviceId, " \
	"o.context AS contextId, o.stream AS streamId, o.corr AS correlationId, "              \
	"p.pid << 24 AS globalPid"

/* CUPTI counts kinds of memory from 1, with 0 for unknown; nsys from 0, with 7 for unknown. */
#define NSYS_MEMORY(column) "(coalesce(o." column ", 0) + 7) % 8"

const char *const dp_schema__indexes[] = {
	"CREATE INDEX kernel_start ON kernel(start)",
	"CREATE INDEX memcpy_start ON memcpy(start)",
	"CREATE INDEX api_corr ON api(corr, process, epoch)",
	"CREATE INDEX nvtx_start ON nvtx(start)",

	"CREATE VIEW StringIds AS SELECT id, value FROM string",

	"CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT " NSYS_OPERATION ", "
	"o.name AS demangledName, o.name AS shortName, NULL AS mangledName, "
	"o.regs AS registersPerThread, o.grid_x AS gridX, o.grid_y AS gridY, o.grid_z AS gridZ, "
	"o.block_x AS blockX, o.block_y AS blockY, o.block_z AS blockZ, "
	"o.smem_static AS staticSharedMemory, o.smem_dyn AS dynamicSharedMemory, "
	"o.local AS localMemoryPerThread, o.graph_node AS graphNodeId, o.graph AS graphId, "
	"o.cluster_x AS clusterX, o.cluster_y AS clusterY, o.cluster_z AS clusterZ "
	"FROM kernel AS o JOIN process AS p ON p.id = o.process",

	"CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS SELECT " NSYS_OPERATION ", "
	"o.bytes AS bytes, o.kind AS copyKind, " NSYS_MEMORY("src_kind") " AS srcKind, " NSYS_MEMORY(
		"dst_kind") " AS dstKind, o.src_dev AS srcDeviceId, "
			    "o.dst_dev AS dstDeviceId, o.graph_node AS graphNodeId "
			    "FROM memcpy AS o JOIN process AS p ON p.id = o.process",

	"CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS SELECT " NSYS_OPERATION ", "
	"o.value AS value, o.bytes AS bytes, " NSYS_MEMORY(
		"mem_kind") " AS memKind, "
			    "o.graph_node AS graphNodeId "
			    "FROM memset AS o JOIN process AS p ON p.id = o.process",

	"CREATE VIEW CUPTI_ACTIVITY_KIND_GRAPH_TRACE AS SELECT " NSYS_OPERATION ", "
	"o.graph AS graphId "
	"FROM graph_launch AS o JOIN process AS p ON p.id = o.process",

	/* eventClass: 0 runtime, 1 driver. */
	"CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT o.start AS start, "
	"o.start + coalesce(o.dur_ns, 0) AS \"end\", o.domain = 1 AS eventClass, "
	"(p.pid << 24) | (o.tid & 0xffffff) AS globalTid, o.corr AS correlationId, "
	"c.name AS nameId, "
	"o.ret AS returnValue "
	"FROM api AS o JOIN process AS p ON p.id = o.process "
	"LEFT JOIN cbid AS c ON c.domain = o.domain AND c.cbid = o.cbid",

	"CREATE VIEW CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS SELECT o.start AS start, "
	"o.start + coalesce(o.dur_ns, 0) AS \"end\", o.context AS contextId, "
	"o.stream AS streamId, o.corr AS correlationId, p.pid << 24 AS globalPid, "
	"o.kind AS syncType, o.event AS eventId "
	"FROM sync AS o JOIN process AS p ON p.id = o.process",

	"CREATE VIEW NVTX_EVENTS AS SELECT o.start AS start, o.start + o.dur_ns AS \"end\", "
	"o.type AS eventType, s.value AS text, (p.pid << 24) | (o.tid & 0xffffff) AS globalTid, "
	"o.name AS textId, o.domain AS domainId, "
	"CASE typeof(o.payload) WHEN 'integer' THEN o.payload END AS int64Value, "
	"CASE typeof(o.payload) WHEN 'real' THEN o.payload END AS doubleValue "
	"FROM nvtx AS o JOIN process AS p ON p.id = o.process "
	"LEFT JOIN string AS s ON s.id = o.name",

	"CREATE VIEW TARGET_INFO_GPU AS SELECT DISTINCT device AS id, device AS cuDevice, name, "
	"uuid, mem_bytes AS totalMemory, sms AS smCount, bw_kBps * 1000 AS memoryBandwidth, "
	"clock_khz * 1000 AS clockRate FROM device",

	/* The program's name without its folder: what follows the last '/' of the first word. */
	"CREATE VIEW PROCESSES AS SELECT pid << 24 AS globalPid, pid, "
	"substr(program, length(rtrim(program, replace(program, '/', ''))) + 1) AS name "
	"FROM (SELECT pid, substr(cmdline, 1, instr(cmdline || ' ', ' ') - 1) AS program "
	"FROM process)",

	/* CUPTI's operations on memory count from 1, nsys's from 0; nsys has no others. */
	"CREATE VIEW CUDA_GPU_MEMORY_USAGE_EVENTS AS SELECT o.ts AS start, "
	"p.pid << 24 AS globalPid, o.device AS deviceId, o.address AS address, "
	"o.bytes AS bytes, " NSYS_MEMORY(
		"kind") " AS memKind, o.op - 1 AS memoryOperationType, "
			"o.corr AS correlationId, o.stream AS streamId "
			"FROM mem_op AS o JOIN process AS p ON p.id = o.process "
			"WHERE o.op IN (1, 2)",

	"CREATE VIEW ENUM_CUDA_DEV_MEM_EVENT_OPER(id, name, label) AS VALUES"
	"(0, 'CUDA_DEV_MEM_EVENT_OPR_ALLOCATION', 'Allocation'), "
	"(1, 'CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION', 'Deallocation')",

	"CREATE VIEW ENUM_CUDA_MEMCPY_OPER(id, name, label) AS VALUES"
	"(0, 'CUDA_MEMCPY_KIND_UNKNOWN', 'Unknown'), "
	"(1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'), "
	"(2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'), "
	"(3, 'CUDA_MEMCPY_KIND_HTOA', 'Host-to-Array'), "
	"(4, 'CUDA_MEMCPY_KIND_ATOH', 'Array-to-Host'), "
	"(5, 'CUDA_MEMCPY_KIND_ATOA', 'Array-to-Array'), "
	"(6, 'CUDA_MEMCPY_KIND_ATOD', 'Array-to-Device'), "
	"(7, 'CUDA_MEMCPY_KIND_DTOA', 'Device-to-Array'), "
	"(8, 'CUDA_MEMCPY_KIND_DTOD', 'Device-to-Device'), "
	"(9, 'CUDA_MEMCPY_KIND_HTOH', 'Host-to-Host'), "
	"(10, 'CUDA_MEMCPY_KIND_PTOP', 'Peer-to-Peer')",

	"CREATE VIEW ENUM_CUDA_MEM_KIND(id, name, label) AS VALUES"
	"(0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'), "
	"(1, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'), "
	"(2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device'), "
	"(3, 'CUDA_MEMOPR_MEMORY_KIND_ARRAY', 'Array'), "
	"(4, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED', 'Managed'), "
	"(5, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC', 'Device Static'), "
	"(6, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC', 'Managed Static'), "
	"(7, 'CUDA_MEMOPR_MEMORY_KIND_UNKNOWN', 'Unknown')",

	"CREATE VIEW ENUM_CUPTI_SYNC_TYPE(id, name, label) AS VALUES"
	"(0, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN', 'Unknown'), "
	"(1, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE', 'Event sync'), "
	"(2, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT', 'Stream wait sync'), "
	"(3, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE', 'Stream sync'), "
	"(4, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE', 'Context sync')",

	"CREATE VIEW TARGET_INFO_SESSION_START_TIME AS SELECT value AS utcEpochNs FROM meta "
	"WHERE key = 't0_realtime_ns'",
	NULL,
};

const char *dp_schema__explain_loss(const char *reason)
{
	static const char *const words[][2] = {
		{ "pool-full", "buffers were full (record --max-memory gives more)" },
		{ "spool-limit", "record --max-spool was reached" },
		{ "disk-full", "the temporary file could not be written" },
		{ "cupti-dropped", "CUPTI dropped them" },
		{ "nvtx-ring-full", "NVTX came faster than it could be stored" },
		{ "nvtx-threads", "more threads with NVTX than can be recorded" },
		{ "damaged", "CUPTI's buffers could not be read" },
		{ "no-time", "records without a time" },
		{ "unknown-kind", "records of unknown kinds" },
		{ "damaged-spool", "the temporary file was damaged" },
		{ "died", "the process died, and its buffers were lost" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(reason, words[i][0]))
			return words[i][1];
	return reason;
}
