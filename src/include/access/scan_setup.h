/*
 * scan_setup.h
 *		What has to be done about scan nodes when a plan starts.
 */
#ifndef ACCESS_SCAN_SETUP_H
#define ACCESS_SCAN_SETUP_H

/* Register the hook; once, from _PG_init. */
extern void scan_setup_init(void);

#endif							/* ACCESS_SCAN_SETUP_H */
