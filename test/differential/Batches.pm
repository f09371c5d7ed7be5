# Batches.pm - psql sessions that run many statements at a time
#
# A batch is a list of scripts.  All of a session's scripts are given to psql at
# once, in a file, and the outputs are told apart by marks; several sessions
# work on theirs at the same time.
package Batches;

use strict;
use warnings;
use File::Temp ();
use IO::Select;
use IPC::Open2;

our $between_fields = "\x1f";
our $between_rows = "\x1e";
my $mark = "\x01";
my $dir = File::Temp->newdir('queries.XXXXXX', TMPDIR => 1);
my $files = 0;

sub new
{
	my ($class, $database, @settings) = @_;
	my $self = bless { database => $database }, $class;

	local $ENV{PGOPTIONS} = '-c client_min_messages=error -c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c bytea_output=hex -c jit=off'
	  . ' -c extra_float_digits=1 -c statement_timeout=20s -c max_parallel_workers_per_gather=0 -c cursor_tuple_fraction=1 -c lc_messages=C';
	$self->{pid} = open2($self->{from}, $self->{to}, "exec psql -XAtq -F '$between_fields' -R '$between_rows' -P null='\\N' -v VERBOSITY=sqlstate -d $database 2>&1");
	binmode $self->{$_}, ':raw' for qw(from to);
	$self->{to}->autoflush(1);
	$self->run(map { "$_;" } @settings);
	return $self;
}

# Give a session scripts to run.
sub start
{
	my ($self, @scripts) = @_;
	my $number = 0;

	# psql may still be about to find the end of the last file
	unlink $self->{last} if defined $self->{last};
	@$self{qw(out last file)} = ('', $self->{file}, "$dir/" . ++$files);
	open my $file, '>:raw', $self->{file} or die "cannot write to $dir\n";
	print $file map { "\\echo $mark" . $number++ . "\n$_\n" } @scripts;
	print $file "\\echo ${mark}end\n";
	close $file;
	chmod 0644, $self->{file};
	local $SIG{PIPE} = 'IGNORE';
	print { $self->{to} } "\\i $self->{file}\n";
	return;
}

# The outputs of what the sessions have been given.  If one has been lost its
# outputs end with the script that it was in, and "lost" is true.
sub finish
{
	my @sessions = @_;
	my %left = map { fileno($_->{from}) => $_ } @sessions;
	my $select = IO::Select->new(map { $_->{from} } @sessions);

	while (%left)
	{
		for my $handle ($select->can_read(300))
		{
			my $self = $left{ fileno $handle };
			my $n = sysread($handle, $self->{out}, 1 << 20, length $self->{out});

			$self->{lost} = 1 if !$n;
			if (!$n || index(substr($self->{out}, -8), "${mark}end\n") >= 0)
			{
				$select->remove($handle);
				delete $left{ fileno $handle };
			}
		}
	}
	return map { [ $_->outputs ] } @sessions;
}

sub outputs
{
	my ($self) = @_;
	my @out = split /$mark(?:\d+|end)\n/, $self->{out}, -1;

	shift @out;
	pop @out if !$self->{lost};
	return @out;
}

sub run
{
	my ($self, @scripts) = @_;
	$self->start(@scripts);
	my ($out) = finish($self);
	return @$out;
}

sub stop
{
	my ($self) = @_;
	close $self->{to};
	waitpid $self->{pid}, 0;
	return;
}

1;
