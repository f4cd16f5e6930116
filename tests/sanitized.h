/*
 * Sanitizers make the library about eight times as slow. What a test repeats with other seeds it
 * repeats less often under them; a build without them does the whole of it.
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
