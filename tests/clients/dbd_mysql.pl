#!/usr/bin/perl
# DBD::mysql, with emulated and with server-side prepared statements.
use strict;
use warnings;
use utf8;
use DBI;

binmode STDOUT, ':utf8';
my $failed = 0;

sub check {
    my ($name, $body) = @_;
    if (eval { $body->(); 1 }) {
        print "ok DBD::mysql: $name\n";
    } else {
        $failed++;
        print "not ok DBD::mysql: $name: $@\n";
    }
}

sub same {
    my ($got, $expected) = @_;
    $got = 'undef' unless defined $got;
    $expected = 'undef' unless defined $expected;
    die "got '$got', expected '$expected'" if $got ne $expected;
}

for my $server_prepare (0, 1) {
    my $how = $server_prepare ? 'server-side prepare' : 'emulated prepare';
    my $source = "DBI:mysql:host=127.0.0.1;port=$ENV{PORT};mysql_local_infile=1;"
        . "mysql_server_prepare=$server_prepare";
    my $attributes = { RaiseError => 1, PrintError => 0, mysql_enable_utf8mb4 => 1 };
    my $db = DBI->connect($source, 'root', $ENV{ROOT_PASSWORD}, $attributes);
    $db->do('DROP DATABASE IF EXISTS with_dbd');
    $db->do('CREATE DATABASE with_dbd');
    $db->do('USE with_dbd');

    check("$how: every type", sub {
        my @kinds = (
            [tiny => 'TINYINT', -5],
            [big => 'BIGINT UNSIGNED', '18446744073709551615'],
            [dbl => 'DOUBLE', '1.5'],
            [deci => 'DECIMAL(12,3)', '-123.450'],
            [vchr => 'VARCHAR(50)', "gr\x{fc}n \x{1F600}"],
            [dat => 'DATE', '2024-02-29'],
            [tim => 'TIME(3)', '-30:01:02.500'],
            [dt => 'DATETIME(6)', '2024-02-29 12:34:56.000789'],
            [yr => 'YEAR', '2024'],
            [enm => "ENUM('red','green')", 'green'],
            [js => 'JSON', '{"a": 1}'],
            [nul => 'DOUBLE', undef],
        );
        my $columns = join ', ', map { "$_->[0] $_->[1]" } @kinds;
        $db->do("CREATE TABLE kind (id INT AUTO_INCREMENT PRIMARY KEY, $columns)");
        my $names = join ', ', map { $_->[0] } @kinds;
        my $marks = join ', ', ('?') x @kinds;
        my $insert = $db->prepare("INSERT INTO kind ($names) VALUES ($marks)");
        same($insert->execute(map { $_->[2] } @kinds), 1) for 1 .. 2;
        same($db->{mysql_insertid}, 2);
        my $select = $db->prepare("SELECT $names FROM kind WHERE id = ?");
        for my $id (1 .. 2) {
            $select->execute($id);
            my @row = $select->fetchrow_array;
            same($row[$_], $kinds[$_][2]) for 0 .. $#kinds;
            $select->finish;
        }
    });

    check("$how: changes and errors", sub {
        $db->do('CREATE TABLE n (id INT PRIMARY KEY, v INT)');
        my $insert = $db->prepare('INSERT INTO n VALUES (?, ?)');
        $insert->execute($_, 2 * $_) for 1 .. 50;
        same($db->do('UPDATE n SET v = 0 WHERE id > ?', undef, 40), 10);
        same($db->do('DELETE FROM n WHERE id > 45'), 5);
        same($db->selectrow_array('SELECT COUNT(*) FROM n WHERE v = ?', undef, 0), 5);
        eval { $db->do('INSERT INTO n VALUES (1, 1)') };
        same($db->err, 1062);
        eval { $db->selectrow_array('SELECT x FROM n') };
        same($db->err, 1054);
    });

    check("$how: errors by number", sub {
        $db->do('CREATE TABLE strict (a TINYINT NOT NULL, b VARCHAR(3), c INT UNIQUE)');
        $db->do('INSERT INTO strict VALUES (1, NULL, 1)');
        my @refused = (
            [1062, '23000', 'INSERT INTO strict VALUES (1, NULL, 1)'],
            [1146, '42S02', 'SELECT * FROM nothing'],
            [1064, '42000', 'nonsense'],
            [1048, '23000', 'INSERT INTO strict VALUES (NULL, NULL, 2)'],
            [1264, '22003', 'INSERT INTO strict VALUES (128, NULL, 2)'],
            [1406, '22001', "INSERT INTO strict VALUES (1, 'four', 2)"],
        );
        for (@refused) {
            my ($number, $state, $text) = @$_;
            eval { $db->do($text) };
            same($db->err . ' ' . $db->state, "$number $state");
        }
        same($db->selectrow_array('SELECT COUNT(*) FROM strict'), 1);
    });

    check("$how: 10,000 rows and 5 MiB", sub {
        $db->do('CREATE TABLE many (id INT PRIMARY KEY, v VARCHAR(20))');
        for my $start (0 .. 9) {
            my @values = map { "($_, 'v$_')" } $start * 1000 .. $start * 1000 + 999;
            $db->do('INSERT INTO many VALUES ' . join ', ', @values);
        }
        my $select = 'SELECT id, v FROM many WHERE id >= ? ORDER BY id';
        my $rows = $db->selectall_arrayref($select, undef, 0);
        same(scalar @$rows, 10000);
        same("$rows->[$_][0] $rows->[$_][1]", "$_ v$_") for 0 .. 9999;
        $db->do('CREATE TABLE large (id INT PRIMARY KEY, data LONGTEXT)');
        my $text = "0123456789gr\x{fc}n\x{1F600} " x 300000;
        $db->do('INSERT INTO large VALUES (?, ?)', undef, 1, $text);
        my ($got) = $db->selectrow_array('SELECT data FROM large WHERE id = ?', undef, 1);
        die 'the long text is another' if $got ne $text;
    });

    check("$how: transactions", sub {
        $db->begin_work;
        $db->do('DELETE FROM n');
        $db->rollback;
        same($db->selectrow_array('SELECT COUNT(*) FROM n'), 45);
    });

    check("$how: columns of a result", sub {
        my $show = $db->prepare('SHOW COLUMNS FROM n');
        $show->execute;
        same(scalar @{ $show->fetchall_arrayref }, 2);
        my $select = $db->prepare('SELECT id, v FROM n LIMIT 1');
        $select->execute;
        same(join(',', @{ $select->{NAME} }), 'id,v');
        same(join(',', map { $_ ? 1 : 0 } @{ $select->{mysql_is_pri_key} }), '1,0');
        $select->finish;
    });

    check("$how: LOAD DATA LOCAL", sub {
        open my $file, '>', "$ENV{WORK}/dbd.tsv" or die $!;
        print $file "$_\tname $_\n" for 1 .. 2000;
        close $file;
        $db->do('CREATE TABLE loaded (id INT PRIMARY KEY, name VARCHAR(20))');
        same($db->do("LOAD DATA LOCAL INFILE '$ENV{WORK}/dbd.tsv' INTO TABLE loaded"), 2000);
    });

    check("$how: ping and a password", sub {
        $db->ping or die 'no ping';
        DBI->connect($source, 'bob', 'secret', { RaiseError => 1 })->disconnect;
        my $wrong = DBI->connect($source, 'bob', 'no', { PrintError => 0, RaiseError => 0 });
        same($wrong, undef);
        same($DBI::err, 1045);
    });
    $db->disconnect;
}
exit($failed ? 1 : 0);
