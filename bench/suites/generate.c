/*
 * generate.c
 *		Rows for bench/speed: web analytics, and a table for micro queries.
 *
 * Usage:	generate TABLE schema
 *			generate TABLE rows TOTAL [SEED]
 *
 * The first prints CREATE TABLE, the second CSV without a header, to be read
 * with '\N' for NULL (of which there is none).  TABLE is views, facts or
 * places.
 *
 * Each value is a function of seed, row number and column alone, and no
 * floating-point function is used: equal arguments give equal bytes on any
 * machine.  TOTAL only says how the month is divided among the rows, and how
 * many rows come.
 *
 * What is meant to be like the real thing in views: rows come roughly in the
 * order of time, denser by day than by night; a few sites, users, regions and
 * pages have most of the rows, with a long tail; what belongs to a user's
 * machine is the same in all rows of the user; 65,536 rows hold 30 to 40
 * thousand different URLs, referrers and titles; most search phrases are
 * empty; most of the columns are nearly constant.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define lengthof(array) (sizeof(array) / sizeof((array)[0]))

#define DAY			(86400)
#define DAYS		31
#define FIRST_DAY	19539		/* 2023-07-01, in days since 1970 */
#define LOW_BITS(x, n)	((x) & ((UINT64_C(1) << (n)) - 1))

typedef struct Column Column;

/* One row in the making; what several columns need is drawn once. */
typedef struct Row
{
	uint64_t	key;			/* hash of seed and row number */
	uint64_t	number;
	uint64_t	user;			/* rank of the user */
	uint64_t	user_key;		/* hash of that */
	uint64_t	site;			/* rank of the site */
	uint64_t	page;			/* which page of the site */
	uint64_t	page_key;
	uint64_t	referrer_key;	/* hash of the referring page, or 0 */
	uint64_t	referrer_site;
	uint64_t	phrase;			/* number of the search phrase, or 0 */
	int64_t		seconds;		/* since the month began */
	int			column;			/* the one that is being written */
} Row;

/* A column, how to write it and that function's own two numbers and texts. */
struct Column
{
	const char *definition;
	void		(*write) (Row *, const Column *);
	int			a;
	int			b;
	const char *const *texts;
};

static char buffer[1 << 16];
static size_t buffered;

/* ---- random numbers ------------------------------------------------------ */

