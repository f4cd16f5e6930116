/* The presets: programs of the families that iterations are to be found in. */
#include "program.h"

#include <string.h>

/* A small convolutional network and a training step, which most presets disturb. */
#define NET               \
	"[net model]\n"   \
	"kind = conv\n"   \
	"layers = 10\n"   \
	"kernel = 40us\n" \
	"host = 4us\n"    \
	"optimizer = sgd\n"
#define FEED "do = wait time=300us jitter=0.3; upload bytes=4M"
#define COMPUTE                                                  \
	"do = zero model; forward model; loss; backward model\n" \
	"do = optimize model\n"
#define STEP FEED "\n" COMPUTE
#define TRAIN                                          \
	"[program]\n"                                  \
	"do = loop train; sync\n" NET "[loop train]\n" \
	"count = 60\n"                                 \
	"default = yes\n"                              \
	"mark = ProfilerStep\n"

/* zero: how gradients are cleared. PyTorch 2 drops them, which launches nothing. */
#define RESNET(zero)                                                                    \
	"[program]\ntitle = train.py\ndo = set bytes=4M; loop train; loop eval; sync\n" \
	"operators = no\nflows = no\n"                                                  \
	"[net resnet]\nkind = conv\nlayers = 5\nkernel = 260us\nhost = 9us\n"           \
	"optimizer = foreach\nseed = 50\n"                                              \
	"[loop train]\ncount = 20\ndefault = yes\nwarmup = 2\nslow = 1.8\n"             \
	"do = wait time=108ms jitter=0.3; upload bytes=19267584; upload bytes=256\n"    \
	"do = " zero "forward resnet; loss; backward resnet; optimize resnet\n"         \
	"do = statistics count=6 every=5 offset=4; download bytes=4 every=5 offset=4\n" \
	"[loop eval]\ncount = 6\n"                                                      \
	"do = wait time=80ms jitter=0.2; upload bytes=19267584; upload bytes=256\n"     \
	"do = forward resnet; statistics count=3; download bytes=8\n"

