/*
 * A separate process that outlives this one, however that ends. It holds copies of the descriptors
 * of recorded processes' pools, which would vanish with their last holder. When this process is
 * gone, it removes the temporary folder, after finishing the recording if nobody else has.
 */
#include "message.h"
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Packets: the command, and for KEEP and DROP the name. */
enum { KEEP = 'k', DROP = 'd', REMOVE = 'x', LEAVE = 'l', PUT_AWAY = 'p', NAME_MAX_BYTES = 300 };

/* The first packet back: the end of the folder's name, and its identity. */
struct ready {
	int failure; /* errno if there is no folder */
	char end[FOLDER_TAIL];
	dev_t device;
	ino_t inode;
};

static pid_t janitor;
static int lifeline = -1; /* its other end is closed when this process is gone */

/* Others may wait for inherited pipes. No file may become standard error. */
static void close_all_but(int socket, int above)
{
	DIR *stream = opendir("/proc/self/fd");
	struct dirent *entry;
	int null;

	for (int fd = 0; !stream && fd < 1024; fd++)
		if (fd != socket && fd != above)
			close(fd);
	while (stream && (entry = readdir(stream))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && fd != socket && fd != above && fd != dirfd(stream))
			close(fd);
	}
	if (stream)
		closedir(stream);
	do
		null = open("/dev/null", O_RDWR);
	while (null >= 0 && null < 2);
	if (null > 2)
		close(null);
}

/* Pools of processes, by the names of their spools. */
struct kept {
	char name[NAME_MAX_BYTES];
	int fd;
};

struct kept_list {
	struct kept *list;
	size_t count;
};

/* Without memory the pool is not kept, and cannot be salvaged later. */
static void keep(struct kept_list *all, const char *name, int fd)
{
	struct kept *grown = realloc(all->list, (all->count + 1) * sizeof(*grown));

	if (!grown) {
		close(fd);
		return;
	}
	all->list = grown;
	snprintf(grown[all->count].name, sizeof(grown->name), "%.255s", name);
	grown[all->count++].fd = fd;
}

static void drop(struct kept_list *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++) {
		if (strcmp(all->list[i].name, name))
			continue;
		close(all->list[i].fd);
		all->list[i] = all->list[--all->count];
		return;
	}
}

union control {
	struct cmsghdr head;
	char space[CMSG_SPACE(sizeof(int))];
};

/* Receives the next packet and appends a NUL. Returns false if there will be none. */
static bool receive(int fd, char *packet, size_t size, int *passed)
{
	union control control;
	struct iovec part = { packet, size - 1 };
	struct msghdr head = { .msg_iov = &part,
			       .msg_iovlen = 1,
			       .msg_control = &control,
			       .msg_controllen = sizeof(control) };
	struct cmsghdr *rights;
	ssize_t bytes;

	do
		bytes = recvmsg(fd, &head, MSG_CMSG_CLOEXEC);
	while (bytes < 0 && errno == EINTR);
	if (bytes <= 0)
		return false;
	packet[bytes] = '\0';
	rights = CMSG_FIRSTHDR(&head);
	*passed = -1;
	if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS)
		memcpy(passed, CMSG_DATA(rights), sizeof(int));
	return true;
}

/* Returns what to do with the folder in the end; 0 if the other process did not get that far. */
static char watch_over(int fd, struct kept_list *all)
{
	char packet[NAME_MAX_BYTES + 2];
	int passed;

	while (receive(fd, packet, sizeof(packet), &passed)) {
		if (packet[0] == REMOVE || packet[0] == LEAVE || packet[0] == PUT_AWAY)
			return packet[0];
		if (packet[0] == KEEP && passed >= 0)
			keep(all, packet + 1, passed);
		else if (packet[0] == DROP)
			drop(all, packet + 1);
	}
	return 0;
}

/* Opens what the other process left, once it is gone; takes the folder then. */
static bool open_left(struct recovery *recovery, const struct folder *folder,
		      const struct kept_list *all)
{
	const struct timespec pause = { 0, 10000000 };
	bool open = false;

	for (int i = 0; i < 100 && !(open = recover_open(recovery, folder)); i++)
		nanosleep(&pause, NULL);
	for (size_t i = 0; open && i < all->count; i++)
		dp_recording_take_memory(recovery->record.recording, all->list[i].name,
					 all->list[i].fd);
	return open;
}

/*
 * Finishes the recording as the other process would have; signals can end this again. Returns what
 * to do with the folder then.
 */
static char finish(const struct folder *folder, const struct kept_list *all)
{
	struct recovery recovery;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!open_left(&recovery, folder, all))
		return REMOVE;
	recover_finish(&recovery);
	/* recover_finish() removes what is no longer needed. */
	return LEAVE;
}

