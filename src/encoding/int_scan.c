/*
 * int_scan.c
 *		Short passes over vectors of integers, for the instruction sets we know.
 *
 * The loops are in int_scan_template.h, compiled once plainly and, on x86, for
 * AVX2 and AVX-512: 64-bit comparisons, which they consist of, came to vectors
 * only there.  Compilers vectorise such loops by themselves, but not all of
 * them at the level of optimisation that extensions are built with.
 */
#include "encoding/base.h"

#include "encoding/int_scan.h"

#if defined(__GNUC__) && !defined(__clang__)
#define VECTORISED __attribute__((optimize("O3")))
#else
#define VECTORISED
#endif

#define SCAN_LABEL "plain"
#define SCAN_NAME(pass) plain_##pass
#define SCAN_TARGET VECTORISED
#include "int_scan_template.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define SCAN_LABEL "avx2"
#define SCAN_NAME(pass) avx2_##pass
#define SCAN_TARGET VECTORISED __attribute__((target("avx2")))
#include "int_scan_template.h"

#define SCAN_LABEL "avx512"
#define SCAN_NAME(pass) avx512_##pass
#define SCAN_TARGET VECTORISED \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#include "int_scan_template.h"
#endif

static const IntScan *
scan_choose(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return &avx512_scan;
	if (__builtin_cpu_supports("avx2"))
		return &avx2_scan;
#endif
	return &plain_scan;
}

const IntScan *
int_scan(void)
{
	static const IntScan *chosen = NULL;

	if (chosen == NULL)
		chosen = scan_choose();
	return chosen;
}
