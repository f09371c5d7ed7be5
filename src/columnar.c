/*
 * columnar.c
 *		Start of the module: its settings and the access method's handler.
 *
 * The module is loaded when a columnar table is first touched; nothing here
 * needs shared_preload_libraries.  A setting's name must not be one that Citus
 * or Hydra define (columnar.compression, columnar.stripe_row_limit, ...): two
 * libraries that define one name cannot live in one session.
 */
#include "postgres.h"

#include <limits.h>

#include "access/load_buffer.h"
#include "access/scan_setup.h"
#include "access/table_am.h"
#include "access/table_options.h"
#include "columnar.h"
#include "compat.h"
#include "encoding/base.h"
#include "encoding/bitpack.h"
#include "exec/vector_agg.h"
#include "exec/join_filter.h"
#include "exec/vector_scan.h"
#include "exec/vector_topn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

bool		columnar_vector_scan = true;
bool		columnar_vector_agg = true;
int			columnar_codec = COLUMNAR_CODEC_AUTO;
int			columnar_codec_level = 0;
int			columnar_load_buffer_size = 128 * 1024;
int			columnar_row_form_rows = 1000;
int			columnar_decode_kernel = UNPACK_AUTO;

static const struct config_enum_entry codec_options[] = {
	{"auto", COLUMNAR_CODEC_AUTO, false},
	{"none", COLUMNAR_CODEC_NONE, false},
	{"lz4", COLUMNAR_CODEC_LZ4, false},
	{"zstd", COLUMNAR_CODEC_ZSTD, false},
	{NULL, 0, false}
};

static const struct config_enum_entry decode_kernel_options[] = {
	{"auto", UNPACK_AUTO, false},
	{"bit", UNPACK_BIT, false},
	{"word", UNPACK_WORD, false},
	{"bytes", UNPACK_BYTES, false},
	{"spec", UNPACK_SPECIAL, false},
	{"special", UNPACK_SPECIAL, true},
	{"neon", UNPACK_NEON, false},
	{"avx2", UNPACK_AVX2, false},
	{"avx512", UNPACK_AVX512, false},
	{NULL, 0, false}
};

PG_FUNCTION_INFO_V1(columnar_handler);

/*
 * The encoding library's way to CHECK_FOR_INTERRUPTS.
 */
static void
check_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* So that who tests a kernel is not given another one. */
static bool
check_decode_kernel(int *newval, void **extra, GucSource source)
{
	if (bitpack_kernel_is_available((UnpackKernel) *newval))
		return true;
	GUC_check_errdetail("This machine cannot run the kernel \"%s\".",
						bitpack_kernel_name((UnpackKernel) *newval));
	return false;
}

static void
assign_decode_kernel(int newval, void *extra)
{
	bitpack_set_kernel((UnpackKernel) newval);
}

static void
define_settings(void)
{
	DefineCustomBoolVariable("columnar.vector_scan",
							 "Enables the planner's use of vectorised scans of columnar tables.",
							 NULL,
							 &columnar_vector_scan,
							 true,
							 PGC_USERSET,
							 GUC_EXPLAIN,
							 NULL, NULL, NULL);

	DefineCustomBoolVariable("columnar.vector_agg",
							 "Enables the planner's use of vectorised aggregation of columnar tables.",
							 "It reads by vectorised scans, which must be enabled, too.",
							 &columnar_vector_agg,
							 true,
							 PGC_USERSET,
							 GUC_EXPLAIN,
							 NULL, NULL, NULL);

	DefineCustomEnumVariable("columnar.codec",
							 "Sets the method that compresses blocks of newly written values.",
							 "With \"auto\", the table's option \"optimize\" decides.",
							 &columnar_codec,
							 COLUMNAR_CODEC_AUTO,
							 codec_options,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("columnar.codec_level",
							"Sets the compression level of the zstd method.",
							"With 0, the table's option \"optimize\" decides.",
							&columnar_codec_level,
							0, 0, 19,
							PGC_USERSET,
							0,
							NULL, NULL, NULL);

	DefineCustomIntVariable("columnar.load_buffer_size",
							"Sets the memory for rows that wait to be written by column.",
							"The limit is for all tables of a session together.",
							&columnar_load_buffer_size,
							128 * 1024, 1024, INT_MAX,
							PGC_USERSET,
							GUC_UNIT_KB,
							NULL, NULL, NULL);

	DefineCustomIntVariable("columnar.row_form_rows",
							"Sets how many rows a command writes row by row before it is taken for a load.",
							"With zero even a single row is written by column; this is for tests.",
							&columnar_row_form_rows,
							1000, 0, INT_MAX,
							PGC_USERSET,
							0,
							NULL, NULL, NULL);

	DefineCustomEnumVariable("columnar.decode_kernel",
							 "Selects the code that unpacks bit-packed values.",
							 "All kernels give the same values; this is for tests and measurements.",
							 &columnar_decode_kernel,
							 UNPACK_AUTO,
							 decode_kernel_options,
							 PGC_USERSET,
							 0,
							 check_decode_kernel, assign_decode_kernel, NULL);

	MarkGUCPrefixReserved("columnar");
}

void
_PG_init(void)
{
	encoding_check_interrupts = check_interrupts;
	define_settings();
	load_buffer_init();
	table_options_init();
	vector_scan_init();
	join_filter_init();
	vector_agg_init();
	vector_topn_init();
	jit_choice_init();
	index_cost_init();
	scan_setup_init();
}

/*
 * The access method's callbacks; called once per relation cache entry.
 */
Datum
columnar_handler(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(&columnar_table_am_routine);
}
