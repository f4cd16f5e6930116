/*
 * deepprof's own trace file. Tables and indexes are those of the library, so that a change of the
 * schema shows here.
 */
#include "db.h"
#include "format/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KERNEL,
	MEMCPY,
	MEMSET,
	GRAPH,
	API,
	SYNC,
	NVTX,
	STRING,
	META,
	PROCESS,
	THREAD,
	DEVICE,
	CONTEXT,
	STREAM,
	CBID,
	LOSS,
	MEMORY,
	SAMPLE,
	NCCL,
	NVTX_DOMAIN
};
enum {
	ID_NCCL = 2,
	ID_CALL = 16,
	ID_OPERATOR = 64,
	ID_KERNEL = 256,
	ID_MARK = 16384,
	MARKS_PER_LOOP = 1000000
};
enum { DOMAIN_RUNTIME = 2 }; /* CUpti_CallbackDomain */

struct state {
	struct sim_db db;
	bool *kernels;
	bool operators[SIM_OPERATORS];
	uint64_t last_ns;
};

static int64_t process_of(const struct sim_sink *sink, uint32_t rank)
{
	return 1 + rank / sink->run->program->devices;
}

/* process, device, context, stream, start, dur_ns, corr */
#define HEAD(sink, event)                                                                  \
	V(process_of(sink, (event)->rank)), V(sim_run_device((sink)->run, (event)->rank)), \
		V(sim_run_context((sink)->run, (event)->rank)),                            \
		V(sim_run_stream((sink)->run, (event)->stream)), V((event)->start_ns),     \
		V((event)->end_ns - (event)->start_ns), V((event)->correlation)

static int put_kernel(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	const struct sim_kernel *kernel = &sink->run->catalogue->kernels[event->name];

	state->kernels[event->name] = true;
	return sim_db_insert(
		sink, KERNEL,
		"INSERT INTO kernel(process, device, context, stream, start, dur_ns, corr, name, "
		"epoch, grid_x, grid_y, grid_z, block_x, block_y, block_z, regs, smem_static, "
		"smem_dyn, local, graph, complete) "
		"VALUES(?,?,?,?,?,?,?,?,0,?,1,1,?,1,1,?,?,0,0,?,1)",
		HEAD(sink, event), V(ID_KERNEL + (int64_t)event->name), V(event->grid),
		V(kernel->block), V(kernel->registers), V(kernel->shared_memory),
		sim_known(event->node, 1));
}

static int put_memcpy(struct sim_sink *sink, const struct sim_event *event)
{
	return sim_db_insert(
		sink, MEMCPY,
		"INSERT INTO memcpy(process, device, context, stream, start, dur_ns, corr, kind, "
		"src_kind, dst_kind, bytes, async, epoch) VALUES(?,?,?,?,?,?,?,?,?,?,?,1,0)",
		HEAD(sink, event), V(sim_copy_kind(event)), V(sim_memory_kind(event, true)),
		V(sim_memory_kind(event, false)), V(event->bytes));
}

static int put_memset(struct sim_sink *sink, const struct sim_event *event)
{
	return sim_db_insert(
		sink, MEMSET,
		"INSERT INTO memset(process, device, context, stream, start, dur_ns, corr, bytes, "
		"value, mem_kind, epoch) VALUES(?,?,?,?,?,?,?,?,0,3,0)",
		HEAD(sink, event), V(event->bytes));
}

static int put_graph(struct sim_sink *sink, const struct sim_event *event)
{
	return sim_db_insert(
		sink, GRAPH,
		"INSERT INTO graph_launch(process, device, context, stream, start, dur_ns, corr, "
		"graph, epoch) VALUES(?,?,?,?,?,?,?,?,0)",
		HEAD(sink, event), V(event->name + 1));
}

