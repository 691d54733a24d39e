// memjs: binary protocol, many requests in flight on one connection. SQL beside it by mysql2.
'use strict';
const assert = require('assert');
const memjs = require('memjs');
const mysql = require('mysql2/promise');

const address = `127.0.0.1:${process.env.MEMCACHED_PORT}`;
const hasSql = !process.env.STAND_IN;
const EXPIRY_WAIT_MS_MAX = 10000;
let failed = 0;

async function check(name, body) {
  try {
    await body();
    console.log(`ok memjs: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok memjs: ${name}: ${error.stack}`);
  }
}

async function gone(client, key) {
  const since = Date.now();
  while ((await client.get(key)).value !== null) {
    assert(Date.now() - since < EXPIRY_WAIT_MS_MAX, `${key} does not expire`);
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}

async function withSql(client) {
  const sql = await mysql.createConnection({
    host: '127.0.0.1', port: +process.env.PORT, user: 'root',
    password: process.env.ROOT_PASSWORD, multipleStatements: true,
  });
  const rows = async (query, values) => (await sql.query(query, values))[0].map((r) => ({ ...r }));
  await check('rows of kv.cache', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await client.set('js:shared', bytes, {});
    assert.deepStrictEqual(
      await rows("SELECT v, flags, expires_at FROM kv.cache WHERE k = 'js:shared'"),
      [{ v: bytes, flags: 0, expires_at: 0 }]);
    await sql.query("UPDATE kv.cache SET v = '41', flags = 7 WHERE k = 'js:shared'");
    const { value, flags } = await client.get('js:shared');
    assert.equal(value.toString(), '41');
    assert.equal(flags.readUInt32BE(0), 7);
    assert.equal((await client.increment('js:shared', 1, {})).value, 42);
    assert.equal(
      (await rows("SELECT v FROM kv.cache WHERE k = 'js:shared'"))[0].v.toString(), '42');
    await sql.query("DELETE FROM kv.cache WHERE k = 'js:shared'");
    assert.equal((await client.get('js:shared')).value, null);
    await sql.query("INSERT INTO kv.cache (k, v) VALUES ('js:shared', 'by SQL')");
    assert.equal(await client.add('js:shared', 'x', {}), false);
    assert.equal(await client.delete('js:shared'), true);
    assert.deepStrictEqual(await rows("SELECT k FROM kv.cache WHERE k = 'js:shared'"), []);
  });
  await check('a container with a key of two columns', async () => {
    await sql.query(`DROP DATABASE IF EXISTS with_memjs; CREATE DATABASE with_memjs;
      CREATE TABLE with_memjs.score (game INT, player VARCHAR(20), points BIGINT, note VARCHAR(20),
        PRIMARY KEY (game, player));
      INSERT INTO with_memjs.score VALUES (1, 'joe', 10, 'first');
      REPLACE INTO rowhouse.containers (name, db, tbl, key_columns, value_columns)
        VALUES ('js_score', 'with_memjs', 'score', 'game,player', 'points,note')`);
    const get = async (key) => (await client.get(key)).value?.toString();
    assert.equal(await get('js_score:1|joe'), '10|first');
    assert.equal(await get('js_score:2|joe'), undefined);
    assert.equal(await client.set('js_score:2|ann', '20|gr\u00fcn', {}), true);
    assert.deepStrictEqual(await rows('SELECT * FROM with_memjs.score WHERE points = 20'),
      [{ game: 2, player: 'ann', points: 20, note: 'gr\u00fcn' }]);
    await sql.query("UPDATE with_memjs.score SET points = points + 1 WHERE player = 'ann'");
    assert.equal(await get('js_score:2|ann'), '21|gr\u00fcn');
    await assert.rejects(client.set('js_score:x|ann', '1|y', {}));
    await assert.rejects(client.set('js_score:3|ann', 'many|y', {}));
    assert.deepStrictEqual(await rows('SELECT COUNT(*) AS n FROM with_memjs.score'), [{ n: 2 }]);
    assert.equal(await client.delete('js_score:1|joe'), true);
    assert.deepStrictEqual(await rows('SELECT player FROM with_memjs.score'), [{ player: 'ann' }]);
    await sql.query("DELETE FROM rowhouse.containers WHERE name = 'js_score'");
    assert.equal(await get('js_score:2|ann'), undefined);
  });
  await sql.end();
}

