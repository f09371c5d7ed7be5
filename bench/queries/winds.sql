-- count all rows
SELECT count(*) FROM winds;
-- extremes of one column
SELECT min(u_wind), max(u_wind) FROM winds;
-- one month
SELECT count(*), max(v_wind) FROM winds WHERE observed_at >= '1990-01-01' AND observed_at < '1990-02-01';
-- strongest by latitude
SELECT latitude, max(u_wind) FROM winds GROUP BY latitude ORDER BY latitude;
-- westerly gales
SELECT count(*), min(latitude), max(latitude) FROM winds WHERE u_wind > 12;
