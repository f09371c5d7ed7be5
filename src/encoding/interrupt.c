/*
 * interrupt.c
 *		The hook through which long loops of this library can be stopped.
 */
#include "encoding/base.h"

void		(*encoding_check_interrupts) (void) = NULL;
