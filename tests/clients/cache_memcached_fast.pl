# Perl's Cache::Memcached::Fast: text protocol, noreply for calls whose result nobody takes.
# SQL beside it by DBD::mysql.
use strict;
use warnings;
use Cache::Memcached::Fast;
use DBI;
use Time::HiRes qw(sleep time);

my $failed = 0;
my $has_sql = !$ENV{STAND_IN};

sub text {
    my ($value) = @_;
    return 'undef' if !defined $value;
    return '[' . join(', ', map { text($_) } @$value) . ']' if ref $value eq 'ARRAY';
    return '{' . join(', ', map { "$_: " . text($value->{$_}) } sort keys %$value) . '}'
        if ref $value eq 'HASH';
    return length $value > 60 ? length($value) . ' bytes' : $value;
}

sub same {
    my ($got, $wanted) = @_;
    # Long values are printed short, but compared whole.
    my $differ = !ref $got && !ref $wanted && defined $got && defined $wanted
        ? $got ne $wanted : text($got) ne text($wanted);
    die 'got ' . text($got) . ', wanted ' . text($wanted) . ' at line ' . (caller)[2] . "\n"
        if $differ;
}

sub check {
    my ($name, $body) = @_;
    if (eval { $body->(); 1 }) {
        print "ok Cache::Memcached::Fast: $name\n";
    } else {
        chomp(my $why = $@);
        print "not ok Cache::Memcached::Fast: $name: $why\n";
        $failed = 1;
    }
}

sub connection {
    return Cache::Memcached::Fast->new({
        servers => ["127.0.0.1:$ENV{MEMCACHED_PORT}"],
        connect_timeout => 10,
        io_timeout => 30,
        utf8 => 0,
        @_,
    });
}

sub gone {
    my ($cache, $key) = @_;
    my $since = time;
    while (defined $cache->get($key)) {
        die "$key does not expire\n" if time - $since > 10;
        sleep 0.05;
    }
}

my $cache = connection();

check 'get, set, add, replace, append, prepend, delete' => sub {
    same($cache->get('pl:s'), undef);
    same($cache->replace('pl:s', 'x'), '');
    same($cache->append('pl:s', 'x'), '');
    same($cache->prepend('pl:s', 'x'), '');
    same($cache->add('pl:s', 'middle'), 1);
    same($cache->add('pl:s', 'x'), '');
    same($cache->append('pl:s', ' end'), 1);
    same($cache->prepend('pl:s', 'start '), 1);
    same($cache->get('pl:s'), 'start middle end');
    same($cache->replace('pl:s', 'new'), 1);
    same($cache->get('pl:s'), 'new');
    same($cache->delete('pl:s'), 1);
    same($cache->delete('pl:s'), '');
    same($cache->get('pl:s'), undef);
};

check 'cas' => sub {
    same($cache->gets('pl:c'), undef);
    same($cache->cas('pl:c', 5, 'x'), '');
    $cache->set('pl:c', 'one');
    my ($token, $value) = @{$cache->gets('pl:c')};
    same($value, 'one');
    same($cache->cas('pl:c', $token, 'two'), 1);
    same($cache->cas('pl:c', $token, 'three'), '');
    same($cache->get('pl:c'), 'two');
};

check 'incr and decr' => sub {
    same($cache->incr('pl:n', 1), '');
    $cache->set('pl:n', 10);
    same($cache->incr('pl:n'), 11);
    same($cache->incr('pl:n', 5), 16);
    same($cache->decr('pl:n', 7), 9);
    # What the client makes of a zero, so that it is true.
    same($cache->decr('pl:n', 100), '0E0');
    $cache->set('pl:n', '18446744073709551615');
    same($cache->incr('pl:n', 3), 2);
    $cache->set('pl:n', 'no number');
    same($cache->incr('pl:n'), undef);
    same($cache->get('pl:n'), 'no number');
};

check 'several keys at once' => sub {
    my %wanted = map { ("pl:m$_" => "value $_") } 1 .. 500;
    my $stored = $cache->set_multi(map { [$_ => $wanted{$_}] } sort keys %wanted);
    same([grep { !$_ } values %$stored], []);
    same(scalar(keys %$stored), 500);
    same($cache->get_multi(keys %wanted, 'pl:none'), \%wanted);
    my $tokens = $cache->gets_multi('pl:m1', 'pl:m2', 'pl:none');
    same([sort keys %$tokens], ['pl:m1', 'pl:m2']);
    my $changed = $cache->cas_multi(
        ['pl:m1', $tokens->{'pl:m1'}[0], 'new'], ['pl:m2', $tokens->{'pl:m1'}[0], 'new']);
    same($changed, {'pl:m1' => 1, 'pl:m2' => ''});
    my $deleted = $cache->delete_multi('pl:m1', 'pl:none');
    same($deleted, {'pl:m1' => 1, 'pl:none' => ''});
    same($cache->incr_multi(['pl:m2', 1])->{'pl:m2'}, undef);
};

check 'expiry, touch, gat' => sub {
    same($cache->touch('pl:t', 100), '');
    $cache->set('pl:t', 'v', 1);
    same($cache->touch('pl:t', 100), 1);
    same($cache->gat(200, 'pl:t'), 'v');
    same($cache->gat(200, 'pl:none'), undef);
    my ($token, $value) = @{$cache->gats(200, 'pl:t')};
    same($value, 'v');
    same($cache->cas('pl:t', $token, 'w'), 1);
    $cache->set('pl:gone', 'v', -1);
    same($cache->get('pl:gone'), undef);
    $cache->set('pl:soon', 'v', 1);
    gone($cache, 'pl:soon');
    same($cache->get('pl:t'), 'w');
};

