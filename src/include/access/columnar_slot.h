/*
 * columnar_slot.h
 *		A slot that decodes an attribute when somebody asks for it.
 */
#ifndef ACCESS_COLUMNAR_SLOT_H
#define ACCESS_COLUMNAR_SLOT_H

#include "access/group_scan.h"
#include "executor/tuptable.h"

extern const TupleTableSlotOps TTSOpsColumnarTuple;

#define TTS_IS_COLUMNAR(slot)	((slot)->tts_ops == &TTSOpsColumnarTuple)

#endif							/* ACCESS_COLUMNAR_SLOT_H */
