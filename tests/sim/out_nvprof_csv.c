/*
 * Output of nvprof --print-gpu-trace --csv in its forms: 17 columns in 2017 with the correlation
 * after the name, 20 columns, 22 with unified memory, and 23 if peer copies are possible. The
 * second row gives the units, which differ from file to file. With a start in seconds, the last
 * digit is a microsecond.
 */
#include "out.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS_17, COLUMNS_20, COLUMNS_22, COLUMNS_PEER };

struct state {
	struct sim_out *out;
	bool warned;
};

#define LIT(text) sim_out_text(out, text, sizeof(text) - 1)

#define HEAD                                                                                  \
	"\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\""  \
	"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Thro" \
	"ughput\","
#define MEMORY "\"SrcMemType\",\"DstMemType\","
#define PLACE "\"Device\",\"Context\",\"Stream\","

static const struct {
	const char *head;
	const char *units;
	unsigned start_digits, length_digits; /* of ns in the unit */
	uint64_t size_unit;
} forms[] = {
	[COLUMNS_17] = { HEAD PLACE "\"Name\"\n", "ms,us,,,,,,,,B,B,KB,GB/s,,,,\n", 6, 3, 1024 },
	[COLUMNS_20] = { HEAD MEMORY PLACE "\"Name\",\"Correlation_ID\"\n",
			 "ms,us,,,,,,,,B,B,KB,GB/s,,,,,,,\n", 6, 3, 1024 },
	[COLUMNS_22] = { HEAD MEMORY PLACE
			 "\"Unified Memory\",\"Virtual Address\",\"Name\",\"Correlation_ID\"\n",
			 "s,ms,,,,,,,,B,B,MB,GB/s,,,,,,KB,,,\n", 9, 6, 1048576 },
	[COLUMNS_PEER] = { HEAD MEMORY PLACE
			   "\"Src Dev\",\"Src Ctx\",\"Dst Dev\",\"Dst Ctx\",\"Name\"\n",
			   "us,us,,,,,,,,B,B,B,GB/s,,,,,,,,,,\n", 3, 3, 1 },
};

/* ns in a unit of 10^digits ns, with the six decimals of a printf %f. */
static void put_time(struct sim_out *out, uint64_t ns, unsigned digits)
{
	uint64_t scale = 1;

	for (unsigned i = digits; i < 6; i++)
		scale *= 10;
	for (unsigned i = digits; i > 6; i--)
		ns = (ns + 5) / 10;
	sim_out_fixed(out, ns * scale, 6);
}

static void put_size(struct sim_out *out, uint64_t bytes, uint64_t unit)
{
	uint64_t rest = bytes % unit * 1000000;

	sim_out_fixed(out, bytes / unit * 1000000 + (rest + unit / 2) / unit, 6);
}

static void put_kernel_columns(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	const struct sim_kernel *kernel = &sink->run->catalogue->kernels[event->name];

	sim_out_u64(out, event->grid);
	LIT(",1,1,");
	sim_out_u64(out, kernel->block);
	LIT(",1,1,");
	sim_out_u64(out, kernel->registers);
	LIT(",");
	sim_out_u64(out, kernel->shared_memory);
	LIT(",0,,,");
	if (sink->writer->variant != COLUMNS_17)
		LIT(",,");
}

static void put_transfer_columns(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	uint64_t ns = event->end_ns - event->start_ns;

	LIT(",,,,,,,,,");
	put_size(out, event->bytes, forms[sink->writer->variant].size_unit);
	LIT(",");
	put_size(out, ns ? event->bytes * 1000 / ns * 1000000 : 0, 1073741824);
	LIT(",");
	if (sink->writer->variant == COLUMNS_17)
		return;
	if (event->kind == SIM_COPY) {
		sim_out_json(out, sim_copy_source(event));
		LIT(",");
		sim_out_json(out, sim_copy_destination(event));
		LIT(",");
	} else {
		LIT("\"Device\",,");
	}
}