/* The finisher of splitmix64: one good hash of 64 bits to 64. */
static uint64_t
mix(uint64_t x)
{
	x += UINT64_C(0x9E3779B97F4A7C15);
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

/* The nth draw of a row beside the one that each column has. */
static uint64_t
draw(const Row *row, int n)
{
	return mix(row->key + (uint64_t) (1000 + n) * 0x632BE59BD9B4E019);
}

static uint64_t
column_draw(const Row *row)
{
	return mix(row->key + (uint64_t) row->column * 0x632BE59BD9B4E019);
}

static uint64_t
user_draw(const Row *row)
{
	return mix(row->user_key + (uint64_t) row->column);
}

/*
 * A rank below 2^bits with Zipf's distribution, by octaves: each octave has
 * the same weight, ranks within one are alike.
 */
static uint64_t
zipf(uint64_t x, int bits)
{
	int			octave = (int) (x % (uint64_t) bits);

	return (UINT64_C(1) << octave) - 1 + LOW_BITS(x >> 16, octave);
}

/* ---- writing ------------------------------------------------------------- */

static void
flush(void)
{
	if (fwrite(buffer, 1, buffered, stdout) != buffered)
	{
		perror("generate");
		exit(1);
	}
	buffered = 0;
}

static void
put_char(char c)
{
	buffer[buffered++] = c;
}

static void
put(const char *text)
{
	size_t		length = strlen(text);

	memcpy(buffer + buffered, text, length);
	buffered += length;
}

static void
put_number(int64_t value)
{
	char		digits[20];
	int			n = 0;
	uint64_t	rest = value < 0 ? -(uint64_t) value : (uint64_t) value;

	if (value < 0)
		put_char('-');
	do
		digits[n++] = (char) ('0' + rest % 10);
	while ((rest /= 10) > 0);
	while (n > 0)
		put_char(digits[--n]);
}

static void
put_padded(int64_t value, int width)
{
	int64_t		limit = 10;

	for (; width > 1; width--, limit *= 10)
		;
	for (limit /= 10; limit > 1 && value < limit; limit /= 10)
		put_char('0');
	put_number(value);
}

/* Days since 1970, by the usual count of days from March. */
static void
put_date(int64_t day)
{
	int64_t		z = day + 719468;
	int64_t		era = z / 146097;
	int64_t		of_era = z % 146097;
	int64_t		year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t		of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t		month = (5 * of_year + 2) / 153;

	put_padded(year + era * 400 + (month >= 10), 4);
	put_char('-');
	put_padded(month < 10 ? month + 3 : month - 9, 2);
	put_char('-');
	put_padded(of_year - (153 * month + 2) / 5 + 1, 2);
}

/* Seconds since the month began. */
static void
put_time(int64_t seconds)
{
	put_date(FIRST_DAY + seconds / DAY);
	put_char(' ');
	put_padded(seconds % DAY / 3600, 2);
	put_char(':');
	put_padded(seconds % 3600 / 60, 2);
	put_char(':');
	put_padded(seconds % 60, 2);
}

/* ---- words --------------------------------------------------------------- */

static const char *const latin[] = {
	"ba", "ko", "ri", "ne", "lu", "ta", "mi", "so", "den", "var", "pel", "tor",
	"gan", "lis", "mer", "hol", "fi", "ju", "za", "che", "sta", "bri", "qua",
	"xo", "wen", "yal", "port", "ing", "er", "and", "us", "ia"
};

static const char *const cyrillic[] = {
	"ба", "ко", "ри", "не", "лу", "та", "ми", "со", "ден", "вар", "пел", "тор",
	"ган", "лис", "мер", "хол", "фи", "жу", "за", "че", "ста", "бри", "ква",
	"хо", "вен", "ял", "порт", "инг", "ер", "анд", "ус", "ия"
};

/* One of about 30,000 words, the common ones short. */
static void
put_word(uint64_t x, const char *const *syllables)
{
	uint64_t	rank = zipf(x, 15);
	uint64_t	shape = mix(rank);
	int			n = rank < 30 ? 1 : rank < 900 ? 2 : 3;

	while (n-- > 0)
	{
		put(syllables[shape % 32]);
		shape >>= 5;
	}
}

/* n words with something between them. */
static void
put_words(uint64_t x, int n, char between, const char *const *syllables)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		if (i > 0)
			put_char(between);
		put_word(x = mix(x), syllables);
	}
}

static void
put_host(uint64_t site)
{
	static const char *const domains[] = {"com", "net", "org", "ru", "de", "info", "co.uk", "io"};
	uint64_t	x = mix(site * 7 + 3);

	if (x % 3 == 0)
		put("www.");
	else if (x % 11 == 1)
		put("m.");
	if (x % 89 == 5)
		put("my.aurora.");
	put_words(x, 1 + (int) (x >> 60 & 1), '-', latin);
	put_number((int64_t) (site % 97));
	put_char('.');
	put(domains[zipf(x >> 8, 3)]);
}

static void
put_phrase(uint64_t phrase, char between)
{
	uint64_t	x = mix(phrase + 77);

	put_words(x, 1 + (int) (x >> 58 & 3) + (int) (x >> 56 & 1), between,
			  x >> 55 & 1 ? cyrillic : latin);
}

/* The address of a page; the key decides all of it but for the host. */
static void
put_url(uint64_t site, uint64_t key)
{
	int			n = 1 + (int) (key >> 61);
	uint64_t	x = mix(key);

	put(site % 5 < 3 ? "https://" : "http://");
	put_host(site);
	put_char('/');
	if (n > 5)
		n = 2;
	put_words(x, n, '/', latin);
	if (key % 4001 == 1)
		put("/aurora");
	switch (x % 5)
	{
		case 0:
			put(".html");
			break;
		case 1:
			put("/item-");
			put_number((int64_t) (key % 1000000007));
			break;
		case 2:
			put("?id=");
			put_number((int64_t) (key % 100000007));
			put("&page=");
			put_number((int64_t) (x >> 60) + 1);
			break;
		case 3:
			put("?category=");
			put_word(x >> 3, latin);
			put("&sort=price&session=");
			put_number((int64_t) (key >> 2));
			break;
		default:
			put_char('/');
			put_number((int64_t) (key % 10000019));
			break;
	}
}

