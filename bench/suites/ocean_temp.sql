-- 3.7 million sea temperatures by month, depth and place; 39 % are NULL.

-- count: of measurements
SELECT count(*), count(temperature) FROM ocean_temp;

-- mean: of all
SELECT avg(temperature::float8), min(temperature), max(temperature) FROM ocean_temp;

-- surface: in July
SELECT count(*), max(temperature) FROM ocean_temp WHERE month = 7 AND depth_m = 0;

-- depths: extremes by depth
SELECT depth_m, count(temperature), min(temperature), max(temperature) FROM ocean_temp
GROUP BY depth_m ORDER BY depth_m;

-- months: means by month
SELECT month, avg(temperature::float8), stddev_samp(temperature::float8) FROM ocean_temp
GROUP BY month ORDER BY month;

-- places: the warmest by latitude and longitude
SELECT latitude, longitude, max(temperature) AS best FROM ocean_temp
GROUP BY latitude, longitude ORDER BY best DESC NULLS LAST, latitude, longitude LIMIT 10;

-- hot: where it is
SELECT count(*), min(latitude), max(latitude) FROM ocean_temp WHERE temperature > 29;

-- tropics: by month
SELECT month, count(*), avg(temperature::float8) FROM ocean_temp
WHERE latitude BETWEEN -23 AND 23 AND depth_m <= 100 GROUP BY month ORDER BY month;

-- unknown: land by latitude
SELECT latitude, count(*) FROM ocean_temp WHERE temperature IS NULL
GROUP BY latitude ORDER BY latitude;

-- coldest: ten places and months
SELECT temperature, month, depth_m, latitude, longitude FROM ocean_temp
WHERE temperature IS NOT NULL
ORDER BY temperature, month, depth_m, latitude, longitude LIMIT 10;