static int put_sync(struct sim_sink *sink, const struct sim_event *event)
{
	return sim_db_insert(
		sink, SYNC,
		"INSERT INTO sync(process, context, stream, start, dur_ns, kind, corr, epoch) "
		"VALUES(?,?,?,?,?,?,?,0)",
		V(process_of(sink, event->rank)), V(sim_run_context(sink->run, event->rank)),
		V(sim_run_stream(sink->run, event->stream)), V(event->start_ns),
		V(event->end_ns - event->start_ns), V(event->name == SIM_CALL_DEVICE_SYNC ? 4 : 3),
		V(event->correlation));
}

static int put_call(struct sim_sink *sink, const struct sim_event *event)
{
	if (sim_db_insert(
		    sink, API,
		    "INSERT INTO api(process, tid, start, dur_ns, domain, cbid, corr, epoch, ret) "
		    "VALUES(?,?,?,?,?,?,?,0,0)",
		    V(process_of(sink, event->rank)),
		    V(sim_run_tid(sink->run, event->rank, event->thread)), V(event->start_ns),
		    V(event->end_ns - event->start_ns), V(DOMAIN_RUNTIME),
		    V(sim_call_names[event->name].cbid), V(event->correlation)))
		return -1;
	if (event->name == SIM_CALL_STREAM_SYNC || event->name == SIM_CALL_DEVICE_SYNC)
		return put_sync(sink, event);
	return 0;
}

static int put_string(struct sim_sink *sink, int64_t id, const char *value, const char *mangled)
{
	return sim_db_insert(sink, STRING,
			     "INSERT OR IGNORE INTO string(id, value, mangled) VALUES(?,?,?)",
			     V(id), V(value), V(mangled));
}

static int put_collective(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_db *db = sink->state;
	const struct sim_collective *collective = &sink->run->collectives[event->collective - 1];
	const struct sim_group *group = &sink->run->ranks[event->rank].groups[collective->axis];
	uint32_t peer = sim_group_peer(group, collective);
	bool sums = strcmp(sim_nccl_name(collective), "ncclAllReduce") == 0;

	if (sim_db_insert(sink, NVTX_DOMAIN,
			  "INSERT INTO nvtx(process, tid, domain, name, type, start, dur_ns) "
			  "VALUES(?,?,?,?,?,?,?)",
			  V(process_of(sink, event->rank)),
			  V(sim_run_tid(sink->run, event->rank, event->thread)), V(ID_NCCL),
			  V(ID_NCCL + 1 + (int64_t)collective->kind), V(DP_SCHEMA_NVTX_PUSH_POP),
			  V(event->start_ns), V(event->end_ns - event->start_ns)))
		return -1;
	return sim_db_insert(
		sink, NCCL,
		"INSERT INTO nccl(nvtx, comm_hash, op, bytes, reduction, peer, rank, ranks) "
		"VALUES(?,?,?,?,?,?,?,?)",
		V(sqlite3_last_insert_rowid(db->handle)), V(0x51ed270b9f1 * (group->number + 1ull)),
		V(sim_nccl_name(collective) + strlen("nccl")),
		V((int64_t)collective->in_elements * 4), V(sums ? "sum" : NULL),
		sim_known(peer != SIM_NONE, peer), V(group->rank), V(group->size));
}

static int put_range(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	int64_t name = ID_OPERATOR + (int64_t)event->name;
	char text[64];

	if (event->collective)
		return put_collective(sink, event);
	if (event->kind == SIM_MARK) {
		name = ID_MARK + (int64_t)event->name * MARKS_PER_LOOP + event->number;
		snprintf(text, sizeof(text), "%s#%u", sink->run->program->loops[event->name].mark,
			 (unsigned)event->number);
		if (put_string(sink, name, text, NULL))
			return -1;
	} else {
		state->operators[event->name] = true;
	}
	return sim_db_insert(
		sink, NVTX,
		"INSERT INTO nvtx(process, tid, name, type, start, dur_ns) VALUES(?,?,?,?,?,?)",
		V(process_of(sink, event->rank)),
		V(sim_run_tid(sink->run, event->rank, event->thread)), V(name),
		V(DP_SCHEMA_NVTX_PUSH_POP), V(event->start_ns), V(event->end_ns - event->start_ns));
}

