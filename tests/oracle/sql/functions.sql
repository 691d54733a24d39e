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
SELECT addtime('2007-12-31 23:59:59.999999','1 1:1:1.000002'), addtime('01:00:00.999999','02:00:00.999998'), subtime('10:00:00','11:00:00'), addtime('2001-01-01 00:00:00','-01:00:00'), addtime(NULL,'01:00:00'), addtime(' 2001-01-01 00:00:00','01:00:00')
SELECT period_add(200801,2), period_add(9912,1), period_diff(200802,200703), period_diff(9901,0001), period_add(200801,-13), period_add(NULL,1), period_diff(200801,NULL)
# More of JSON
SELECT json_merge_patch('{"a":1,"b":2}','{"a":null,"c":{"d":1}}'), json_merge_patch('{"a":1}','3'), json_merge_patch('[1]','{"a":1}'), json_merge_patch('{"a":{"x":1,"y":2}}','{"a":{"x":null}}','{"b":1}')
SELECT json_merge_preserve('[1,2]','{"a":1}'), json_merge_preserve('{"a":1,"b":[1]}','{"a":2,"b":3}'), json_merge_preserve('1','true'), json_merge('[1]','[2]','3'), json_merge_preserve('[1]',NULL)
SELECT id, json_depth(j), json_depth('[]'), json_depth('1'), json_overlaps(j,'[2,3]'), json_overlaps('[1,2]','[2,3]'), json_overlaps('{"a":1}','{"a":1,"b":2}'), json_overlaps('{"a":1}','{"a":2}'), json_overlaps('1','[1]'), json_overlaps('1','1') FROM f ORDER BY id
SELECT id, json_search(j,'one','x'), json_search('["abc",{"x":"abc"},"abd"]','all','ab%'), json_search('["abc",{"x":"abc"}]','one','abc'), json_search('["abc"]','one','zz'), json_search('["a%c","abc"]','all','a|%c','|'), json_search('["abc",{"x":"abc"}]','all','abc',NULL,'$[1]'), json_search('[{"x":"abc"},"abc"]','all','abc',NULL,'$[0].x') FROM f ORDER BY id
SELECT id, json_value(j,'$.s'), json_value(j,'$.a'), json_value('{"t":true,"n":1.5,"z":null}','$.t'), json_value('{"n":1.5}','$.n'), json_value('{"z":null}','$.z'), json_exists(j,'$.a'), json_exists(j,'$.zz'), json_length(json_query(j,'$.a')), json_query(j,'$.s') FROM f ORDER BY id
SELECT json_array_append('[1,[2,3]]','$[1]',4), json_array_append('[1,2]','$',3), json_array_append('{"a":1}','$.a',2), json_array_append('[1]','$[0]',2,'$[0]',3), json_array_insert('[1,2]','$[1]','x'), json_array_insert('[1,2]','$[9]','x'), json_array_insert('{"a":[1]}','$.a[0]',0)
