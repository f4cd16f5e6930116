/*
 * The results as an SQLite database: loops, iterations, metrics, findings, and the parts of the
 * trace to join them with (deepprof-export(1) documents the tables). The database is built in
 * memory and then written whole, since renderers have no file: this takes twice its size. Cost:
 * linear.
 */
#include "report/number.h"
#include "report/report.h"
#include "report/timeline.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

/* The table of iterations has a column per metric; all else is fixed. */
static const char schema[] =
	"PRAGMA application_id = 1685090930;" /* "dprr" */
	"PRAGMA user_version = 1;"
	"CREATE TABLE trace (path TEXT, format TEXT, t0_ns INTEGER, duration_ns INTEGER,"
	" resolution_ns INTEGER, operations INTEGER, deepprof TEXT,"
	" scope_device INTEGER, scope_stream INTEGER, scope_start_ns INTEGER,"
	" scope_end_ns INTEGER, source_zero_ns INTEGER);"
	"CREATE TABLE metric (name TEXT PRIMARY KEY, unit TEXT, better TEXT, help TEXT, of TEXT);"
	"CREATE TABLE stream (id INTEGER PRIMARY KEY, pid INTEGER, device INTEGER, context INTEGER,"
	" stream INTEGER, class TEXT, busy_ns INTEGER);"
	"CREATE TABLE string (id INTEGER PRIMARY KEY, text TEXT);"
	"CREATE TABLE operation_raw (id INTEGER PRIMARY KEY, stream INTEGER REFERENCES stream,"
	" kind TEXT, name INTEGER REFERENCES string, start_ns INTEGER, end_ns INTEGER,"
	" bytes INTEGER, correlation INTEGER, call INTEGER REFERENCES call_raw);"
	"CREATE TABLE thread (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, name TEXT);"
	"CREATE TABLE call_raw (id INTEGER PRIMARY KEY, thread INTEGER REFERENCES thread,"
	" kind TEXT, name INTEGER REFERENCES string, start_ns INTEGER, end_ns INTEGER);"
	"CREATE TABLE annotation_raw (id INTEGER PRIMARY KEY, thread INTEGER REFERENCES thread,"
	" kind TEXT, name INTEGER REFERENCES string, start_ns INTEGER, end_ns INTEGER);"
	"CREATE TABLE cpu_sample_raw (thread INTEGER REFERENCES thread,"
	" function INTEGER REFERENCES string, time_ns INTEGER, length_ns INTEGER);"
	"CREATE TABLE idle (pid INTEGER, device INTEGER, start_ns INTEGER, end_ns INTEGER,"
	" cause TEXT, operation INTEGER REFERENCES operation_raw);"
	"CREATE TABLE loop (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES loop,"
	" stream INTEGER REFERENCES stream, found_by TEXT, phase TEXT, confidence REAL,"
	" coverage REAL, selected INTEGER, length INTEGER, occurrences INTEGER,"
	" iterations INTEGER, complete INTEGER, variants INTEGER);"
	"CREATE TABLE pattern (loop INTEGER REFERENCES loop, position INTEGER, kernel TEXT,"
	" PRIMARY KEY (loop, position)) WITHOUT ROWID;"
	"CREATE TABLE summary (loop INTEGER REFERENCES loop, metric TEXT REFERENCES metric,"
	" value REAL, PRIMARY KEY (loop, metric)) WITHOUT ROWID;"
	"CREATE TABLE finding (id INTEGER PRIMARY KEY, loop INTEGER REFERENCES loop, rule TEXT,"
	" severity TEXT, confidence REAL, first_iteration INTEGER, last_iteration INTEGER,"
	" recoverable_ns INTEGER, advice TEXT);"
	"CREATE TABLE evidence (finding INTEGER REFERENCES finding, name TEXT, unit TEXT,"
	" value REAL, call TEXT);"
	"CREATE TABLE host_range (loop INTEGER REFERENCES loop, activity TEXT, outer TEXT,"
	" inner TEXT, typical_ns INTEGER, slow_ns INTEGER, calls REAL);"
	"CREATE TABLE stream_wait (loop INTEGER REFERENCES loop, name TEXT,"
	" stream INTEGER REFERENCES stream, event INTEGER, ns INTEGER);";