const struct sim_preset sim_presets[] = {
	{ "clean", "equal iterations and nothing else", TRAIN STEP },
	{ "partial", "the capture begins and ends within an iteration",
	  TRAIN STEP "[program]\nhead = 0.4\ntail = 0.3\nafter = 2\n" },
	{ "late-start", "the capture begins with a step, while the device is still behind the host",
	  "[program]\ndo = loop train; sync\nafter = 3\n" NET "[loop train]\ncount = 60\n"
	  "default = yes\nmark = ProfilerStep\n"
	  "do = wait time=300us jitter=0.3; upload bytes=1M memory=pinned\n"
	  "do = zero model; forward model; loss; backward model; optimize model\n" },
	{ "random-statistics", "logging kernels after some iterations, at random",
	  TRAIN STEP "do = statistics count=9 chance=0.12; random count=4..20 chance=0.08\n" },
	{ "async-inserts", "two kernels of another thread in every iteration",
	  TRAIN "async = 2\n" STEP },
	{ "shape-buckets", "eight input shapes with kernels of their own",
	  TRAIN "buckets = 8\n" STEP },
	{ "gemm-jitter", "one matrix kernel in twenty has another tile size",
	  TRAIN "gemm_jitter = 0.05\n" STEP },
	{ "event-loss", "the profiler drops one operation in a thousand",
	  TRAIN STEP "[program]\nloss = 0.001\n" },
	{ "dense-noise", "3.5% of the kernels inserted, deleted or replaced",
	  TRAIN "insert = 0.012\nerase = 0.012\nsubstitute = 0.011\n" STEP },
	{ "few", "four iterations", TRAIN "count = 4\n" STEP },
	{ "autotune", "an autotuner tries kernels in the first iterations",
	  TRAIN "warmup = 3\nslow = 2.5\n" FEED "; zero model\n"
		"do = tune count=90..140 until=1; tune count=20..40 from=1 until=3\n"
		"do = forward model; loss; backward model; optimize model\n" },
	{ "recompile", "fused kernels get new names midway",
	  "[program]\ndo = loop train; sync\n"
	  "[net model]\nkind = fused\nlayers = 24\nkernel = 40us\nhost = 4us\noptimizer = foreach\n"
	  "[loop train]\ncount = 60\ndefault = yes\nmark = ProfilerStep\nrecompile = 30\n" FEED "\n"
	  "do = tune count=60 from=30 until=31\n" COMPUTE },
	{ "train-eval", "epochs of training, each followed by an evaluation loop",
	  "[program]\ndo = loop epoch; sync\n" NET
	  "[loop epoch]\ncount = 4\ndo = loop train; loop eval; statistics count=5\n"
	  "[loop train]\ncount = 25\ndefault = yes\nmark = ProfilerStep\n" STEP
	  "[loop eval]\ncount = 10\n"
	  "do = wait time=200us jitter=0.3; upload bytes=4M; forward model\n"
	  "do = statistics count=3; download bytes=4\n" },
	{ "gan", "two networks that take turns",
	  "[program]\ndo = loop train; sync\n"
	  "[net generator]\nkind = conv\nlayers = 8\nkernel = 40us\nhost = 4us\nseed = 1\n"
	  "[net critic]\nkind = conv\nlayers = 6\nkernel = 35us\nhost = 4us\nseed = 2\n"
	  "[loop train]\ncount = 60\ndefault = yes\nmark = ProfilerStep\n"
	  "do = wait time=300us jitter=0.3; upload bytes=4M; zero critic\n"
	  "do = forward critic; loss; backward critic\n"
	  "do = forward generator; forward critic; loss; backward critic; optimize critic\n"
	  "do = zero generator; forward critic; loss; backward critic; backward generator\n"
	  "do = optimize generator\n" },
	{ "superstep", "every tenth iteration does more",
	  "[program]\ndo = loop super; sync\n" NET
	  "[loop super]\ncount = 8\ndo = loop train; statistics count=14; download bytes=64\n"
	  "[loop train]\ncount = 10\ndefault = yes\nmark = ProfilerStep\n" STEP },
	{ "grad-accumulation", "four micro-batches per optimizer step",
	  "[program]\ndo = loop step; sync\n" NET
	  "[loop step]\ncount = 30\ndefault = yes\nmark = ProfilerStep\n"
	  "do = zero model; loop micro; optimize model\n"
	  "[loop micro]\ncount = 4\n"
	  "do = wait time=100us jitter=0.3; upload bytes=1M; forward model; loss; backward model\n" },
	{ "cuda-graph", "a step is a few launches of graphs",
	  "[program]\ndo = loop train; sync\n"
	  "[net model]\nkind = transformer\nlayers = 6\nkernel = 20us\nhost = 4us\n"
	  "[loop train]\ncount = 120\ndefault = yes\nmark = ProfilerStep\n"
	  "do = wait time=100us jitter=0.3; upload bytes=256k memory=pinned; graph model; loss\n" },
	{ "llm-decode", "requests: a prefill, then a varying number of decode steps",
	  "[program]\ndo = loop request; sync\n"
	  "[net prefill]\nkind = transformer\nlayers = 16\nkernel = 90us\nhost = 4us\nseed = 5\n"
	  "[net decoder]\nkind = transformer\nlayers = 16\nkernel = 6us\nhost = 4us\nseed = 6\n"
	  "[loop request]\ncount = 8\n"
	  "do = wait time=2ms jitter=0.5; upload bytes=16k; forward prefill; statistics count=2\n"
	  "do = loop decode\n"
	  "[loop decode]\ncount = 12..40\ndefault = yes\nmark = decode\n"
	  "do = upload bytes=64 memory=pinned; forward decoder; statistics count=4\n"
	  "do = download bytes=8\n" },
	{ "rnn-variable", "a recurrent network over sequences of varying length",
	  "[program]\ndo = loop train; sync\n"
	  "[net cell]\nkind = rnn\nlayers = 2\nkernel = 25us\nhost = 4us\n"
	  "[loop train]\ncount = 60\ndefault = yes\nmark = ProfilerStep\nlength = 8..24\n"
	  "do = wait time=200us jitter=0.3; upload bytes=512k jitter=0.5; zero cell\n"
	  "do = forward cell times=length; loss; backward cell times=length; optimize cell\n" },
	{ "diffusion", "an image: encoders, a few denoising steps, a decoder",
	  "[program]\ndo = upload bytes=1k; forward clip; forward t5; statistics count=12\n"
	  "do = loop denoise; forward decoder; download bytes=6M; sync\n"
	  "[net clip]\nkind = transformer\nlayers = 12\nkernel = 8us\nhost = 4us\nseed = 1\n"
	  "[net t5]\nkind = transformer\nlayers = 24\nkernel = 20us\nhost = 4us\nseed = 2\n"
	  "[net denoiser]\nkind = transformer\nlayers = 38\nkernel = 60us\nhost = 4us\nseed = 3\n"
	  "[net decoder]\nkind = conv\nlayers = 12\nkernel = 200us\nhost = 4us\nseed = 4\n"
	  "[loop denoise]\ncount = 4\ndefault = yes\nmark = denoise\n"
	  "do = statistics count=3; forward denoiser; statistics count=5\n" },
	{ "random", "a stream of random kernels, without any loop",
	  "[program]\ndo = random count=6000; sync\n" },
	{ "single-pass", "one pass through a deep network, without any loop",
	  "[program]\ndo = upload bytes=4M; forward model; loss; download bytes=4k; sync\n"
	  "[net model]\nkind = transformer\nlayers = 96\nkernel = 60us\nhost = 4us\n" },
	{ "tensorflow", "copies on streams of their own",
	  "[program]\nframework = tensorflow\ndo = loop train; sync\n" NET
	  "[loop train]\ncount = 60\ndefault = yes\n"
	  "do = wait time=300us jitter=0.3; upload bytes=4M copy_stream=yes\n"
	  "do = forward model; loss; backward model; optimize model\n"
	  "do = download bytes=4 copy_stream=yes\n" },
	{ "two-devices", "a process with two devices",
	  TRAIN STEP "do = reduce bytes=16M count=2\n[program]\ndevices = 2\n" },
	{ "two-processes", "two processes with a device each",
	  TRAIN STEP "do = reduce bytes=16M count=2\n[program]\nprocesses = 2\n" },
	{ "host-bound", "the host does something else between iterations",
	  TRAIN "do = wait time=40ms jitter=0.1\n" STEP },
	{ "input-bound", "the input pipeline is too slow",
	  TRAIN "do = wait time=50ms jitter=0.3; upload bytes=18M\n" STEP },
	{ "copy-bound", "batches too large for pageable copies",
	  TRAIN "do = upload bytes=256M memory=pageable\n" STEP },
	{ "growing-interval", "a list is appended to in the loop",
	  TRAIN "do = wait time=16ms jitter=0.05 grow=200us\n" STEP },
	{ "launch-bound", "many tiny kernels, launched one by one",
	  "[program]\ndo = loop train; sync\n"
	  "[net model]\nkind = transformer\nlayers = 12\nkernel = 2us\nhost = 7us\n"
	  "[loop train]\ncount = 60\ndefault = yes\nmark = ProfilerStep\n" STEP },
	{ "sync-call", "the loss is read back in the middle of every iteration",
	  TRAIN "do = zero model; forward model; loss; download bytes=4; wait time=1500us\n"
		"do = backward model; optimize model\n" },
	{ "exposed-communication", "gradients are reduced after the backward pass",
	  TRAIN "do = upload bytes=4M; zero model; forward model; loss; backward model\n"
		"do = reduce bytes=512M block=yes; optimize model\n" },
	{ "slow-iterations", "some iterations stall",
	  TRAIN "do = wait time=80ms every=17 offset=11\n" STEP },
	{ "extra-work", "every tenth iteration runs 31 more kernels",
	  TRAIN STEP "do = statistics count=31 every=10 offset=9\n" },
	{ "repeated-upload", "a table is uploaded in every iteration",
	  TRAIN "do = upload bytes=32M memory=pageable\n" STEP },
	{ "zero-grad", "the same as demo, with gradients cleared before the forward pass",
	  RESNET("zero resnet; ") },
	{ "demo", "a convolutional network with a slow input pipeline and an evaluation loop",
	  RESNET("") },
};

const size_t sim_preset_count = sizeof(sim_presets) / sizeof(sim_presets[0]);

const struct sim_preset *sim_preset_get(const char *name)
{
	for (size_t i = 0; i < sim_preset_count; i++)
		if (strcmp(sim_presets[i].name, name) == 0)
			return &sim_presets[i];
	return NULL;
}
