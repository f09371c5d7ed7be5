/*
 * filter_clause.c
 *		Which clauses a column filter can decide.
 *
 * Used by the planner and at executor start, so that both see the same.  Only
 * operators of a built-in type's default btree operator family are taken (and
 * the negator of its equality), and LIKE with simple patterns, because zone
 * maps and kernels compare values by themselves instead of calling the
 * operator's function.  None of these functions can raise an error or has a
 * side effect.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/column_filter.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

static const FilterType filter_types[] = {
	{BOOLOID, DOMAIN_INTEGER, CLASS_UNSIGNED, true, true},
	{CHAROID, DOMAIN_INTEGER, CLASS_UNSIGNED, true, true},
	{INT2OID, DOMAIN_INTEGER, CLASS_SIGNED, false, true},
	{INT4OID, DOMAIN_INTEGER, CLASS_SIGNED, false, true},
	{INT8OID, DOMAIN_INTEGER, CLASS_SIGNED, false, true},
	{OIDOID, DOMAIN_INTEGER, CLASS_UNSIGNED, true, true},
	{DATEOID, DOMAIN_INTEGER, CLASS_SIGNED, false, true},
	{TIMEOID, DOMAIN_INTEGER, CLASS_SIGNED, false, true},
	{TIMESTAMPOID, DOMAIN_INTEGER, CLASS_SIGNED, false, true},
	{TIMESTAMPTZOID, DOMAIN_INTEGER, CLASS_SIGNED, false, true},
	{CASHOID, DOMAIN_INTEGER, CLASS_SIGNED, false, true},
	{FLOAT4OID, DOMAIN_FLOAT, CLASS_FLOAT, false, true},
	{FLOAT8OID, DOMAIN_FLOAT, CLASS_FLOAT, false, true},
	{NUMERICOID, DOMAIN_NUMERIC, CLASS_NUMERIC, false, true},
	{TEXTOID, DOMAIN_BYTES, CLASS_BYTES, false, true},
	{BYTEAOID, DOMAIN_BYTES, CLASS_BYTES, false, true},
	{UUIDOID, DOMAIN_BYTES, CLASS_BYTES, false, true},
	/* Equal enum values have equal OIDs; their order is another one. */
	{ANYENUMOID, DOMAIN_INTEGER, CLASS_UNSIGNED, true, false}
};

static const FilterType *
filter_type_find(Oid type)
{
	for (int i = 0; i < lengthof(filter_types); i++)
	{
		if (filter_types[i].type == type)
			return &filter_types[i];
	}
	return NULL;
}

/*
 * The types that values of the column's type are compared with.  Where the
 * session's time zone would have to be applied to the column there is no
 * kernel; where it applies to the operand, that is converted once.
 */
static bool
operand_type_is_known(Oid column_type, Oid operand_type)
{
	if (column_type == operand_type)
		return true;

	switch (column_type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return operand_type == INT2OID || operand_type == INT4OID ||
				operand_type == INT8OID;
		case FLOAT4OID:
		case FLOAT8OID:
			return operand_type == FLOAT4OID || operand_type == FLOAT8OID;
		case DATEOID:
			return operand_type == TIMESTAMPOID;
		case TIMESTAMPOID:
			return operand_type == DATEOID;
		case TIMESTAMPTZOID:
			return operand_type == DATEOID || operand_type == TIMESTAMPOID;
		default:
			return false;
	}
}

/*
 * The column of relid that node is, looking through changes of type that leave
 * the value as it is; or NULL.
 */