/* ---- the columns --------------------------------------------------------- */

static void
write_view_id(Row *row, const Column *column)
{
	(void) column;
	put_number((int64_t) (column_draw(row) >> 1));
}

static void
write_viewed_at(Row *row, const Column *column)
{
	(void) column;
	put_time(row->seconds);
}

static void
write_viewed_on(Row *row, const Column *column)
{
	(void) column;
	put_date(FIRST_DAY + row->seconds / DAY);
}

/* The visitor's own clock: in another zone, and now and then quite wrong. */
static void
write_local_time(Row *row, const Column *column)
{
	int64_t		zone = (int64_t) (zipf(row->user_key >> 9, 4) % 12) * 3600;
	int64_t		wrong = (int64_t) (user_draw(row) % 64) - 32;

	(void) column;
	if (user_draw(row) >> 32 & 63)
		wrong %= 4;
	put_time(row->seconds + zone + 40 + wrong);
}

static void
write_site(Row *row, const Column *column)
{
	(void) column;
	put_number((int64_t) (mix(row->site) % 200000));
}

static void
write_user(Row *row, const Column *column)
{
	(void) column;
	put_number((int64_t) (row->user_key >> 1));
}

/* Mostly the user's own address, now and then another. */
static void
write_address(Row *row, const Column *column)
{
	uint64_t	x = column_draw(row);
	uint64_t	key = row->user_key + (uint64_t) column->a;

	if (x % 8 == 0)
		key += x >> 8 & 7;
	put_number((int64_t) (int32_t) (uint32_t) (mix(key) >> 32));
}

static void
write_region(Row *row, const Column *column)
{
	(void) column;
	put_number((int64_t) (mix(zipf(row->user_key >> 3, 12)) % 9000) + 1);
}

static void
write_title(Row *row, const Column *column)
{
	uint64_t	x = mix(row->page_key ^ 0x71);
	const char *const *syllables = row->site % 3 ? latin : cyrillic;

	(void) column;
	if (row->page_key % 50 == 0)
		return;
	put_words(x, 3 + (int) (x >> 61), ' ', syllables);
	if (row->page_key % 5003 == 2)
		put(" Aurora");
	put(x & 1 ? " - " : " | ");
	put_host(row->site);
}

static void
write_url(Row *row, const Column *column)
{
	(void) column;
	put_url(row->site, row->page_key);
}

static void
write_url_hash(Row *row, const Column *column)
{
	(void) column;
	put_number((int64_t) mix(row->page_key));
}

static void
write_referrer(Row *row, const Column *column)
{
	(void) column;
	if (row->phrase)
	{
		put("https://www.search");
		put_number((int64_t) zipf(row->user_key >> 20, 3));
		put(".com/find?q=");
		put_phrase(row->phrase, '+');
		put("&region=");
		put_number((int64_t) (draw(row, 20) % 1000));
	}
	else if (row->referrer_key)
		put_url(row->referrer_site, row->referrer_key);
}

static void
write_referrer_hash(Row *row, const Column *column)
{
	(void) column;
	put_number((int64_t) mix(row->phrase ? ~row->phrase : row->referrer_key));
}

static void
write_phrase(Row *row, const Column *column)
{
	(void) column;
	if (row->phrase)
		put_phrase(row->phrase, ' ');
}

/* Which search engine, where there is a phrase. */
static void
write_engine(Row *row, const Column *column)
{
	(void) column;
	put_number(row->phrase ? (int64_t) zipf(row->user_key >> 20, 5) + 1 : 0);
}

/* Where the visitor came from: 0 typed, 2 search, 1 link, 6 same site, -1 other. */
static void
write_source(Row *row, const Column *column)
{
	static const int sources[] = {1, 1, 1, 3, 4, 6, 6, -1};

	(void) column;
	put_number(row->phrase ? 2 : row->referrer_key == 0 ? 0
			   : row->referrer_site == row->site ? 6 : sources[column_draw(row) % 8]);
}

/* 0 but for a in ten thousand, where it is 1 to b. */
static void
write_rare(Row *row, const Column *column)
{
	uint64_t	x = column_draw(row);

	put_number(x % 10000 < (uint64_t) column->a
			   ? (int64_t) (zipf(x >> 16, 8) % (uint64_t) column->b) + 1 : 0);
}

