# shellcheck shell=bash disable=SC2154,SC2034,SC2048
# common.sh - what test/run and bench/demo share; to be sourced by bash
#
# A caller sets `top` to the checkout and `work` to an empty private directory,
# and gets functions that install packages, make a private copy of a PostgreSQL
# installation, build the extension into it, and run throw-away servers from
# it.  Nothing outside `work` changes but for packages that apt installs.
#
# Servers refuse to run as root: as root everything in `work` belongs to user
# postgres, and as_owner runs a command as that user.

me=${0##*/}

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { say "$*"; exit 1; }

as_owner() {
	if [ "$(id -u)" = 0 ]; then
		runuser -u postgres -- "$@"
	else
		"$@"
	fi
}

# Seconds since the epoch, with milliseconds.
now() { date +%s.%3N; }

# Seconds from $1 until now, as "1.234".
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.3f", b - a }'; }

# ---- packages ------------------------------------------------------------------

# Package that holds a command or, for a path, a file.
package_of() {
	case $1 in
	*/lz4.h) echo liblz4-dev ;;
	*/zstd.h) echo libzstd-dev ;;
	*/stdio.h) echo libc6-dev ;;
	*/IPC/Run.pm) echo libipc-run-perl ;;
	xz) echo xz-utils ;;
	pg_prove) echo libtap-parser-sourcehandler-pgtap-perl ;;
	qemu-*-static) echo qemu-user-static ;;
	s390x-linux-gnu-gcc) echo "gcc-s390x-linux-gnu libc6-dev-s390x-cross" ;;
	aarch64-linux-gnu-gcc) echo "gcc-aarch64-linux-gnu libc6-dev-arm64-cross" ;;
	runuser) echo util-linux ;;
	prove) echo perl ;;
	*) echo "$1" ;;
	esac
}

have() {
	case $1 in
	/*) [ -e "$1" ] ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# Install packages by name; false if that cannot be done here.
apt_install() {
	local log=$work/apt.log

	if [ "$(id -u)" != 0 ] || ! have apt-get; then
		say "missing here, and only root on Debian can install it: $*"
		return 1
	fi
	say "installing $*"
	# shellcheck disable=SC2086
	{
		[ -n "${apt_updated:-}" ] || apt-get update
		DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-install-recommends $*
	} >"$log" 2>&1 </dev/null || {
		tail -n 5 "$log" >&2
		say "could not install $*"
		return 1
	}
	apt_updated=yes
}

# Make sure that commands and files are there.
need() {
	local it missing=

	for it in "$@"; do
		have "$it" || missing="$missing $(package_of "$it")"
	done
	[ -z "$missing" ] || apt_install "${missing# }"
}

# ---- the server ----------------------------------------------------------------

# Set PG_CONFIG to an installation with server headers, installing PostgreSQL 15
# where there is none.
find_server() {
	local version

	if [ -z "${PG_CONFIG:-}" ]; then
		if [ -x /usr/lib/postgresql/15/bin/pg_config ]; then
			PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config
		elif have pg_config && have "$(pg_config --bindir)/initdb"; then
			PG_CONFIG=$(command -v pg_config)
		else
			apt_install postgresql-15 postgresql-server-dev-15 || return 1
			PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config
		fi
	fi
	have "$PG_CONFIG" || die "no such program: $PG_CONFIG"
	version=$("$PG_CONFIG" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
	if ! have "$("$PG_CONFIG" --pgxs)" || ! have "$("$PG_CONFIG" --bindir)/initdb"; then
		apt_install "postgresql-$version" "postgresql-server-dev-$version" || return 1
	fi
	PG_MAJOR=$version
	export PG_CONFIG
}

# Copy the installation of PG_CONFIG below $work/pg and let PG_CONFIG be the
# copy's.  The programs find their files relative to themselves, so the copy
# keeps the paths.  The one file changed in it switches JIT bitcode off, which
# only takes time to build.
copy_server() {
	local option dir global

	for option in bindir pkglibdir sharedir includedir-server; do
		dir=$("$PG_CONFIG" --$option)
		[ ! -d "$work/pg$dir" ] || continue
		mkdir -p "$work/pg$dir"
		(cd "$dir" && tar -c --dereference --ignore-failed-read \
			--warning=no-failed-read --exclude=./bitcode . |
			tar -x -C "$work/pg$dir")
	done
	PG_CONFIG=$work/pg$("$PG_CONFIG" --bindir)/pg_config
	global=$("$PG_CONFIG" --pgxs)
	case $global in "$work"/*) ;; *) return 1 ;; esac
	global=${global%/makefiles/pgxs.mk}/Makefile.global
	sed -i -E 's/^with_llvm[[:space:]]*=.*/with_llvm = no/' "$global"
	bindir=$("$PG_CONFIG" --bindir)
}

# Give $work to the user that runs servers.
own_work() {
	chmod 755 "$work"
	[ "$(id -u)" != 0 ] || chown -R postgres "$work"
}

# Copy the sources, without anything built, to $1.
copy_sources() {
	mkdir -p "$1"
	(cd "$top" && tar -c --exclude=./.git --exclude='*.o' --exclude='*.bc' \
		--exclude='*.so' --exclude=./.data --exclude=./results \
		--exclude=./output_iso --exclude=./tmp_check \
		--exclude='./test/*/build' --exclude=./test/results .) | tar -x -C "$1"
}

# Make and start a server in $work/$1; further arguments are lines for its
# configuration.  Sets PGHOST and PGPORT; they and server_dir name the server.
start_server() {
	server_dir=$work/$1
	shift
	mkdir -p "$server_dir"
	[ "$(id -u)" != 0 ] || chown postgres "$server_dir"
	(cd / && as_owner "$bindir/initdb" -N -A trust -U postgres --locale=C -E UTF8 \
		-D "$server_dir/data") >"$server_dir.initdb" 2>&1 ||
		{ tail -n 5 "$server_dir.initdb" >&2; return 1; }
	{
		echo "listen_addresses = ''"
		echo "unix_socket_directories = '$server_dir'"
		echo "port = 5432"
		echo "fsync = off"
		for line in "$@"; do
			echo "$line"
		done
	} >>"$server_dir/data/postgresql.conf"
	(cd / && as_owner "$bindir/pg_ctl" -s -w -t 120 -D "$server_dir/data" \
		-l "$server_dir/log" start) >/dev/null ||
		{ tail -n 20 "$server_dir/log" >&2; return 1; }
	servers="${servers:-} $server_dir"
	export PGHOST=$server_dir PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
	export PATH="$bindir:$PATH"
}

# Stop the servers that start_server started.
stop_servers() {
	local dir

	for dir in ${servers:-}; do
		(cd / && as_owner "$bindir/pg_ctl" -s -D "$dir/data" -m immediate stop) \
			>/dev/null 2>&1 || :
	done
	servers=
}
