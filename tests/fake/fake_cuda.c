/*
 * A libcuda whose cuInit() loads and calls the injected library, as for any tool; fake_device.c has
 * the rest.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Tools are being loaded. */
extern _Atomic int fake_cuda_initializing;
_Atomic int fake_cuda_initializing;

int cuInit(unsigned int flags);
int cuDriverGetVersion(int *version);
void fake_device_find(void);

int cuInit(unsigned int flags)
{
	static pid_t done; /* by which process: a child of fork() begins again */
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library;
	int (*initialize)(void);

	if (done == getpid() || !path)
		return 0;
	done = getpid();
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "fake libcuda: %s\n", dlerror());
		return 1;
	}
	initialize = (int (*)(void))(uintptr_t)dlsym(library, "InitializeInjection");
	errno = 123;
	atomic_store(&fake_cuda_initializing, 1);
	if (!initialize || !initialize())
		return 1;
	atomic_store(&fake_cuda_initializing, 0);
	if (errno != 123)
		abort();
	fake_device_find();
	return 0;
}

int cuDriverGetVersion(int *version)
{
	const char *wanted = getenv("FAKE_CUDA_VERSION");

	*version = wanted ? atoi(wanted) : 12080;
	return 0;
}
