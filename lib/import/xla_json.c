/*
 * The trace.json.gz that JAX and TensorFlow 2 write next to an XPlane: a Chrome trace, which
 * kineto.c reads (see kineto_xla.h).
 */
#include "import/chrome.h"
#include "import/kineto.h"

static int probe(const struct dp_probe *probe)
{
	struct dp_chrome_look look;

	dp_chrome__look(&look, probe);
	return look.xla && !look.kineto ? 90 : 0;
}

const struct dp_importer dp_importer__xla_json = {
	.info = { "xla_json", "JAX or TensorFlow 2 profile, trace.json.gz" },
	.how_to_record = "jax.profiler or tf.profiler around work on the GPU or TPU",
	.probe = probe,
	.read = dp_kineto__read,
};