static int run_all(struct sim_sink *sink, const char *const *statements)
{
	struct state *state = sink->state;

	for (; *statements; statements++)
		if (sim_db_run(&state->db, sink, *statements))
			return -1;
	return 0;
}

static void device_uuid(char uuid[48], const struct sim_run *run, uint32_t rank)
{
	snprintf(uuid, 48, "GPU-60ac9fdc-1bab-f0b0-fc93-%012u",
		 (unsigned)sim_run_device(run, rank));
}

/* CUPTI's numbers: 1 allocated, 2 released; 3 is device memory. */
static int put_memory(struct sim_sink *sink, const struct sim_event *event)
{
	return sim_db_insert(sink, MEMORY,
			     "INSERT INTO mem_op(process, ts, op, kind, address, bytes, device) "
			     "VALUES(?,?,?,3,4096,?,?)",
			     V(process_of(sink, event->rank)), V(event->start_ns),
			     V(event->freed ? 2 : 1), V(event->bytes),
			     V(sim_run_device(sink->run, event->rank)));
}

/* NVML's reasons: 0x20 is software's slowdown for heat. */
static int put_sample(struct sim_sink *sink, const struct sim_event *event)
{
	char uuid[48];

	device_uuid(uuid, sink->run, event->rank);
	return sim_db_insert(sink, SAMPLE,
			     "INSERT INTO gpu_sample(device_uuid, ts, power_mW, energy_mJ, sm_clk, "
			     "throttle) VALUES(?,?,?,?,?,?)",
			     V(uuid), V(event->start_ns), V(event->power_mw), V(event->bytes),
			     V(event->clock_mhz), V(event->hot ? 0x20 : 0));
}

static int deepprof_open(struct sim_sink *sink)
{
	struct state *state = sink->state = calloc(1, sizeof(*state));

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	state->kernels = calloc(sink->run->catalogue->count + 1, sizeof(bool));
	if (!state->kernels)
		return sim_sink_fail(sink, sink->path, "out of memory");
	if (sim_db_open(&state->db, sink, 16384))
		return -1;
	return run_all(sink, dp_schema__tables);
}

static int deepprof_event(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;

	sink->events++;
	if (event->end_ns > state->last_ns)
		state->last_ns = event->end_ns;
	switch (event->kind) {
	case SIM_KERNEL:
		return put_kernel(sink, event);
	case SIM_COPY:
		return put_memcpy(sink, event);
	case SIM_SET:
		return put_memset(sink, event);
	case SIM_GRAPH:
		return put_graph(sink, event);
	case SIM_CALL:
		return put_call(sink, event);
	case SIM_MEMORY:
		return put_memory(sink, event);
	case SIM_SAMPLE:
		return put_sample(sink, event);
	default:
		return put_range(sink, event);
	}
}

static int put_strings(struct sim_sink *sink)
{
	struct state *state = sink->state;
	const struct sim_catalogue *catalogue = sink->run->catalogue;
	bool tensorflow = strcmp(sink->run->program->framework, "tensorflow") == 0;

	for (int i = 0; i < SIM_CALLS; i++)
		if (put_string(sink, ID_CALL + i, sim_call_names[i].name, NULL))
			return -1;
	if (sink->run->ranks && put_string(sink, ID_NCCL, "NCCL", NULL))
		return -1;
	for (uint32_t i = 0; i < SIM_NCCL_NAMES && sink->run->ranks; i++)
		if (put_string(sink, ID_NCCL + 1 + i,
			       sim_nccl_name(&(struct sim_collective){ .kind = i }), NULL))
			return -1;
	for (int i = 0; i < SIM_OPERATORS; i++)
		if (state->operators[i] &&
		    put_string(sink, ID_OPERATOR + i,
			       sim_operator_name((enum sim_operator)i, tensorflow), NULL))
			return -1;
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct sim_kernel *kernel = &catalogue->kernels[i];

		if (state->kernels[i] &&
		    put_string(sink, ID_KERNEL + (int64_t)i, kernel->name, kernel->mangled))
			return -1;
	}
	return 0;
}

