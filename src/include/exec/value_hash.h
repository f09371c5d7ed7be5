/*
 * value_hash.h
 *		Hashes of values and bytes, for tables in memory and partitions of files.
 *
 * Built of folded multiplications (64 x 64 to 128 bits, halves xored) as in
 * wyhash: every bit of the input reaches every bit of the hash, so that keys in
 * arithmetic progressions, powers of two and the bits of floats spread alike.
 * Nothing on disk depends on them for longer than a query.
 */
#ifndef EXEC_VALUE_HASH_H
#define EXEC_VALUE_HASH_H

#define HASH_SEED_1		UINT64CONST(0xA0761D6478BD642F)
#define HASH_SEED_2		UINT64CONST(0xE7037ED1A0B428DB)
#define HASH_SEED_3		UINT64CONST(0x8EBC6AF09C88C6E3)

/* What stands for NULL. */
#define HASH_OF_NULL	UINT64CONST(0x589965CC75374CC3)

#if defined(__GNUC__) || defined(__clang__)
#define hash_prefetch(address) __builtin_prefetch(address)
#else
#define hash_prefetch(address) ((void) 0)
#endif

static inline uint64
hash_fold(uint64 a, uint64 b)
{
#ifdef HAVE_INT128
	uint128		product = (uint128) a * b;

	return (uint64) product ^ (uint64) (product >> 64);
#else
	uint64		low = (a & PG_UINT32_MAX) * (b & PG_UINT32_MAX);
	uint64		middle1 = (a >> 32) * (b & PG_UINT32_MAX) + (low >> 32);
	uint64		middle2 = (a & PG_UINT32_MAX) * (b >> 32) +
		(middle1 & PG_UINT32_MAX);

	return (middle2 << 32 | (low & PG_UINT32_MAX)) ^
		((a >> 32) * (b >> 32) + (middle1 >> 32) + (middle2 >> 32));
#endif
}

/*
 * One fold leaves the top bits of small inputs weak, hence the second
 * multiplication.
 */
static inline uint64
hash_uint64(uint64 value)
{
	uint64		hash = hash_fold(value ^ HASH_SEED_1, HASH_SEED_2);

	return hash ^ (hash * HASH_SEED_3 >> 32);
}

/* Of several values in order. */
static inline uint64
hash_combine_uint64(uint64 hash, uint64 value)
{
	return hash_fold(hash ^ HASH_SEED_1, value ^ HASH_SEED_3);
}

static inline uint64
hash_load(const uint8 *bytes, uint32 length)
{
	uint64		word = 0;

	memcpy(&word, bytes, length);
	return word;
}

static inline uint64
hash_bytes_uint64(const uint8 *bytes, uint32 length)
{
	uint64		hash = length ^ HASH_SEED_2;
	uint64		a;
	uint64		b;

	if (length > 16)
	{
		const uint8 *last = bytes + length - 16;

		for (; bytes < last; bytes += 16)
			hash = hash_fold(hash_load(bytes, 8) ^ HASH_SEED_1,
							 hash_load(bytes + 8, 8) ^ hash);
		a = hash_load(last, 8);
		b = hash_load(last + 8, 8);
	}
	else if (length >= 8)
	{
		a = hash_load(bytes, 8);
		b = hash_load(bytes + length - 8, 8);
	}
	else if (length >= 4)
	{
		a = hash_load(bytes, 4);
		b = hash_load(bytes + length - 4, 4);
	}
	else
	{
		a = length == 0 ? 0 :
			(uint64) bytes[0] << 16 | (uint64) bytes[length / 2] << 8 |
			bytes[length - 1];
		b = 0;
	}
	hash = hash_fold(a ^ HASH_SEED_1, b ^ hash);
	return hash_fold(hash ^ HASH_SEED_3, length ^ HASH_SEED_2);
}

#endif							/* EXEC_VALUE_HASH_H */
