/* Creates and ends a recording. */
#include "record/recording.h"
#include "spool/gpu_metrics.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int dp_recording__make(struct dp_recording **out, const char *folder,
		       const struct dp_record_options *options, struct dp_error *error)
{
	struct dp_recording *recording = dp_alloc__zeroed(1, sizeof(*recording));

	if (!recording)
		return dp_error__nomem(error, sizeof(*recording));
	recording->options = *options;
	recording->folder_fd = recording->listener = recording->poll = -1;
	recording->folder = strdup(folder);
	recording->nvml_library = options->nvml ? strdup(options->nvml) : NULL;
	if (!recording->folder || (options->nvml && !recording->nvml_library)) {
		dp_recording_free(recording);
		return dp_error__nomem(error, 0);
	}
	*out = recording;
	return DP_OK;
}

/* Removes what processes and this one left in the folder; the folder itself is the caller's. */
static void remove_files(struct dp_recording *recording)
{
	for (size_t i = 0; i < recording->member_count; i++) {
		const char *name = recording->members[i].name;
		int stem = (int)(strlen(name) - strlen(".spool"));
		char other[300];

		unlinkat(recording->folder_fd, name, 0);
		snprintf(other, sizeof(other), "%.*s.pool", stem, name);
		unlinkat(recording->folder_fd, other, 0);
		snprintf(other, sizeof(other), "%.*s" DP_POOL_NEW, stem, name);
		unlinkat(recording->folder_fd, other, 0);
	}
	unlinkat(recording->folder_fd, DP_NVML_FILE, 0);
	unlinkat(recording->folder_fd, DP_HOST_FILE, 0);
	unlinkat(recording->folder_fd, DP_GPU_METRICS_FILE, 0);
	unlinkat(recording->folder_fd, DP_BEGIN_FILE, 0);
	unlinkat(recording->folder_fd, DP_SPOOL_SOCKET, 0);
}

void dp_recording_free(struct dp_recording *recording)
{
	if (!recording)
		return;
	dp_nvml__free(recording->nvml);
	dp_host__free(recording->host);
	dp_gpu_sampler__free(recording->gpu_sampler);
	dp_watch__free(recording->watch);
	if (recording->owned) {
		dp_live__collect(recording);
		remove_files(recording);
	}
	dp_live__close(recording);
	if (recording->folder_fd >= 0)
		close(recording->folder_fd);
	for (size_t i = 0; i < recording->variable_count; i++)
		free(recording->variables[i]);
	free(recording->variables);
	free(recording->nvml_library);
	free(recording->programs);
	free(recording->folder);
	free(recording);
}
