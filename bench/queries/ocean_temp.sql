-- count all rows
SELECT count(*) FROM ocean_temp;
-- count of one column
SELECT count(temperature) FROM ocean_temp;
-- one month at the surface
SELECT count(*), max(temperature) FROM ocean_temp WHERE month = 7 AND depth_m = 0;
-- warmest by depth
SELECT depth_m, count(temperature), max(temperature) FROM ocean_temp GROUP BY depth_m ORDER BY depth_m;
-- hot water
SELECT count(*), min(latitude), max(latitude) FROM ocean_temp WHERE temperature > 29;
