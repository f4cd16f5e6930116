/*
 * Names of code: of a made-up process with a made-up library, with files that lie, and without
 * memory; and of this program.
 */
#define _GNU_SOURCE
#include "alloc_fail.h"
#include "record/elf.h"
#include "record/stacks.h"
#include "test.h"
#include "test_database.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

#define START UINT64_C(0x7f0000000000)

static struct library {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[6];
	char names[40];
} library;

static const char names[] = "\0outer\0inner\0data\0missing\0_Z3addii";

static Elf64_Sym symbol(const char *name, unsigned char type, uint16_t section, uint64_t value,
			uint64_t bytes)
{
	size_t at = 0;

	while (strcmp(names + at, name))
		at += strlen(names + at) + 1;
	return (Elf64_Sym){ .st_name = (Elf64_Word)at,
			    .st_info = ELF64_ST_INFO(STB_GLOBAL, type),
			    .st_shndx = section,
			    .st_value = value,
			    .st_size = bytes };
}

/* Offset 0 of the file is at address 0x1000. inner lies within outer. */
static void make_library(void)
{
	static const Elf64_Sym none;

	library = (struct library){
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
			  .e_phoff = offsetof(struct library, segment),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1,
			  .e_shoff = offsetof(struct library, sections),
			  .e_shentsize = sizeof(Elf64_Shdr),
			  .e_shnum = 3 },
		.segment = { .p_type = PT_LOAD,
			     .p_flags = PF_X,
			     .p_vaddr = 0x1000,
			     .p_filesz = 0x10000 },
		.sections = { { 0 },
			      { .sh_type = SHT_DYNSYM,
				.sh_link = 2,
				.sh_offset = offsetof(struct library, symbols),
				.sh_size = sizeof(library.symbols),
				.sh_entsize = sizeof(Elf64_Sym) },
			      { .sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct library, names),
				.sh_size = sizeof(names) } },
		.symbols = { none, symbol("_Z3addii", STT_FUNC, 1, 0x1300, 0x20),
			     symbol("outer", STT_FUNC, 1, 0x1100, 0x100),
			     symbol("inner", STT_FUNC, 1, 0x1180, 0x10),
			     symbol("data", STT_OBJECT, 1, 0x1400, 0x100),
			     symbol("missing", STT_FUNC, 0, 0x1500, 0x100) },
	};
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		library.head.e_ident[EI_DATA] = ELFDATA2MSB;
	memcpy(library.names, names, sizeof(names));
}

static void put_file(const char *name, const void *data, size_t bytes, int flags)
{
	char file[400];
	int fd;

	snprintf(file, sizeof(file), "%s/%s", folder, name);
	fd = open(file, O_WRONLY | O_CREAT | flags, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, bytes), (ssize_t)bytes);
	close(fd);
}

static void write_text(const char *name, const char *text, int flags)
{
	put_file(name, text, strlen(text), flags);
}

static uint64_t inode(void)
{
	struct stat about;
	char file[400];

	snprintf(file, sizeof(file), "%s/root/lib.so", folder);
	return stat(file, &about) ? 0 : about.st_ino;
}

static void write_maps(uint64_t file)
{
	char text[400];

	snprintf(text, sizeof(text),
		 "400000-401000 r--p 00000000 08:01 77   /lib.so\n"
		 "7f0000000000-7f0000010000 r-xp 00000000 08:01 %llu   /lib.so\n"
		 "7f0000010000-7f0000020000 r-xp 00000000 00:00 0\n",
		 (unsigned long long)file);
	write_text("maps", text, O_TRUNC);
}

static void make_process(void)
{
	char name[400];

	make_folder("");
	snprintf(name, sizeof(name), "%s/root", folder);
	ck_assert_int_eq(mkdir(name, 0700), 0);
	snprintf(name, sizeof(name), "%s/root/tmp", folder);
	ck_assert_int_eq(mkdir(name, 0700), 0);
	make_library();
	put_file("root/lib.so", &library, sizeof(library), O_TRUNC);
	write_maps(inode());
}

