/* Which variables are stored, and which names denote secrets. */
#include "spool/secret.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Each is a small number, a list of devices or an id made by a launcher. deepprof-record(1) lists
 * them, and a test compares the two lists.
 */
static const char *const variables[] = {
	/* The rank in the job. */
	"RANK",
	"SLURM_PROCID",
	"OMPI_COMM_WORLD_RANK",
	"PMI_RANK",
	"PMIX_RANK",
	/* The rank on its node, which shows whose GPU is whose. */
	"LOCAL_RANK",
	"SLURM_LOCALID",
	"OMPI_COMM_WORLD_LOCAL_RANK",
	"MPI_LOCALRANKID",
	/* The number of ranks, which shows whether the trace has all of them. */
	"WORLD_SIZE",
	"SLURM_NTASKS",
	"OMPI_COMM_WORLD_SIZE",
	"PMI_SIZE",
	/* The number on the node, which shows whether ranks share a GPU. */
	"LOCAL_WORLD_SIZE",
	"OMPI_COMM_WORLD_LOCAL_SIZE",
	"MPI_LOCALNRANKS",
	/* The number of the node, which shows the ranks on one node. */
	"GROUP_RANK",
	"NODE_RANK",
	"SLURM_NODEID",
	"OMPI_COMM_WORLD_NODE_RANK",
	/* The job and the attempt, which show the traces that belong together. */
	"SLURM_JOB_ID",
	"SLURM_STEP_ID",
	"SLURM_ARRAY_JOB_ID",
	"SLURM_ARRAY_TASK_ID",
	"TORCHELASTIC_RUN_ID",
	"TORCHELASTIC_RESTART_COUNT",
	/* Which GPU is device 0. */
	"CUDA_VISIBLE_DEVICES",
	"CUDA_DEVICE_ORDER",
	"NVIDIA_VISIBLE_DEVICES",
};

const char *dp_secret__variable(size_t index)
{
	return index < COUNT(variables) ? variables[index] : NULL;
}

bool dp_secret__may_store(const char *name, size_t length)
{
	for (size_t i = 0; i < COUNT(variables); i++)
		if (strlen(variables[i]) == length && !memcmp(name, variables[i], length))
			return true;
	return false;
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The last words of a name in lower case. */
enum { WORDS = 2, WORD_SIZE = 24 };

struct words {
	char text[WORDS][WORD_SIZE]; /* [0] is the last */
	size_t count;		     /* in total */
};

/* Returns where the word that ends at end begins: also at a change from lower to upper case. */
static size_t word_start(const char *name, size_t end)
{
	size_t at = end;

	while (at && (is_lower(name[at - 1]) || is_upper(name[at - 1]) || is_digit(name[at - 1]))) {
		at--;
		if (is_upper(name[at]) && at && is_lower(name[at - 1]))
			break;
	}
	return at;
}

/* "--hf-apiKey2" is "key" and "api": a number at the end only distinguishes several. */
static void split(struct words *words, const char *name, size_t length)
{
	memset(words, 0, sizeof(*words));
	while (length && is_digit(name[length - 1]))
		length--;
	while (length) {
		size_t start = word_start(name, length), used = 0;

		for (size_t i = start; i < length && words->count < WORDS; i++) {
			char *text = words->text[words->count];

			/* Of a longer word, the end counts. */
			if (used == WORD_SIZE - 1)
				memmove(text, text + 1, --used);
			text[used++] = (char)(is_upper(name[i]) ? name[i] - 'A' + 'a' : name[i]);
			text[used] = '\0';
		}
		words->count += start < length;
		length = start;
		while (length && word_start(name, length) == length)
			length--;
	}
}

static bool is_among(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static bool ends_among(const char *word, const char *const *list)
{
	size_t length = strlen(word);

	for (; *list; list++)
		if (length >= strlen(*list) && !strcmp(word + length - strlen(*list), *list))
			return true;
	return false;
}

bool dp_secret__is_name(const char *name, size_t length)
{
	/* As the end of a word: PGPASSWORD, clientsecret. */
	static const char *const ends[] = {
		"password",	 "passwords",  "passwd",      "passphrase", "passcode",	 "secret",
		"secrets",	 "credential", "credentials", "token",	    "jwt",	 "bearer",
		"authorization", "cookie",     "apikey",      "accesskey",  "secretkey", "authkey",
		"privatekey",	 "sshpass",    NULL
	};
	static const char *const whole[] = { "pass", "auth", "sig", "signature", NULL };
	static const char *const keys[] = { "api",     "secret",     "access",	"private",
					    "auth",    "account",    "encrypt", "sign",
					    "signing", "encryption", "master",	"service",
					    "shared",  "storage",    "license", NULL };
	/* For vocabularies of language models, and their sizes. */
	static const char *const vocabulary[] = { "pad",  "eos",  "bos",   "unk",   "sep",
						  "cls",  "mask", "stop",  "image", "audio",
						  "max",  "min",  "num",   "per",   "special",
						  "size", "n",	  "start", "end",   NULL };
	struct words words;
	const char *last = words.text[0], *before = words.text[1];

	split(&words, name, length);
	if (!strcmp(last, "token") && is_among(before, vocabulary))
		return false;
	if (ends_among(last, ends) || is_among(last, whole))
		return true;
	/* Alone it is the working directory. */
	if (!strcmp(last, "pwd"))
		return words.count > 1;
	return (!strcmp(last, "key") || !strcmp(last, "keys")) && is_among(before, keys);
}
