# Every function of docs/sql.md, over columns and over NULL, on each executor
SET timestamp=1700000000.123456
CREATE TABLE f (id INT PRIMARY KEY, i INT, u BIGINT UNSIGNED, n DECIMAL(10,2), d DOUBLE, s VARCHAR(30), b VARBINARY(20), da DATE, dt DATETIME(3), t TIME, j JSON)
INSERT INTO f VALUES (1,-7,18446744073709551615,12.34,2.5,'Hello, World',x'41ff00','2024-02-29','2024-02-29 12:34:56.789','-10:11:12','{"a":[1,{"b":2}],"s":"x"}')
INSERT INTO f VALUES (2,3,0,-0.05,-1e10,' äÖ ','','1999-12-31','1999-12-31 23:59:59','100:00:00','[1,2]')
INSERT INTO f (id) VALUES (3)
# Text
SELECT id, concat(s,'-',i,n), concat(s,b), concat_ws('/',s,i,NULL,da), length(s), char_length(s), lower(s), upper(s) FROM f ORDER BY id
SELECT id, left(s,3), right(s,3), left(s,i), substring(s,2), substring(s,-3,2), substring(s FROM 2 FOR 3), substring_index(s,'l',2), substring_index(s,'l',-1) FROM f ORDER BY id
SELECT id, trim(s), ltrim(s), rtrim(s), trim(LEADING 'H' FROM s), trim(BOTH FROM s), replace(s,'l','L'), reverse(s), repeat(s,2), repeat(s,i), space(i), lpad(s,15,'*-'), rpad(s,4,'x') FROM f ORDER BY id
SELECT id, locate('l',s), locate('L',s,5), locate('zz',s), position('o' IN s), instr(s,'O'), insert(s,2,3,'XYZ'), hex(s), hex(i), hex(b), hex(u), unhex(hex(s)), ascii(s), ord(s) FROM f ORDER BY id
SELECT id, char(65,66,i), char(77 USING utf8mb4), field(s,'x','hello, world'), field(i,1,3), find_in_set('b','a,B,c'), find_in_set(s,'x,y'), elt(2,s,'b'), elt(i,'a','b','c'), strcmp(s,'hello'), quote(s) FROM f ORDER BY id
SELECT id, format(n,1), format(d,0), format(i,2), bin(i), oct(i), conv(i,10,16), conv(s,36,10), conv('ff',16,10) FROM f ORDER BY id
SELECT id, md5(s), sha1(s), sha2(s,256), sha2(s,512), crc32(s), to_base64(s), from_base64(to_base64(s)), inet_aton('10.0.5.9'), inet_ntoa(167773449), bit_length(s) FROM f ORDER BY id
SELECT hex(uuid_to_bin('6ccd780c-baba-1026-9564-5b8c656024db')), hex(uuid_to_bin('6ccd780c-baba-1026-9564-5b8c656024db',1)), bin_to_uuid(x'6ccd780cbaba102695645b8c656024db')
=> 6CCD780CBABA102695645B8C656024DB | 1026BABA6CCD780C95645B8C656024DB | 6ccd780c-baba-1026-9564-5b8c656024db
# Numbers
SELECT id, abs(i), abs(n), abs(d), ceiling(n), ceil(d), floor(n), floor(d), floor(u), round(n), round(n,1), round(d), round(i,-1), truncate(n,1), truncate(d,0), mod(i,3), mod(n,5), i % 3 FROM f ORDER BY id
SELECT id, power(i,2), pow(n,2), sqrt(n), sqrt(i), sign(i), sign(n), sign(d), exp(n), ln(n), log(n), log(2,n), log2(n), log10(n) FROM f ORDER BY id
SELECT id, sin(n), cos(n), tan(n), cot(n), asin(n/100), acos(n/100), atan(n), atan(n,d), atan2(n,d), radians(n), degrees(n), bit_count(i), greatest(i,n), least(i,n,d), greatest(s,'B'), least(da,'2000-01-01') FROM f ORDER BY id
SELECT rand(5), rand() BETWEEN 0 AND 1
# Control
SELECT id, if(i>0,s,'neg'), ifnull(s,'none'), nullif(i,3), coalesce(NULL,n,1), isnull(s), CASE i WHEN 3 THEN 'three' ELSE s END, CASE WHEN n<0 THEN 1 END, cast(n AS SIGNED), cast(s AS CHAR(3)), convert(i, CHAR), convert(s USING utf8mb4) FROM f ORDER BY id
# Times
SELECT now(), current_timestamp(), localtime(), localtimestamp(), now(3), curdate(), current_date(), curtime(), current_time(), utc_date(), utc_time(), utc_timestamp(), unix_timestamp(), sysdate() IS NOT NULL
SELECT id, unix_timestamp(dt), unix_timestamp(da), from_unixtime(1700000000), from_unixtime(1700000000.5), from_unixtime(1700000000,'%Y %j'), date(dt), time(dt), timestamp(da), timestamp(da,'01:02:03') FROM f ORDER BY id
SELECT id, year(da), month(da), day(da), dayofmonth(da), hour(t), minute(t), second(t), microsecond(dt), quarter(da), dayofweek(da), weekday(da), dayofyear(da), week(da), week(da,3), weekofyear(da), yearweek(da), dayname(da), monthname(da) FROM f ORDER BY id
SELECT id, date_add(dt, INTERVAL 1 MONTH), date_sub(da, INTERVAL 1 DAY), da + INTERVAL 1 WEEK, dt - INTERVAL '1:30' HOUR_MINUTE, adddate(da,5), subdate(da, INTERVAL 1 QUARTER), dt + INTERVAL '1.5' SECOND_MICROSECOND FROM f ORDER BY id
SELECT id, datediff(da,'2000-01-01'), timediff(t,'01:00:00'), timediff(dt,'2024-01-01 00:00:00'), timestampdiff(MONTH,'2000-01-31',dt), timestampdiff(SECOND,da,dt), timestampadd(MINUTE,90,dt), last_day(da), to_days(da), from_days(739000), to_seconds(da) FROM f ORDER BY id
=> 1 | 8825 | -11:11:12 | 838:59:59.000 | 288 | 45296 | 2024-02-29 14:04:56.789 | 2024-02-29 | 739310 | 2023-04-25 | 63876384000
=> 2 | -1 | 99:00:00 | -838:59:59.000 | 0 | 86399 | 2000-01-01 01:29:59.000 | 1999-12-31 | 730484 | 2023-04-25 | 63113817600
=> 3 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 2023-04-25 | NULL
SELECT id, makedate(2024,60), maketime(10,11,12), sec_to_time(3661), time_to_sec(t), date_format(dt,'%W %d %M %Y %T.%f %p %U %v %x'), time_format(t,'%H|%i|%s'), str_to_date('29.2.2024','%d.%m.%Y'), extract(YEAR_MONTH FROM dt), extract(MICROSECOND FROM dt) FROM f ORDER BY id
SELECT id, convert_tz(dt,'+00:00','+05:30') FROM f ORDER BY id
# JSON: MariaDB keeps the text of a document, MySQL its meaning
SELECT id, json_valid(j), json_length(j), json_type(j) FROM f ORDER BY id
SELECT id, json_extract(j,'$.a'), j->'$.a[1].b', j->>'$.s', json_unquote(json_extract(j,'$.s')) FROM f ORDER BY id
=> 1 | [1, {"b": 2}] | 2 | x | x
=> 2 | NULL | NULL | NULL | NULL
=> 3 | NULL | NULL | NULL | NULL
SELECT json_quote('a"b'), json_object('k',1,'b',NULL), json_array(1,'a',NULL,true), json_keys('{"b":1,"a":2}')
=> "a\"b" | {"b": null, "k": 1} | [1, "a", null, true] | ["a", "b"]
SELECT json_contains('[1,2,3]','2'), json_contains_path('{"a":{"b":1}}','one','$.a.b','$.c'), json_set('{"a":1}','$.b',2), json_insert('{"a":1}','$.a',2), json_replace('{"a":1}','$.a',2), json_remove('[1,2,3]','$[1]')
=> 1 | 1 | {"a": 1, "b": 2} | {"a": 1} | {"a": 2} | [1, 3]
# Session
SELECT database(), schema(), user() LIKE 'root@%', current_user() IS NOT NULL, version() IS NOT NULL, connection_id() > 0, last_insert_id() >= 0, length(uuid()), uuid_short() > 0, sleep(0)
SELECT id FROM f WHERE id < 3 ORDER BY id
SELECT found_rows()
UPDATE f SET i=i+1 WHERE id=1
SELECT row_count()
SELECT get_lock('oracle functions',0), is_free_lock('oracle functions'), is_used_lock('oracle functions') > 0, release_lock('oracle functions'), release_lock('nobody has it'), release_all_locks()
SELECT charset(s), collation(s), collation(b), charset(b) FROM f WHERE id=1
# Operators
SELECT id, i+n, i-d, i*n, i/3, i DIV 2, -i, i & 5, i | 8, i ^ 1, i << 2, u >> 60, ~i FROM f ORDER BY id
SELECT id, i=3, i<>3, i<n, s LIKE '%o%', s NOT LIKE 'h_l%', s REGEXP 'w.r', i BETWEEN -10 AND 0, i IN (3,NULL), i<=>NULL, s IS NULL, i AND n, i OR NULL, NOT i, i XOR n, s BETWEEN 'a' AND 'i' FROM f ORDER BY id
# Words, addresses, sums of times and months
SELECT id, soundex(s), soundex('Robert'), soundex('Tymczak'), soundex(''), soundex('a'), soundex('1 b'), make_set(i,'a','b','c'), make_set(5,s,NULL,'c'), make_set(NULL,'a'), export_set(5,'Y','N',',',4), export_set(i,'1','0','',8), export_set(6,'on','off') FROM f ORDER BY id
SELECT hex(inet6_aton('10.0.5.9')), hex(inet6_aton('fdfe::5a55:caff:fefa:9089')), inet6_aton('x'), inet6_ntoa(inet6_aton('fdfe::5a55:caff:fefa:9089')), inet6_ntoa(inet6_aton('10.0.5.9')), inet6_ntoa(x'00000000000000000000FFFF0A000509'), inet6_ntoa(x'0000000000000000000000000A000509'), inet6_ntoa(x'0a'), is_ipv4('10.0.5.9'), is_ipv4('256.1.1.1'), is_ipv6('::1'), is_ipv6('10.0.5.9')
SELECT id, addtime(t,'01:00:00'), subtime(t,'01:00:00.5'), addtime(dt,'1 01:00:00'), subtime(dt,t), addtime(t,t), addtime(dt,dt) FROM f ORDER BY id
=> 1 | -09:11:12 | -11:11:12.5 | 2024-03-01 13:34:56.789 | 2024-02-29 22:46:08.789 | -20:22:24 | 2024-03-01 01:09:53.578
=> 2 | 101:00:00 | 98:59:59.5 | 2000-01-02 00:59:59.000 | 1999-12-27 19:59:59.000 | 200:00:00 | 2000-01-01 23:59:58.000
=> 3 | NULL | NULL | NULL | NULL | NULL | NULL
SELECT addtime('2007-12-31 23:59:59.999999','1 1:1:1.000002'), addtime('01:00:00.999999','02:00:00.999998'), subtime('10:00:00','11:00:00'), addtime('2001-01-01 00:00:00','-01:00:00'), addtime(NULL,'01:00:00'), addtime(' 2001-01-01 00:00:00','01:00:00')
SELECT period_add(200801,2), period_add(9912,1), period_diff(200802,200703), period_diff(9901,0001), period_add(200801,-13), period_add(NULL,1), period_diff(200801,NULL)
# More of JSON
SELECT json_merge_patch('{"a":1,"b":2}','{"a":null,"c":{"d":1}}'), json_merge_patch('{"a":1}','3'), json_merge_patch('[1]','{"a":1}'), json_merge_patch('{"a":{"x":1,"y":2}}','{"a":{"x":null}}','{"b":1}')
SELECT json_merge_preserve('[1,2]','{"a":1}'), json_merge_preserve('{"a":1,"b":[1]}','{"a":2,"b":3}'), json_merge_preserve('1','true'), json_merge('[1]','[2]','3'), json_merge_preserve('[1]',NULL)
SELECT id, json_depth(j), json_depth('[]'), json_depth('1'), json_overlaps(j,'[2,3]'), json_overlaps('[1,2]','[2,3]'), json_overlaps('{"a":1}','{"a":1,"b":2}'), json_overlaps('{"a":1}','{"a":2}'), json_overlaps('1','[1]'), json_overlaps('1','1') FROM f ORDER BY id
SELECT id, json_search(j,'one','x'), json_search('["abc",{"x":"abc"},"abd"]','all','ab%'), json_search('["abc",{"x":"abc"}]','one','abc'), json_search('["abc"]','one','zz'), json_search('["a%c","abc"]','all','a|%c','|'), json_search('["abc",{"x":"abc"}]','all','abc',NULL,'$[1]'), json_search('[{"x":"abc"},"abc"]','all','abc',NULL,'$[0].x') FROM f ORDER BY id
SELECT id, json_value(j,'$.s'), json_value(j,'$.a'), json_value('{"t":true,"n":1.5,"z":null}','$.t'), json_value('{"n":1.5}','$.n'), json_value('{"z":null}','$.z') FROM f ORDER BY id
=> 1 | x | [1, {"b": 2}] | true | 1.5 | NULL
=> 2 | NULL | NULL | true | 1.5 | NULL
=> 3 | NULL | NULL | true | 1.5 | NULL
SELECT id, json_exists(j,'$.a'), json_exists(j,'$.zz'), json_length(json_query(j,'$.a')), json_query(j,'$.s') FROM f ORDER BY id
SELECT json_array_append('[1,[2,3]]','$[1]',4), json_array_append('[1,2]','$',3), json_array_append('{"a":1}','$.a',2), json_array_append('[1]','$[0]',2,'$[0]',3), json_array_insert('[1,2]','$[1]','x'), json_array_insert('[1,2]','$[9]','x'), json_array_insert('{"a":[1]}','$.a[0]',0)
# Places in a list, bytes of a number, padding with spaces, the second of three
SELECT id, interval(i,-10,0,5), interval(n,0,10.5,12.34,20), interval(d,0,2.5), interval(NULL,1), interval(3,1,NULL,2), interval(3,NULL,NULL,4), interval(2.5,1,2.4,2.6), interval(18446744073709551615,1,-1), interval(23,1,15,17,30,44,200) FROM f ORDER BY id
SELECT chr(65), hex(chr(14844588)), chr(NULL), hex(chr(0)), hex(chr(256)), chr(228), charset(chr(65)), lengthb('ä'), lengthb(NULL)
SELECT id, lpad(s,14), rpad(s,14), lpad(s,2), hex(lpad(b,4)), hex(rpad(b,4)), rpad(NULL,3), lpad(s,-1) FROM f ORDER BY id
SELECT id, nvl2(s,i,n), nvl2(i,s,'none'), nvl2(NULL,1,2), nvl2(1,'a',2), nvl2(0,NULL,1) FROM f ORDER BY id
SELECT id, crc32(s), crc32(5,s), crc32c(s), crc32c(5,s), crc32c(b), crc32(NULL,'a'), crc32(1,NULL), crc32(-1,'a'), crc32(4294967296,'a'), crc32c('') FROM f ORDER BY id
SELECT id, add_months(da,1), add_months(dt,-2), add_months('2024-01-31',1), add_months('2024-01-31',1.6), add_months(NULL,1) FROM f ORDER BY id
SELECT get_format(DATE,'USA'), get_format(DATETIME,'eur'), get_format(TIME,'internal'), get_format(DATE,'xx'), get_format(TIMESTAMP,'iso'), get_format(DATE,NULL), get_format(TIME,'jis'), date_format('2024-02-29 13:14:15',get_format(DATETIME,'usa'))
SELECT get_format(YEAR,'usa')
SELECT id, coercibility(i), coercibility(s), coercibility(b), coercibility(da), coercibility(concat(s,'x')), coercibility(s COLLATE utf8mb4_bin), coercibility(i+1), coercibility(upper(s)), coercibility(if(i,s,'x')) FROM f ORDER BY id
SELECT coercibility('a'), coercibility(1), coercibility(NULL), coercibility(user()), coercibility(database()), coercibility(version()), coercibility(now()), coercibility(@a), coercibility(cast('a' AS CHAR)), coercibility(hex(1)), coercibility(concat(1,2)), coercibility(x'41'), coercibility(@@version)
SELECT length(sys_guid()), sys_guid() LIKE '%-%', sys_guid()=sys_guid(), length(random_bytes(7)), random_bytes(NULL), random_bytes(16)=random_bytes(16)
SELECT id, s SOUNDS LIKE 'halo world', 'hello' SOUNDS LIKE 'hallo', 'a' SOUNDS LIKE NULL, 1 SOUNDS LIKE 1, NOT 'a' SOUNDS LIKE 'b', 'a' SOUNDS LIKE 'a' AND 0 FROM f ORDER BY id
SELECT id, hex(weight_string(s)), hex(weight_string(b)), weight_string(i), hex(weight_string(s COLLATE utf8mb4_bin)), hex(weight_string('ab' AS CHAR(4))), hex(weight_string('abc' AS BINARY(2))), hex(weight_string('Äß€😀')) AS w, hex(weight_string('a ')) FROM f ORDER BY id
SELECT id, is_ipv4_compat(b), is_ipv4_compat(inet6_aton('::10.0.5.9')), is_ipv4_compat(inet6_aton('::ffff:10.0.5.9')), is_ipv4_mapped(inet6_aton('::ffff:10.0.5.9')), is_ipv4_mapped(inet6_aton('::10.0.5.9')), is_ipv4_compat(inet6_aton('::1')), is_ipv4_compat(inet6_aton('1.2.3.4')), is_ipv4_mapped(inet6_aton('::ffff:0.0.0.1')) FROM f WHERE b IS NOT NULL ORDER BY id
# Ciphers and packed texts
SELECT id, hex(aes_encrypt(s,'password')), aes_decrypt(aes_encrypt(s,'password'),'password'), hex(aes_encrypt(b,'a long password over sixteen bytes')), hex(aes_encrypt('','k')), hex(aes_encrypt(i,'')), aes_encrypt(s,NULL), aes_decrypt('x','y'), aes_decrypt(aes_encrypt('text','a'),'b'), aes_decrypt('','') FROM f ORDER BY id
SELECT id, uncompress(compress(s)), uncompressed_length(compress(s)), hex(left(compress(s),5)), hex(uncompress(compress(b))), uncompress(compress(repeat('ab',100000)))=repeat('ab',100000), length(compress(repeat('ab',100000)))<1000, compress(''), uncompress(''), uncompress('ab'), uncompress('abcdefgh'), uncompress(x'03000000ffffff'), uncompressed_length('') FROM f ORDER BY id
SELECT hex(uncompress(x'0C000000789CF348CDC9C9D75108CF2FCA4901001B340449')), uncompress(x'02000000789C4B54000000E40082'), uncompress(x'01000000789C4B54000000E40082')
# JSON laid out anew
SELECT id, json_compact(json_extract('{"a" : [1, 2 , {"b": "c d"}]}','$')), json_compact('{"b" : 1, "a":2, "b":3}'), json_loose('{"a":[1,2,{"b":"c,d"}],"d":{},"e":[]}'), json_compact(NULL), json_loose(' 1.50 '), json_compact('{"a":1'), json_loose('x') FROM f ORDER BY id
SELECT json_detailed('{"a":[1,2,{"b":"c"}],"d":{}, "e":[]}'), json_detailed('[1]',2), json_detailed('{"a" : "x\\"y", "b":[[],{}, [1,[2,3]]]}', 2), json_detailed('[{"a":1},{"b":[]}]'), json_detailed(' [ 1 , 2 ] '), json_detailed('[[1],[2]]'), json_detailed('[[[]]]'), json_detailed('{"a":[1],"b":{"c":[1,{"d":[2]}]}}'), json_detailed('{}'), json_detailed('[]'), json_detailed('5')
SELECT json_detailed('{"a":1}',1), json_detailed('{"a":1}',20), json_detailed('{"a":1}',-1), json_detailed('{"a":1}',NULL), json_detailed('x'), json_detailed(NULL)
SELECT json_normalize('{"b":1.50,"a":[3, 2 ,{"z":null,"y":true}]}'), json_normalize('{"aa":1,"b":2,"B":3}'), json_normalize('1e3'), json_normalize('12345678901234567890'), json_normalize('1.23456789012345678901234'), json_normalize('-12.50'), json_normalize('0.1'), json_normalize('100'), json_normalize('1E-5'), json_normalize('1.0e+2'), json_normalize('-0'), json_normalize('10.010'), json_normalize('"a\\nb"'), json_normalize('x'), json_normalize(NULL)
SELECT json_equals('{"a":1,"b":2}','{"b":2,"a":1.0}'), json_equals('[1,2]','[2,1]'), json_equals('x','1'), json_equals(NULL,'1'), json_equals('1','10e-1'), json_equals('"a"','"b"'), json_equals('{"a":[{"x":1,"y":2}]}',' { "a" : [ {"y":2.0, "x":1} ] } ')
SELECT chr(65,66)
SELECT nvl2(1,2)
SELECT crc32(1,2,3)
SELECT add_months(1)
SELECT sys_guid(1)
SELECT json_equals('1')
SELECT weight_string()
SELECT aes_encrypt('a')
# Defaults of columns
CREATE TABLE dc (a INT PRIMARY KEY AUTO_INCREMENT, b VARCHAR(10) DEFAULT 'x', c INT NOT NULL, e DATETIME, n DECIMAL(5,2) DEFAULT 1.5, u TIMESTAMP DEFAULT CURRENT_TIMESTAMP)
INSERT INTO dc (a,b,c) VALUES (1,'p',5),(2,NULL,6)
SELECT a, default(a), default(b), default(dc.e), default(n), default(u)=now(), b<=>default(b) FROM dc ORDER BY a
SELECT default(c) FROM dc
SELECT default(zz) FROM dc
SELECT a FROM dc WHERE b=default(b)
INSERT INTO dc (a,b,c) VALUES (1,'q',7) ON DUPLICATE KEY UPDATE c=VALUE(c)+1, b=default(b)
INSERT INTO dc (a,c) VALUES (9, default(a)+3)
INSERT INTO dc (a,c) VALUES (10, default(c))
UPDATE dc SET b=default(b), n=default(n)+1 WHERE a=2
SELECT a, b, c, e, n FROM dc ORDER BY a
# Values of a group in order, told apart, some of them
CREATE TABLE gc (k INT, v VARCHAR(10), n INT)
INSERT INTO gc VALUES (1,'c',3),(1,'a',1),(1,NULL,2),(1,'b',2),(1,'a',5),(2,'z',NULL),(3,NULL,NULL)
SELECT k, group_concat(v ORDER BY v LIMIT 2), group_concat(v ORDER BY v LIMIT 2 OFFSET 1), group_concat(v ORDER BY v LIMIT 1,2), group_concat(DISTINCT v ORDER BY v LIMIT 2), group_concat(DISTINCT v ORDER BY v SEPARATOR '-' LIMIT 1,1), group_concat(v ORDER BY v LIMIT 0), group_concat(v ORDER BY v LIMIT 5 OFFSET 9), group_concat(v,n ORDER BY n DESC LIMIT 2) FROM gc GROUP BY k ORDER BY k
SELECT group_concat(v ORDER BY v DESC LIMIT 3), group_concat(v ORDER BY v DESC), length(group_concat(n LIMIT 2)) FROM gc
SELECT group_concat(v ORDER BY v LIMIT 2) FROM gc WHERE k=5
SELECT k FROM gc GROUP BY k HAVING group_concat(v ORDER BY v LIMIT 1)='a'
SELECT group_concat(v ORDER BY v LIMIT 1 SEPARATOR ':') FROM gc
SELECT group_concat(v ORDER BY v LIMIT 1+1) FROM gc
SELECT group_concat(v ORDER BY v LIMIT @a) FROM gc
SELECT k, json_compact(json_arrayagg(v ORDER BY v)), json_compact(json_arrayagg(DISTINCT v ORDER BY v DESC)), json_compact(json_arrayagg(v ORDER BY v LIMIT 2)), json_compact(json_arrayagg(DISTINCT v ORDER BY v LIMIT 1,1)), json_compact(json_arrayagg(v ORDER BY n LIMIT 2 OFFSET 3)), json_compact(json_arrayagg(n ORDER BY n LIMIT 0)), json_compact(json_arrayagg(n ORDER BY n LIMIT 5 OFFSET 9)), json_compact(json_arrayagg(n ORDER BY n)) FROM gc GROUP BY k ORDER BY k
SELECT json_compact(json_arrayagg(DISTINCT n ORDER BY n)), json_compact(json_arrayagg(n ORDER BY n DESC, v LIMIT 3)), json_length(json_arrayagg(n)), json_compact(json_arrayagg(k ORDER BY k DESC)) FROM gc
SELECT json_arrayagg(n) FROM gc WHERE k=5
SELECT json_arrayagg(n SEPARATOR 'x') FROM gc
# What is no array is the first and the last element of one, also to who changes it
SELECT JSON_SET('{"a":1}', '$.b.c', 2), JSON_SET('{"a":1}', '$.a.b', 2), JSON_SET('{"a":1}', '$.a[0]', 2), JSON_SET('{"a":1}', '$.a[1]', 2), JSON_SET('{"a":1}', '$.a[3]', 2), JSON_SET('[1,2]', '$.a', 2), JSON_SET('[1,2]', '$[0].a', 2), JSON_SET('{"a":{"x":1}}', '$.a.y.z', 2)
SELECT JSON_INSERT('{"a":1}', '$.b.c', 2), JSON_INSERT('{"a":1}', '$.a[0]', 2), JSON_INSERT('{"a":1}', '$.a[1]', 2), JSON_INSERT('[1]', '$[0][1]', 2), JSON_SET('1', '$[1]', 2), JSON_SET('1', '$.a', 2), JSON_SET('{"a":1}', '$.b[0]', 2), JSON_REPLACE('{"a":1}', '$.b.c', 3)
SELECT JSON_SET('{"a":{"x":1}}', '$.a[0]', 2), JSON_SET('{"a":{"x":1}}', '$.a[1]', 2), JSON_SET('{"a":{"x":1}}', '$.a[0].x', 2), JSON_SET('{"a":{"x":1}}', '$.a[0].y', 2), JSON_SET('5', '$[0]', 2), JSON_SET('{"a":1}', '$[1]', 2), JSON_SET('{"a":1}', '$[0].b', 2)
SELECT JSON_INSERT('{"a":{"x":1}}', '$.a[0].y', 2), JSON_INSERT('5', '$[0]', 2), JSON_INSERT('5', '$[2]', 2), JSON_REPLACE('{"a":{"x":1}}', '$.a[0]', 2), JSON_REPLACE('{"a":{"x":1}}', '$.a[1]', 2), JSON_REPLACE('5', '$[0]', 2)
SELECT JSON_REMOVE('{"a":1}', '$.a[0]'), JSON_REMOVE('{"a":{"x":1}}', '$.a[0].x'), JSON_REMOVE('5', '$[0]'), JSON_ARRAY_APPEND('{"a":1}', '$.a[0]', 2), JSON_ARRAY_APPEND('{"a":{"x":1}}', '$.a[0]', 2), JSON_ARRAY_INSERT('{"a":1}', '$.a[0]', 2), JSON_ARRAY_INSERT('[1]', '$[0][0]', 2)
=> {} | {"a": {}} | 5 | {"a": [1, 2]} | {"a": [{"x": 1}, 2]} | {"a": 1} | [1]
