/*
 * embed NAME=FILE…: writes C source with the files' bytes, for lib/report/html.c. A file that does
 * not exist (a library that is not installed is given as an empty name) is empty. What goes into a
 * script element must not end it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int embed_bytes(FILE *file, const char *path)
{
	static const char *const enders[] = { "</script", "</style", "<!--" };
	size_t matched[3] = { 0, 0, 0 }, column = 0;
	int byte;

	while ((byte = fgetc(file)) != EOF) {
		int lower = byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;

		for (size_t i = 0; i < 3; i++) {
			if (enders[i][matched[i]] != lower)
				matched[i] = 0;
			matched[i] += enders[i][matched[i]] == lower;
			if (!enders[i][matched[i]]) {
				fprintf(stderr, "embed: %s contains %s\n", path, enders[i]);
				return 1;
			}
		}
		printf("%d,%s", byte, ++column % 24 ? "" : "\n");
	}
	return ferror(file);
}

int main(int argc, char **argv)
{
	printf("#include \"report/html.h\"\n");
	for (int i = 1; i < argc; i++) {
		const char *path = strchr(argv[i], '=');
		FILE *file = path && path[1] ? fopen(path + 1, "rb") : NULL;

		if (!path || (path[1] && !file)) {
			fprintf(stderr, "embed: %s can't be read\n", argv[i]);
			return 1;
		}
		printf("static const unsigned char asset_%d[] = {\n", i);
		if (file && embed_bytes(file, path + 1))
			return 1;
		printf("10};\n");
		if (file)
			fclose(file);
	}
	printf("const struct dp_html_asset dp_html__assets[] = {\n");
	for (int i = 1; i < argc; i++)
		printf("{ \"%.*s\", asset_%d, sizeof(asset_%d) },\n", (int)strcspn(argv[i], "="),
		       argv[i], i, i);
	printf("{ NULL, NULL, 0 } };\n");
	return fflush(stdout) ? 1 : 0;
}