/* A Zipf rank below 2^a, from b on. */
static void
write_ranked(Row *row, const Column *column)
{
	put_number((int64_t) zipf(column_draw(row), column->a) + column->b);
}

/* The same, once for each user. */
static void
write_of_user(Row *row, const Column *column)
{
	put_number((int64_t) zipf(user_draw(row), column->a) + column->b);
}

/* The same, once for each site. */
static void
write_of_site(Row *row, const Column *column)
{
	uint64_t	x = mix(mix(row->site) + (uint64_t) row->column);

	put_number((int64_t) zipf(x, column->a) + column->b);
}

/* Evenly from 0 to a - 1, plus b. */
static void
write_even(Row *row, const Column *column)
{
	put_number((int64_t) (column_draw(row) % (uint64_t) column->a) + column->b);
}

/* A random 31-bit number in a of ten thousand rows, else 0. */
static void
write_wide(Row *row, const Column *column)
{
	uint64_t	x = column_draw(row);

	put_number(x % 10000 < (uint64_t) column->a ? (int64_t) (x >> 33) : 0);
}

/* Milliseconds: 0 in b of ten thousand rows, else with a long tail. */
static void
write_timing(Row *row, const Column *column)
{
	uint64_t	x = column_draw(row);

	put_number(x % 10000 < (uint64_t) column->b ? 0
			   : (int64_t) zipf(x >> 8, column->a));
}

static void
write_constant(Row *row, const Column *column)
{
	(void) row;
	put_number(column->a);
}

/* Screens and windows: one of a short list for each user, or a smaller one. */
static void
write_size(Row *row, const Column *column)
{
	static const int sizes[][2] = {
		{1366, 768}, {1920, 1080}, {1280, 1024}, {1024, 768}, {1440, 900},
		{1600, 900}, {1680, 1050}, {360, 640}, {320, 480}, {768, 1024},
		{1280, 800}, {2560, 1440}, {1152, 864}, {800, 600}, {414, 736}
	};
	uint64_t	screen = zipf(row->user_key >> 7, 4);
	int			size = sizes[screen % lengthof(sizes)][column->a];

	if (column->b)				/* a window in that screen */
		size -= (int) (draw(row, 10 + column->a) % 4 ? row->user_key >> 40 & 15
					   : draw(row, 12) >> 50 & 255);
	put_number(size);
}

/* A text of the list in a of ten thousand rows, else an empty one. */
static void
write_text(Row *row, const Column *column)
{
	uint64_t	x = column->b ? user_draw(row) : column_draw(row);
	size_t		n = 0;

	if (x % 10000 >= (uint64_t) column->a)
		return;
	while (column->texts[n])
		n++;
	put(column->texts[zipf(x >> 16, 5) % n]);
}

/* Some words in a of ten thousand rows, of 2^b different ones. */
static void
write_note(Row *row, const Column *column)
{
	uint64_t	x = column_draw(row);

	if (x % 10000 < (uint64_t) column->a)
		put_phrase(zipf(x >> 16, column->b), ' ');
}

/* A telephone's name: users with a small screen have one. */
static void
write_phone(Row *row, const Column *column)
{
	uint64_t	x = mix(row->user_key + 5);
	uint64_t	model = zipf(x >> 8, 7);

	if (x % 16 != 0)
		model = 0;
	if (column->a)
		put_number((int64_t) (model ? model % 23 + 1 : 0));
	else if (model)
	{
		put_word(model % 23 + 40, latin);
		put_char(' ');
		put_char((char) ('A' + model % 26));
		put_number((int64_t) (model * 37 % 900 + 100));
	}
}