check 'every byte, nothing, 900,000 bytes, too much' => sub {
    my $bytes = join '', map { chr } 0 .. 255;
    for my $value ($bytes, '', "\r\n" x 450_000) {
        same($cache->set('pl:v', $value), 1);
        same($cache->get('pl:v'), $value);
    }
    # The client itself refuses what is too large for its own limit.
    my $any = connection(max_size => 1 << 30);
    my $stored = $any->set('pl:v', 'x' x (1 << 20));
    die "it was stored\n" if $stored;
    same($any->get('pl:v'), undef);
};

check 'references and compression, marked by flags' => sub {
    my $packing = connection(
        compress_threshold => 1000, compress_methods => [
            sub { ${$_[1]} = "packed" . length ${$_[0]} }, sub { ${$_[1]} = ${$_[0]} },
        ]);
    $packing->set('pl:ref', {a => [1, 2, undef], b => 'x'});
    same($packing->get('pl:ref'), {a => [1, 2, undef], b => 'x'});
    $packing->set('pl:long', 'x' x 5000);
    same($packing->get('pl:long'), 'packed5000');
};

check 'noreply' => sub {
    # In void context the client asks for no reply.
    for my $number (1 .. 300) {
        $cache->set("pl:q$number", $number);
        $cache->incr("pl:q$number");
    }
    $cache->delete('pl:q7');
    $cache->append('pl:q8', 'x');
    $cache->incr('pl:q8');
    $cache->add('pl:q9', 'x');
    $cache->nowait_push;
    my %wanted = map { ("pl:q$_" => $_ + 1) } 1 .. 300;
    delete $wanted{'pl:q7'};
    $wanted{'pl:q8'} = '9x';
    same($cache->get_multi(map { "pl:q$_" } 1 .. 300), \%wanted);
};

check 'version' => sub {
    my ($version) = values %{$cache->server_versions};
    die text($version) . "\n" if ($version // '') !~ /^1\.\d/;
};

if ($has_sql) {
    my $sql = DBI->connect("DBI:mysql:host=127.0.0.1;port=$ENV{PORT}", 'root',
        $ENV{ROOT_PASSWORD}, {RaiseError => 1, PrintError => 0});
    my $one = sub { ($sql->selectrow_array(@_))[0] };

    check 'rows of kv.cache' => sub {
        my $bytes = join '', map { chr } 0 .. 255;
        $cache->set('pl:shared', $bytes) or die "not stored\n";
        same($one->(q{SELECT HEX(v) FROM kv.cache WHERE k = 'pl:shared'}), uc unpack 'H*', $bytes);
        my ($token, $value) = @{$cache->gets('pl:shared')};
        $sql->do(q{UPDATE kv.cache SET v = '41' WHERE k = 'pl:shared'});
        same($cache->cas('pl:shared', $token, 'lost update'), '');
        same($cache->incr('pl:shared'), 42);
        same($one->(q{SELECT v FROM kv.cache WHERE k = 'pl:shared'}), 42);
        $sql->do(q{DELETE FROM kv.cache WHERE k = 'pl:shared'});
        same($cache->get('pl:shared'), undef);
        $sql->do(q{INSERT INTO kv.cache (k, v) VALUES ('pl:shared', 'by SQL')});
        same($cache->get('pl:shared'), 'by SQL');
        same($cache->delete('pl:shared'), 1);
        same($one->(q{SELECT COUNT(*) FROM kv.cache WHERE k = 'pl:shared'}), 0);
    };

    check 'a container' => sub {
        $sql->do($_) for (
            'DROP DATABASE IF EXISTS with_perl', 'CREATE DATABASE with_perl',
            'CREATE TABLE with_perl.page (path VARCHAR(50) PRIMARY KEY, title VARCHAR(50), n INT)',
            q{INSERT INTO with_perl.page VALUES ('/home', 'Home', 3)},
            q{REPLACE INTO rowhouse.containers (name, db, tbl, key_columns, value_columns,
                `separator`) VALUES ('pl_page', 'with_perl', 'page', 'path', 'title,n', ';')},
        );
        same($cache->get('pl_page:/home'), 'Home;3');
        same($cache->get_multi('pl_page:/home', 'pl_page:/none'), {'pl_page:/home' => 'Home;3'});
        same($cache->set('pl_page:/new', 'New;1'), 1);
        same($one->(q{SELECT CONCAT(title, '-', n) FROM with_perl.page WHERE path = '/new'}),
            'New-1');
        my ($token, $value) = @{$cache->gets('pl_page:/new')};
        $sql->do(q{UPDATE with_perl.page SET n = n + 1 WHERE path = '/new'});
        same($cache->cas('pl_page:/new', $token, 'New;2'), '');
        same($cache->get('pl_page:/new'), 'New;2');
        same($cache->delete('pl_page:/home'), 1);
        same($one->('SELECT COUNT(*) FROM with_perl.page'), 1);
        $sql->do(q{DELETE FROM rowhouse.containers WHERE name = 'pl_page'});
    };
    $sql->disconnect;
}

check 'flush_all' => sub {
    $cache->set('pl:x', 'v') or die "not stored\n";
    my ($done) = values %{$cache->flush_all};
    same($done, 1);
    same($cache->get('pl:x'), undef);
};
exit $failed;
