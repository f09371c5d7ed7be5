/*
 * byte_search.c
 *		Where a string of bytes occurs in a longer one.
 *
 * Sixteen places are looked at together: are the needle's first and last byte
 * where they would have to be?  Only there the rest is compared.  (Mula's
 * "generic SIMD" search.)  SSE2 is part of every x86-64; elsewhere the first
 * byte is looked for with memchr.
 */
#include "encoding/base.h"

#include "encoding/byte_search.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Is the needle, of more than one byte, here, where its ends are? */
static inline bool
middle_matches(const uint8_t *place, const uint8_t *needle,
			   size_t needle_length)
{
	return needle_length <= 2 ||
		memcmp(place + 1, needle + 1, needle_length - 2) == 0;
}

/* Look at the places one by one. */
static const uint8_t *
search_places(const uint8_t *place, const uint8_t *end,
			  const uint8_t *needle, size_t needle_length)
{
	while (place < end &&
		   (place = memchr(place, needle[0], (size_t) (end - place))) != NULL)
	{
		if (memcmp(place, needle, needle_length) == 0)
			return place;
		place++;
	}
	return NULL;
}

const uint8_t *
byte_search(const uint8_t *bytes, size_t length, const uint8_t *needle,
			size_t needle_length)
{
	const uint8_t *place = bytes;
	const uint8_t *end;			/* behind the last place */

	if (needle_length > length)
		return NULL;
	end = bytes + (length - needle_length) + 1;

#ifdef __SSE2__
	{
		const __m128i first = _mm_set1_epi8((char) needle[0]);
		const __m128i last = _mm_set1_epi8((char) needle[needle_length - 1]);

		for (; end - place >= 16; place += 16)
		{
			__m128i		here = _mm_loadu_si128((const __m128i *) place);
			__m128i		there = _mm_loadu_si128((const __m128i *)
												(place + needle_length - 1));
			unsigned	found = (unsigned)
				_mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(here, first),
												_mm_cmpeq_epi8(there, last)));

			for (; found != 0; found &= found - 1)
			{
				const uint8_t *hit = place + __builtin_ctz(found);

				if (middle_matches(hit, needle, needle_length))
					return hit;
			}
		}
	}
#endif
	return search_places(place, end, needle, needle_length);
}
