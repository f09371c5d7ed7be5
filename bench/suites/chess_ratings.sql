-- 26 million entries of FIDE's rating lists, 1971 to 2021, sorted by player.

-- mean: of the rating
SELECT count(elo), avg(elo) FROM chess_ratings;

-- list: one rating list
SELECT count(*), max(elo), avg(elo) FROM chess_ratings WHERE listed_on = '2000-01-01';

-- years: ratings by year
SELECT extract(year FROM listed_on) AS year, count(*), avg(elo) FROM chess_ratings
GROUP BY year ORDER BY year;

-- federations: by entries
SELECT federation, count(*) AS n, max(elo) FROM chess_ratings
GROUP BY federation ORDER BY n DESC, federation LIMIT 20;

-- titles: players with each title
SELECT title, count(DISTINCT player) FROM chess_ratings GROUP BY title ORDER BY title NULLS FIRST;

-- best: the highest rating of each player, ten best
SELECT player, max(elo) AS best FROM chess_ratings WHERE elo IS NOT NULL
GROUP BY player ORDER BY best DESC, player LIMIT 10;

-- strong: grandmasters above 2700
SELECT count(*), count(DISTINCT player) FROM chess_ratings WHERE elo >= 2700 AND title = 'GM';

-- union: federations of a state that is no more
SELECT federation, count(*) FROM chess_ratings WHERE federation LIKE 'URS%'
GROUP BY federation ORDER BY count(*) DESC, federation LIMIT 10;

-- classes: histogram of ratings
SELECT elo / 100 * 100 AS class, count(*) FROM chess_ratings
WHERE elo BETWEEN 1000 AND 2899 GROUP BY class ORDER BY class;
--! duckdb
SELECT elo // 100 * 100 AS class, count(*) FROM chess_ratings
WHERE elo BETWEEN 1000 AND 2899 GROUP BY class ORDER BY class;

-- top: the ten best entries
SELECT player, listed_on, elo FROM chess_ratings WHERE elo IS NOT NULL
ORDER BY elo DESC, listed_on, player LIMIT 10;
