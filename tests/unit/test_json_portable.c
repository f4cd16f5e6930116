/* The same tests on the search that needs no vector instructions. */
#define DP_JSON_PORTABLE
#include "import/json_scan.c"

#include "test_json_scan.c"
