-- Web analytics: 43 questions about the table views that generate.c makes.
--
-- "-- N: title" begins query N.  "--! compare 2,3": only these output columns
-- are compared between the servers, since ties leave the rest open; "none":
-- only the number of rows.  "--! collated": the answer depends on the collation,
-- so DuckDB's is not compared in a run with ICU.

-- 0: all page views
SELECT count(*) FROM views;

-- 1: views bought by an advertisement
SELECT count(*) FROM views WHERE ad_network <> 0;

-- 2: two sums and the count
SELECT sum(ad_network), count(*), avg(screen_width) FROM views;

-- 3: mean of a wide integer
SELECT avg(user_id) FROM views;

-- 4: visitors
SELECT count(DISTINCT user_id) FROM views;

-- 5: different search phrases
SELECT count(DISTINCT search_phrase) FROM views;

-- 6: first and last day
SELECT min(viewed_on), max(viewed_on) FROM views;

-- 7: advertising networks
SELECT ad_network, count(*) FROM views WHERE ad_network <> 0
GROUP BY ad_network ORDER BY count(*) DESC, ad_network;

-- 8: regions with most visitors
--! compare 2
SELECT region_id, count(DISTINCT user_id) AS visitors FROM views
GROUP BY region_id ORDER BY visitors DESC LIMIT 10;

-- 9: regions by views, four aggregates
--! compare 3
SELECT region_id, sum(ad_network), count(*) AS n, avg(screen_width), count(DISTINCT user_id)
FROM views GROUP BY region_id ORDER BY n DESC LIMIT 10;

-- 10: telephones by visitors
--! compare 2
SELECT phone_model, count(DISTINCT user_id) AS visitors FROM views
WHERE phone_model <> '' GROUP BY phone_model ORDER BY visitors DESC LIMIT 10;

-- 11: brand and telephone by visitors
--! compare 3
SELECT phone_brand, phone_model, count(DISTINCT user_id) AS visitors FROM views
WHERE phone_model <> '' GROUP BY phone_brand, phone_model ORDER BY visitors DESC LIMIT 10;

-- 12: frequent search phrases
--! compare 2
SELECT search_phrase, count(*) AS n FROM views
WHERE search_phrase <> '' GROUP BY search_phrase ORDER BY n DESC LIMIT 10;

-- 13: search phrases by visitors
--! compare 2
SELECT search_phrase, count(DISTINCT user_id) AS visitors FROM views
WHERE search_phrase <> '' GROUP BY search_phrase ORDER BY visitors DESC LIMIT 10;

-- 14: search phrases by engine
--! compare 3
SELECT search_engine, search_phrase, count(*) AS n FROM views
WHERE search_phrase <> '' GROUP BY search_engine, search_phrase ORDER BY n DESC LIMIT 10;

-- 15: busiest visitors
--! compare 2
SELECT user_id, count(*) FROM views GROUP BY user_id ORDER BY count(*) DESC LIMIT 10;

-- 16: busiest visitors and what they searched
--! compare 3
SELECT user_id, search_phrase, count(*) FROM views
GROUP BY user_id, search_phrase ORDER BY count(*) DESC LIMIT 10;

-- 17: the same, any ten
--! compare none
SELECT user_id, search_phrase, count(*) FROM views GROUP BY user_id, search_phrase LIMIT 10;

-- 18: the same by minute of the hour
--! compare 4
SELECT user_id, extract(minute FROM viewed_at) AS minute, search_phrase, count(*) FROM views
GROUP BY user_id, minute, search_phrase ORDER BY count(*) DESC LIMIT 10;

-- 19: one visitor
SELECT user_id FROM views WHERE user_id = 576452660667261667;

-- 20: a word in the address
SELECT count(*) FROM views WHERE url LIKE '%aurora%';

-- 21: searches that led to such an address
--! compare 3
SELECT search_phrase, min(url), count(*) AS n FROM views
WHERE url LIKE '%aurora%' AND search_phrase <> ''
GROUP BY search_phrase ORDER BY n DESC LIMIT 10;

-- 22: a word in the title, not in the host
--! compare 4
SELECT search_phrase, min(url), min(title), count(*) AS n, count(DISTINCT user_id) FROM views
WHERE title LIKE '%Aurora%' AND url NOT LIKE '%.aurora.%' AND search_phrase <> ''
GROUP BY search_phrase ORDER BY n DESC LIMIT 10;