static void put_name(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_out *out = ((struct state *)sink->state)->out;

	LIT("\"");
	if (event->kind == SIM_KERNEL) {
		sim_out_str(out, sink->run->catalogue->kernels[event->name].name);
	} else if (event->kind == SIM_COPY) {
		LIT("[CUDA memcpy ");
		sim_out_str(out, sim_copy_direction(event->copy_kind));
		LIT("]");
	} else {
		LIT("[CUDA memset]");
	}
	if (sink->writer->variant == COLUMNS_17 && event->kind == SIM_KERNEL) {
		LIT(" [");
		sim_out_u64(out, event->correlation);
		LIT("]");
	}
	LIT("\"");
}

/* nvprof's diagnostics appear anywhere, even between rows. */
static void put_warning(struct sim_sink *sink)
{
	struct state *state = sink->state;
	struct sim_out *out = state->out;

	if (state->warned || sink->events < 100)
		return;
	state->warned = true;
	LIT("==");
	sim_out_u64(out, sim_run_pid(sink->run, 0));
	LIT("== Warning: Some kernel(s) will be replayed on device 0 in order to collect all "
	    "events/metrics.\n");
}

static int csv_event(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	int form = sink->writer->variant;

	if (!sim_event_on_gpu(event))
		return 0;
	sink->events++;
	put_time(out, event->start_ns, forms[form].start_digits);
	LIT(",");
	put_time(out, event->end_ns - event->start_ns, forms[form].length_digits);
	LIT(",");
	if (event->kind == SIM_KERNEL)
		put_kernel_columns(sink, event);
	else
		put_transfer_columns(sink, event);
	LIT("\"");
	sim_out_str(out, sink->run->program->gpu);
	LIT(" (");
	sim_out_u64(out, sim_run_device(sink->run, event->rank));
	LIT(")\",\"");
	sim_out_u64(out, sim_run_context(sink->run, event->rank));
	LIT("\",\"");
	sim_out_u64(out, sim_run_stream(sink->run, event->stream));
	LIT("\",");
	if (form == COLUMNS_22)
		LIT(",,");
	else if (form == COLUMNS_PEER)
		LIT(",,,,");
	put_name(sink, event);
	if (form == COLUMNS_20 || form == COLUMNS_22) {
		LIT(",");
		sim_out_u64(out, event->correlation);
	}
	LIT("\n");
	put_warning(sink);
	return 0;
}

static void put_banner(struct sim_sink *sink, const char *text)
{
	struct sim_out *out = ((struct state *)sink->state)->out;

	LIT("==");
	sim_out_u64(out, sim_run_pid(sink->run, 0));
	LIT("== ");
	sim_out_str(out, text);
	LIT("\n");
}

static int csv_open(struct sim_sink *sink)
{
	struct state *state = calloc(1, sizeof(*state));
	struct sim_out *out;
	char text[96];

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	sink->state = state;
	if (sim_sink_open(sink, &state->out))
		return -1;
	out = state->out;
	snprintf(text, sizeof(text), "NVPROF is profiling process %u, command: python train.py",
		 (unsigned)sim_run_pid(sink->run, 0));
	put_banner(sink, text);
	put_banner(sink, "Profiling application: python train.py");
	if (sink->writer->variant == COLUMNS_22)
		LIT("======== Warning: 1 records have invalid timestamps due to insufficient device "
		    "buffer space. You can configure the buffer space using the option "
		    "--device-buffer-size.\n");
	put_banner(sink, "Profiling result:");
	sim_out_str(out, forms[sink->writer->variant].head);
	sim_out_str(out, forms[sink->writer->variant].units);
	return 0;
}

static int csv_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status = 0;

	(void)complete;
	if (state)
		status = sim_sink_close(sink, state->out);
	free(state);
	return status;
}

#define CSV csv_open, csv_event, csv_close

const struct sim_writer sim_csv_writers[] = {
	{ "nvprof-csv", "nvprof's GPU trace, 20 columns, ms and us", ".csv", 1, 1, false, true,
	  COLUMNS_20, CSV },
	{ "nvprof-csv-17", "the same of 2017, 17 columns", ".csv", 1, 1, false, true, COLUMNS_17,
	  CSV },
	{ "nvprof-csv-22", "with unified memory, 22 columns, s, ms and MB", ".csv", 1000, 1, false,
	  true, COLUMNS_22, CSV },
	{ "nvprof-csv-peer", "with peer copies, 23 columns, us", ".csv", 1, 1, false, true,
	  COLUMNS_PEER, CSV },
	SIM_WRITERS_END,
};
