/*
 * Sanitizers make the library about eight times as slow. With them, a test that repeats something,
 * with another seed or another allocation that fails, repeats a part of it; in a build without them
 * it repeats all.
 */
#ifndef DP_TEST_SANITIZED_H
#define DP_TEST_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DP_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DP_SANITIZED 1
#endif
#endif
#ifndef DP_SANITIZED
#define DP_SANITIZED 0
#endif

#endif
