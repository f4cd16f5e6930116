/*
 * Sends messages for the user to the launcher: over the socket immediately, and through the writer
 * into the spool. Never to the program's own output.
 */
#include "cupti/collector.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Connects by a descriptor of the folder: its path may be too long, or lead elsewhere. */
static bool connect_to(int fd)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s",
		 dp_descriptor__get(&dp_collector.folder_file), DP_SPOOL_SOCKET);
	return !connect(fd, (const struct sockaddr *)&address, sizeof(address));
}

void dp_message__open(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd >= 0 && !connect_to(fd)) {
		close(fd);
		fd = -1;
	}
	dp_descriptor__take(&dp_collector.socket, fd);
}

static bool send_message(struct dp_message *message, int passed_fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { message, offsetof(struct dp_message, text) + message->code_bytes +
					       message->text_bytes };
	int fd = dp_descriptor__get(&dp_collector.socket);
	struct msghdr packet = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd < 0)
		return false;
	message->magic = DP_MESSAGE_MAGIC;
	message->pid = (uint32_t)dp_collector.pid;
	message->serial = dp_collector.serial;
	if (passed_fd >= 0) {
		memset(&control, 0, sizeof(control));
		packet.msg_control = &control;
		packet.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &passed_fd, sizeof(int));
	}
	return sendmsg(fd, &packet, MSG_NOSIGNAL | (passed_fd >= 0 ? 0 : MSG_DONTWAIT)) >= 0;
}

bool dp_message__hello(const char *spool_name)
{
	struct dp_message message = { .type = DP_HELLO };

	message.text_bytes = (uint32_t)strlen(spool_name);
	memcpy(message.text, spool_name, message.text_bytes);
	return send_message(&message, dp_collector.pool_file.fd);
}

void dp_message__bye(void)
{
	struct dp_message message = { .type = DP_BYE };

	send_message(&message, -1);
}

void dp_message__say(uint32_t level, const char *code, const char *format, ...)
{
	struct dp_message message = { .type = DP_TEXT, .level = level };
	uint32_t slot = atomic_fetch_add(&dp_collector.note_count, 1);
	struct note spare, *note = slot < NOTES ? &dp_collector.notes[slot] : &spare;
	va_list arguments;

	note->level = level;
	note->realtime_ns = clock_ns(CLOCK_REALTIME);
	snprintf(note->code, sizeof(note->code), "%s", code);
	va_start(arguments, format);
	vsnprintf(note->text, sizeof(note->text) - sizeof(note->code), format, arguments);
	va_end(arguments);
	message.code_bytes = (uint32_t)strlen(note->code);
	message.text_bytes = (uint32_t)strlen(note->text);
	memcpy(message.text, note->code, message.code_bytes);
	memcpy(message.text + message.code_bytes, note->text, message.text_bytes);
	if (slot < NOTES)
		atomic_store(&note->ready, 1);
	send_message(&message, -1);
}