-- 23: the earliest such views, all columns
--! compare 2
SELECT * FROM views WHERE url LIKE '%aurora%' ORDER BY viewed_at LIMIT 10;

-- 24: the earliest searches
--! compare none
SELECT search_phrase FROM views WHERE search_phrase <> '' ORDER BY viewed_at LIMIT 10;

-- 25: the alphabetically first searches
--! collated
SELECT search_phrase FROM views WHERE search_phrase <> '' ORDER BY search_phrase LIMIT 10;

-- 26: the earliest searches, then by phrase
--! collated
SELECT search_phrase FROM views WHERE search_phrase <> ''
ORDER BY viewed_at, search_phrase LIMIT 10;

-- 27: sites with long addresses
--! compare 2,3
SELECT site_id, avg(length(url)) AS mean, count(*) AS n FROM views
WHERE url <> '' GROUP BY site_id HAVING count(*) > 5000 ORDER BY mean DESC LIMIT 25;

-- 28: referring hosts with long addresses
--! compare 1,2,3
SELECT regexp_replace(referrer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS host,
	avg(length(referrer)) AS mean, count(*) AS n, min(referrer) FROM views
WHERE referrer <> '' GROUP BY host HAVING count(*) > 5000 ORDER BY mean DESC LIMIT 25;

-- 29: ninety sums of one column
SELECT sum(screen_width),
	sum(screen_width + 1), sum(screen_width + 2), sum(screen_width + 3), sum(screen_width + 4),
	sum(screen_width + 5), sum(screen_width + 6), sum(screen_width + 7), sum(screen_width + 8),
	sum(screen_width + 9), sum(screen_width + 10), sum(screen_width + 11), sum(screen_width + 12),
	sum(screen_width + 13), sum(screen_width + 14), sum(screen_width + 15), sum(screen_width + 16),
	sum(screen_width + 17), sum(screen_width + 18), sum(screen_width + 19), sum(screen_width + 20),
	sum(screen_width + 21), sum(screen_width + 22), sum(screen_width + 23), sum(screen_width + 24),
	sum(screen_width + 25), sum(screen_width + 26), sum(screen_width + 27), sum(screen_width + 28),
	sum(screen_width + 29), sum(screen_width + 30), sum(screen_width + 31), sum(screen_width + 32),
	sum(screen_width + 33), sum(screen_width + 34), sum(screen_width + 35), sum(screen_width + 36),
	sum(screen_width + 37), sum(screen_width + 38), sum(screen_width + 39), sum(screen_width + 40),
	sum(screen_width + 41), sum(screen_width + 42), sum(screen_width + 43), sum(screen_width + 44),
	sum(screen_width + 45), sum(screen_width + 46), sum(screen_width + 47), sum(screen_width + 48),
	sum(screen_width + 49), sum(screen_width + 50), sum(screen_width + 51), sum(screen_width + 52),
	sum(screen_width + 53), sum(screen_width + 54), sum(screen_width + 55), sum(screen_width + 56),
	sum(screen_width + 57), sum(screen_width + 58), sum(screen_width + 59), sum(screen_width + 60),
	sum(screen_width + 61), sum(screen_width + 62), sum(screen_width + 63), sum(screen_width + 64),
	sum(screen_width + 65), sum(screen_width + 66), sum(screen_width + 67), sum(screen_width + 68),
	sum(screen_width + 69), sum(screen_width + 70), sum(screen_width + 71), sum(screen_width + 72),
	sum(screen_width + 73), sum(screen_width + 74), sum(screen_width + 75), sum(screen_width + 76),
	sum(screen_width + 77), sum(screen_width + 78), sum(screen_width + 79), sum(screen_width + 80),
	sum(screen_width + 81), sum(screen_width + 82), sum(screen_width + 83), sum(screen_width + 84),
	sum(screen_width + 85), sum(screen_width + 86), sum(screen_width + 87), sum(screen_width + 88),
	sum(screen_width + 89)
FROM views;

-- 30: engine and address, searches only
--! compare 3
SELECT search_engine, client_ip, count(*) AS n, sum(is_refresh), avg(screen_width) FROM views
WHERE search_phrase <> '' GROUP BY search_engine, client_ip ORDER BY n DESC LIMIT 10;

-- 31: view and address, searches only
--! compare 3
SELECT view_id, client_ip, count(*) AS n, sum(is_refresh), avg(screen_width) FROM views
WHERE search_phrase <> '' GROUP BY view_id, client_ip ORDER BY n DESC LIMIT 10;

-- 32: view and address: as many groups as rows
--! compare 3
SELECT view_id, client_ip, count(*) AS n, sum(is_refresh), avg(screen_width) FROM views
GROUP BY view_id, client_ip ORDER BY n DESC LIMIT 10;

-- 33: most seen addresses
--! compare 2
SELECT url, count(*) AS n FROM views GROUP BY url ORDER BY n DESC LIMIT 10;

-- 34: the same with a constant in the key
--! compare 3
SELECT 1 AS one, url, count(*) AS n FROM views GROUP BY one, url ORDER BY n DESC LIMIT 10;

-- 35: four keys that follow from one
--! compare 5
SELECT client_ip, client_ip - 1, client_ip - 2, client_ip - 3, count(*) AS n FROM views
GROUP BY client_ip, client_ip - 1, client_ip - 2, client_ip - 3 ORDER BY n DESC LIMIT 10;

-- 36: one site's pages by address
--! compare 2
SELECT url, count(*) AS seen FROM views
WHERE site_id = 157622 AND viewed_on >= '2023-07-01' AND viewed_on <= '2023-07-31'
	AND is_uncounted = 0 AND is_refresh = 0 AND url <> ''
GROUP BY url ORDER BY seen DESC LIMIT 10;

-- 37: one site's pages by title
--! compare 2
SELECT title, count(*) AS seen FROM views
WHERE site_id = 157622 AND viewed_on >= '2023-07-01' AND viewed_on <= '2023-07-31'
	AND is_uncounted = 0 AND is_refresh = 0 AND title <> ''
GROUP BY title ORDER BY seen DESC LIMIT 10;

-- 38: its links, a later page of the list
--! compare 2
SELECT url, count(*) AS seen FROM views
WHERE site_id = 157622 AND viewed_on >= '2023-07-01' AND viewed_on <= '2023-07-31'
	AND is_refresh = 0 AND is_link <> 0 AND is_download = 0
GROUP BY url ORDER BY seen DESC LIMIT 10 OFFSET 1000;

-- 39: ways to its pages
--! compare 6
SELECT traffic_source, search_engine, ad_network,
	CASE WHEN search_engine = 0 AND ad_network = 0 THEN referrer ELSE '' END AS source,
	url AS target, count(*) AS seen FROM views
WHERE site_id = 157622 AND viewed_on >= '2023-07-01' AND viewed_on <= '2023-07-31'
	AND is_refresh = 0
GROUP BY traffic_source, search_engine, ad_network, source, target
ORDER BY seen DESC LIMIT 10 OFFSET 1000;

-- 40: its pages by day, from one referrer
--! compare 3
SELECT url_hash, viewed_on, count(*) AS seen FROM views
WHERE site_id = 157622 AND viewed_on >= '2023-07-01' AND viewed_on <= '2023-07-31'
	AND is_refresh = 0 AND traffic_source IN (-1, 6) AND referrer_hash = 2314000816110686425
GROUP BY url_hash, viewed_on ORDER BY seen DESC LIMIT 10 OFFSET 100;

-- 41: window sizes on one page
--! compare 3
SELECT window_width, window_height, count(*) AS seen FROM views
WHERE site_id = 157622 AND viewed_on >= '2023-07-01' AND viewed_on <= '2023-07-31'
	AND is_refresh = 0 AND is_uncounted = 0 AND url_hash = -4332555015208270162
GROUP BY window_width, window_height ORDER BY seen DESC LIMIT 10 OFFSET 300;

-- 42: its views by minute in two days
SELECT date_trunc('minute', viewed_at) AS minute, count(*) AS seen FROM views
WHERE site_id = 157622 AND viewed_on >= '2023-07-14' AND viewed_on <= '2023-07-15'
	AND is_refresh = 0 AND is_uncounted = 0
GROUP BY date_trunc('minute', viewed_at)
ORDER BY date_trunc('minute', viewed_at) LIMIT 10 OFFSET 500;