/* What a column's function does not use is left out, and so zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define TEXTS(...)	((const char *const[]) {__VA_ARGS__, NULL})

static const Column views[] = {
	{"view_id bigint", write_view_id},
	{"viewed_at timestamp", write_viewed_at},
	{"viewed_on date", write_viewed_on},
	{"local_time timestamp", write_local_time},
	{"site_id integer", write_site},
	{"user_id bigint", write_user},
	{"client_ip integer", write_address, 0},
	{"region_id integer", write_region},
	{"title text", write_title},
	{"url text", write_url},
	{"referrer text", write_referrer},
	{"search_phrase text", write_phrase},
	{"search_engine smallint", write_engine},
	{"ad_network smallint", write_rare, 60, 40},
	{"traffic_source smallint", write_source},
	{"is_refresh smallint", write_rare, 1300, 1},
	{"is_link smallint", write_rare, 1900, 1},
	{"is_download smallint", write_rare, 40, 1},
	{"is_uncounted smallint", write_rare, 250, 1},
	{"url_hash bigint", write_url_hash},
	{"referrer_hash bigint", write_referrer_hash},
	{"screen_width smallint", write_size, 0, 0},
	{"screen_height smallint", write_size, 1, 0},
	{"window_width smallint", write_size, 0, 1},
	{"window_height smallint", write_size, 1, 1},
	{"phone_brand smallint", write_phone, 1},
	{"phone_model text", write_phone, 0},
	{"os smallint", write_of_user, 6, 1},
	{"browser smallint", write_of_user, 6, 1},
	{"browser_major smallint", write_of_user, 5, 60},
	{"browser_minor text", write_text, 6000, 1, TEXTS("0", "1", "2.5", "0.1", "4a", "D2", "5.1")},
	{"colour_depth smallint", write_of_user, 2, 22},
	{"language text", write_text, 9900, 1, TEXTS("ru", "en", "de", "uk", "fr", "es", "tr", "kk")},
	{"country text", write_text, 9000, 1, TEXTS("RU", "UA", "US", "DE", "KZ", "BY", "GB", "TR", "FR")},
	{"charset text", write_text, 9700, 0, TEXTS("utf-8", "windows-1251", "utf-8", "iso-8859-1")},
	{"age smallint", write_of_user, 6, 0},
	{"sex smallint", write_of_user, 2, 0},
	{"income smallint", write_of_user, 3, 0},
	{"interests integer", write_wide, 3000},
	{"robot_score smallint", write_of_user, 4, 0},
	{"remote_ip integer", write_address, 99},
	{"proxy_network smallint", write_rare, 300, 200},
	{"java_enabled smallint", write_rare, 8800, 1},
	{"cookies_enabled smallint", write_rare, 9950, 1},
	{"scripts_enabled smallint", write_constant, 1},
	{"flash_major smallint", write_of_user, 4, 0},
	{"flash_minor smallint", write_of_user, 3, 0},
	{"flash_build text", write_text, 4000, 1, TEXTS("700", "152", "235", "r63", "109", "87")},
	{"net_major smallint", write_of_user, 2, 0},
	{"net_minor smallint", write_of_user, 2, 0},
	{"plugin_a smallint", write_of_user, 2, 0},
	{"plugin_b smallint", write_of_user, 3, 0},
	{"plugin_c integer", write_wide, 1000},
	{"plugin_d integer", write_wide, 500},
	{"site_class smallint", write_of_site, 2, 0},
	{"site_category smallint", write_of_site, 8, 0},
	{"site_region integer", write_of_site, 10, 1},
	{"referrer_category smallint", write_ranked, 9, 0},
	{"referrer_region integer", write_ranked, 10, 0},
	{"is_good_event smallint", write_constant, 1},
	{"is_ajax smallint", write_rare, 800, 1},
	{"is_mobile smallint", write_rare, 1100, 1},
	{"is_parameter smallint", write_rare, 30, 1},
	{"is_old_counter smallint", write_constant, 0},
	{"is_event smallint", write_rare, 200, 1},
	{"has_goals smallint", write_rare, 150, 4},
	{"goals_reached integer", write_rare, 90, 30},
	{"code_version integer", write_ranked, 7, 1500},
	{"client_zone smallint", write_of_user, 3, -180},
	{"window_name integer", write_wide, 8000},
	{"opener_name integer", write_wide, 3500},
	{"history_length smallint", write_ranked, 6, 1},
	{"http_error smallint", write_rare, 15, 3},
	{"sent_bytes integer", write_ranked, 17, 200},
	{"time_redirect integer", write_timing, 10, 9300},
	{"time_dns integer", write_timing, 11, 6000},
	{"time_connect integer", write_timing, 11, 5500},
	{"time_response integer", write_timing, 13, 2500},
	{"time_fetch integer", write_timing, 13, 2600},
	{"time_dom integer", write_timing, 14, 2700},
	{"time_load integer", write_timing, 15, 3000},
	{"scroll_depth smallint", write_even, 101, 0},
	{"visit_number integer", write_ranked, 10, 1},
	{"visit_pages smallint", write_ranked, 7, 1},
	{"session_id integer", write_wide, 10000},
	{"random_bucket smallint", write_even, 1000, 0},
	{"experiment integer", write_of_user, 4, 0},
	{"social_network text", write_text, 80, 0, TEXTS("vk", "facebook", "twitter", "ok", "google")},
	{"social_action text", write_text, 40, 0, TEXTS("like", "share", "comment")},
	{"social_page text", write_note, 20, 12},
	{"order_id text", write_note, 30, 18},
	{"order_currency smallint", write_rare, 30, 4},
	{"order_price bigint", write_wide, 30},
	{"parameters text", write_note, 500, 14},
	{"original_url text", write_note, 1500, 19},
	{"campaign_source text", write_text, 350, 0, TEXTS("direct", "partners", "mail", "banner")},
	{"campaign_medium text", write_text, 350, 0, TEXTS("cpc", "cpm", "email", "organic")},
	{"campaign_name text", write_note, 340, 11},
	{"campaign_content text", write_note, 250, 13},
	{"campaign_term text", write_note, 220, 15},
	{"service_name text", write_text, 100, 0, TEXTS("market", "direct", "begun")},
	{"service_campaign text", write_note, 100, 10},
	{"service_ad text", write_note, 100, 12},
	{"service_source text", write_note, 100, 9},
	{"hit_colour text", write_text, 10000, 0, TEXTS("E", "S", "5", "D", "T", "W", "2")},
};

/* ---- the table for micro queries, and its dimension ---------------------- */

