-- count all rows
SELECT count(*) FROM flights;
-- sum of one column
SELECT sum(delay) FROM flights;
-- one day in the middle
SELECT count(*), avg(delay) FROM flights WHERE date >= (SELECT min(date) + (max(date) - min(date)) / 2 FROM flights) AND date < (SELECT min(date) + (max(date) - min(date)) / 2 + '1 day' FROM flights);
-- worst airports
SELECT origin, count(*), round(avg(delay), 3) AS mean FROM flights GROUP BY origin HAVING count(*) > 100 ORDER BY mean DESC, origin LIMIT 10;
-- late and far
SELECT count(*), max(distance) FROM flights WHERE delay > 120 AND distance > 2000;
