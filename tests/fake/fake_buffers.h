/* Versions, records, buffers and CUPTI's worker thread: the inner half of the fake libcupti. */
#ifndef DP_FAKE_BUFFERS_H
#define DP_FAKE_BUFFERS_H

#include "fake.h"
#include "cupti/cupti_abi.h"

struct fake_version {
	const char *name;
	uint32_t number;
	uint16_t sizes[FAKE_KINDS];
};

/* NULL if there is none of this name. */
const struct fake_version *fake_version_named(const char *name);

extern const struct fake_version *fake_version;
extern struct fake_truth *fake_truth;
extern __thread bool fake_in_callback;

_Noreturn void fake_fail(const char *what);

/* The result that FAKE_CUPTI_FAIL sets for a function, named without "cupti". */
int fake_verdict(const char *function);
uint64_t fake_now(void);

/* As the environment has them (fake.h). */
struct fake_switches {
	bool withhold, late_times, reuses, devices;
	uint64_t delay_ns, device_records;
};
extern struct fake_switches fake_switches;

/* Calls of an API. */
#define FAKE_CALLS 900

/* What was requested of CUPTI. */
struct fake_wanted {
	void (*callback)(void *, uint32_t, uint32_t, const void *);
	void *user;
	_Atomic uint64_t enabled[2];
	_Atomic bool called_back[FAKE_CALLS]; /* driver calls with a callback */
	_Atomic bool contexts;		      /* so are new contexts */
	_Atomic bool left_out[2][FAKE_CALLS]; /* driver and runtime calls, of a kind that is on */
	uint32_t thread_ids;
	bool no_device;	     /* devices were requested too early for CUPTI to report them */
	bool no_query_syncs; /* of queries whose event had not occurred */
};
extern struct fake_wanted fake_wanted;

/* The device buffers as the attributes have them, in records. */
void fake_set_device_records(uint64_t records);

/* Registered last. With is_v2 they are of cuptiActivityRegisterCallbacks_v2(). */
void fake_register(void *request, void *complete, bool is_v2);
bool fake_has_asked(void);

/*
 * The times that the GPU reports in a record. fake_take_times() takes and zeroes them; it returns
 * false for a record that is not of the GPU.
 */
struct fake_times {
	uint64_t start, end;
	bool in_graph;
};
bool fake_take_times(uint8_t *record, uint32_t kind, struct fake_times *out);
void fake_set_times(uint8_t *record, uint32_t kind, uint64_t start, uint64_t end);

/* Members of struct fake_interface. */
bool fake_is_enabled(uint32_t kind);
void fake_append(const void *record, size_t known);
void fake_call_back(uint32_t cbid);
uint32_t fake_number_of(uint32_t correlation);
void fake_launch_at(const char *name, uint32_t correlation, uint32_t stream, uint64_t start,
		    uint64_t end);
void fake_launch(const char *name, uint32_t correlation, uint32_t stream, int zero);
void fake_record(uint32_t kind, uint64_t n);
void fake_unload(void);
void fake_context(uint32_t device);
void fake_profiler(int begin);

/* Appends a record of a kind that is enabled; known bytes are copied. */
void fake_put(const void *record, size_t known);
void fake_flush(bool forced);
bool fake_gives_back(void);
void fake_complete_twice(uint64_t ms);
void fake_complete_foreign(void);
void fake_hold_buffer(void);

#endif