/* Keeps the recording for later, without writing the file. */
static void put_away(const struct folder *folder, const struct kept_list *all)
{
	struct recovery recovery;

	if (open_left(&recovery, folder, all))
		recover_leave(&recovery);
}

/* Tells the other process which folder was created. */
static bool report_folder(int fd, const struct folder *folder, int failure)
{
	struct ready ready = { .failure = failure };

	if (!failure) {
		ready.device = folder->device;
		ready.inode = folder->inode;
		memcpy(ready.end, strchr(folder->path, 0) - sizeof(ready.end), sizeof(ready.end));
	}
	return write(fd, &ready, sizeof(ready)) == (ssize_t)sizeof(ready) && !failure;
}

/*
 * Runs in a session of its own: signals to the processes of the terminal or job do not reach it.
 * Also creates the folder, so that at no time would nobody remove it.
 */
static void tend(int fd, int above, const char *above_path, const char *stem)
{
	struct kept_list all = { NULL, 0 };
	struct folder folder;
	struct rlimit files;
	sigset_t every;
	bool made;
	char command;

	setsid();
	sigfillset(&every);
	sigprocmask(SIG_BLOCK, &every, NULL);
	close_all_but(fd, above);
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	made = folder_make(&folder, above, above_path, stem);
	/* A working directory would keep its file system from being unmounted. */
	if (!report_folder(fd, &folder, made ? 0 : errno) || chdir("/")) {
		if (made)
			folder_remove(&folder);
		_exit(1);
	}
	command = watch_over(fd, &all);
	if (!command)
		command = finish(&folder, &all);
	if (command == PUT_AWAY)
		put_away(&folder, &all);
	if (command == REMOVE)
		folder_remove(&folder);
	_exit(0);
}

/*
 * Waits for the folder, which the janitor creates out of reach of signals that may kill this
 * process. If the janitor failed early, creates it here. Returns false with errno if there is none.
 */
static bool hear_of_folder(struct folder *folder, int above, const char *above_path,
			   const char *stem)
{
	struct ready ready;
	char name[NAME_MAX_BYTES];
	ssize_t bytes;

	do
		bytes = read(lifeline, &ready, sizeof(ready));
	while (bytes < 0 && errno == EINTR);
	if (bytes != (ssize_t)sizeof(ready))
		return folder_make(folder, above, above_path, stem);
	errno = ready.failure;
	if (errno)
		return false;
	snprintf(name, sizeof(name), "%.*s.%.*s", FOLDER_STEM_MAX, stem, FOLDER_TAIL, ready.end);
	if (!folder_open(folder, above, above_path, name))
		return false;
	if (folder->device == ready.device && folder->inode == ready.inode)
		return true;
	folder_close(folder);
	errno = EBUSY;
	return false;
}

bool janitor_start(struct folder *folder, int above, const char *above_path, const char *stem,
		   pid_t *pid)
{
	int ends[2];

	*pid = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return folder_make(folder, above, above_path, stem);
	janitor = fork();
	if (!janitor) {
		close(ends[1]);
		tend(ends[0], above, above_path, stem);
	}
	close(ends[0]);
	lifeline = ends[1];
	if (janitor < 0)
		return folder_make(folder, above, above_path, stem);
	*pid = janitor;
	return hear_of_folder(folder, above, above_path, stem);
}

static void tell(char what, const char *name, int passed)
{
	char packet[NAME_MAX_BYTES + 1] = { what };
	struct iovec part = { packet, 1 };
	struct msghdr head = { .msg_iov = &part, .msg_iovlen = 1 };
	union control control;

	if (lifeline < 0)
		return;
	if (name)
		part.iov_len += (size_t)snprintf(packet + 1, sizeof(packet) - 1, "%.255s", name);
	if (passed >= 0) {
		memset(&control, 0, sizeof(control));
		head.msg_control = &control;
		head.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &passed, sizeof(int));
	}
	while (sendmsg(lifeline, &head, MSG_NOSIGNAL) < 0 && errno == EINTR)
		continue;
}

void janitor_keep(void *ctx, const char *name, int fd)
{
	tell(fd >= 0 ? KEEP : DROP, name, fd);
}

void janitor_put_away(void)
{
	tell(PUT_AWAY, NULL, -1);
}

void janitor_say_stays(const struct folder *folder)
{
	message_warning("%s was not removed: it was replaced, or has files that deepprof did not "
			"create",
			folder->path);
}

void janitor_finish(const struct folder *folder, bool leave)
{
	tell(leave ? LEAVE : REMOVE, NULL, -1);
	if (lifeline >= 0)
		close(lifeline);
	lifeline = -1;
	if (janitor > 0)
		while (waitpid(janitor, NULL, 0) < 0 && errno == EINTR)
			continue;
	janitor = 0;
	/* There was no janitor. */
	if (!leave && !folder_remove(folder))
		janitor_say_stays(folder);
}
