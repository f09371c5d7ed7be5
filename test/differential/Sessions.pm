# Sessions.pm - several psql sessions, one statement at a time
#
# A statement is sent to one session; then all are watched until each has
# answered or waits for a lock, which the server says of it as it does for
# isolationtester.  So the same statements sent in the same order give the same
# answers and the same waits, however busy the machine is.
package Sessions;

use strict;
use warnings;
use IO::Select;
use IPC::Open2;
use Time::HiRes qw(time usleep);

# Seconds that a statement may take; and that a lock must have been waited for
# before it is believed, which gives the server the time to see a deadlock.
our $patience = $ENV{TWINS_PATIENCE} || 60;
my $settled = 0.025;
my $deadlock_timeout = '8ms';

sub new
{
	my ($class, $database, $count) = @_;
	my $self = bless { database => $database }, $class;

	$self->{control} = $self->start;
	$self->{sessions} = [ map { $self->start } 1 .. $count ];
	$self->{pids} = join(',', map { $_->{pid} } @{ $self->{sessions} });
	return $self;
}

sub start
{
	my ($self) = @_;
	my $session = { out => '', busy => 0 };

	local $ENV{PGOPTIONS} = "-c deadlock_timeout=$deadlock_timeout -c client_min_messages=warning -c timezone=UTC"
	  . ' -c datestyle=ISO -c jit=off -c extra_float_digits=1 -c synchronous_commit=off';
	$session->{process} = open2($session->{from}, $session->{to}, "exec psql -XAt -v VERBOSITY=terse -d $self->{database} 2>&1");
	binmode $session->{$_}, ':raw' for qw(from to);
	$session->{to}->autoflush(1);
	$self->send($session, 'SELECT pg_backend_pid();');
	$session->{pid} = $self->answer($session) + 0;
	return $session;
}

my $mark = "\x01done\x01";

sub send
{
	my ($self, $session, $sql) = @_;

	@$session{qw(out busy sql)} = ('', 1, $sql);
	$session->{since} = time;
	local $SIG{PIPE} = 'IGNORE';
	utf8::encode($sql);
	print { $session->{to} } "$sql\n\\echo $mark\n";
	return;
}

# Read what a session says for so many seconds; true if it has answered.
sub listen_for
{
	my ($session, $seconds) = @_;
	my $end = time + $seconds;

	while ($session->{busy})
	{
		my $left = $end - time;
		last if !IO::Select->new($session->{from})->can_read($left > 0 ? $left : 0);
		my $n = sysread($session->{from}, $session->{out}, 65536, length $session->{out});
		die "session lost: $session->{out}\n" if !$n || $session->{out} =~ /server closed the connection|connection to server was lost/;
		$session->{busy} = 0 if $session->{out} =~ s/$mark\n//;
	}
	return !$session->{busy};
}

# What a session says to a statement that cannot wait.
sub answer
{
	my ($self, $session) = @_;

	die "no answer to: $session->{sql}\n" if !listen_for($session, $patience);
	return $session->{out};
}

sub query { my ($self, $sql) = @_; $self->send($self->{control}, $sql); return $self->answer($self->{control}) }

sub is_blocked
{
	my ($self, $session) = @_;
	# that function does not know of prepared transactions
	return $self->query("SELECT cardinality(pg_blocking_pids($session->{pid})) > 0 OR pg_isolation_test_session_is_blocked($session->{pid}, '{$self->{pids}}');") =~ /^t/;
}

# Until every session has answered or waits.
sub settle
{
	my ($self) = @_;
	my $again = 1;

	while ($again)
	{
		$again = 0;
		for my $session (grep { $_->{busy} } @{ $self->{sessions} })
		{
			my $blocked_since;

			until (listen_for($session, $blocked_since ? 0.004 : 0.002))
			{
				if (!$self->is_blocked($session)) { undef $blocked_since }
				elsif (!$blocked_since) { $blocked_since = time }
				elsif (time - $blocked_since > $settled && time - $session->{since} > $settled) { last }
				die "neither answers nor waits for a lock: $session->{sql}\n" if time - $session->{since} > $patience && !$blocked_since;
			}
			$again = 1 if !$session->{busy};
		}
	}
	return;
}

sub cancel { my ($self, $session) = @_; $self->query("SELECT pg_cancel_backend($session->{pid});"); return }

sub stop
{
	my ($self) = @_;

	for my $session (grep { defined } $self->{control}, @{ $self->{sessions} // [] })
	{
		kill 'TERM', $session->{process};
		close $session->{to};
		waitpid $session->{process}, 0;
	}
	return;
}

1;
