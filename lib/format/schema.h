/*
 * deepprof's own trace file: a SQLite database, schema 6. This file and man/deepprof-trace.5 are
 * the contract between writers and the importer. A later schema only adds tables and columns.
 *
 * Times are INTEGER nanoseconds since meta.t0_realtime_ns, durations are dur_ns, unknown values are
 * NULL. "name" of kernel, nvtx and cbid, and nvtx.domain, are ids in string. "process" is a
 * process's id, not its pid.
 *
 * Schema 2 adds pause: a file of schema 1 does not show when recording was off. Schema 3 adds
 * untimed, host_sample and host_load. Schema 4 adds off_cpu, cuda_event and sync.event_sync. Schema
 * 5 adds gpu_metric. Schema 6 adds call_stack and cpu_sample.
 */
#ifndef DP_FORMAT_SCHEMA_H
#define DP_FORMAT_SCHEMA_H

/* In the database's header (PRAGMA application_id): "DPtr". */
#define DP_SCHEMA_APPLICATION_ID 0x44507472

/* PRAGMA user_version, and meta.schema. */
#define DP_SCHEMA_VERSION 6

/* nvtx.type: nsys's numbers. */
enum { DP_SCHEMA_NVTX_MARK = 34, DP_SCHEMA_NVTX_PUSH_POP = 59, DP_SCHEMA_NVTX_START_END = 60 };

/* cpu_sample.dur_ns: 99 samples a second, so as not to alias with work done 100 times a second. */
#define DP_SCHEMA_STACK_NS 10101010

/*
 * SQL statements, each array ended by NULL: before the first row (page size, application id,
 * version, tables), and after the last (indexes, views named like nsys's tables).
 */
extern const char *const dp_schema__tables[];
extern const char *const dp_schema__indexes[];

/*
 * Explains a word of loss.reason, which deepprof-trace.5 lists, and what to do about it. Returns
 * the word itself if a later version introduced it.
 */
const char *dp_schema__explain_loss(const char *reason);

#endif