static void remove_process(void)
{
	static const char *const left[] = { "root/lib.so", "root/tmp/perf-7.map", "root/tmp",
					    "root" };
	char name[400];

	for (size_t i = 0; i < DP_COUNT(left); i++) {
		snprintf(name, sizeof(name), "%s/%s", folder, left[i]);
		remove(name);
	}
	remove_folder();
}

static char named[DP_CODE_NAME_SIZE + DP_CODE_MODULE_SIZE + 1];

/* "outer lib.so"; "-" for unknown code. Of a process seen for the first time. */
static const char *name_at(uint64_t address)
{
	struct dp_code_files *files = dp_code_files__new();
	struct dp_mappings *mappings = dp_mappings__new(folder, 7);
	struct dp_code_name code;

	strcpy(named, "-");
	if (files && mappings && dp_code__find(files, mappings, address, &code))
		snprintf(named, sizeof(named), "%s %s", code.name, code.module);
	dp_code_files__free(files);
	dp_mappings__free(mappings);
	return named;
}

TEST(functions_of_a_library)
{
	make_process();
	ck_assert_str_eq(name_at(START + 0x110), "outer lib.so");
	ck_assert_str_eq(name_at(START + 0x185), "inner lib.so");
	ck_assert_str_eq(name_at(START + 0x310), "_Z3addii lib.so");
	ck_assert_str_eq(name_at(START + 0x320), " lib.so");
	ck_assert_str_eq(name_at(START + 0x410), " lib.so");
	ck_assert_str_eq(name_at(START + 0x510), " lib.so");
	ck_assert_str_eq(name_at(START + 0x10110), "-");
	ck_assert_str_eq(name_at(0x400110), "-");
	/* a file that replaced it has other functions */
	write_maps(inode() + 1);
	ck_assert_str_eq(name_at(START + 0x110), " lib.so");
	remove_process();
}

/* Waiting for a writer, or a device, would stop the recording. */
TEST(only_regular_files_are_opened)
{
	char name[400];

	make_process();
	snprintf(name, sizeof(name), "%s/root/lib.so", folder);
	unlink(name);
	ck_assert_int_eq(mkfifo(name, 0600), 0);
	write_maps(inode());
	ck_assert_str_eq(name_at(START + 0x110), " lib.so");
	unlink(name);
	ck_assert_int_eq(symlink("/dev/zero", name), 0);
	ck_assert_str_eq(name_at(START + 0x110), " lib.so");
	remove_process();
}

/* Python appends while it runs; a line without an end is not complete. */
TEST(perf_map)
{
	struct dp_code_files *files = dp_code_files__new();
	struct dp_mappings *mappings;
	struct dp_code_name code;

	make_process();
	mappings = dp_mappings__new(folder, 7);
	write_text("root/tmp/perf-7.map",
		   "7f0000010020 10 py::f:/home/me/a b.py\n"
		   "not a line\n"
		   "7f0000010000 10 py::g:x.py\n7f0000010030 f py::h:",
		   0);
	ck_assert(dp_code__find(files, mappings, START + 0x10028, &code));
	ck_assert_str_eq(code.name, "py::f:/home/me/a b.py");
	ck_assert_str_eq(code.module, "");
	ck_assert(dp_code__find(files, mappings, START + 0x10000, &code));
	ck_assert_str_eq(code.name, "py::g:x.py");
	ck_assert(!dp_code__find(files, mappings, START + 0x10010, &code));
	ck_assert(!dp_code__find(files, mappings, START + 0x10030, &code));
	write_text("root/tmp/perf-7.map", "y.py\n7f0000010020 10 py::new:z.py\n", O_APPEND);
	usleep(60000);
	ck_assert(dp_code__find(files, mappings, START + 0x10030, &code));
	ck_assert_str_eq(code.name, "py::h:y.py");
	ck_assert(dp_code__find(files, mappings, START + 0x10020, &code));
	ck_assert_str_eq(code.name, "py::new:z.py");
	dp_code_files__free(files);
	dp_mappings__free(mappings);
	remove_process();
}

