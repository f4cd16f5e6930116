/*
 * Describes devices by the driver: CUPTI does not describe devices that it knew before the kind was
 * enabled, which is the case for all if it is enabled within cuInit().
 */
#include "cupti/collector.h"

#include <dlfcn.h>
#include <string.h>

/* CUdevice_attribute. */
enum {
	CLOCK_KHZ = 13,
	SMS = 16,
	MEMORY_CLOCK_KHZ = 36,
	BUS_BITS = 37,
	L2_BYTES = 38,
	COPY_ENGINES = 40,
	CC_MAJOR = 75,
	CC_MINOR = 76
};

static struct {
	int (*count)(int *count);
	int (*get)(int *device, int ordinal);
	int (*name)(char *name, int room, int device);
	int (*uuid)(uint8_t *uuid, int device);
	int (*memory)(size_t *bytes, int device);
	int (*attribute)(int *value, int attribute, int device);
} driver;

static bool find_driver(void)
{
	static const struct {
		const char *name;
		void *into;
	} functions[] = {
		{ "cuDeviceGetCount", &driver.count },
		{ "cuDeviceGet", &driver.get },
		{ "cuDeviceGetName", &driver.name },
		{ "cuDeviceGetUuid_v2", &driver.uuid },
		{ "cuDeviceTotalMem_v2", &driver.memory },
		{ "cuDeviceGetAttribute", &driver.attribute },
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), *symbol;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		symbol = dlsym(library ? library : RTLD_DEFAULT, functions[i].name);
		if (!symbol)
			return false;
		memcpy(functions[i].into, &symbol, sizeof(symbol));
	}
	return true;
}

static uint32_t attribute(int which, int device)
{
	int value = 0;

	return driver.attribute(&value, which, device) || value < 0 ? 0 : (uint32_t)value;
}

static void describe(struct dp_spool_writer *w, int ordinal, int device)
{
	struct dp_spool_record record = { .type = DP_SPOOL_DEVICE };
	struct dp_spool_device *out = &record.device;
	char name[256] = "";
	size_t bytes = 0;

	(void)driver.name(name, sizeof(name) - 1, device);
	(void)driver.uuid(out->uuid, device);
	(void)driver.memory(&bytes, device);
	out->device = (uint32_t)ordinal;
	out->name = dp_writer__text(w, name, strlen(name));
	out->cc_major = attribute(CC_MAJOR, device);
	out->cc_minor = attribute(CC_MINOR, device);
	out->sms = attribute(SMS, device);
	out->clock_khz = attribute(CLOCK_KHZ, device);
	out->memory_bytes = bytes;
	/* Two transfers per cycle: kHz times bits / 8 is kB/s. */
	out->bandwidth_kBps =
		(uint64_t)2 * attribute(MEMORY_CLOCK_KHZ, device) * attribute(BUS_BITS, device) / 8;
	out->copy_engines = attribute(COPY_ENGINES, device);
	out->l2_bytes = attribute(L2_BYTES, device);
	dp_writer__add(w, &record, true);
}

bool dp_device__describe(struct dp_spool_writer *w)
{
	int count = 0, device;

	if (!find_driver())
		return true;
	if (driver.count(&count))
		return false;
	for (int i = 0; i < count; i++)
		if (!driver.get(&device, i))
			describe(w, i, device);
	return true;
}
