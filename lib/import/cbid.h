/* Names of CUDA API functions by CUPTI's callback ids. */
#ifndef DP_IMPORT_CBID_H
#define DP_IMPORT_CBID_H

#include <stddef.h>
#include <stdint.h>

/* The values of CUPTI's CUpti_CallbackDomain. */
enum dp_cbid_domain { DP_CBID_DRIVER = 1, DP_CBID_RUNTIME = 2 };

/* Returns the function's name, or "runtime cbid 211" written into buf if the name is unknown. */
const char *dp_cbid__name(enum dp_cbid_domain domain, int64_t cbid, char *buf, size_t size);

#endif
