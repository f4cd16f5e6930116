/* Records, buffers and CUPTI's worker thread: the inner half of the fake libcupti. */
#ifndef DP_FAKE_BUFFERS_H
#define DP_FAKE_BUFFERS_H

#include "fake.h"
#include "cupti/cupti_abi.h"

struct fake_version {
	const char *name;
	uint32_t number;
	uint16_t sizes[FAKE_KINDS];
};

extern const struct fake_version *fake_version;
extern struct fake_truth *fake_truth;
extern __thread bool fake_in_callback;

_Noreturn void fake_fail(const char *what);
uint64_t fake_now(void);

/* As the environment has them (fake.h). */
struct fake_switches {
	bool withhold, late_times, nested, reuses, devices;
	uint64_t delay_ns, device_records;
};
extern struct fake_switches fake_switches;

/* The device buffers as the attributes have them, in records. */
void fake_set_device_records(uint64_t records);

/* Registered last. With is_v2 they are of cuptiActivityRegisterCallbacks_v2(). */
void fake_register(void *request, void *complete, bool is_v2);
bool fake_has_asked(void);

/* What the GPU is to tell of a record; false where it is not of the GPU. They are zeroed there. */
struct fake_times {
	uint64_t start, end;
	bool in_graph;
};
bool fake_take_times(uint8_t *record, uint32_t kind, struct fake_times *out);
void fake_set_times(uint8_t *record, uint32_t kind, uint64_t start, uint64_t end);

/* Appends a record of a kind that is enabled; known bytes are copied. */
void fake_put(const void *record, size_t known);
void fake_flush(bool forced);
void fake_complete_twice(uint64_t ms);
void fake_complete_foreign(void);
void fake_put_aside(void);

#endif
