/*
 * CUPTI's functions that come in two kinds. From 13.3 on, with a driver of CUDA 13.3, several tools
 * may subscribe in one program; those that do must call only the second version of each function,
 * which takes a subscriber.
 */
#include "cupti/collector.h"

/* Numbered like cuptiGetVersion() and cuDriverGetVersion(). */
#define FIRST_VERSION 130300u
#define FIRST_DRIVER 13030

bool dp_cupti__takes_many(const struct cupti *cupti)
{
	return cupti->version >= FIRST_VERSION && cupti->driver_version >= FIRST_DRIVER &&
	       cupti->Subscribe_v2 && cupti->GetTimestamp_v2 && cupti->ActivityEnable_v2 &&
	       cupti->ActivityDisable_v2 && cupti->ActivitySetAttribute_v2 &&
	       cupti->ActivityRegisterCallbacks_v2 && cupti->ActivityGetNextRecord_v2 &&
	       cupti->ActivityGetNumDroppedRecords_v2 && cupti->ActivityEnableDriverApi_v2 &&
	       cupti->ActivityEnableRuntimeApi_v2;
}

int dp_cupti__time(uint64_t *time)
{
	const struct cupti *cupti = &dp_collector.cupti;

	return cupti->many ? cupti->GetTimestamp_v2(cupti->subscriber, time)
			   : cupti->GetTimestamp(time);
}

int dp_cupti__enable(uint32_t kind, bool enable)
{
	const struct cupti *cupti = &dp_collector.cupti;

	if (cupti->many)
		return enable ? cupti->ActivityEnable_v2(cupti->subscriber, kind, NULL)
			      : cupti->ActivityDisable_v2(cupti->subscriber, kind, NULL);
	return enable ? cupti->ActivityEnable(kind) : cupti->ActivityDisable(kind);
}

void dp_cupti__kind(uint32_t kind, bool enable)
{
	int result = dp_cupti__enable(kind, enable);

	if (!result || !enable)
		return;
	dp_collector.refused.kinds |= (uint64_t)1 << kind;
	dp_collector.refused.result = result;
}

int dp_cupti__leave_out(uint32_t domain, uint32_t cbid)
{
	const struct cupti *cupti = &dp_collector.cupti;

	if (domain == CUPTI_DOMAIN_DRIVER && cupti->many)
		return cupti->ActivityEnableDriverApi_v2(cupti->subscriber, cbid, 0);
	if (cupti->many)
		return cupti->ActivityEnableRuntimeApi_v2(cupti->subscriber, cbid, 0);
	if (domain == CUPTI_DOMAIN_DRIVER && cupti->ActivityEnableDriverApi)
		return cupti->ActivityEnableDriverApi(cbid, 0);
	if (domain == CUPTI_DOMAIN_RUNTIME && cupti->ActivityEnableRuntimeApi)
		return cupti->ActivityEnableRuntimeApi(cbid, 0);
	return CUPTI_E_NOT_SUPPORTED;
}

int dp_cupti__attribute(uint32_t attribute, void *value, size_t bytes)
{
	const struct cupti *cupti = &dp_collector.cupti;

	return cupti->many
		       ? cupti->ActivitySetAttribute_v2(cupti->subscriber, attribute, &bytes, value)
		       : cupti->ActivitySetAttribute(attribute, &bytes, value);
}

static void requested(uint8_t **buffer, size_t *bytes, size_t *most_records, void *unused)
{
	dp_buffers__requested(buffer, bytes, most_records);
}

static void completed(uint8_t *buffer, size_t bytes, size_t valid_bytes, void *unused)
{
	dp_buffers__completed(NULL, 0, buffer, bytes, valid_bytes);
}

int dp_cupti__register(void)
{
	const struct cupti *cupti = &dp_collector.cupti;

	return cupti->many ? cupti->ActivityRegisterCallbacks_v2(cupti->subscriber, requested,
								 completed)
			   : cupti->ActivityRegisterCallbacks(dp_buffers__requested,
							      dp_buffers__completed);
}

int dp_cupti__dropped(size_t *dropped)
{
	const struct cupti *cupti = &dp_collector.cupti;

	return cupti->many
		       ? cupti->ActivityGetNumDroppedRecords_v2(cupti->subscriber, NULL, 0, dropped)
		       : cupti->ActivityGetNumDroppedRecords(NULL, 0, dropped);
}
