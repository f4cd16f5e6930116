/*
 * Of a function 16 bytes are kept. Its name, which takes most of a symbol table, stays in the file
 * until it is asked for.
 */
#include "record/elf.h"
#include "base/search.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* At most 16 MB of memory, and 100 MB of a file. */
enum { FUNCTIONS_MAX = 1 << 20, SYMBOLS_MAX = 1 << 22 };

/* Symbols read at once (6 KiB), and program headers looked at (libraries have a dozen). */
enum { CHUNK = 256, HEADERS_MAX = 64 };

struct file {
	int fd;
	uint64_t bytes;
	Elf64_Ehdr head;
};

static bool read_at(const struct file *file, void *out, uint64_t offset, size_t bytes)
{
	return offset <= file->bytes && bytes <= file->bytes - offset &&
	       pread(file->fd, out, bytes, (off_t)offset) == (ssize_t)bytes;
}

static bool open_file(struct file *file, int fd)
{
	const unsigned char *ident = file->head.e_ident;
	struct stat about;

	file->fd = fd;
	if (fstat(fd, &about) || about.st_size < 0)
		return false;
	file->bytes = (uint64_t)about.st_size;
	return read_at(file, &file->head, 0, sizeof(file->head)) &&
	       !memcmp(ident, ELFMAG, SELFMAG) && ident[EI_CLASS] == ELFCLASS64 &&
	       ident[EI_DATA] ==
		       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
}

static void read_segments(struct dp_elf *elf, const struct file *file)
{
	Elf64_Phdr header;

	if (file->head.e_phentsize != sizeof(header))
		return;
	for (size_t i = 0; i < file->head.e_phnum && i < HEADERS_MAX; i++) {
		uint64_t at;

		if (elf->segment_count == DP_ELF_SEGMENTS ||
		    __builtin_add_overflow(file->head.e_phoff, i * sizeof(header), &at) ||
		    !read_at(file, &header, at, sizeof(header)))
			return;
		if (header.p_type == PT_LOAD && header.p_flags & PF_X)
			elf->segments[elf->segment_count++] =
				(struct dp_elf_segment){ header.p_offset, header.p_vaddr,
							 header.p_filesz };
	}
}

static bool read_section(const struct file *file, Elf64_Shdr *section, uint64_t index)
{
	uint64_t at;

	return index < file->head.e_shnum && file->head.e_shentsize == sizeof(*section) &&
	       !__builtin_add_overflow(file->head.e_shoff, index * sizeof(*section), &at) &&
	       read_at(file, section, at, sizeof(*section));
}

static bool is_inside(const struct file *file, const Elf64_Shdr *section)
{
	return section->sh_offset <= file->bytes &&
	       section->sh_size <= file->bytes - section->sh_offset;
}

/* Finds a table of symbols and its strings. */
static bool find_table(const struct file *file, uint32_t type, Elf64_Shdr *table, Elf64_Shdr *names)
{
	for (uint64_t i = 0; read_section(file, table, i); i++)
		if (table->sh_type == type)
			return table->sh_entsize == sizeof(Elf64_Sym) && is_inside(file, table) &&
			       read_section(file, names, table->sh_link) &&
			       names->sh_type == SHT_STRTAB && is_inside(file, names);
	return false;
}

static bool is_function(const Elf64_Sym *symbol, uint64_t name_bytes)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_size && symbol->st_size <= UINT32_MAX && symbol->st_name &&
	       symbol->st_name < name_bytes;
}

static int read_table(struct dp_elf *elf, const struct file *file, const Elf64_Shdr *table)
{
	uint64_t count = DP_MIN(table->sh_size / sizeof(Elf64_Sym), (uint64_t)SYMBOLS_MAX);
	Elf64_Sym symbols[CHUNK];

	for (uint64_t at = 0, n; at < count; at += n) {
		n = DP_MIN(count - at, (uint64_t)CHUNK);
		if (!read_at(file, symbols, table->sh_offset + at * sizeof(*symbols),
			     n * sizeof(*symbols)))
			break;
		if (dp_array__reserve(&elf->functions, &elf->room, elf->count + n,
				      sizeof(*elf->functions)))
			return DP_ERR_NOMEM;
		for (uint64_t i = 0; i < n && elf->count < FUNCTIONS_MAX; i++)
			if (is_function(&symbols[i], elf->name_bytes))
				elf->functions[elf->count++] =
					(struct dp_elf_function){ symbols[i].st_value,
								  (uint32_t)symbols[i].st_size,
								  symbols[i].st_name };
	}
	return DP_OK;
}

static int by_address(const void *a, const void *b)
{
	const struct dp_elf_function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

int dp_elf__read(struct dp_elf *elf, int fd)
{
	Elf64_Shdr table, names;
	struct file file;
	int status;

	memset(elf, 0, sizeof(*elf));
	if (!open_file(&file, fd) || (!find_table(&file, SHT_SYMTAB, &table, &names) &&
				      !find_table(&file, SHT_DYNSYM, &table, &names)))
		return DP_OK;
	read_segments(elf, &file);
	elf->names = names.sh_offset;
	elf->name_bytes = names.sh_size;
	status = read_table(elf, &file, &table);
	if (!status && elf->count)
		qsort(elf->functions, elf->count, sizeof(*elf->functions), by_address);
	dp_array__shrink(&elf->functions, &elf->room, elf->count, sizeof(*elf->functions));
	return status;
}

void dp_elf__fini(struct dp_elf *elf)
{
	free(elf->functions);
	memset(elf, 0, sizeof(*elf));
}

const struct dp_elf_function *dp_elf__find(const struct dp_elf *elf, uint64_t offset)
{
	const struct dp_elf_function *at;
	uint64_t address;
	size_t i = 0, after;

	while (i < elf->segment_count && offset - elf->segments[i].offset >= elf->segments[i].bytes)
		i++;
	if (i == elf->segment_count)
		return NULL;
	address = offset - elf->segments[i].offset + elf->segments[i].address;
	DP_FIND(after, 0, elf->count, elf->functions[after].address > address);
	at = after ? &elf->functions[after - 1] : NULL;
	return at && address - at->address < at->bytes ? at : NULL;
}

bool dp_elf__name(const struct dp_elf *elf, int fd, const struct dp_elf_function *function,
		  char *name, size_t size)
{
	uint64_t most = DP_MIN(elf->name_bytes - function->name, (uint64_t)size - 1);
	ssize_t bytes = pread(fd, name, (size_t)most, (off_t)(elf->names + function->name));

	if (bytes <= 0)
		return false;
	name[bytes] = '\0';
	return name[0] != '\0';
}
