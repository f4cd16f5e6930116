/* Messages on a recording's socket: whatever they contain, no descriptor stays open for them. */
#include "spool/pool.h"
#include "test_database.h"
#include "test.h"

#include <deepprof/record.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

static struct dp_recording *recording;

static void begin_sampling(uint64_t iterations, uint32_t sample_ms)
{
	struct dp_record_options options = DP_RECORD_OPTIONS_INIT;

	make_folder("libdeepprof-cupti.so");
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	options.collector = folder;
	options.sample_ms = sample_ms;
	options.host_ms = 0;
	options.iterations = iterations;
	ck_assert_int_eq(dp_recording_new(&recording, folder, &options, NULL), DP_OK);
}

static void begin(uint64_t iterations)
{
	begin_sampling(iterations, 0);
}

static void finish(void)
{
	dp_recording_free(recording);
	remove_folder();
}

static int come(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* bytes of the message, and two descriptors of a pipe with it. */
static void send_with(int fd, struct dp_message *message, size_t bytes)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec part = { message, bytes };
	struct msghdr packet = { .msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control) };
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	memset(&control, 0, sizeof(control));
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(ends));
	memcpy(CMSG_DATA(&control.head), ends, sizeof(ends));
	ck_assert_int_eq(sendmsg(fd, &packet, 0), (ssize_t)bytes);
	close(ends[0]);
	close(ends[1]);
}

static void say(int fd, uint32_t type, const char *text)
{
	struct dp_message message = { .magic = DP_MESSAGE_MAGIC, .type = type };

	message.text_bytes = (uint32_t)strlen(text);
	memcpy(message.text, text, strlen(text));
	send_with(fd, &message, sizeof(message));
}

static void make_spool(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

static int open_descriptors(void)
{
	DIR *stream = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(stream))
		count++;
	closedir(stream);
	return count;
}

static struct dp_record_status serve(void)
{
	struct dp_record_status status = DP_RECORD_STATUS_INIT;

	ck_assert_int_eq(dp_recording_serve(recording), DP_OK);
	ck_assert_int_eq(dp_recording_status(recording, &status), DP_OK);
	return status;
}

/* A second recording is refused, and the first continues. */
TEST(folder_that_is_taken)
{
	struct dp_record_options options = DP_RECORD_OPTIONS_INIT;
	struct dp_recording *second = NULL;

	begin(0);
	make_spool("1.0.spool");
	options.collector = folder;
	ck_assert_int_eq(dp_recording_new(&second, folder, &options, NULL), DP_ERR_IO);
	ck_assert_ptr_null(second);
	say(come(), DP_HELLO, "1.0.spool");
	ck_assert_uint_eq(serve().processes, 1);
	finish();
}

/* What a caller did not initialize, or initialized for a later version, is not written. */
TEST(results_of_unknown_size_are_refused)
{
	struct dp_record_status status = DP_RECORD_STATUS_INIT;
	struct dp_record_result result = DP_RECORD_RESULT_INIT;

	begin(0);
	status.processes = 99;
	result.processes = 99;
	for (int i = 0; i < 2; i++) {
		status.size = i ? sizeof(status) + 1 : 0;
		result.size = i ? sizeof(result) + 1 : 0;
		ck_assert_int_eq(dp_recording_status(recording, &status), DP_ERR_ARGUMENT);
		ck_assert_int_eq(dp_recording_write(recording, "x", NULL, &result, NULL),
				 DP_ERR_ARGUMENT);
	}
	ck_assert_uint_eq(status.processes, 99);
	ck_assert_uint_eq(result.processes, 99);
	/* that of an earlier version is filled as far as it goes */
	status.size = offsetof(struct dp_record_status, connected);
	status.connected = 99;
	ck_assert_int_eq(dp_recording_status(recording, &status), DP_OK);
	ck_assert_uint_eq(status.processes, 0);
	ck_assert_uint_eq(status.connected, 99);
	ck_assert_uint_eq(status.size, offsetof(struct dp_record_status, connected));
	finish();
}

TEST(packets_of_all_kinds)
{
	struct dp_message message = { .magic = DP_MESSAGE_MAGIC, .type = DP_HELLO };
	int before, fd;

	begin(0);
	before = open_descriptors();
	for (size_t bytes = 0; bytes < 200; bytes++) {
		fd = come();
		send_with(fd, &message, bytes);
		serve();
		close(fd);
		serve();
		ck_assert_int_eq(open_descriptors(), before);
	}
	for (uint32_t type = 0; type < 5; type++) {
		fd = come();
		say(fd, type, "../x.spool");
		ck_assert_uint_eq(serve().processes, 0);
		close(fd);
		serve();
		ck_assert_int_eq(open_descriptors(), before);
	}
	finish();
}

/* One process, one socket: one that introduces itself twice counts once. */
TEST(says_hello_twice)
{
	int before, fd;

	begin(0);
	make_spool("1.0.spool");
	make_spool("1.1.spool");
	before = open_descriptors();
	fd = come();
	say(fd, DP_HELLO, "1.0.spool");
	say(fd, DP_HELLO, "1.1.spool");
	ck_assert_uint_eq(serve().processes, 1);
	ck_assert_uint_eq(serve().connected, 1);
	ck_assert_int_eq(open_descriptors(), before + 2);
	close(fd);
	ck_assert_uint_eq(serve().connected, 0);
	ck_assert_int_eq(open_descriptors(), before);
	finish();
}

/* Next to its socket a process takes one descriptor where its iterations are counted. */
TEST(is_followed)
{
	int before, fd;

	begin(5);
	make_spool("1.0.spool");
	make_spool("2.0.spool");
	fd = come();
	say(fd, DP_HELLO, "1.0.spool");
	ck_assert_uint_eq(serve().connected, 1);
	close(fd);
	serve();
	before = open_descriptors();
	fd = come();
	say(fd, DP_HELLO, "2.0.spool");
	ck_assert_uint_eq(serve().connected, 1);
	close(fd);
	serve();
	ck_assert_int_eq(open_descriptors(), before + 1);
	finish();
}

/* The folder is renamed before the first process connects, which removes nothing from it. */
TEST(folder_that_is_moved)
{
	char moved[sizeof(folder) + 8], file[sizeof(moved) + 16];
	int fd;

	begin_sampling(0, 100);
	make_spool("1.0.spool");
	fd = come();
	say(fd, DP_HELLO, "1.0.spool");
	snprintf(moved, sizeof(moved), "%s.moved", folder);
	snprintf(file, sizeof(file), "%s/samples", moved);
	ck_assert_int_eq(rename(folder, moved), 0);
	ck_assert_uint_eq(serve().processes, 1);
	ck_assert_int_eq(access(file, F_OK), 0);
	ck_assert_int_eq(rename(moved, folder), 0);
	close(fd);
	finish();
}
