/*
 * What deepprof-gpu-metrics measures, and its file in the recording's folder: a header, the UUID of
 * each GPU, then samples, all as in memory.
 */
#ifndef DP_SPOOL_GPU_METRICS_H
#define DP_SPOOL_GPU_METRICS_H

#include <stdint.h>

/*
 * Columns of gpu_metric, the names of NVIDIA's metrics, and factors for their values: shares of the
 * peak are stored in millionths, rates in bytes per second. If a GPU has too few counters for all
 * in one pass, the last ones are omitted.
 */
#define DP_SHARE ".avg.pct_of_peak_sustained_elapsed"
#define DP_RATE ".sum.per_second"
#define DP_GPU_METRIC_LIST(X)                                                           \
	X(sm_ppm, "sm__cycles_active" DP_SHARE, 1e4)                                    \
	X(tensor_ppm, "sm__pipe_tensor_cycles_active" DP_SHARE, 1e4)                    \
	X(dram_read_ppm, "dramc__read_throughput" DP_SHARE, 1e4)                        \
	X(dram_write_ppm, "dramc__write_throughput" DP_SHARE, 1e4)                      \
	X(gr_ppm, "gr__cycles_active" DP_SHARE, 1e4)                                    \
	X(warps_ppm, "tpc__warps_active_shader_cs_realtime" DP_SHARE, 1e4)              \
	X(inst_ppm, "sm__inst_executed_realtime" DP_SHARE, 1e4)                         \
	X(pcie_read_Bps, "pcie__read_bytes" DP_RATE, 1)                                 \
	X(pcie_write_Bps, "pcie__write_bytes" DP_RATE, 1)                               \
	X(nvlink_read_Bps, "nvlrx__bytes" DP_RATE, 1)                                   \
	X(nvlink_write_Bps, "nvltx__bytes" DP_RATE, 1)

enum {
#define DP_GPU_METRIC_NUMBER(column, name, unit) DP_GPU_METRIC_##column,
	DP_GPU_METRIC_LIST(DP_GPU_METRIC_NUMBER)
#undef DP_GPU_METRIC_NUMBER
	DP_GPU_METRICS
};

#define DP_GPU_METRICS_PROGRAM "deepprof-gpu-metrics"
#define DP_GPU_METRICS_FILE "gpu-metrics"
#define DP_GPU_METRICS_MAGIC "DPGPUM01"

enum { DP_GPU_METRICS_GPUS = 64, DP_GPU_METRICS_UUID = 48 };

struct dp_gpu_metrics_header {
	char magic[8];
	uint32_t gpus;
	uint32_t sample_bytes;
	char failure[240]; /* why nothing is measured, or no longer; "" if it is */
};

struct dp_gpu_metrics_sample {
	int64_t start_ns; /* CLOCK_MONOTONIC */
	int64_t dur_ns;
	uint32_t gpu;
	uint32_t has; /* a bit for each known value */
	int64_t values[DP_GPU_METRICS];
};

#endif
