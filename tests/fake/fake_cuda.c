/* A libcuda that only does what cuInit() does for tools: it loads and calls the injection. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned int flags);
int cuDriverGetVersion(int *version);

int cuInit(unsigned int flags)
{
	static int done;
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library;
	int (*initialize)(void);

	if (done++ || !path)
		return 0;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "fake libcuda: %s\n", dlerror());
		return 1;
	}
	initialize = (int (*)(void))(uintptr_t)dlsym(library, "InitializeInjection");
	return initialize && initialize() ? 0 : 1;
}

int cuDriverGetVersion(int *version)
{
	*version = 12080;
	return 0;
}
