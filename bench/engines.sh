# shellcheck shell=bash disable=SC2154,SC2034
# engines.sh - what bench/speed and bench/sizes share; to be sourced by bash
#
# A caller sets `top` to the checkout, `bench` to this folder, `work` to the folder
# in which everything is kept, `dir` to the same or, if it is only for this run, to
# nothing, and `data` to the folder of CSV files; it sources test/common.sh before.

# Stop what runs, and leave nothing behind unless there is a `dir`.
finish() {
	local rc=$?

	trap - EXIT
	stop_servers
	[ -n "$dir" ] || rm -rf "$work"
	exit $rc
}

sql() { psql -XqAt -v ON_ERROR_STOP=1 "$@"; }

# ---- the server ----------------------------------------------------------------

# Build what has changed since the last time in $work.
build() {
	local sources

	sources=$(cd "$top" && cat Makefile columnar.control ./*.sql src/*.c src/*/*.[ch] \
		src/include/*.h src/include/*/*.h | sha256sum)
	[ "$sources" != "$(cat "$work/built" 2>/dev/null)" ] || return 0
	say "building with PostgreSQL $PG_MAJOR"
	rm -rf "$work/build"
	copy_sources "$work/build"
	{
		make -s -j"$(nproc)" -C "$work/build" PG_CONFIG="$PG_CONFIG" with_llvm=no &&
			make -s -C "$work/build" PG_CONFIG="$PG_CONFIG" with_llvm=no install
	} >"$work/build.log" 2>&1 || {
		tail -n 20 "$work/build.log" >&2
		die "could not build the extension"
	}
	echo "$sources" >"$work/built"
}

# ---- DuckDB and the data -------------------------------------------------------

# Install DuckDB in $work; false if that cannot be done.
install_duckdb() {
	export DUCKDB_MODULES=$work/npm
	mkdir -p "$work/duckdb" "$DUCKDB_MODULES"
	[ ! -e "$DUCKDB_MODULES/node_modules/@duckdb/node-api" ] || return 0
	if need npm node && (cd "$DUCKDB_MODULES" && echo '{ "private": true }' >package.json &&
		npm install @duckdb/node-api) >"$work/npm.log" 2>&1; then
		return 0
	fi
	rm -rf "$DUCKDB_MODULES"
	say "could not install DuckDB (@duckdb/node-api): going on without it"
	return 1
}

# Make the data file $1 of the data set $2 if that can be done here.
find_data() {
	[ ! -e "$data/$1.csv" ] || return 0
	[ -e "$top/../shared/data/fetch-data" ] ||
		die "no $1.csv in ${COLUMNAR_DATA:-.data}: see bench/README.md"
	need python3 npm node || die "cannot go on"
	say "fetching the data set $2"
	COLUMNAR_DATA=$data bash "$top/../shared/data/fetch-data" "$2" >"$work/fetch.log" 2>&1 ||
		{ tail -n 5 "$work/fetch.log" >&2; die "could not fetch $2"; }
}
