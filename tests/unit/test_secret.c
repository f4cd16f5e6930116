/*
 * What is stored of command lines (secret.h): secrets in all the forms that the man page lists are
 * replaced, and descriptions of models and training are kept.
 */
#include "spool/secret.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define R DP_SECRET_REPLACED

/* Arguments are separated by '|', in and out. */
static void check(const char *arguments, const char *expected)
{
	size_t bytes = strlen(arguments) + 1, length;
	char *in = malloc(bytes), out[1024];

	ck_assert_ptr_nonnull(in);
	memcpy(in, arguments, bytes);
	for (size_t i = 0; i < bytes; i++)
		if (in[i] == '|')
			in[i] = '\0';
	length = dp_secret__command(out, sizeof(out), in, bytes, '|');
	ck_assert_str_eq(out, expected);
	ck_assert_uint_eq(length, strlen(expected));
	ck_assert_uint_eq(dp_secret__command(NULL, 0, in, bytes, '|'), length);
	free(in);
}

static const char *const replaced[][2] = {
	/* Named by an option, in either form. */
	{ "x|--token|abc|--lr|1", "x|--token|" R "|--lr|1" },
	{ "x|--api-key=a b c|y", "x|--api-key=" R "|y" },
	{ "x|-token|abc", "x|-token|" R },
	{ "x|--hf_token|-abc", "x|--hf_token|" R },
	{ "x|--apiKey=abc", "x|--apiKey=" R },
	{ "x|--db.password=a=b", "x|--db.password=" R },
	{ "x|+logger.api_key=abc", "x|+logger.api_key=" R },
	/* The option is a flag: what follows is one of its own. */
	{ "x|--use-auth-token|--lr|1", "x|--use-auth-token|--lr|1" },
	{ "x|--token|--password|abc", "x|--token|--password|" R },
	/* Variables. */
	{ "env|HF_TOKEN=abc|WANDB_API_KEY=def|x", "env|HF_TOKEN=" R "|WANDB_API_KEY=" R "|x" },
	{ "env|PGPASSWORD=a|MYSQL_PWD=b|AWS_SECRET_ACCESS_KEY=c|x",
	  "env|PGPASSWORD=" R "|MYSQL_PWD=" R "|AWS_SECRET_ACCESS_KEY=" R "|x" },
	{ "x|HF_TOKEN_2=abc", "x|HF_TOKEN_2=" R },
	/* Headers, whole and in parts. */
	{ "curl|-H|Authorization: Bearer abc", "curl|-H|Authorization: " R },
	{ "curl|-H|X-Api-Key: abc", "curl|-H|X-Api-Key: " R },
	{ "curl|-H|Cookie: a=b; c=d", "curl|-H|Cookie: " R },
	{ "curl|-H|Authorization:|Bearer|abc|x", "curl|-H|Authorization:|" R "|" R "|x" },
	{ "echo|use Bearer abcdefgh here", "echo|use Bearer " R " here" },
	/* In a shell's command, JSON, and connection strings. */
	{ "sh|-c|HF_TOKEN=abc PW='d' x --password e --lr 1; y",
	  "sh|-c|HF_TOKEN=" R " PW='d' x --password " R " --lr 1; y" },
	{ "sh|-c|curl -H \"Authorization: Bearer abc\" h",
	  "sh|-c|curl -H \"Authorization: " R "\" h" },
	{ "x|{\"token\": \"a b\", \"n\": 1}", "x|{\"token\": \"" R "\", \"n\": 1}" },
	{ "x|\"{\\\"api_key\\\": \\\"a\\\", \\\"n\\\": 1}\"",
	  "x|\"{\\\"api_key\\\": \\\"" R "\", \\\"n\\\": 1}\"" },
	{ "x|{\"secrets\": [\"a\", \"b\"], \"n\": 1}", "x|{\"secrets\": " R ", \"n\": 1}" },
	{ "x|{\"secrets\":[\"a\", \"b", "x|{\"secrets\":" R },
	{ "x|-c|os.environ[\"HF_TOKEN\"] = \"a b\"; f()",
	  "x|-c|os.environ[\"HF_TOKEN\"] = \"" R "\"; f()" },
	{ "x|-c|env['API_KEY']='a'", "x|-c|env['API_KEY']='" R "'" },
	{ "x|names=[\"password\"]|a", "x|names=[\"password\"]|a" },
	{ "x|--password=[x]yz", "x|--password=" R },
	{ "x|--password=[x],yz", "x|--password=" R },
	{ "x|a password: [x]yz w", "x|a password: " R " w" },
	{ "x|{secrets: [[\"a\"],[\"b\"]]}", "x|{secrets: " R "}" },
	{ "x|{\"secrets\": {\"a\": {\"b\": \"x\"}, \"c\": \"y\"}}", "x|{\"secrets\": " R "}" },
	{ "x|{\"secrets\": [\"ab]cd\", \"e\\\"]f\"], \"n\": 1}",
	  "x|{\"secrets\": " R ", \"n\": 1}" },
	{ "x|\"{\\\"secrets\\\": [\\\"a]b\\\"], \\\"n\\\": 1}\"",
	  "x|\"{\\\"secrets\\\": " R ", \\\"n\\\": 1}\"" },
	{ "x|Authorization: [a] b", "x|Authorization: " R },
	{ "x|a password: {old: b, new: 'c'} d", "x|a password: " R " d" },
	{ "x|host=h password=a b=c", "x|host=h password=" R " b=c" },
	{ "x|Server=s;Password=a;Port=1", "x|Server=s;Password=" R ";Port=1" },
	/* Users. */
	{ "curl|-u|bob:pw|--proxy-user=eve:1a|x", "curl|-u|bob:" R "|--proxy-user=eve:" R "|x" },
	{ "x|https://bob:pw@host/x", "x|https://" R "@host/x" },
	{ "x|git+https://abc@host/x", "x|git+https://" R "@host/x" },
	{ "x|postgres://u:p/w@h/d", "x|postgres://" R "@h/d" },
	{ "x|redis://:pw@h:1", "x|redis://" R "@h:1" },
	{ "x|https://h/?token=a&b=c", "x|https://h/?token=" R "&b=c" },
	/* Known forms. */
	{ "login|hf_AbcdEfghIjklMnopQrstUvwxYzabcdefgh", "login|" R },
	{ "login|hf_abc12345", "login|" R },
	{ "x|sk-abcd1234efgh5678", "x|" R },
	{ "x|sk-proj-abc_DEF-123456", "x|" R },
	{ "x|--note=ghp_0123456789abcdefghij0123456789abcdef", "x|--note=" R },
	{ "x|github_pat_11ABCDEFG0_abcdef", "x|" R },
	{ "x|AKIAIOSFODNN7EXAMPLE", "x|" R },
	{ "x|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_def", "x|" R },
	{ "x|model_hf_AbcdEfgh12345678/x", "x|model_" R "/x" },
	{ "x|xoxb-123456789012-abcdefABCDEF", "x|" R },
	/* Random. */
	{ "login|0123456789abcdef0123456789abcdef01234567", "login|" R },
	{ "x|wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "x|" R },
	{ "x|--run=Zk3mQ9xT7wLb2VnR5yHc,b", "x|--run=" R ",b" },
	{ "x|https://h/T000/B000/aBcDeFgH1jKlMn0pQrStUvWx", "x|https://h/T000/B000/" R },
	{ "x|dGhpcyBpcyBhIHRlc3Qgb2YgYmFzZTY0Cg==", "x|" R },
	{ "x|550e8400-e29b-41d4-a716-446655440000", "x|" R },
};

TEST_LOOP(secrets, sizeof(replaced) / sizeof(replaced[0]))
{
	check(replaced[_i][0], replaced[_i][1]);
}

static const char *const kept[] = {
	"",
	"python",
	"python|train.py|--max-tokens|512|--pad-token|<pad>|--eos_token=</s>|--max_new_tokens=9",
	"vllm|serve|meta-llama/Llama-3.1-8B-Instruct|--tokenizer|gpt2|--tokenizer-mode|auto",
	"torchrun|--nproc-per-node=8|--rdzv_endpoint=node1:29500|-m|pkg.train|key=value",
	"python|train.py|/data/runs/run_2024-05-03_12-00-01_lr1e-4_bs32/checkpoint-1000",
	"x|Mixtral-8x7B-Instruct-v0.1|stabilityai/stable-diffusion-xl-base-1.0",
	"x|DistributedDataParallelStrategy|resnet50.a1_in1k|hf_transformers|sk-learn",
	"x|--password-file=/run/pw|--token-path|/run/token|--aws-access-key-id|x",
	"x|--num-key-value-heads|8|--key-dim=64|--sort-key|size|--author|me|--pwd|/home/u",
	"docker|run|--user|1000:1000|--gpus|all|nvcr.io/nvidia/pytorch:24.05-py3",
	"x|ssh://git@github.com/x|http://host:8080/a@b|http://[::1]:80/a@b|file:///tmp/a",
	"x|--no-auth|y|-c|1+1|--lr=1e-4|20240503120001|000000000000000000000000",
	"sh|-c|echo \"a: b\" && python -c 'print(1)'; exit 0",
	"x|per_device_train_batch_size=16|gradient_accumulation_steps=4|optim=adamw_bnb_8bit",
	"x|\xc3\xa9t\xc3\xa9|\xff\xfe|a=|=b|--|-|:|://|@|--token",
};

TEST_LOOP(ordinary, sizeof(kept) / sizeof(kept[0]))
{
	check(kept[_i], kept[_i]);
}

/* A cut text is a part of the whole, and nothing after it is changed. */
TEST(cut)
{
	static const char in[] = "x\0--token\0abcdefgh\0end";
	char whole[64], out[64];
	size_t length = dp_secret__command(whole, sizeof(whole), in, sizeof(in), ' ');

	ck_assert_str_eq(whole, "x --token " R " end");
	for (size_t room = 0; room <= sizeof(out); room++) {
		size_t most = room <= length ? room : length + 1;

		memset(out, '#', sizeof(out));
		ck_assert_uint_eq(dp_secret__command(out, room, in, sizeof(in), ' '), length);
		if (room) {
			ck_assert_uint_eq(strlen(out), most - 1);
			ck_assert(!memcmp(out, whole, most - 1));
		}
		for (size_t i = most; i < sizeof(out); i++)
			ck_assert_int_eq(out[i], '#');
	}
}

TEST(variables)
{
	static const char *const secret[] = {
		"SLURM_JWT", "OMPI_SECRET",    "PMI_TOKEN", "MPI_PASSWORD", "RANK_",
		"RAN",	     "SLURM_JOB_NAME", "",	    "HF_TOKEN",	    "SLURM_PROCID\n_",
		"rank"
	};
	size_t count = 0;

	for (const char *name; (name = dp_secret__variable(count)); count++) {
		ck_assert(dp_secret__may_store(name, strlen(name)));
		ck_assert(!dp_secret__is_name(name, strlen(name)));
	}
	ck_assert_uint_gt(count, 10);
	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
		ck_assert(!dp_secret__may_store(secret[i], strlen(secret[i])));
}
