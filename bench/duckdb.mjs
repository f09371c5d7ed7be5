// duckdb.mjs - DuckDB for bench/speed and bench/sizes, in a persistent database file
//
// node duckdb.mjs DATABASE THREADS load SCHEMA TABLE FILE NULL HEADER
//     makes the tables of SCHEMA that are missing and copies the CSV file into
//     TABLE; NULL is how it writes a NULL.
// node duckdb.mjs DATABASE THREADS run SQL-FILE
//     runs the statements of SQL-FILE, which end at ends of lines, and prints the rows of the last one, with
//     tabs between their fields.
// node duckdb.mjs DATABASE THREADS serve
//     prints the version, then answers each line "SQL-FILE ROWS-FILE" of its
//     input with "ms N" or "error TEXT".  The time covers running the statement
//     and fetching all rows; they are written to ROWS-FILE, unless that is "-",
//     after the clock has stopped, as psql -A -F '\x1f' -R '\x1e' does it.
//
// DUCKDB_MODULES is the folder where npm has installed @duckdb/node-api.

import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const require = createRequire(`${process.env.DUCKDB_MODULES}/package.json`);
const { DuckDBInstance, version } = require('@duckdb/node-api');
const [database, threads, command, ...rest] = process.argv.slice(2);

// An integer that a double holds only in part comes as a string: a number of
// that size is a double, and is written like one.
const text = value => value === null ? '\\N'
	: value === true ? 't' : value === false ? 'f'
	: Math.abs(value) > 2 ** 53 && typeof value === 'number' ? value.toExponential()
	: String(value);

const instance = await DuckDBInstance.create(database, { threads });
const connection = await instance.connect();

async function load(schema, table, file, nullText, header) {
	for (const statement of readFileSync(schema, 'utf8').replace(/--.*/g, '').split(';'))
		if (/CREATE TABLE/.test(statement))
			await connection.run(statement.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'));
	await connection.run(`COPY ${table} FROM '${file}' (FORMAT csv, AUTO_DETECT false,
		DELIMITER ',', QUOTE '"', ESCAPE '"', HEADER ${header}, NULL '${nullText}')`);
	await connection.run('CHECKPOINT');
}

async function run(sqlFile) {
	const statements = readFileSync(sqlFile, 'utf8').trim().split(/;\n/);
	let result;
	for (const statement of statements)
		result = await connection.runAndReadAll(statement);
	for (const row of result.getRowsJson())
		console.log(row.map(text).join('\t'));
}

async function answer(line) {
	const [sqlFile, rowsFile] = line.split(' ');
	const sql = readFileSync(sqlFile, 'utf8');
	try {
		const start = process.hrtime.bigint();
		const result = await connection.runAndReadAll(sql);
		const ms = Number(process.hrtime.bigint() - start) / 1e6;
		if (rowsFile !== '-')
			writeFileSync(rowsFile, result.getRowsJson()
				.map(row => row.map(text).join('\x1f') + '\x1e').join(''));
		return `ms ${ms.toFixed(3)}`;
	} catch (error) {
		return `error ${String(error.message).replace(/\s+/g, ' ')}`;
	}
}

if (command === 'load') {
	await load(...rest);
} else if (command === 'run') {
	await run(...rest);
} else {
	const v = await connection.runAndReadAll('SELECT version()');
	console.log(v.getRowsJson()[0][0]);
	for await (const line of createInterface({ input: process.stdin }))
		console.log(await answer(line));
}
connection.closeSync();
instance.closeSync();