async function main() {
  // Errors are told by the promises; the client's own log would print them once more.
  const logger = { log() {} };
  const client = memjs.Client.create(address, { timeout: 10, conntimeout: 10, logger });
  const get = async (key) => (await client.get(key)).value;

  await check('get of nothing', async () => {
    assert.deepStrictEqual(await client.get('js:none'), { value: null, flags: null });
  });
  await check('set, add, replace, append, prepend, delete', async () => {
    assert.equal(await client.replace('js:s', 'x', {}), false);
    await assert.rejects(client.append('js:s', 'x'), /not stored/);
    await assert.rejects(client.prepend('js:s', 'x'), /not stored/);
    assert.equal(await client.add('js:s', 'middle', {}), true);
    assert.equal(await client.add('js:s', 'x', {}), false);
    assert.equal(await client.append('js:s', ' end'), true);
    // This version of the client sends the code of append here.
    assert.equal(await client.prepend('js:s', ' of it'), true);
    assert.equal((await get('js:s')).toString(), 'middle end of it');
    assert.equal(await client.replace('js:s', 'new', {}), true);
    assert.equal((await get('js:s')).toString(), 'new');
    assert.equal(await client.delete('js:s'), true);
    assert.equal(await client.delete('js:s'), false);
    assert.equal(await get('js:s'), null);
  });
  await check('increment and decrement', async () => {
    const up = await client.increment('js:n', 5, { initial: 10 });
    assert.deepStrictEqual([up.success, up.value], [true, 10]);
    assert.equal((await client.increment('js:n', 5, {})).value, 15);
    assert.equal((await client.decrement('js:n', 6, {})).value, 9);
    assert.equal((await client.decrement('js:n', 100, {})).value, 0);
    await client.set('js:n', 'no number', {});
    await assert.rejects(client.increment('js:n', 1, {}));
    assert.equal((await get('js:n')).toString(), 'no number');
  });
  await check('every byte, nothing, a megabyte, too much', async () => {
    const bytes = Buffer.from(Array.from({ length: 1024 }, (_, i) => i % 256));
    for (const value of [bytes, Buffer.alloc(0), Buffer.alloc(1000000, '\r\n')]) {
      assert.equal(await client.set('js:v', value, {}), true);
      assert.deepStrictEqual(await get('js:v'), value);
    }
    await assert.rejects(client.set('js:v', Buffer.alloc(1 << 20), {}));
    assert.equal(await get('js:v'), null);
  });
  await check('expiry and touch', async () => {
    assert.equal(await client.touch('js:e', 100), false);
    await client.set('js:e', 'v', { expires: 1 });
    assert.equal(await client.touch('js:e', 100), true);
    await client.set('js:short', 'v', { expires: 1 });
    await gone(client, 'js:short');
    assert.equal((await get('js:e')).toString(), 'v');
  });
  await check('two thousand requests in flight', async () => {
    const numbers = Array.from({ length: 2000 }, (_, i) => i);
    await Promise.all(numbers.map((i) => client.set(`js:many${i}`, `value ${i}`, {})));
    const found = await Promise.all(numbers.map((i) => get(`js:many${i}`)));
    found.forEach((value, i) => assert.equal(value.toString(), `value ${i}`));
    const up = await Promise.all(numbers.map(() => client.increment('js:up', 1, { initial: 1 })));
    const sorted = up.map(({ value }) => value).sort((a, b) => a - b);
    assert.deepStrictEqual(sorted, numbers.map((i) => i + 1));
  });
  await check('stats', async () => {
    const stats = await new Promise((resolve, reject) => {
      client.stats((error, server, figures) => (error ? reject(error) : resolve(figures)));
    });
    assert(+stats.cmd_get >= 2000 && +stats.cmd_set >= 2000, JSON.stringify(stats));
  });
  if (hasSql) {
    await withSql(client);
  }
  await check('flush', async () => {
    await client.set('js:x', 'v', {});
    await client.flush();
    assert.equal(await get('js:x'), null);
  });
  client.quit();
  process.exit(failed ? 1 : 0);
}

main().catch((error) => {
  console.log(`not ok memjs: ${error.stack}`);
  process.exit(1);
});