static const char iteration_head[] =
	"CREATE TABLE iteration (loop INTEGER REFERENCES loop, iteration INTEGER,"
	" start_ns INTEGER, end_ns INTEGER, first_kernel INTEGER, kernels INTEGER,"
	" inserted INTEGER, deleted INTEGER, substituted INTEGER, variant INTEGER,"
	" partial INTEGER, warmup INTEGER, foreign_kernels INTEGER, slow INTEGER";

enum { ITERATION_FIXED = 14 };

/*
 * Created when the tables are full. Names are long and few, so tables refer to them by number, and
 * views by name. An iteration's time lasts until the start of the next one, where an operation
 * begins, so that no idle time crosses its end. The pid and the device of a stream may be NULL, so
 * they are compared with IS.
 */
static const char views[] =
	"CREATE INDEX operation_start ON operation_raw (stream, start_ns);"
	"CREATE INDEX idle_start ON idle (device, start_ns);"
	"CREATE VIEW operation AS SELECT r.id, r.stream, r.kind, s.text AS name, r.start_ns,"
	" r.end_ns, r.bytes, r.correlation, r.call"
	" FROM operation_raw r LEFT JOIN string s ON s.id = r.name;"
	"CREATE VIEW call AS SELECT r.id, r.thread, r.kind, s.text AS name, r.start_ns, r.end_ns"
	" FROM call_raw r LEFT JOIN string s ON s.id = r.name;"
	"CREATE VIEW annotation AS SELECT r.id, r.thread, r.kind, s.text AS name, r.start_ns,"
	" r.end_ns FROM annotation_raw r LEFT JOIN string s ON s.id = r.name;"
	"CREATE VIEW cpu_sample AS SELECT r.thread, s.text AS function, r.time_ns, r.length_ns"
	" FROM cpu_sample_raw r JOIN string s ON s.id = r.function;"
	"CREATE VIEW iteration_span AS"
	" SELECT i.loop, i.iteration, s.pid, s.device, i.start_ns, coalesce((SELECT n.start_ns"
	" FROM iteration n WHERE n.loop = i.loop AND n.iteration = i.iteration + 1), i.end_ns)"
	" AS end_ns FROM iteration i JOIN loop l ON l.id = i.loop JOIN stream s ON s.id = l.stream;"
	"CREATE VIEW iteration_operation AS SELECT i.loop, i.iteration, o.*"
	" FROM iteration_span i JOIN stream t ON t.pid IS i.pid AND t.device IS i.device"
	" JOIN operation o ON o.stream = t.id AND o.start_ns >= i.start_ns"
	" AND o.start_ns < i.end_ns;"
	"CREATE VIEW iteration_idle AS SELECT i.loop, i.iteration, d.start_ns, d.end_ns, d.cause,"
	" d.operation FROM iteration_span i JOIN idle d ON d.pid IS i.pid"
	" AND d.device IS i.device AND d.start_ns >= i.start_ns AND d.start_ns < i.end_ns;"
	"COMMIT";

struct database {
	sqlite3 *db;
	sqlite3_stmt *iteration;
	sqlite3_stmt *pattern;
};

static int failed(struct dp_render *render, sqlite3 *db)
{
	int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;

	if (code == SQLITE_NOMEM)
		return dp_error__nomem(render->error, 0);
	return dp_error__set(render->error, DP_ERR_IO, "SQLite: %s", sqlite3_errmsg(db));
}

