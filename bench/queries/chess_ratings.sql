-- count all rows
SELECT count(*) FROM chess_ratings;
-- mean of one column
SELECT round(avg(elo), 6) FROM chess_ratings;
-- one rating list
SELECT count(*), max(elo) FROM chess_ratings WHERE listed_on = '2000-01-01';
-- best federations
SELECT federation, count(*), max(elo) FROM chess_ratings GROUP BY federation ORDER BY max(elo) DESC NULLS LAST, federation LIMIT 10;
-- strong players
SELECT count(*), count(DISTINCT player) FROM chess_ratings WHERE elo >= 2700;
