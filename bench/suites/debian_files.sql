-- 7 million paths of files in Debian's packages, sorted by path within arch.

-- sections: files by section
SELECT section, count(*) FROM debian_files GROUP BY section ORDER BY count(*) DESC, section;

-- packages: those with most files
SELECT package, count(*) AS n FROM debian_files GROUP BY package ORDER BY n DESC, package LIMIT 10;

-- number: of packages by arch
SELECT arch, count(DISTINCT package), count(*) FROM debian_files GROUP BY arch ORDER BY arch;

-- length: of paths
SELECT min(length(path)), max(length(path)), avg(length(path)) FROM debian_files;

-- suffix: shared libraries
SELECT count(*) FROM debian_files WHERE path LIKE '%.so';

-- within: a word anywhere in the path
SELECT section, count(*) FROM debian_files WHERE path LIKE '%postgresql%'
GROUP BY section ORDER BY section;

-- prefix: manual pages
SELECT count(*), count(DISTINCT package) FROM debian_files WHERE path LIKE 'usr/share/man/%';

-- one: the files of a package
SELECT count(*), min(path), max(path) FROM debian_files WHERE package = 'coreutils';

-- folders: by the first two parts of the path
SELECT split_part(path, '/', 1) || '/' || split_part(path, '/', 2) AS folder, count(*)
FROM debian_files GROUP BY folder ORDER BY count(*) DESC, folder LIMIT 20;

-- longest: the ten longest paths
SELECT path, package FROM debian_files ORDER BY length(path) DESC, path, package LIMIT 10;
