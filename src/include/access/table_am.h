/*
 * table_am.h
 *		The table of callbacks that make up the access method.
 */
#ifndef COLUMNAR_ACCESS_TABLE_AM_H
#define COLUMNAR_ACCESS_TABLE_AM_H

#include "access/tableam.h"

extern const TableAmRoutine columnar_table_am_routine;

#endif							/* COLUMNAR_ACCESS_TABLE_AM_H */
