/* Another tool for CUDA to load: writes a line to CHAINED_FILE when it is loaded. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void)
{
	const char *path = getenv("CHAINED_FILE");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd >= 0) {
		(void)!write(fd, "called\n", 7);
		close(fd);
	}
	return 1;
}