/* Reads a damaged library, and looks everywhere. Returns the number of its functions. */
static size_t read_damaged(const void *data, size_t bytes)
{
	struct dp_elf elf;
	int fd = memfd_create("library", MFD_CLOEXEC);
	char name[8];
	size_t count;

	ck_assert_int_eq(write(fd, data, bytes), (ssize_t)bytes);
	ck_assert_int_eq(dp_elf__read(&elf, fd), DP_OK);
	for (uint64_t offset = 0; offset < 0x400; offset += 8) {
		const struct dp_elf_function *at = dp_elf__find(&elf, offset);

		if (at && dp_elf__name(&elf, fd, at, name, sizeof(name)))
			ck_assert_uint_lt(strlen(name), sizeof(name));
	}
	count = elf.count;
	dp_elf__fini(&elf);
	close(fd);
	return count;
}

TEST(damaged_libraries)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0xff };
	unsigned char copy[sizeof(library)];

	make_library();
	ck_assert_uint_eq(read_damaged(&library, sizeof(library)), 3);
	for (size_t i = 0; i < sizeof(library); i++) {
		read_damaged(&library, i);
		for (size_t v = 0; v < DP_COUNT(values); v++) {
			memcpy(copy, &library, sizeof(copy));
			copy[i] = values[v];
			read_damaged(copy, sizeof(copy));
		}
	}
}

TEST(huge_counts)
{
	static const uint64_t values[] = { UINT64_MAX, UINT64_MAX - 63, (uint64_t)1 << 63,
					   1 << 20 };

	for (size_t i = 0; i < DP_COUNT(values); i++) {
		make_library();
		library.sections[1].sh_size = values[i];
		ck_assert_uint_eq(read_damaged(&library, sizeof(library)), 0);
		make_library();
		library.sections[1].sh_offset = library.sections[2].sh_offset = values[i];
		ck_assert_uint_eq(read_damaged(&library, sizeof(library)), 0);
		make_library();
		library.head.e_shoff = values[i];
		ck_assert_uint_eq(read_damaged(&library, sizeof(library)), 0);
		make_library();
		library.head.e_phoff = values[i];
		ck_assert_uint_eq(read_damaged(&library, sizeof(library)), 3);
	}
}

TEST(damaged_maps)
{
	char text[6000];

	make_process();
	write_text("maps",
		   "\n-\n7f0000000000\nz r-xp\n7f0000020000-7f0000010000 r-xp 0 0:0 1 /lib.so\n"
		   "7f0000000000-7f0000010000 r-xp ffffffffffffffff 08:01 1   /lib.so\n"
		   "7f0000000000-7f0000020000 r-xp 00000000 08:01 1   /other.so\n"
		   "7f0000010000-ffffffffffffffff r-xp 00000000 ffffffff:ffffffff 1 /\n",
		   O_TRUNC);
	ck_assert_str_eq(name_at(START + 0x110), " lib.so");
	ck_assert_str_eq(name_at(START + 0x10110), " ");
	memset(text, 'x', sizeof(text));
	strcpy(text, "7f0000000000-7f0000010000 r-xp 00000000 08:01 1   /");
	text[strlen(text)] = 'x';
	text[sizeof(text) - 1] = '\0';
	write_text("maps", text, O_TRUNC);
	name_at(START + 0x110);
	write_text("root/tmp/perf-7.map", text, 0);
	ck_assert_str_eq(name_at(START + 0x20110), "-");
	remove_process();
}

struct tree {
	size_t count;
	uint32_t parent;
	char name[100];
};

static void put(void *ctx, uint32_t parent, const struct dp_code_name *code)
{
	struct tree *tree = ctx;

	tree->count++;
	tree->parent = parent;
	snprintf(tree->name, sizeof(tree->name), "%.40s %.40s", code->name, code->module);
}

