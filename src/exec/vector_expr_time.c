/*
 * vector_expr_time.c
 *		Fields, truncation and arithmetic of dates and timestamps.
 *
 * Kernels work on finite values from the year 1 on, which have no special
 * cases; a batch with others is core's.  Times with zone become local ones by
 * adding the zone's offset, if it is one for all of the batch; where a change
 * of the offset is near, core computes.
 */
#include "postgres.h"

#include "compat.h"
#include "datatype/timestamp.h"
#include "exec/vector_node.h"
#include "pgtime.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

/* ---- ranges ---- */

/* 0001-01-01, a Monday, in days and microseconds from 2000-01-01. */
#define FIRST_DAY		(-730119)
#define FIRST_TIME		(FIRST_DAY * USECS_PER_DAY)
#define END_DAY			(DATE_END_JULIAN - POSTGRES_EPOCH_JDATE)

typedef struct TimeRange
{
	int64		min;
	int64		max;
} TimeRange;

/*
 * The range of the values of live; by bounds, if these are within limits.
 * False if a value is outside of them.
 */
static bool
find_range(const Vector *vector, const uint64 *live, int64 first, int64 end,
		   TimeRange *range)
{
	if (vector->has_bounds && vector->min >= first && vector->max < end)
	{
		range->min = vector->min;
		range->max = vector->max;
		return true;
	}
	range->min = PG_INT64_MAX;
	range->max = PG_INT64_MIN;
	VECTOR_FOR_EACH(slot, live)
	{
		range->min = Min(range->min, vector->integers[slot]);
		range->max = Max(range->max, vector->integers[slot]);
	}
	return range->min >= first && range->max < end;
}

static bool
find_times(const Vector *vector, const uint64 *live, TimeRange *range)
{
	return vector->form == FORM_INTEGER &&
		find_range(vector, live, FIRST_TIME, END_TIMESTAMP, range);
}

static bool
find_days(const Vector *vector, const uint64 *live, TimeRange *range)
{
	return vector->form == FORM_INTEGER &&
		find_range(vector, live, FIRST_DAY, END_DAY, range);
}

/*
 * The offset, in microseconds, of the session's time zone from the time given
 * to the range's end; false if it is not the same all the time.
 */
