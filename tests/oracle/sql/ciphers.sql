# judges: mysql
# AES_ENCRYPT and AES_DECRYPT: modes, initialization vectors, KDFs; ETAG; RANDOM_BYTES
set block_encryption_mode='aes-256-cbc'
select hex(aes_encrypt('a','k'))
select hex(aes_encrypt('text','key',repeat('i',16))), hex(aes_encrypt('text','key',repeat('i',20)))
select hex(aes_encrypt('text','key','short'))
select aes_decrypt(aes_encrypt('text','key',repeat('i',16)),'key',repeat('i',16))
select aes_encrypt('t','k',null), aes_encrypt(null,'k',repeat('i',16)), aes_encrypt('t',null,repeat('i',16))
select hex(aes_encrypt('text','key',repeat('i',16),'hkdf')), hex(aes_encrypt('text','key',repeat('i',16),'hkdf','salt')), hex(aes_encrypt('text','key',repeat('i',16),'hkdf','salt','info'))
select hex(aes_encrypt('text','key',repeat('i',16),'pbkdf2_hmac')), hex(aes_encrypt('text','key',repeat('i',16),'pbkdf2_hmac','salt')), hex(aes_encrypt('text','key',repeat('i',16),'pbkdf2_hmac','salt','2000')), hex(aes_encrypt('text','key',repeat('i',16),'pbkdf2_hmac','salt',2000))
select hex(aes_encrypt('text','key',repeat('i',16),'pbkdf2_hmac','salt','2'))
select hex(aes_encrypt('text','key',repeat('i',16),'nix'))
select hex(aes_encrypt('text','key',repeat('i',16),null))
select hex(aes_encrypt('text','key',repeat('i',16),'hkdf',null))
select hex(aes_encrypt('text','key',repeat('i',16),'hkdf','s',null))
select hex(aes_encrypt('text','key',repeat('i',16),'HKDF'))
select hex(aes_encrypt('text','key',repeat('i',16),'pbkdf2_hmac','salt','x'))
select hex(aes_encrypt('text','key',repeat('i',16),'pbkdf2_hmac','salt',70000))
select hex(aes_encrypt('text','key',repeat('i',16),'pbkdf2_hmac',repeat('s',300)))
set block_encryption_mode='aes-128-cfb1'
select hex(aes_encrypt('text of some length','key',repeat('i',16)))
set block_encryption_mode='aes-192-cfb8'
select hex(aes_encrypt('text of some length','key',repeat('i',16))), aes_decrypt(aes_encrypt('text of some length','key',repeat('i',16)),'key',repeat('i',16))
set block_encryption_mode='aes-256-cfb128'
select hex(aes_encrypt('text of some length','key',repeat('i',16))), aes_decrypt(aes_encrypt('text of some length','key',repeat('i',16)),'key',repeat('i',16))
set block_encryption_mode='aes-256-ofb'
select hex(aes_encrypt('text of some length','key',repeat('i',16))), aes_decrypt(aes_encrypt('text of some length','key',repeat('i',16)),'key',repeat('i',16)), hex(aes_encrypt('','key',repeat('i',16)))
set block_encryption_mode='aes-192-ecb'
select hex(aes_encrypt('text of some length','key')), hex(aes_encrypt('text of some length',repeat('long',20))), hex(aes_encrypt('text','k','iv'))
set block_encryption_mode='aes-192-foo'
set block_encryption_mode=2
select @@block_encryption_mode
set block_encryption_mode='AES-256-CBC'
select @@block_encryption_mode
select hex(aes_encrypt('text',repeat('k',32),repeat('i',16))),aes_decrypt('garbage','k',repeat('i',16)), aes_decrypt(repeat('g',32),'k',repeat('i',16))
select hex(aes_encrypt('text','k','short','hkdf'))
select aes_encrypt('a')
select aes_encrypt('a','b',repeat('i',16),'hkdf','s','i','x')
set block_encryption_mode=default
select hex(aes_encrypt('text','key','','hkdf')), hex(aes_encrypt('text','key',null,'hkdf','salt'))
set block_encryption_mode='aes-256-cbc'
create table t (id int primary key, v varbinary(100), k varchar(10), iv varbinary(16))
insert into t select 1, aes_encrypt('one','k',repeat('1',16)), 'k', repeat('1',16)
insert into t values (2, null, 'k', repeat('2',16)), (3, 'x', null, repeat('3',16))
select id, hex(v), aes_decrypt(v, k, iv) from t order by id
select count(*) from t where aes_decrypt(v, 'k', iv) = 'one'
set block_encryption_mode=default
set global block_encryption_mode='aes-999'
select etag(1,2), etag('12'), etag('1','2'), etag(1), etag('1'), etag(1.5), etag(1.50), etag(1e0), etag(null), etag(''), etag(1,null), etag(null,1), etag(null,null), etag('',1), etag('1','')
select etag(cast('2020-01-01' as date)), etag('2020-01-01'), etag(true), etag('[1, 2]'), etag(x'41'), etag('A'), etag('a'), etag(_latin1 0xE4), etag('ä'), charset(etag(1)), length(etag(1))
select etag(-1), etag(18446744073709551615), etag(b'1'), etag(time'10:00:00'), etag(2,1,2)
select id, etag(id, v, k) = etag(k, id, v), etag(id, k) from t order by id
select random_bytes(0)
select random_bytes(1025)
select random_bytes(-1)
select length(random_bytes(1)), length(random_bytes(1024)), random_bytes(null)