static int put_meta(struct sim_sink *sink)
{
	static const char insert[] = "INSERT INTO meta(key, value) VALUES(?,?)";

	if (sim_db_insert(sink, META, insert, V("schema"), V(DP_SCHEMA_VERSION)) ||
	    sim_db_insert(sink, META, insert, V("t0_realtime_ns"), V(sink->run->epoch_ns)))
		return -1;
	if (sink->run->ranks &&
	    sim_db_insert(sink, META, insert, V("hostname"), V(sink->run->ranks->host)))
		return -1;
	for (int i = 0; i < SIM_CALLS; i++)
		if (sim_db_insert(sink, CBID, "INSERT INTO cbid(domain, cbid, name) VALUES(?,?,?)",
				  V(DOMAIN_RUNTIME), V(sim_call_names[i].cbid), V(ID_CALL + i)))
			return -1;
	return 0;
}

static int put_process(struct sim_sink *sink, uint32_t rank)
{
	const struct sim_run *run = sink->run;
	const struct sim_rank_info *info = run->ranks ? &run->ranks[rank] : NULL;
	bool named = info && info->named, known = named || run->program->processes > 1;
	int64_t number = (int64_t)(rank / run->program->devices);

	return sim_db_insert(
		sink, PROCESS,
		"INSERT INTO process(id, pid, ppid, start, dur_ns, exit, rank, local_rank, "
		"world_size, cmdline, cupti_version, graph_mode) "
		"VALUES(?,?,1,0,?,0,?,?,?,'python train.py',130000,'graph')",
		V(process_of(sink, rank)), V(sim_run_pid(run, rank)),
		V(((struct state *)sink->state)->last_ns),
		sim_known(known, named ? info->rank : number),
		sim_known(known, named ? info->local : number),
		sim_known(known, named ? info->world : run->program->processes));
}

static int put_threads(struct sim_sink *sink, uint32_t rank)
{
	const struct sim_run *run = sink->run;

	for (uint32_t i = 0; i < SIM_THREADS; i++) {
		if (sim_db_insert(sink, THREAD,
				  "INSERT INTO thread(process, tid, name) VALUES(?,?,'python')",
				  V(process_of(sink, rank)), V(sim_run_tid(run, rank, i))))
			return -1;
	}
	return 0;
}

static int put_device(struct sim_sink *sink, uint32_t rank)
{
	const struct sim_run *run = sink->run;
	char uuid[48];

	device_uuid(uuid, run, rank);
	if (sim_db_insert(
		    sink, DEVICE,
		    "INSERT INTO device(process, device, uuid, name, cc, sms, mem_bytes, clock_khz, "
		    "bw_kBps) VALUES(?,?,?,?,'8.0',108,42297786368,1410000,1555200000)",
		    V(process_of(sink, rank)), V(sim_run_device(run, rank)), V(uuid),
		    V(run->program->gpu)))
		return -1;
	return sim_db_insert(
		sink, CONTEXT,
		"INSERT INTO context(process, context, device, null_stream) VALUES(?,?,?,7)",
		V(process_of(sink, rank)), V(sim_run_context(run, rank)),
		V(sim_run_device(run, rank)));
}

static int complete_file(struct sim_sink *sink)
{
	const struct sim_run *run = sink->run;

	if (put_strings(sink) || put_meta(sink))
		return -1;
	for (uint32_t r = 0; r < sim_run_ranks(run); r++)
		if ((r % run->program->devices == 0 && put_process(sink, r)) ||
		    put_threads(sink, r) || put_device(sink, r))
			return -1;
	return run_all(sink, dp_schema__indexes);
}

static int deepprof_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status = 0;

	if (!state)
		return 0;
	if (complete)
		status = complete_file(sink);
	if (sim_db_close(&state->db, sink, complete && status == 0))
		status = -1;
	free(state->kernels);
	free(state);
	return status;
}

const struct sim_writer sim_deepprof_writers[] = {
	{ "deepprof", "deepprof's own trace file", ".db", 1, 1, true, false, 0, deepprof_open,
	  deepprof_event, deepprof_close, true, .jobs = true },
	SIM_WRITERS_END,
};