TEST(tree_of_stacks)
{
	/* the caller's address is behind its last instruction, the last one is none of code */
	const uint64_t one[] = { START + 0x110, START + 0x320, 0x10 };
	const uint64_t other[] = { START + 0x185, START + 0x301 };
	struct tree tree = { 0 };
	struct dp_stacks *stacks = dp_stacks__new(&(struct dp_stacks_sink){ put, &tree });
	struct dp_mappings *mappings;

	make_process();
	mappings = dp_mappings__new(folder, 7);
	ck_assert_uint_eq(dp_stacks__find(stacks, mappings, 0, one, 3), 2);
	ck_assert_uint_eq(tree.count, 2);
	ck_assert_uint_eq(tree.parent, 1);
	ck_assert_str_eq(tree.name, "outer lib.so");
	ck_assert_uint_eq(dp_stacks__find(stacks, mappings, 0, one, 3), 2);
	ck_assert_uint_eq(tree.count, 2);
	ck_assert_uint_eq(dp_stacks__find(stacks, mappings, 0, other, 2), 3);
	ck_assert_str_eq(tree.name, "inner lib.so");
	ck_assert_uint_eq(dp_stacks__find(stacks, mappings, 0, one + 2, 1), 0);
	ck_assert_uint_eq(dp_stacks__refused(stacks), 0);
	dp_mappings__free(mappings);
	dp_stacks__free(stacks);
	remove_process();
}

/* 300 functions that call each other in all ways. */
TEST(limit_of_the_tree)
{
	enum { FUNCTIONS = 300 };
	struct tree tree = { 0 };
	struct dp_stacks *stacks = dp_stacks__new(&(struct dp_stacks_sink){ put, &tree });
	struct dp_mappings *mappings;
	char text[FUNCTIONS * 32];
	size_t used = 0;

	make_process();
	mappings = dp_mappings__new(folder, 7);
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "7f000001%04x 10 f%u\n",
					 16 * i, i);
	write_text("root/tmp/perf-7.map", text, 0);
	for (uint64_t i = 0; i < FUNCTIONS; i++)
		for (uint64_t j = 0; j < FUNCTIONS; j++)
			dp_stacks__find(
				stacks, mappings, 0,
				(uint64_t[]){ START + 0x10000 + 16 * i, START + 0x10001 + 16 * j },
				2);
	ck_assert_uint_eq(tree.count, DP_STACKS_MAX);
	ck_assert_uint_eq(dp_stacks__refused(stacks), FUNCTIONS * (FUNCTIONS + 1) - DP_STACKS_MAX);
	dp_mappings__free(mappings);
	dp_stacks__free(stacks);
	remove_process();
}

TEST(out_of_memory)
{
	const uint64_t stack[] = { START + 0x110, START + 0x10005 };
	struct tree tree = { 0 };

	make_process();
	write_text("root/tmp/perf-7.map", "7f0000010000 10 made\n", 0);
	for (size_t k = 0, more = 1; more; k++) {
		struct dp_mappings *mappings;
		struct dp_stacks *stacks;
		uint32_t id = 0;

		alloc_fail_after(k);
		mappings = dp_mappings__new(folder, 7);
		stacks = dp_stacks__new(&(struct dp_stacks_sink){ put, &tree });
		if (mappings && stacks)
			id = dp_stacks__find(stacks, mappings, 0, stack, 2);
		more = alloc_fail_stop();
		ck_assert_uint_le(id, 2);
		if (!more)
			ck_assert_uint_eq(id, 2);
		dp_mappings__free(mappings);
		dp_stacks__free(stacks);
	}
	remove_process();
}

TEST(this_program)
{
	struct dp_code_files *files = dp_code_files__new();
	struct dp_mappings *mappings = dp_mappings__new("/proc/self", (uint32_t)getpid());
	struct dp_code_name code;

	ck_assert(dp_code__find(files, mappings, (uint64_t)(uintptr_t)dp_elf__find, &code));
	ck_assert_str_eq(code.name, "dp_elf__find");
	ck_assert_str_eq(code.module, "test_code");
	dp_code_files__free(files);
	dp_mappings__free(mappings);
}