static bool
find_offset(int64 from, const TimeRange *range, int64 *offset)
{
	const int64 epoch = (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
		(int64) SECS_PER_DAY;
	pg_time_t	start = from / USECS_PER_SEC - 1 + epoch;
	pg_time_t	boundary;
	long int	before;
	long int	after;
	int			before_isdst;
	int			after_isdst;
	int			found = pg_next_dst_boundary(&start, &before, &before_isdst,
											 &boundary, &after, &after_isdst,
											 session_timezone);

	if (found < 0)
		return false;
	if (found > 0 && range->max / USECS_PER_SEC + 1 + epoch >= boundary)
		return false;
	*offset = before * USECS_PER_SEC;
	return true;
}

/* ---- units ---- */

typedef enum TimeUnit
{
	UNIT_MICROSECOND,
	UNIT_MILLISECOND,
	UNIT_SECOND,
	UNIT_MINUTE,
	UNIT_HOUR,
	UNIT_DAY,
	UNIT_WEEK,
	UNIT_MONTH,
	UNIT_QUARTER,
	UNIT_YEAR,
	UNIT_DOW,
	UNIT_ISODOW,
	UNIT_DOY,
	UNIT_EPOCH,
	UNIT_UNKNOWN				/* core knows more */
} TimeUnit;

static const char *const unit_names[] = {
	[UNIT_MICROSECOND] = "microseconds",
	[UNIT_MILLISECOND] = "milliseconds",
	[UNIT_SECOND] = "second",
	[UNIT_MINUTE] = "minute",
	[UNIT_HOUR] = "hour",
	[UNIT_DAY] = "day",
	[UNIT_WEEK] = "week",
	[UNIT_MONTH] = "month",
	[UNIT_QUARTER] = "quarter",
	[UNIT_YEAR] = "year",
	[UNIT_DOW] = "dow",
	[UNIT_ISODOW] = "isodow",
	[UNIT_DOY] = "doy",
	[UNIT_EPOCH] = "epoch"
};

/* The unit that a constant argument names. */
static TimeUnit
unit_of(const Vector *argument)
{
	const StringRef *name = &argument->strings[0];

	if (!argument->is_constant || argument->form != FORM_STRING)
		return UNIT_UNKNOWN;
	for (int i = 0; i < lengthof(unit_names); i++)
	{
		if (strlen(unit_names[i]) == name->length &&
			pg_strncasecmp(unit_names[i], (const char *) name->data,
						   name->length) == 0)
			return (TimeUnit) i;
	}
	return UNIT_UNKNOWN;
}

/* ---- the calendar ---- */

/* Days from 0000-03-01, where cycles of 400 years begin, to 2000-01-01. */
#define DAYS_TO_2000		730425
#define DAYS_PER_CYCLE		146097

typedef struct CivilDate
{
	int			year;
	int			month;			/* from 1 */
	int			day;			/* from 1 */
} CivilDate;

/*
 * The date of a day counted from 2000-01-01, without branches: years are taken
 * to begin in March, so that the leap day comes last (H. Hinnant, "chrono-
 * Compatible Low-Level Date Algorithms").
 */
static inline CivilDate
civil_date(int64 days)
{
	uint32		shifted = (uint32) (days + DAYS_TO_2000);
	uint32		cycle = shifted / DAYS_PER_CYCLE;
	uint32		day_of_cycle = shifted - cycle * DAYS_PER_CYCLE;
	uint32		year_of_cycle = (day_of_cycle - day_of_cycle / 1460 +
								 day_of_cycle / 36524 -
								 day_of_cycle / 146096) / 365;
	uint32		day_of_year = day_of_cycle -
		(365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
	uint32		month = (5 * day_of_year + 2) / 153;
	CivilDate	date;

	date.day = (int) (day_of_year - (153 * month + 2) / 5 + 1);
	date.month = (int) (month < 10 ? month + 3 : month - 9);
	date.year = (int) (year_of_cycle + cycle * 400 + (date.month <= 2));
	return date;
}

/* The day of a date, counted from 2000-01-01. */
static inline int64
day_number(int year, int month, int day)
{
	uint32		shifted = (uint32) (month <= 2 ? year - 1 : year);
	uint32		cycle = shifted / 400;
	uint32		year_of_cycle = shifted - cycle * 400;
	uint32		day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) /
		5 + day - 1;
	uint32		day_of_cycle = year_of_cycle * 365 + year_of_cycle / 4 -
		year_of_cycle / 100 + day_of_year;

	return (int64) cycle * DAYS_PER_CYCLE + day_of_cycle - DAYS_TO_2000;
}

/* Whole days since 2000-01-01, of times from the year 1 on. */
static inline int64
days_of_time(int64 time)
{
	return (int64) ((uint64) (time - FIRST_TIME) / USECS_PER_DAY) + FIRST_DAY;
}

/* ---- fields ---- */

/* What is asked, of what. */
#define OPTION(input, result)	((input) * 2 + (result))
#define OPTION_INPUT(option)	((option) / 2)
#define OPTION_RESULT(option)	((option) % 2)

enum
{
	INPUT_DATE,
	INPUT_TIMESTAMP,
	INPUT_TIMESTAMPTZ
};

enum
{
	RESULT_NUMERIC,				/* extract() */
	RESULT_FLOAT				/* date_part() */
};

/* Set all of out to a field, where day is the number of the day. */
#define FIELD_LOOP(field) \
	for (int i = 0; i < VECTOR_LENGTH; i++) \
	{ \
		const int64 day = days[i]; \
		out[i] = (field); \
	}

/* Fields of dates, counted from 2000-01-01; out may be days. */
static void
fields_of_days(TimeUnit unit, const int64 *days, int64 *out)
{
	switch (unit)
	{
		case UNIT_DAY:
			FIELD_LOOP(civil_date(day).day);
			break;
		case UNIT_MONTH:
			FIELD_LOOP(civil_date(day).month);
			break;
		case UNIT_QUARTER:
			FIELD_LOOP((civil_date(day).month + 2) / 3);
			break;
		case UNIT_YEAR:
			FIELD_LOOP(civil_date(day).year);
			break;
		case UNIT_DOW:
			FIELD_LOOP((int64) ((uint32) (day - FIRST_DAY + 1) % 7));
			break;
		case UNIT_ISODOW:
			FIELD_LOOP((int64) ((uint32) (day - FIRST_DAY) % 7) + 1);
			break;
		case UNIT_DOY:
			FIELD_LOOP(day - day_number(civil_date(day).year, 1, 1) + 1);
			break;
		default:
			Assert(false);
			break;
	}
}

#define TIME_LOOP(field) \
	for (int i = 0; i < VECTOR_LENGTH; i++) \
	{ \
		const uint64 time = (uint64) (times[i] - FIRST_TIME); \
		out[i] = (int64) (field); \
	}

/* Fields within the day; those below the minute in microseconds. */
static void
fields_of_times(TimeUnit unit, const int64 *restrict times,
				int64 *restrict out)
{
	switch (unit)
	{
		case UNIT_MICROSECOND:
		case UNIT_MILLISECOND:
		case UNIT_SECOND:
			TIME_LOOP(time % USECS_PER_MINUTE);
			break;
		case UNIT_MINUTE:
			TIME_LOOP(time % USECS_PER_HOUR / USECS_PER_MINUTE);
			break;
		case UNIT_HOUR:
			TIME_LOOP(time % USECS_PER_DAY / USECS_PER_HOUR);
			break;
		default:
			TIME_LOOP((int64) (time / USECS_PER_DAY) + FIRST_DAY);
			break;
	}
}

/* Is the field one of the day, for which dates are asked, too? */
static inline bool
is_of_day(TimeUnit unit)
{
	return unit == UNIT_DAY || unit == UNIT_MONTH || unit == UNIT_QUARTER ||
		unit == UNIT_YEAR || unit == UNIT_DOW || unit == UNIT_ISODOW ||
		unit == UNIT_DOY;
}

/* The local times of a vector, in the buffer if they differ from its values. */
static bool
local_times(const Vector *vector, const uint64 *live, bool is_zoned,
			int64 *buffer, const int64 **times)
{
	TimeRange	range;
	int64		offset = 0;

	if (!find_times(vector, live, &range) ||
		(is_zoned && !find_offset(range.min, &range, &offset)))
		return false;
	*times = vector->integers;
	if (offset == 0)
		return true;

	/* An offset is at most some days: of the year 1 only a part is taken. */
	if (range.min < FIRST_TIME + 10 * USECS_PER_DAY)
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		buffer[i] = vector->integers[i] + offset;
	*times = buffer;
	return true;
}

/* Days from 1970-01-01, where epochs begin, to 2000-01-01. */
#define EPOCH_DAYS		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)

/* Set the result's integers to a field; false if core has to. */
static bool
compute_fields(TimeUnit unit, int input, const Vector *argument,
			   const uint64 *live, int64 *restrict out)
{
	TimeRange	range;
	int64		buffer[VECTOR_LENGTH];
	const int64 *times;

	if (input == INPUT_DATE)
	{
		if (!find_days(argument, live, &range))
			return false;
		if (unit == UNIT_EPOCH)
		{
			for (int i = 0; i < VECTOR_LENGTH; i++)
				out[i] = (argument->integers[i] + EPOCH_DAYS) * SECS_PER_DAY;
			return true;
		}
		if (!is_of_day(unit))
			return false;
		fields_of_days(unit, argument->integers, out);
		return true;
	}

	if (unit == UNIT_EPOCH)
	{
		if (!find_times(argument, live, &range))
			return false;
		for (int i = 0; i < VECTOR_LENGTH; i++)
			out[i] = argument->integers[i] + EPOCH_DAYS * USECS_PER_DAY;
		return true;
	}
	if (unit == UNIT_WEEK || unit == UNIT_UNKNOWN ||
		!local_times(argument, live, input == INPUT_TIMESTAMPTZ, buffer,
					 &times))
		return false;
	fields_of_times(unit, times, out);
	if (is_of_day(unit))
		fields_of_days(unit, out, out);
	return true;
}

/* Digits behind the point that a field is computed with. */
static int
field_scale(TimeUnit unit, int input)
{
	if (unit == UNIT_SECOND || (unit == UNIT_EPOCH && input != INPUT_DATE))
		return 6;
	return unit == UNIT_MILLISECOND ? 3 : 0;
}

/* date_part() computes a field with its fraction in this way. */
static void
fields_to_floats(TimeUnit unit, int scale, const int64 *fields, double *out)
{
	for (int i = 0; i < VECTOR_LENGTH; i++)
	{
		int64		field = fields[i];

		if (unit == UNIT_SECOND)
			out[i] = (int) (field / USECS_PER_SEC) +
				(int) (field % USECS_PER_SEC) / 1000000.0;
		else if (unit == UNIT_MILLISECOND)
			out[i] = (int) (field / USECS_PER_SEC) * 1000.0 +
				(int) (field % USECS_PER_SEC) / 1000.0;
		else if (scale == 6)
			out[i] = field / 1000000.0;
		else
			out[i] = (double) field;
	}
}

/* extract(field from time), date_part(field, time) */
static bool
extract_field(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	TimeUnit	unit = unit_of(args[0]);
	int			input = OPTION_INPUT(node->option);
	int64		fields[VECTOR_LENGTH];
	Vector	   *result = &node->result;

	if (unit == UNIT_UNKNOWN)
		return false;
	if (OPTION_RESULT(node->option) == RESULT_FLOAT)
	{
		if (!compute_fields(unit, input, args[1], live, fields))
			return false;
		fields_to_floats(unit, field_scale(unit, input), fields,
						 result->floats);
		return true;
	}
	if (!compute_fields(unit, input, args[1], live, result->integers))
		return false;
	result->form = FORM_NUMERIC;
	result->scale = field_scale(unit, input);
	return true;
}

/* ---- truncation ---- */

#define TRUNCATE_LOOP(length) \
	for (int i = 0; i < VECTOR_LENGTH; i++) \
	{ \
		const uint64 time = (uint64) (times[i] - FIRST_TIME); \
		out[i] = (int64) (time - time % (length)) + FIRST_TIME; \
	}

#define TRUNCATE_DATE_LOOP(month_of_date) \
	for (int i = 0; i < VECTOR_LENGTH; i++) \
	{ \
		const CivilDate date = civil_date(days_of_time(times[i])); \
		out[i] = day_number(date.year, month_of_date, 1) * USECS_PER_DAY; \
	}

static bool
truncate_times(TimeUnit unit, const int64 *restrict times,
			   int64 *restrict out)
{
	switch (unit)
	{
		case UNIT_MICROSECOND:
			memcpy(out, times, sizeof(int64) * VECTOR_LENGTH);
			break;
		case UNIT_MILLISECOND:
			TRUNCATE_LOOP(1000);
			break;
		case UNIT_SECOND:
			TRUNCATE_LOOP(USECS_PER_SEC);
			break;
		case UNIT_MINUTE:
			TRUNCATE_LOOP(USECS_PER_MINUTE);
			break;
		case UNIT_HOUR:
			TRUNCATE_LOOP(USECS_PER_HOUR);
			break;
		case UNIT_DAY:
			TRUNCATE_LOOP(USECS_PER_DAY);
			break;
		case UNIT_WEEK:
			TRUNCATE_LOOP(7 * USECS_PER_DAY);
			break;
		case UNIT_MONTH:
			TRUNCATE_DATE_LOOP(date.month);
			break;
		case UNIT_QUARTER:
			TRUNCATE_DATE_LOOP((date.month - 1) / 3 * 3 + 1);
			break;
		case UNIT_YEAR:
			TRUNCATE_DATE_LOOP(1);
			break;
		default:
			return false;
	}
	return true;
}

/* What truncation to the unit takes off at most, and a day. */
static int64
unit_reach(TimeUnit unit)
{
	switch (unit)
	{
		case UNIT_WEEK:
			return 8 * USECS_PER_DAY;
		case UNIT_MONTH:
			return 32 * USECS_PER_DAY;
		case UNIT_QUARTER:
			return 93 * USECS_PER_DAY;
		case UNIT_YEAR:
			return 367 * USECS_PER_DAY;
		default:
			return 2 * USECS_PER_DAY;
	}
}

/* date_trunc(unit, timestamp) */
static bool
truncate_timestamps(VectorNode *node, const Vector *const *args,
					const uint64 *live)
{
	TimeRange	range;

	return find_times(args[1], live, &range) &&
		truncate_times(unit_of(args[0]), args[1]->integers,
					   node->result.integers);
}

/*
 * date_trunc(unit, timestamptz): the zone's offset has to be the same back to
 * the time that is the result.
 */
static bool
truncate_zoned(VectorNode *node, const Vector *const *args,
			   const uint64 *live)
{
	TimeUnit	unit = unit_of(args[0]);
	int64		local[VECTOR_LENGTH];
	int64	   *restrict out = node->result.integers;
	TimeRange	range;
	int64		offset;

	if (!find_times(args[1], live, &range) ||
		range.min - unit_reach(unit) < FIRST_TIME + 10 * USECS_PER_DAY ||
		!find_offset(range.min - unit_reach(unit), &range, &offset))
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		local[i] = args[1]->integers[i] + offset;
	if (!truncate_times(unit, local, out))
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		out[i] -= offset;
	return true;
}

/* ---- conversion ---- */

/* timestamp or, with the option, timestamptz to date */
static bool
times_to_dates(VectorNode *node, const Vector *const *args,
			   const uint64 *live)
{
	int64		buffer[VECTOR_LENGTH];
	const int64 *times;

	if (!local_times(args[0], live, node->option == INPUT_TIMESTAMPTZ, buffer,
					 &times))
		return false;
	fields_of_times(UNIT_EPOCH, times, node->result.integers);
	return true;
}

/* timestamptz to timestamp */
static bool
zoned_to_local(VectorNode *node, const Vector *const *args,
			   const uint64 *live)
{
	const int64 *times;

	if (!local_times(args[0], live, true, node->result.integers, &times))
		return false;
	if (times != node->result.integers)
		memcpy(node->result.integers, times, sizeof(int64) * VECTOR_LENGTH);
	return true;
}

/* Dates that are timestamps, too, as such. */
static bool
days_to_times(const Vector *vector, const uint64 *live, int64 *restrict out,
			  TimeRange *range)
{
	const int64 *restrict days = vector->integers;

	if (!find_days(vector, live, range) ||
		range->max >= TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE)
		return false;
	range->min *= USECS_PER_DAY;
	range->max *= USECS_PER_DAY;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		out[i] = days[i] * USECS_PER_DAY;
	return true;
}

static bool
dates_to_timestamps(VectorNode *node, const Vector *const *args,
					const uint64 *live)
{
	TimeRange	range;

	return days_to_times(args[0], live, node->result.integers, &range);
}

/* ---- arithmetic ---- */

/* date + integer, date - integer */
static bool
move_dates(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	int64		sign = node->option;
	int64	   *restrict out = node->result.integers;
	TimeRange	days;
	TimeRange	shift;

	if (!find_days(args[0], live, &days) ||
		!find_range(args[1], live, PG_INT32_MIN, PG_INT64_MAX, &shift))
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		out[i] = args[0]->integers[i] + sign * args[1]->integers[i];
	return find_range(&node->result, live, FIRST_DAY, END_DAY, &days);
}

/* date - date: finite ones are less than 2^31 days apart */
static bool
subtract_dates(VectorNode *node, const Vector *const *args,
			   const uint64 *live)
{
	TimeRange	range;

	if (!find_days(args[0], live, &range) || !find_days(args[1], live, &range))
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		node->result.integers[i] = args[0]->integers[i] -
			args[1]->integers[i];
	return true;
}

/*
 * timestamp + interval, timestamp - interval, for a constant interval of days
 * and less.  Of timestamptz a day is not always 24 hours.
 */
static bool
move_times(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	int			input = OPTION_INPUT(node->option);
	const Interval *interval;
	const int64 *times = args[0]->integers;
	int64		buffer[VECTOR_LENGTH];
	int64		shift;
	TimeRange	range;

	if (!args[1]->is_constant || args[1]->form != FORM_DATUM)
		return false;
	interval = DatumGetIntervalP(args[1]->datums[0]);
	if (interval->month != 0 ||
		(input == INPUT_TIMESTAMPTZ && interval->day != 0) ||
		interval->time < -END_TIMESTAMP / 4 ||
		interval->time > END_TIMESTAMP / 4 ||
		interval->day < FIRST_DAY || interval->day > -FIRST_DAY)
		return false;
	shift = interval->day * USECS_PER_DAY + interval->time;
	if (OPTION_RESULT(node->option))
		shift = -shift;

	if (input == INPUT_DATE)
	{
		if (!days_to_times(args[0], live, buffer, &range))
			return false;
		times = buffer;
	}
	else if (!find_times(args[0], live, &range))
		return false;
	if (range.max >= END_TIMESTAMP / 4 || range.min + shift < FIRST_TIME)
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		node->result.integers[i] = times[i] + shift;
	return true;
}

/* ---- comparison of dates with timestamps ---- */

static bool
compare_with_dates(VectorNode *node, const Vector *const *args,
				   const uint64 *live, int date)
{
	Vector		times[2] = {*args[0], *args[1]};
	int64		buffer[VECTOR_LENGTH];
	TimeRange	range;

	if (args[1 - date]->form != FORM_INTEGER ||
		!days_to_times(args[date], live, buffer, &range))
		return false;
	times[date].integers = buffer;
	vector_compare_integers(node->option, &times[0], &times[1],
							node->result.bits);
	return true;
}

static bool
compare_date_first(VectorNode *node, const Vector *const *args,
				   const uint64 *live)
{
	return compare_with_dates(node, args, live, 0);
}

static bool
compare_date_last(VectorNode *node, const Vector *const *args,
				  const uint64 *live)
{
	return compare_with_dates(node, args, live, 1);
}

/* ---- functions ---- */

#define DATE_COMPARISONS(kernel, prefix, suffix) \
	{prefix##_EQ_##suffix, kernel, COMPARISON_EQ}, \
	{prefix##_NE_##suffix, kernel, COMPARISON_NE}, \
	{prefix##_LT_##suffix, kernel, COMPARISON_LT}, \
	{prefix##_LE_##suffix, kernel, COMPARISON_LE}, \
	{prefix##_GT_##suffix, kernel, COMPARISON_GT}, \
	{prefix##_GE_##suffix, kernel, COMPARISON_GE}

const VectorFunction vector_time_functions[] = {
	{F_EXTRACT_TEXT_DATE, extract_field, OPTION(INPUT_DATE, RESULT_NUMERIC)},
	{F_EXTRACT_TEXT_TIMESTAMP, extract_field,
	OPTION(INPUT_TIMESTAMP, RESULT_NUMERIC)},
	{F_EXTRACT_TEXT_TIMESTAMPTZ, extract_field,
	OPTION(INPUT_TIMESTAMPTZ, RESULT_NUMERIC)},
	{F_DATE_PART_TEXT_TIMESTAMP, extract_field,
	OPTION(INPUT_TIMESTAMP, RESULT_FLOAT)},
	{F_DATE_PART_TEXT_TIMESTAMPTZ, extract_field,
	OPTION(INPUT_TIMESTAMPTZ, RESULT_FLOAT)},
	{F_DATE_TRUNC_TEXT_TIMESTAMP, truncate_timestamps},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ, truncate_zoned},
	{F_DATE_TIMESTAMP, times_to_dates, INPUT_TIMESTAMP},
	{F_DATE_TIMESTAMPTZ, times_to_dates, INPUT_TIMESTAMPTZ},
	{F_TIMESTAMP_TIMESTAMPTZ, zoned_to_local},
	{F_TIMESTAMP_DATE, dates_to_timestamps},
	{F_DATE_PLI, move_dates, 1},
	{F_DATE_MII, move_dates, -1},
	{F_DATE_MI, subtract_dates},
	{F_TIMESTAMP_PL_INTERVAL, move_times, OPTION(INPUT_TIMESTAMP, 0)},
	{F_TIMESTAMP_MI_INTERVAL, move_times, OPTION(INPUT_TIMESTAMP, 1)},
	{F_TIMESTAMPTZ_PL_INTERVAL, move_times, OPTION(INPUT_TIMESTAMPTZ, 0)},
	{F_TIMESTAMPTZ_MI_INTERVAL, move_times, OPTION(INPUT_TIMESTAMPTZ, 1)},
	{F_DATE_PL_INTERVAL, move_times, OPTION(INPUT_DATE, 0)},
	{F_DATE_MI_INTERVAL, move_times, OPTION(INPUT_DATE, 1)},
	DATE_COMPARISONS(compare_date_first, F_DATE, TIMESTAMP),
	DATE_COMPARISONS(compare_date_last, F_TIMESTAMP, DATE),
	{InvalidOid}
};
