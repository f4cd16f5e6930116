/* Tables as nsys exports them. */
#ifndef DP_TEST_NSYS_TABLES_H
#define DP_TEST_NSYS_TABLES_H

#define PID_7 "(7 << 24)"
#define TID_7_70 "(7 << 24 | 70)"

#define STRINGS "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
#define KERNEL_COLUMNS                                                                       \
	"(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "         \
	"contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, "     \
	"globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER, " \
	"gridX INTEGER, graphNodeId INTEGER);"
#define KERNELS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL" KERNEL_COLUMNS
#define MEMCPY_COLUMNS                                                                         \
	"(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, " \
	"correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, "          \
	"srcKind INTEGER, dstKind INTEGER, graphNodeId INTEGER);"
#define MEMCPYS "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY" MEMCPY_COLUMNS
#define MEMSETS                                                                                  \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER, end INTEGER, deviceId INTEGER, " \
	"contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "        \
	"value INTEGER, bytes INTEGER, graphNodeId INTEGER, memKind INTEGER);"
#define RUNTIMES                                                                \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, " \
	"eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);"
#define GRAPHS                                                                           \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, "      \
	"deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, " \
	"globalPid INTEGER, graphId INTEGER, graphExecId INTEGER);"
#define SYNCS                                                                            \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INTEGER, end INTEGER, "  \
	"deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, " \
	"globalPid INTEGER, syncType INTEGER);"
#define NVTX                                                                                \
	"CREATE TABLE NVTX_EVENTS(start INTEGER NOT NULL, end INTEGER, eventType INTEGER, " \
	"text TEXT, globalTid INTEGER, textId INTEGER);"
#define ONE_KERNEL                                                \
	STRINGS KERNELS "INSERT INTO StringIds VALUES(1, 'k');"   \
			"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL " \
			"VALUES(1000, 1100, 0, 1, 7, 5, " PID_7 ", 1, 1, NULL, 1, NULL);"

#endif
