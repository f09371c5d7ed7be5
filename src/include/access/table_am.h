/*
 * table_am.h
 *		The callbacks that make up the access method, by the file they are in.
 */
#ifndef COLUMNAR_ACCESS_TABLE_AM_H
#define COLUMNAR_ACCESS_TABLE_AM_H

#include "access/tableam.h"

extern const TableAmRoutine columnar_table_am_routine;

/* True for a relation whose access method is this one, whatever its name. */
extern bool relation_is_columnar(Relation rel);

#endif							/* COLUMNAR_ACCESS_TABLE_AM_H */