#define NPLACES	10000

static void
write_number(Row *row, const Column *column)
{
	put_number((int64_t) row->number + column->a);
}

static void
write_code(Row *row, const Column *column)
{
	uint64_t	x = column_draw(row) % (uint64_t) column->a;

	put_word(x + 900, latin);
	put_char('-');
	put_padded((int64_t) x, 4);
}

/* Hundredths, 0.00 to 9999.99. */
static void
write_amount(Row *row, const Column *column)
{
	uint64_t	x = column_draw(row) % 1000000;

	(void) column;
	put_number((int64_t) (x / 100));
	put_char('.');
	put_padded((int64_t) (x % 100), 2);
}

/* Multiples of 1/64 below a, so that every sum of them is exact. */
static void
write_ratio(Row *row, const Column *column)
{
	uint64_t	x = column_draw(row) % ((uint64_t) column->a * 64);

	put_number((int64_t) (x / 64));
	put_char('.');
	put_padded((int64_t) (x % 64 * 15625), 6);
}

static void
write_sentence(Row *row, const Column *column)
{
	uint64_t	x = column_draw(row);

	put_words(x, column->a + (int) (x >> 62), ' ', latin);
	if (x % 1009 == 0)
		put(" aurora borealis");
}

static const Column facts[] = {
	{"id bigint", write_number, 1},
	{"happened_at timestamp", write_viewed_at},
	{"key10 integer", write_even, 10, 0},
	{"key1000 integer", write_even, 1000, 0},
	{"key1m integer", write_even, 1000000, 0},
	{"code text", write_code, 1000},
	{"place_id integer", write_even, NPLACES, 1},
	{"chance integer", write_even, 1000, 0},
	{"value integer", write_even, 100000, -20000},
	{"amount numeric(12,2)", write_amount},
	{"ratio double precision", write_ratio, 1000},
	{"note text", write_sentence, 3},
};

static const Column places[] = {
	{"id integer", write_number, 1},
	{"name text", write_sentence, 1},
	{"kind text", write_code, 12},
	{"factor integer", write_even, 100, 1},
};

/* ---- rows ---------------------------------------------------------------- */

/*
 * The time of a row: its place in the month, slower by night, and up to ten
 * minutes off.
 */
