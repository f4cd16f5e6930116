/* Rows of XLA's traces, by name: "/device:GPU:0" and in it "Stream #17(Kernel)". */
#include "import/kineto_xla.h"
#include "base/base.h"

#include <stdio.h>
#include <string.h>

/* From xla/tsl/profiler/convert: the most events written, in older versions and since 2025. */
#define MOST_EVENTS_ONCE 1000000
#define MOST_EVENTS 5000000

enum { THREAD_OPS, THREAD_NESTED, THREAD_STEPS, THREAD_MODULES };

#define HOST 0xffffffu
#define TPU (1u << 24) /* added to the device */

static bool starts(const struct dp_json_text *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return text->length >= length && !memcmp(text->at, prefix, length);
}

void dp_kineto_xla__fini(struct dp_kineto_xla *xla)
{
	dp_lookup__fini(&xla->pids);
	dp_lookup__fini(&xla->threads);
}

static int note_process(struct dp_kineto_xla *xla, const struct dp_chrome_event *event)
{
	struct dp_key key = { { event->pid } };
	const struct dp_json_text *name = &event->arg_name;
	int64_t device = dp_json__last_number(name);
	bool on_device = starts(name, "/device:GPU:") || starts(name, "/device:TPU:");

	/* TensorFlow 1 appends to these names: "/device:GPU:0/stream:all Compute". */
	if (memchr(name->at, ' ', name->length) || (on_device && (device < 0 || device >= HOST)) ||
	    (!on_device && !starts(name, "/host:")))
		return DP_OK;
	if (!on_device)
		return dp_lookup__set(&xla->pids, &key, HOST);
	return dp_lookup__set(&xla->pids, &key,
			      (uint32_t)device + (starts(name, "/device:TPU:") ? TPU : 0));
}

static int note_thread(struct dp_kineto_xla *xla, const struct dp_chrome_event *event)
{
	struct dp_key key = { { event->pid, event->tid } };
	const struct dp_json_text *name = &event->arg_name;

	if (starts(name, "Stream #") || dp_json__is(name, "Async XLA Ops"))
		return dp_lookup__set(&xla->threads, &key, THREAD_OPS);
	if (dp_json__is(name, "XLA Ops"))
		return dp_lookup__set(&xla->threads, &key, THREAD_NESTED);
	if (dp_json__is(name, "Steps"))
		return dp_lookup__set(&xla->threads, &key, THREAD_STEPS);
	if (dp_json__is(name, "XLA Modules"))
		return dp_lookup__set(&xla->threads, &key, THREAD_MODULES);
	return DP_OK;
}

int dp_kineto_xla__note(struct dp_kineto_xla *xla, const struct dp_chrome_event *event)
{
	uint32_t need = DP_CHROME_NAME | DP_CHROME_PID | DP_CHROME_ARG_NAME;

	if ((event->has & need) != need)
		return DP_OK;
	if (dp_json__is(&event->name, "process_name"))
		return note_process(xla, event);
	return event->has & DP_CHROME_TID && dp_json__is(&event->name, "thread_name")
		       ? note_thread(xla, event)
		       : DP_OK;
}

/* Returns true for loops and branches, which enclose the operations of their bodies. */
static bool encloses(const struct dp_json_text *name)
{
	return starts(name, "while") || starts(name, "conditional") || starts(name, "call");
}

static enum dp_kineto_class host_class(const struct dp_chrome_event *event)
{
	/* "$file.py:12 f" is the interpreter's stack. */
	if (!(event->has & DP_CHROME_NAME) || starts(&event->name, "$"))
		return DP_KINETO_SKIP;
	return event->has & DP_CHROME_CORRELATION &&
			       (starts(&event->name, "cu") || starts(&event->name, "hip"))
		       ? DP_KINETO_CALL
		       : DP_KINETO_OPERATOR;
}

bool dp_kineto_xla__is_host(const struct dp_kineto_xla *xla, int64_t pid)
{
	struct dp_key key = { { pid } };

	return dp_lookup__get(&xla->pids, &key) == HOST;
}

/* Names a step like that of an XPlane. */
static void name_step(struct dp_kineto_xla *xla, struct dp_chrome_event *event)
{
	if (!(event->has & DP_CHROME_NAME))
		return;
	event->name.length = dp_xla_name__step(xla->step, "", event->name.at, event->name.length);
	event->name.at = xla->step;
}

enum dp_kineto_class dp_kineto_xla__read(struct dp_kineto_xla *xla, struct dp_chrome_event *event)
{
	struct dp_key pid = { { event->pid } }, thread = { { event->pid, event->tid } };
	uint32_t device, kind;

	xla->events++;
	if (!(event->has & DP_CHROME_PID) || !(event->has & DP_CHROME_TID))
		return DP_KINETO_NONE;
	device = dp_lookup__get(&xla->pids, &pid);
	if (device == DP_NONE)
		return DP_KINETO_NONE;
	/* Rows are not processes. */
	event->pid = -1;
	if (device == HOST)
		return host_class(event);
	kind = dp_lookup__get(&xla->threads, &thread);
	/* A GPU's other threads are derived from its streams. */
	if (kind == DP_NONE || (kind == THREAD_NESTED && !(device & TPU)))
		return DP_KINETO_SKIP;
	if (kind == THREAD_STEPS)
		name_step(xla, event);
	if (kind == THREAD_STEPS || kind == THREAD_MODULES)
		return DP_KINETO_ANNOTATION;
	if (kind == THREAD_NESTED && encloses(&event->name))
		return DP_KINETO_OPERATOR;
	event->has |= DP_CHROME_DEVICE;
	event->device = device & ~TPU;
	return DP_KINETO_KERNEL;
}

bool dp_kineto_xla__is_capped(const struct dp_kineto_xla *xla)
{
	return xla->events == MOST_EVENTS_ONCE || xla->events == MOST_EVENTS;
}
