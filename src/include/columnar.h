/*
 * columnar.h
 *		The module's settings.
 *
 * Defined in columnar.c, readable everywhere; nobody but the server's settings
 * machinery writes them.
 */
#ifndef COLUMNAR_H
#define COLUMNAR_H

/*
 * Values of columnar.codec: what may compress a block of bytes.  With auto it
 * is what the table's options say.
 */
typedef enum ColumnarCodec
{
	COLUMNAR_CODEC_AUTO = 0,
	COLUMNAR_CODEC_NONE,
	COLUMNAR_CODEC_LZ4,
	COLUMNAR_CODEC_ZSTD
} ColumnarCodec;

/* columnar.vector_scan: may the planner use ColumnarVectorScan? */
extern bool columnar_vector_scan;

/* columnar.vector_agg: may the planner use ColumnarVectorAgg? */
extern bool columnar_vector_agg;

/* columnar.codec, a ColumnarCodec. */
extern int	columnar_codec;

/* columnar.codec_level, zstd's level, or 0 for auto; LZ4 has none. */
extern int	columnar_codec_level;

/* columnar.load_buffer_size in kB: rows buffered over all tables. */
extern int	columnar_load_buffer_size;

/* columnar.row_form_rows: rows of a command before it is taken for a load. */
extern int	columnar_row_form_rows;

/* columnar.decode_kernel, an UnpackKernel. */
extern int	columnar_decode_kernel;

#endif							/* COLUMNAR_H */