static int execute(struct dp_render *render, const char *sql)
{
	struct database *database = render->state;

	if (sqlite3_exec(database->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return failed(render, database->db);
	return DP_OK;
}

static sqlite3_stmt *prepare(struct dp_render *render, const char *sql)
{
	struct database *database = render->state;
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(database->db, sql, -1, &statement, NULL) != SQLITE_OK &&
	    !render->status)
		render->status = failed(render, database->db);
	return statement;
}

/* Binds one parameter after another. */
struct row {
	sqlite3_stmt *statement;
	int used;
	int code; /* of the first that could not be bound (it would be NULL); step() reports it */
};

static void bound(struct row *row, int code)
{
	if (!row->code)
		row->code = code;
}

static void integer(struct row *row, int64_t value)
{
	bound(row, sqlite3_bind_int64(row->statement, ++row->used, value));
}

/* An identifier or index; NULL if there is none. */
static void identifier(struct row *row, int64_t id)
{
	if (id >= 0)
		integer(row, id);
	else
		row->used++;
}

/* NaN is NULL. */
static void real(struct row *row, double value, const char *unit)
{
	if (!isfinite(value))
		row->used++;
	else if (dp_number__is_integer(unit) && fabs(value) < 9e18)
		integer(row, llround(value));
	else
		bound(row, sqlite3_bind_double(row->statement, ++row->used, value));
}

/* A text; NULL if there is none. It is not copied, so it must last until step(). */
static void text(struct row *row, const char *value)
{
	bound(row, sqlite3_bind_text(row->statement, ++row->used, value, -1, SQLITE_STATIC));
}

static void step(struct dp_render *render, struct row *row)
{
	const struct database *database = render->state;

	/* the error of a statement that could not be prepared is set already */
	if (!row->statement)
		return;
	if ((row->code || sqlite3_step(row->statement) != SQLITE_DONE) && !render->status)
		render->status = failed(render, database->db);
	sqlite3_reset(row->statement);
	sqlite3_clear_bindings(row->statement);
	row->used = row->code = 0;
}

/* The SQL for the table of iterations. Names of metrics need no quotes, but have them. */
static char *iteration_sql(size_t metrics, bool insert)
{
	size_t room = sizeof(iteration_head) + 128, used;
	char *sql;

	for (size_t i = 0; i < metrics; i++)
		room += strlen(dp_metric(i)->name) + 16;
	sql = malloc(room);
	if (!sql)
		return NULL;
	used = (size_t)snprintf(sql, room, "%s",
				insert ? "INSERT INTO iteration VALUES (?" : iteration_head);
	for (size_t i = insert ? 1 : ITERATION_FIXED; i < ITERATION_FIXED + metrics; i++) {
		const char *name = insert ? "" : dp_metric(i - ITERATION_FIXED)->name;
		bool whole = !insert && dp_number__is_integer(dp_metric(i - ITERATION_FIXED)->unit);

		used += (size_t)snprintf(sql + used, room - used,
					 insert	 ? ", ?%s"
					 : whole ? ", \"%s\" INTEGER"
						 : ", \"%s\" REAL",
					 name);
	}
	snprintf(sql + used, room - used,
		 insert ? ")" : ", PRIMARY KEY (loop, iteration)) WITHOUT ROWID");
	return sql;
}

static int make_tables(struct dp_render *render)
{
	struct database *database = render->state;
	char *create, *insert;
	size_t metrics = dp_metric_count();
	int status;

	create = iteration_sql(metrics, false);
	insert = iteration_sql(metrics, true);
	status = create && insert ? execute(render, schema) : dp_error__nomem(render->error, 0);
	if (!status)
		status = execute(render, create);
	if (!status)
		status = execute(render, "BEGIN");
	if (!status)
		database->iteration = prepare(render, insert);
	if (!status)
		database->pattern = prepare(render, "INSERT INTO pattern VALUES (?, ?, ?)");
	free(create);
	free(insert);
	return status ? status : render->status;
}

/* One end of a range; NULL if there is none. */
static void limit(struct row *row, int64_t ns)
{
	if (ns == INT64_MIN || ns == INT64_MAX)
		row->used++;
	else
		integer(row, ns);
}

static void write_trace(struct dp_render *render, const struct dp_trace *trace)
{
	struct row row = { prepare(render, "INSERT INTO trace VALUES "
					   "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
			   0, 0 };
	const struct dp_scope *scope = dp_analysis_scope(render->analysis);
	int64_t t0_ns;

	text(&row, dp_trace_path(trace));
	text(&row, dp_trace_format(trace));
	if (dp_trace_t0(trace, &t0_ns))
		integer(&row, t0_ns);
	else
		row.used++;
	integer(&row, dp_trace_duration_ns(trace));
	integer(&row, dp_trace_resolution_ns(trace));
	integer(&row, (int64_t)dp_trace_ops(trace)->count);
	text(&row, dp_version());
	identifier(&row, scope->device);
	identifier(&row, scope->stream);
	limit(&row, scope->range_start_ns);
	limit(&row, scope->range_end_ns);
	integer(&row, dp_trace_source_zero(trace));
	step(render, &row);
	sqlite3_finalize(row.statement);
}

static void write_metrics(struct dp_render *render)
{
	static const char *const better[] = { "neither", "lower", "higher" };
	struct row row = { prepare(render, "INSERT OR IGNORE INTO metric VALUES (?, ?, ?, ?, ?)"),
			   0, 0 };
	const struct dp_metric_info *info;
	size_t metrics = dp_metric_count();

	for (size_t i = 0; !render->status; i++) {
		info = i < metrics ? dp_metric(i) : dp_summary_metric(i - metrics);
		if (!info)
			break;
		text(&row, info->name);
		text(&row, info->unit);
		text(&row, better[info->better]);
		text(&row, info->help);
		if (info->of)
			text(&row, info->of);
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

static void write_streams(struct dp_render *render, const struct dp_trace *trace)
{
	static const char *const classes[] = { "main", "copy", "assist" };
	struct row row = { prepare(render, "INSERT INTO stream VALUES (?, ?, ?, ?, ?, ?, ?)"), 0,
			   0 };
	const struct dp_stream *stream;

	for (size_t i = 0; !render->status && (stream = dp_trace_stream(trace, i)); i++) {
		integer(&row, (int64_t)i);
		identifier(&row, dp_trace_process(trace, stream->process)->pid);
		identifier(&row, dp_trace_device(trace, stream->device)->id);
		identifier(&row, stream->context);
		identifier(&row, stream->stream);
		text(&row, classes[stream->stream_class]);
		integer(&row, stream->busy_ns);
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

static void write_strings(struct dp_render *render, const struct dp_trace *trace)
{
	struct row row = { prepare(render, "INSERT INTO string VALUES (?, ?)"), 0, 0 };

	for (uint32_t i = 0; i < dp_trace_string_count(trace) && !render->status; i++) {
		integer(&row, i);
		text(&row, dp_trace_string(trace, i));
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

static void write_operations(struct dp_render *render, const struct dp_trace *trace)
{
	static const char *const kinds[] = { "kernel", "graph", "copy", "set" };
	struct row row = { prepare(render,
				   "INSERT INTO operation_raw VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
			   0, 0 };
	const struct dp_ops *ops = dp_trace_ops(trace);

	for (size_t i = 0; i < ops->count && !render->status; i++) {
		integer(&row, (int64_t)i);
		integer(&row, ops->stream[i]);
		text(&row, kinds[ops->kind[i]]);
		identifier(&row, ops->name[i] == DP_NONE ? -1 : (int64_t)ops->name[i]);
		integer(&row, ops->start_ns[i]);
		integer(&row, ops->end_ns[i]);
		integer(&row, (int64_t)ops->bytes[i]);
		identifier(&row, ops->correlation[i] ? (int64_t)ops->correlation[i] : -1);
		identifier(&row, ops->call[i] == DP_NONE ? -1 : (int64_t)ops->call[i]);
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

static void write_threads(struct dp_render *render, const struct dp_trace *trace)
{
	struct row row = { prepare(render, "INSERT INTO thread VALUES (?, ?, ?, ?)"), 0, 0 };
	const struct dp_thread *thread;

	for (size_t i = 0; !render->status && (thread = dp_trace_thread(trace, i)); i++) {
		integer(&row, (int64_t)i);
		identifier(&row, dp_trace_process(trace, thread->process)->pid);
		integer(&row, thread->tid);
		if (thread->name != DP_NONE)
			text(&row, dp_trace_string(trace, thread->name));
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

/* What a thread did: calls, or annotations. */
struct host {
	size_t count;
	const int64_t *start_ns, *end_ns;
	const uint32_t *name, *thread;
	const uint8_t *kind;
	const char *const *kinds;
};

static void write_host(struct dp_render *render, const char *sql, const struct host *host)
{
	struct row row = { prepare(render, sql), 0, 0 };

	for (size_t i = 0; i < host->count && !render->status; i++) {
		integer(&row, (int64_t)i);
		identifier(&row, host->thread[i] == DP_NONE ? -1 : (int64_t)host->thread[i]);
		text(&row, host->kinds[host->kind[i]]);
		identifier(&row, host->name[i] == DP_NONE ? -1 : (int64_t)host->name[i]);
		integer(&row, host->start_ns[i]);
		integer(&row, host->end_ns[i]);
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

static void write_hosts(struct dp_render *render, const struct dp_trace *trace)
{
	static const char *const call_kinds[] = {
		[DP_CALL_OTHER] = "other",     [DP_CALL_LAUNCH] = "launch",
		[DP_CALL_COPY] = "copy",       [DP_CALL_SET] = "set",
		[DP_CALL_SYNC] = "sync",       [DP_CALL_MEMORY] = "memory",
		[DP_CALL_CAPTURE] = "capture", [DP_CALL_LOAD] = "load",
	};
	static const char *const range_kinds[] = { "nvtx", "annotation", "operator" };
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	struct host host = { calls->count,  calls->start_ns, calls->end_ns, calls->name,
			     calls->thread, calls->kind,     call_kinds };

	write_host(render, "INSERT INTO call_raw VALUES (?, ?, ?, ?, ?, ?)", &host);
	host = (struct host){ ranges->count,  ranges->start_ns, ranges->end_ns, ranges->name,
			      ranges->thread, ranges->kind,	range_kinds };
	write_host(render, "INSERT INTO annotation_raw VALUES (?, ?, ?, ?, ?, ?)", &host);
}

static void write_samples(struct dp_render *render, const struct dp_trace *trace)
{
	struct row row = { prepare(render, "INSERT INTO cpu_sample_raw VALUES (?, ?, ?, ?)"), 0,
			   0 };
	const struct dp_function_samples *samples = dp_trace_function_samples(trace);

	for (size_t i = 0; i < samples->count && !render->status; i++) {
		integer(&row, samples->thread[i]);
		integer(&row, samples->function[i]);
		integer(&row, samples->time_ns[i]);
		integer(&row, samples->length_ns[i]);
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

struct idle_rows {
	struct dp_render *render;
	struct row row;
	const struct dp_device *device;
};

static int write_idle(void *ctx, const struct dp_idle *idle)
{
	struct idle_rows *rows = ctx;
	const struct dp_trace *trace = dp_analysis_trace(rows->render->analysis);

	identifier(&rows->row, dp_trace_process(trace, rows->device->process)->pid);
	identifier(&rows->row, rows->device->id);
	integer(&rows->row, idle->start_ns);
	integer(&rows->row, idle->end_ns);
	text(&rows->row, dp_idle_cause_name(idle->cause));
	integer(&rows->row, idle->op);
	step(rows->render, &rows->row);
	return rows->render->status;
}

static void write_idles(struct dp_render *render, const struct dp_trace *trace)
{
	struct idle_rows rows = { render,
				  { prepare(render, "INSERT INTO idle VALUES (?, ?, ?, ?, ?, ?)"),
				    0, 0 },
				  NULL };

	for (uint32_t i = 0; !render->status && (rows.device = dp_trace_device(trace, i)); i++) {
		int status;

		if (!dp_timeline__has_loop(render, i))
			continue;
		status = dp_analysis_foreach_idle(render->analysis, i, INT64_MIN, INT64_MAX,
						  write_idle, &rows, render->error);
		if (!render->status)
			render->status = status;
	}
	sqlite3_finalize(rows.row.statement);
}

static void close_database(struct dp_render *render)
{
	struct database *database = render->state;

	sqlite3_finalize(database->iteration);
	sqlite3_finalize(database->pattern);
	sqlite3_close(database->db);
	free(database);
}

static int begin(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	struct database *database = dp_alloc__zeroed(1, sizeof(*database));
	int status;

	if (!database)
		return dp_error__nomem(render->error, sizeof(*database));
	render->state = database;
	if (sqlite3_open_v2(":memory:", &database->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE,
			    NULL) != SQLITE_OK)
		status = failed(render, database->db);
	else
		status = make_tables(render);
	if (!status) {
		write_trace(render, trace);
		write_metrics(render);
		write_streams(render, trace);
		write_strings(render, trace);
		write_operations(render, trace);
		write_threads(render, trace);
		write_hosts(render, trace);
		write_samples(render, trace);
		write_idles(render, trace);
		status = render->status;
	}
	if (status)
		close_database(render);
	return status;
}

static void write_summary(struct dp_render *render, size_t loop)
{
	struct row row = { prepare(render, "INSERT INTO summary VALUES (?, ?, ?)"), 0, 0 };
	const struct dp_metric_info *info;

	for (size_t i = 0; !render->status && (info = dp_summary_metric(i)); i++) {
		integer(&row, (int64_t)loop);
		text(&row, info->name);
		real(&row, dp_analysis_loop_summary(render->analysis, loop, i), "");
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

/* Writes what the host did while the device was idle; a row whose inner is NULL is a sum. */
static void write_host_ranges(struct dp_render *render, size_t loop)
{
	struct row row = { prepare(render, "INSERT INTO host_range VALUES (?, ?, ?, ?, ?, ?, ?)"),
			   0 };
	const struct dp_host_range *at;

	for (size_t i = 0;
	     (at = dp_analysis_loop_host_range(render->analysis, loop, i)) && !render->status;
	     i++) {
		integer(&row, (int64_t)loop);
		text(&row, dp_host_activity_name(at->activity));
		text(&row, at->outer);
		text(&row, at->inner);
		real(&row, at->typical_ns, "ns");
		real(&row, at->slow_ns, "ns");
		real(&row, at->activity >= DP_HOST_SYNC ? at->calls : (double)NAN, "1");
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

/* Writes what the loop's stream waited for while it was idle. */
static void write_stream_waits(struct dp_render *render, size_t loop)
{
	struct row row = { prepare(render, "INSERT INTO stream_wait VALUES (?, ?, ?, ?, ?)"), 0,
			   0 };
	const struct dp_stream_wait *at;

	for (size_t i = 0;
	     (at = dp_analysis_loop_stream_wait(render->analysis, loop, i)) && !render->status;
	     i++) {
		integer(&row, (int64_t)loop);
		text(&row, at->name);
		integer(&row, at->stream);
		integer(&row, at->event);
		real(&row, at->ns, "ns");
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

static int write_loop(struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	struct database *database = render->state;
	struct row row = { prepare(render, "INSERT INTO loop VALUES "
					   "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
			   0, 0 };
	struct row pattern = { database->pattern, 0, 0 };

	integer(&row, loop->id);
	identifier(&row, loop->parent == DP_NONE ? -1 : (int64_t)loop->parent);
	integer(&row, loop->stream);
	text(&row, dp_found_by_name(loop->found_by));
	text(&row, dp_phase_name(loop->phase));
	real(&row, loop->confidence, "1");
	real(&row, loop->coverage, "1");
	integer(&row, loop->selected);
	integer(&row, (int64_t)loop->length);
	integer(&row, (int64_t)loop->occurrences);
	integer(&row, (int64_t)loop->iterations);
	integer(&row, (int64_t)loop->complete);
	integer(&row, (int64_t)loop->variants);
	step(render, &row);
	sqlite3_finalize(row.statement);
	for (size_t i = 0; i < loop->length && !render->status; i++) {
		integer(&pattern, (int64_t)id);
		integer(&pattern, (int64_t)i);
		text(&pattern, dp_analysis_loop_kernel(render->analysis, id, i));
		step(render, &pattern);
	}
	write_summary(render, id);
	write_host_ranges(render, id);
	write_stream_waits(render, id);
	return DP_OK;
}

static int write_iteration(struct dp_render *render, size_t loop, size_t k)
{
	const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, loop, k);
	struct database *database = render->state;
	struct row row = { database->iteration, 0, 0 };
	const struct dp_metric_info *info;

	integer(&row, (int64_t)loop);
	integer(&row, (int64_t)at->index);
	integer(&row, at->start_ns);
	integer(&row, at->end_ns);
	integer(&row, (int64_t)at->first_kernel);
	integer(&row, (int64_t)at->kernels);
	integer(&row, at->inserted);
	integer(&row, at->deleted);
	integer(&row, at->substituted);
	integer(&row, at->variant);
	integer(&row, at->partial);
	integer(&row, at->warmup);
	integer(&row, (int64_t)at->foreign_kernels);
	identifier(&row, dp_render__knows_slow(render, loop) ? at->slow : -1);
	for (size_t i = 0; (info = dp_metric(i)); i++)
		real(&row, dp_analysis_loop_metric(render->analysis, loop, i, k), info->unit);
	step(render, &row);
	return DP_OK;
}

static void write_evidence(struct dp_render *render, size_t id, const struct dp_finding *finding)
{
	struct row row = { prepare(render, "INSERT INTO evidence VALUES (?, ?, ?, ?, ?)"), 0, 0 };

	for (size_t i = 0; i < finding->evidence_count && !render->status; i++) {
		integer(&row, (int64_t)id);
		text(&row, finding->evidence[i].name);
		text(&row, finding->evidence[i].unit);
		real(&row, finding->evidence[i].value, "");
		text(&row, finding->evidence[i].call);
		step(render, &row);
	}
	sqlite3_finalize(row.statement);
}

static int write_finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	struct row row = { prepare(render, "INSERT INTO finding VALUES "
					   "(?, ?, ?, ?, ?, ?, ?, ?, ?)"),
			   0, 0 };

	integer(&row, (int64_t)id);
	identifier(&row, finding->loop == DP_NONE ? -1 : (int64_t)finding->loop);
	text(&row, finding->rule);
	text(&row, dp_severity_name(finding->severity));
	real(&row, finding->confidence, "1");
	identifier(&row, finding->loop == DP_NONE ? -1 : (int64_t)finding->first_iteration);
	identifier(&row, finding->loop == DP_NONE ? -1 : (int64_t)finding->last_iteration);
	real(&row, finding->recoverable_ns, "ns");
	text(&row, finding->advice);
	step(render, &row);
	sqlite3_finalize(row.statement);
	write_evidence(render, id, finding);
	return DP_OK;
}

static int end(struct dp_render *render)
{
	struct database *database = render->state;
	int status = render->status;
	unsigned char *bytes = NULL;
	sqlite3_int64 size = 0;

	if (!status)
		status = execute(render, views);
	if (!status)
		bytes = sqlite3_serialize(database->db, "main", &size, 0);
	if (!status && !bytes)
		status = dp_error__nomem(render->error, (size_t)size);
	if (bytes)
		dp_render__write(render, (const char *)bytes, (size_t)size);
	sqlite3_free(bytes);
	close_database(render);
	return status;
}

const struct dp_renderer dp_renderer__sqlite = {
	.info = { "sqlite", "sqlite", "iterations, metrics, findings and operations as tables",
		  true, true },
	.begin = begin,
	.loop = write_loop,
	.iteration = write_iteration,
	.finding = write_finding,
	.end = end,
};