static int64_t
row_seconds(const Row *row, uint64_t total)
{
	int64_t		even = (int64_t) (row->number * (DAYS * (uint64_t) DAY) / total);
	int64_t		day = even / DAY;
	int64_t		f = even % DAY * 1024 / DAY;
	int64_t		off = (int64_t) (draw(row, 1) % 1200) - 600;
	int64_t		seconds;

	/* f + 0.6 f (1 - f) (1 - 2f), in 1/1024; then the rest of the second */
	f += f * (1024 - f) / 1024 * (1024 - 2 * f) / 1024 * 6 / 10;
	seconds = day * DAY + f * DAY / 1024 + even % 84 + off;
	if (seconds < 0)
		return -seconds;
	if (seconds >= DAYS * DAY)
		return DAYS * DAY - 1 - (seconds - DAYS * DAY);
	return seconds;
}

/* A page of a site: one view in seven is of one hardly ever seen again. */
static uint64_t
pick_page(uint64_t x)
{
	return x % 100 < 14 ? LOW_BITS(x >> 8, 26) : zipf(x >> 8, 9);
}

static uint64_t
page_key(uint64_t site, uint64_t page)
{
	return mix(mix(site) + page);
}

static void
begin_row(Row *row, uint64_t seed, uint64_t number, uint64_t total)
{
	uint64_t	x;

	row->key = mix(mix(seed) ^ mix(number));
	row->number = number;
	row->seconds = row_seconds(row, total);

	/* one in six is of the crowd that comes once or twice */
	x = draw(row, 2);
	row->user = x % 6 == 0 ? LOW_BITS(x >> 8, 22) : zipf(x >> 8, 19);
	row->user_key = mix(row->user + 99);
	row->site = zipf(draw(row, 3), 11);
	row->page = pick_page(draw(row, 4));
	row->page_key = page_key(row->site, row->page);

	x = draw(row, 5);
	row->phrase = 0;
	row->referrer_key = 0;
	row->referrer_site = row->site;
	if (x % 100 < 13)
		row->phrase = 1 + (x >> 32 & 1 ? LOW_BITS(x >> 8, 22) : zipf(x >> 8, 20));
	else if (x % 100 < 80)
	{
		if (x % 100 > 50)
			row->referrer_site = zipf(draw(row, 7), 11);
		row->referrer_key = page_key(row->referrer_site, pick_page(draw(row, 6)));
	}
}

static void
write_row(Row *row, const Column *columns, int ncolumns)
{
	for (row->column = 0; row->column < ncolumns; row->column++)
	{
		if (row->column > 0)
			put_char(',');
		columns[row->column].write(row, &columns[row->column]);
	}
	put_char('\n');
	if (buffered > sizeof(buffer) / 2)
		flush();
}

static void
write_schema(const char *table, const Column *columns, int ncolumns)
{
	int			i;

	printf("CREATE TABLE %s (\n", table);
	for (i = 0; i < ncolumns; i++)
		printf("    %s NOT NULL%s\n", columns[i].definition,
			   i + 1 < ncolumns ? "," : "");
	printf(");\n");
}

int
main(int argc, char **argv)
{
	static const struct
	{
		const char *name;
		const Column *columns;
		int			ncolumns;
	}			tables[] = {
		{"views", views, lengthof(views)},
		{"facts", facts, lengthof(facts)},
		{"places", places, lengthof(places)},
	};
	size_t		t;

	_Static_assert(lengthof(views) == 105, "views has 105 columns");
	for (t = 0; t < lengthof(tables); t++)
	{
		if (argc < 3 || strcmp(argv[1], tables[t].name) != 0)
			continue;
		if (argc == 3 && strcmp(argv[2], "schema") == 0)
		{
			write_schema(tables[t].name, tables[t].columns, tables[t].ncolumns);
			return 0;
		}
		if (argc >= 4 && argc <= 5 && strcmp(argv[2], "rows") == 0)
		{
			uint64_t	total = strtoull(argv[3], NULL, 10);
			uint64_t	seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
			uint64_t	number;
			Row			row;

			for (number = 0; number < total; number++)
			{
				begin_row(&row, seed, number, total);
				write_row(&row, tables[t].columns, tables[t].ncolumns);
			}
			flush();
			return 0;
		}
	}
	fputs("usage: generate views|facts|places schema\n"
		  "       generate views|facts|places rows TOTAL [SEED]\n", stderr);
	return 2;
}
