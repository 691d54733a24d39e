# judges: mysql
# Functions that were silently wrong: texts sought in texts of other sets, addresses, CONV, the first days of year 0,
# lengths of time that are too long or have many digits, CAST to bytes
create table b48 (a varchar(10) charset latin1, b varbinary(10), c varchar(10) charset utf8mb4 collate utf8mb4_bin, d varchar(10) charset latin2)
insert into b48 values ('abcD', 'D', 'd', 'd'),('xyD','y','é','x')
# What is sought is read in the set of what it is sought in, whose collation alone counts
select instr('hello', binary 'HE'), locate(x'44', 'abcdef'), position(x'44' in 'abcdef'), field('A', binary 'a')
select position(_latin1'B' collate latin1_bin in _latin1'abcd'), locate('A' collate utf8mb4_general_ci, 'a' collate utf8mb4_bin)
select locate(_latin1'b', _latin2'abcd'), instr(_latin1'abcd', _latin2'b'), locate(_latin2'b', _latin1'abcd', 2), locate(_utf8mb4'é', _latin1'abcé')
select field('A', 'b', binary 'a'), field('A', 'a', binary 'b'), field(binary 'A', 'a'), field('A', null, binary 'a'), field(1, 'a', binary '1')
select locate(b, a), locate(a, b), instr(a, b), field(a, b), field(b, a), locate(d, a), field(a, d), instr(c, b) from b48
select locate('A', binary 'abc'), instr(binary 'abc', 'A'), locate(x'ff', binary 'abc')
select locate(x'ff', 'abc')
select field('A', x'ff')
select locate(_utf8mb4'ж', _latin1'abc')
select field(_latin1'abc', _utf8mb4'ж')
select locate(c, a) from b48
update b48 set c = 'ж' where d = 'x'
select locate(c, a) from b48
select find_in_set(_latin1'b', _latin2'a,b')
select find_in_set(_latin1'b' collate latin1_bin, _latin1'a,b' collate latin1_general_ci)
select find_in_set('B', 'a,b'), find_in_set(binary 'B', 'a,b'), find_in_set(b, a) from b48
# Addresses: zeros in front, one group of zeros, numbers left out
select hex(inet6_aton('01.02.03.04')), is_ipv4('001.002.003.004'), is_ipv4('0001.2.3.4'), is_ipv4('1.2.3'), is_ipv4('1.2.3.256'), is_ipv4('+1.2.3.4'), is_ipv4('.1.2.3'), is_ipv6('::01.2.3.4'), is_ipv6('1.2.3.4')
select inet6_ntoa(inet6_aton('::2:3:4:5:6:7:8')), inet6_ntoa(inet6_aton('1:2:3:4:5:6:7::')), inet6_ntoa(inet6_aton('1:0:2:0:3:0:4:0')), inet6_ntoa(inet6_aton('1:0:0:4:5:0:0:8')), inet6_ntoa(inet6_aton('0:0:0:1:0:0:0:1'))
select inet6_ntoa(inet6_aton('::1.2.3.4')), inet6_ntoa(inet6_aton('::ffff:1.2.3.4')), inet6_ntoa(inet6_aton('::1')), inet6_ntoa(inet6_aton('::')), inet6_ntoa(inet6_aton('1::')), inet6_ntoa(inet6_aton('::ffff:0:1.2.3.4'))
select hex(inet6_aton('1::2::3')), hex(inet6_aton(':::')), hex(inet6_aton('1:2:3:4:5:6:7:8:9')), hex(inet6_aton('00001::')), hex(inet6_aton('1:')), hex(inet6_aton(':1')), hex(inet6_aton('1:2:3:4::5:6:7:8')), hex(inet6_aton('1:2:3:4:5:6:7:1.2.3.4')), hex(inet6_aton('1.2.3.4::')), hex(inet6_aton('::+1'))
select inet_aton('1..2'), inet_aton('1.2'), inet_aton('255'), inet_aton('256'), inet_aton('1.2.3.'), inet_aton('1.2.3.4.5'), inet_aton(''), inet_aton('.1')
# CONV beyond the last number
select conv(29223372036854775809, -10, 16), conv(-29223372036854775809, -10, 16), conv(-29223372036854775809, 10, 16), conv('29223372036854775809', 10, 16)
select conv('9223372036854775808', -10, -10), conv('-9223372036854775809', -10, -10), conv('ffffffffffffffffff', -16, 10), conv('-ffffffffffffffffff', 16, -10), conv('+12', 10, 16), conv('-18446744073709551616', 10, 10)
# January and February of year 0, which is no leap year
select dayname('0000-01-01'), dayofweek('0000-02-28'), date_format('0000-01-01', '%W'), weekday('0000-01-31'), to_days('0000-01-01'), to_days('0000-03-01'), datediff('0000-01-01', '1000-01-01')
select from_days(1), from_days(59), from_days(60), from_days(366), to_seconds('0000-01-01'), timestampdiff(day, '0000-01-01', '0000-03-01'), dayofyear('0000-03-01'), week('0000-01-01'), date_add('0000-02-28', interval 1 day), date_sub('0000-03-01', interval 1 day), date_sub('0000-01-02', interval 1 day)
select str_to_date('31.10.0000 15.30', '%d.%m.%Y %H.%i'), str_to_date('0000-01-01', '%Y-%m-%d'), str_to_date('0001-01-01', '%Y-%m-%d'), str_to_date('15:30', '%H:%i')
# Lengths of time
select cast('916:40:00' as time(3)), cast('-916:40:00' as time), subtime('916:40:00', '416:40:00'), time_to_sec('916:40:00'), microsecond('916:40:00.5'), second('916:40:00'), hour('10:11:12XXXX'), cast('10:70:00' as time)
select time '719:0:0.2323049640', time '-719:0:0.2323049640', cast('1:1:1.99999949' as time(6)), cast('1:1:1.99999951' as time(6)), cast('0.2323049640' as time(6)), cast('101010.2323049640' as time(6)), cast('1010.2323049640' as time(6)), cast('101010101010.5' as time(6))
select cast('2020-01-01 1:1:1.2323049640' as datetime(6)), cast('2021-10-10 00:00:00.123456+01:00' as time(6)), time('2021-10-10 00:00:00+01:00'), hour('2021-10-10 00:00:00+01:00')
create table t110 (t time, t6 time(6))
insert into t110 values ('2021-10-10 00:00:00.123456+01:00', '2021-10-10 00:00:00.123456+01:00')
select * from t110
select greatest(time '20:00:00', 120000) + 0, greatest(time '20:00:00', 1) = 200000, greatest(time '20:00:00', '1') + 0, least(time '20:00:00', 120000) + 0
# What cannot be told is an error
create table v (v double)
insert into v values (1e308), (-1e308)
select stddev(v) is null from v
select variance(v) is null from v
select stddev_samp(v) > 1 from v
select var_samp(v) > 1 from v
select avg(v), sum(v) from v
select format(1.7976931348623157E+308, 0), format(1.7976931348623157E+100, 2)
select hex(cast('abc' as char(2) charset binary)), hex(cast('a' as char(2) charset binary)), hex(cast(1000 as char(3) charset binary)), hex(convert('a', char(2) charset binary)), hex(cast('a' as char byte))
select cast('-1' as unsigned), cast('9223372036854775809' as signed), cast(12345 as char(2)), hex(cast('abcd' as binary(3)))
select cast('xyz' as nchar(2)), cast('x' as national char), convert('x', nchar), convert('xyz', national char(2))
select benchmark(null, 1), benchmark(-1, 1), benchmark(0, 1)
create table y1 (y year(2))
# MySQL warns of the width and of the signs
~ create table y2 (a year unsigned, b year(4) zerofill, c year(4))
select @t1 := (@t2 := 1) + @t3 := 4, @t1, @t2, @t3
select 1 + @a := 2, 5 * @d := 2 + 1, @d
select cast(0xE1E2 as char) is null, sha2('a', 1) is null
select bin_to_uuid('x')
select {d '2001-01-01 10:10:10'} a, {ts '2001-01-01'} b, {t '2001-01-01'} c, {d 'x'} d, {d '2001-01-01'}, {ts '2001-01-01 10:10:10'}, {t '10:10:10'}
create table w1 (id int, a int)
insert into w1 values (1, 5), (2, 7)
set @two = 2
prepare p from 'select nth_value(id, ?) over (order by id) from w1'
execute p using @two
prepare p from 'select nth_value(id, @two) over (order by id) from w1'
execute p
select sum(a) over (partition by 1) from w1
select sum(a) over (order by 1) from w1
select sum(a) over w from w1 window w as (order by 1)
select sum(a) over (order by 1 + 1), sum(a) over (order by id) from w1
