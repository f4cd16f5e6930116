/* What the stages of the detection saw and chose, behind the report. */
#include "report/text.h"

/* The longest stage, two columns in front of it and one behind. */
#define STAGE_COLUMNS 14

static void write_stream(struct dp_render *render, uint32_t index)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_stream *stream = dp_trace_stream(trace, index);
	struct dp_words words = { 0 };
	char device[DP_LABEL_SIZE];

	dp_words__add(&words, "How iterations were found on %s",
		      dp_text__device(device, trace, stream->device));
	if (stream->stream >= 0)
		dp_words__add(&words, ", stream %lld", (long long)stream->stream);
	dp_words__add(&words, " (see deepprof-detection(7)):");
	dp_render__text(render, "\n");
	dp_text__wrap(render, 0, 2, words.text);
}

void dp_text__explain(struct dp_render *render)
{
	const struct dp_explanation *at;
	uint32_t stream = DP_NONE;

	for (size_t i = 0; (at = dp_analysis_explanation(render->analysis, i)); i++) {
		if (at->stream != stream)
			write_stream(render, at->stream);
		stream = at->stream;
		dp_text__blanks(render, 2);
		dp_text__column(render, at->stage, STAGE_COLUMNS - 2);
		dp_text__wrap(render, STAGE_COLUMNS, STAGE_COLUMNS, at->text);
	}
}