static Var *
column_of(Node *node, Index relid)
{
	Var		   *var;

	while (node && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (node == NULL || !IsA(node, Var))
		return NULL;

	var = (Var *) node;
	if (var->varno != relid || var->varlevelsup != 0 || var->varattno <= 0)
		return NULL;
	return var;
}

/* Does the expression read the relation? */
static bool
reads_relation(Node *node, void *context)
{
	Index		relid = *(Index *) context;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varno == relid &&
			((Var *) node)->varlevelsup == 0;
	return expression_tree_walker(node, reads_relation, context);
}

/*
 * May the operand be evaluated once per scan?  Columns of other relations are
 * parameters by the time the plan runs.
 */
static bool
operand_is_stable(Node *operand, Index relid)
{
	return !reads_relation(operand, &relid) &&
		!contain_volatile_functions(operand) &&
		!contain_subplans(operand);
}

/* A text attribute of a catalog row is a locale that orders bytes. */
static bool
locale_orders_bytes(int cache, HeapTuple tuple, AttrNumber attno)
{
	bool		isnull;
	Datum		datum = SysCacheGetAttr(cache, tuple, attno, &isnull);
	char	   *name;

	if (isnull)
		return false;
	name = TextDatumGetCString(datum);
	return strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0;
}

/* All locales of the server's own provider, which 17 added, order bytes. */
#define PROVIDER_BUILTIN	'b'

/*
 * Does the collation order strings as memcmp does?  The catalogs are asked,
 * because the server's function for it has another form in each version and
 * its header wants ICU's.
 */
bool
collation_orders_bytes(Oid collation)
{
	HeapTuple	tuple;
	bool		result = false;

	if (collation == DEFAULT_COLLATION_OID)
	{
		tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
		if (!HeapTupleIsValid(tuple))
			return false;
		switch (((Form_pg_database) GETSTRUCT(tuple))->datlocprovider)
		{
			case PROVIDER_BUILTIN:
				result = true;
				break;
			case COLLPROVIDER_LIBC:
				result = locale_orders_bytes(DATABASEOID, tuple,
											 Anum_pg_database_datcollate);
				break;
		}
	}
	else
	{
		tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
		if (!HeapTupleIsValid(tuple))
			return false;
		switch (((Form_pg_collation) GETSTRUCT(tuple))->collprovider)
		{
			case PROVIDER_BUILTIN:
				result = true;
				break;
			case COLLPROVIDER_LIBC:
				result = locale_orders_bytes(COLLOID, tuple,
											 Anum_pg_collation_collcollate);
				break;
		}
	}
	ReleaseSysCache(tuple);
	return result;
}

/*
 * May strings be compared with memcmp?  Equality under any deterministic
 * collation, order under C only.
 */
static bool
collation_suits(Oid collation, int strategy)
{
	if (!OidIsValid(collation))
		return false;
	if (strategy == BTEqualStrategyNumber || strategy == FILTER_NOT_EQUAL)
		return get_collation_isdeterministic(collation);
	return collation_orders_bytes(collation);
}

/*
 * Find what an operator means for values of a type on its left side; false if
 * it means nothing that is known here.
 */
static bool
match_operator(Oid opno, Oid collation, FilterClause *match)
{
	Oid			left;
	Oid			right;
	Oid			family;
	Oid			member = opno;
	int			strategy;

	op_input_types(opno, &left, &right);
	match->type = filter_type_find(left);
	if (match->type == NULL || !operand_type_is_known(left, right))
		return false;

	family = lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	if (!OidIsValid(family))
		return false;

	strategy = get_op_opfamily_strategy(opno, family);
	if (strategy == 0)
	{
		member = get_negator(opno);
		if (!OidIsValid(member) ||
			get_op_opfamily_strategy(member, family) != BTEqualStrategyNumber)
			return false;
		strategy = FILTER_NOT_EQUAL;
	}

	if (!match->type->has_order && strategy != BTEqualStrategyNumber &&
		strategy != FILTER_NOT_EQUAL)
		return false;
	if (left == TEXTOID && !collation_suits(collation, strategy))
		return false;

	match->strategy = strategy;
	match->operand_type = right;
	match->function = get_opcode(opno);
	return true;
}

/* column op operand, either way round. */
static bool
match_comparison(OpExpr *op, Index relid, FilterClause *match)
{
	Oid			opno = op->opno;
	Node	   *operand;
	Var		   *var;

	if (list_length(op->args) != 2)
		return false;

	var = column_of(linitial(op->args), relid);
	operand = lsecond(op->args);
	if (var == NULL || !operand_is_stable(operand, relid))
	{
		var = column_of(lsecond(op->args), relid);
		operand = linitial(op->args);
		opno = get_commutator(opno);
		if (var == NULL || !OidIsValid(opno) ||
			!operand_is_stable(operand, relid))
			return false;
	}

	match->kind = FILTER_COMPARE;
	match->attno = var->varattno;
	match->operand = operand;
	return match_operator(opno, op->inputcollid, match);
}

/*
 * column LIKE pattern, and NOT LIKE.  The function is told by its number, and
 * works on strings as they are under every deterministic collation.
 */
static bool
match_like(OpExpr *op, Index relid, FilterClause *match)
{
	Oid			function = get_opcode(op->opno);
	Const	   *pattern;
	Var		   *var;
	StringRef	string;

	if (function != F_TEXTLIKE && function != F_TEXTNLIKE)
		return false;
	var = column_of(linitial(op->args), relid);
	pattern = lsecond(op->args);
	if (var == NULL || !IsA(pattern, Const) || pattern->constisnull ||
		!OidIsValid(op->inputcollid) ||
		!get_collation_isdeterministic(op->inputcollid))
		return false;
	string.data = (const uint8 *) VARDATA_ANY(DatumGetTextPP(pattern->constvalue));
	string.length = VARSIZE_ANY_EXHDR(DatumGetTextPP(pattern->constvalue));
	if (!like_pieces_is_simple(&string))
		return false;

	match->kind = FILTER_LIKE;
	match->attno = var->varattno;
	match->strategy = function == F_TEXTLIKE ? BTEqualStrategyNumber :
		FILTER_NOT_EQUAL;
	match->type = filter_type_find(TEXTOID);
	match->operand_type = TEXTOID;
	match->operand = (Node *) pattern;
	match->function = function;
	return true;
}

/* column = ANY (array), and column <> ALL (array). */
static bool
match_set(ScalarArrayOpExpr *op, Index relid, FilterClause *match)
{
	Var		   *var = column_of(linitial(op->args), relid);
	Node	   *operand = lsecond(op->args);

	if (var == NULL || !operand_is_stable(operand, relid) ||
		!match_operator(op->opno, op->inputcollid, match))
		return false;
	if (op->useOr ? match->strategy != BTEqualStrategyNumber :
		match->strategy != FILTER_NOT_EQUAL)
		return false;

	match->kind = FILTER_SET;
	match->attno = var->varattno;
	match->operand = operand;
	return true;
}

static bool
match_null_test(NullTest *test, Index relid, FilterClause *match)
{
	Var		   *var = column_of((Node *) test->arg, relid);

	/* A row is NULL if all its fields are, which is another question. */
	if (var == NULL || test->argisrow)
		return false;
	match->kind = test->nulltesttype == IS_NULL ?
		FILTER_IS_NULL : FILTER_IS_NOT_NULL;
	match->attno = var->varattno;
	return true;
}

/* A boolean column as a condition is column = value. */
static bool
match_boolean(Node *node, bool value, Index relid, FilterClause *match)
{
	Var		   *var = column_of(node, relid);

	if (var == NULL || exprType(node) != BOOLOID)
		return false;
	match->kind = FILTER_COMPARE;
	match->attno = var->varattno;
	match->strategy = BTEqualStrategyNumber;
	match->type = filter_type_find(BOOLOID);
	match->operand_type = BOOLOID;
	match->operand = (Node *) makeBoolConst(value, false);
	return true;
}

bool
filter_clause_match(Expr *clause, Index relid, FilterClause *match)
{
	Node	   *node = (Node *) clause;

	memset(match, 0, sizeof(*match));
	switch (nodeTag(node))
	{
		case T_OpExpr:
			return match_comparison((OpExpr *) node, relid, match) ||
				match_like((OpExpr *) node, relid, match);
		case T_ScalarArrayOpExpr:
			return match_set((ScalarArrayOpExpr *) node, relid, match);
		case T_NullTest:
			return match_null_test((NullTest *) node, relid, match);
		case T_Var:
		case T_RelabelType:
			return match_boolean(node, true, relid, match);
		case T_BoolExpr:
			if (((BoolExpr *) node)->boolop != NOT_EXPR)
				return false;
			return match_boolean(linitial(((BoolExpr *) node)->args), false,
								 relid, match);
		case T_BooleanTest:
			{
				BooleanTest *test = (BooleanTest *) node;

				if (test->booltesttype != IS_TRUE &&
					test->booltesttype != IS_FALSE)
					return false;
				return match_boolean((Node *) test->arg,
									 test->booltesttype == IS_TRUE,
									 relid, match);
			}
		default:
			return false;
	}
}
