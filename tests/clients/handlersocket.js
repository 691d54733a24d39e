// node-handlersocket 0.1.0 (2012), the public HandlerSocket client of npm, as it comes: open, find
// with every operator, IN, filters, insert, update, delete, increments, "and get", authentication.
'use strict';
const assert = require('assert');
const hs = require('node-handlersocket');
const mysql = require('mysql2/promise');

const port = +process.env.HANDLERSOCKET_PORT;
const writePort = +process.env.HANDLERSOCKET_WRITE_PORT;
const auth = process.env.HANDLERSOCKET_SECRET;
let failed = 0;

async function check(name, body) {
  try {
    await body();
    console.log(`ok node-handlersocket: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok node-handlersocket: ${name}: ${error.stack}`);
  }
}

// The client knows callbacks only.
const call = (object, method, ...given) => new Promise((resolve, reject) => {
  object[method](...given, (error, result) => (error ? reject(error) : resolve(result)));
});

function connect(options) {
  return new Promise((resolve, reject) => {
    const connection = hs.connect({ host: '127.0.0.1', ...options }, () => resolve(connection));
    connection.on('error', reject);
  });
}

async function main() {
  const sql = await mysql.createConnection({
    host: '127.0.0.1', port: +process.env.PORT, user: 'root',
    password: process.env.ROOT_PASSWORD, multipleStatements: true,
  });
  await sql.query(`DROP DATABASE IF EXISTS with_node; CREATE DATABASE with_node; USE with_node;
    CREATE TABLE employee (id INT PRIMARY KEY, no INT, name VARCHAR(50),
      KEY by_no (no, name)) DEFAULT CHARSET = utf8mb4`);
  const columns = ['id', 'no', 'name'];
  const open = (connection, index = 'PRIMARY', filters = []) =>
    call(connection, 'openIndex', 'with_node', 'employee', index, columns, filters);
  const reader = await connect({ port, auth });
  const writer = await connect({ port: writePort, auth });
  const write = await open(writer);

  await check('a wrong key', async () => {
    await assert.rejects(connect({ port, auth: 'no' }), /unauth/);
  });
  await check('insert, seen by SQL', async () => {
    for (let id = 1; id <= 20; id += 1) {
      await call(write, 'insert', [id, 7000 + (id % 5), `name ${id}`]);
    }
    const special = 'tab\t line\n null\u0000 \u0001 gr\u00fcn \u{1F600}';
    await call(write, 'insert', [21, null, special]);
    const [rows] = await sql.query('SELECT * FROM employee WHERE id IN (7, 21) ORDER BY id');
    assert.deepStrictEqual(rows.map((row) => ({ ...row })), [
      { id: 7, no: 7002, name: 'name 7' },
      { id: 21, no: null, name: special },
    ]);
    const found = await call(write, 'find', '=', [21]);
    assert.deepStrictEqual(found, [['21', null, special]]);
  });
  await check('a duplicate key', async () => {
    await assert.rejects(call(write, 'insert', [1, 1, 'x']), /121/);
  });
  await check('find with every operator', async () => {
    const read = await open(reader);
    const ids = async (op, id, options = {}) =>
      (await call(read, 'find', op, [id], { limit: 3, ...options })).map((row) => +row[0]);
    assert.deepStrictEqual(await ids('=', 5), [5]);
    assert.deepStrictEqual(await ids('=', 500), []);
    assert.deepStrictEqual(await ids('>', 5), [6, 7, 8]);
    assert.deepStrictEqual(await ids('>=', 5, { offset: 1 }), [6, 7, 8]);
    assert.deepStrictEqual(await ids('<', 5), [4, 3, 2]);
    assert.deepStrictEqual(await ids('<=', 2), [2, 1]);
  });
  await check('a composite secondary index', async () => {
    const read = await open(reader, 'by_no');
    const found = await call(read, 'find', '=', [7002], { limit: 10 });
    assert.deepStrictEqual(found.map((row) => row[2]), ['name 12', 'name 17', 'name 2', 'name 7']);
    const one = await call(read, 'find', '=', [7002, 'name 2'], { limit: 10 });
    assert.deepStrictEqual(one, [['2', '7002', 'name 2']]);
  });
  await check('IN, filters and while', async () => {
    const read = await open(reader, 'PRIMARY', ['no']);
    const list = await call(read, 'find', '=', [hs.in(3, 99, 1)], { limit: 10 });
    assert.deepStrictEqual(list.map((row) => row[0]), ['3', '1']);
    const filters = [hs.filter('no', '=', 7000)];
    const some = await call(read, 'find', '>=', [1], { limit: 10, filters });
    assert.deepStrictEqual(some.map((row) => row[0]), ['5', '10', '15', '20']);
    const until = [hs.while('no', '<', 7004)];
    const first = await call(read, 'find', '>=', [1], { limit: 10, filters: until });
    assert.deepStrictEqual(first.map((row) => row[0]), ['1', '2', '3']);
  });
  await check('update, increment, decrement, delete and what they return', async () => {
    assert.equal(await call(write, 'update', '=', [1], [1, 9000, 'KOICHIK']), 1);
    const before = await call(write, 'updateAndGet', '=', [1], [1, 9001, 'EBIYURI']);
    assert.deepStrictEqual(before, [['1', '9000', 'KOICHIK']]);
    const numbers = await call(writer, 'openIndex', 'with_node', 'employee', 'PRIMARY', ['no']);
    assert.equal(await call(numbers, 'increment', '=', [1], [10]), 1);
    assert.deepStrictEqual(await call(numbers, 'incrementAndGet', '=', [1], [5]), [['9011']]);
    assert.equal(await call(numbers, 'decrement', '=', [1], [16]), 1);
    const [rows] = await sql.query('SELECT no, name FROM employee WHERE id = 1');
    assert.deepStrictEqual({ ...rows[0] }, { no: 9000, name: 'EBIYURI' });
    assert.equal(await call(write, 'delete', '>', [15], { limit: 3 }), 3);
    const gone = await call(write, 'deleteAndGet', '=', [19]);
    assert.deepStrictEqual(gone, [['19', '7004', 'name 19']]);
    const [left] = await sql.query('SELECT id FROM employee WHERE id > 13 ORDER BY id');
    assert.deepStrictEqual(left.map((row) => row.id), [14, 15, 20, 21]);
  });
  await check('refusals', async () => {
    const read = await open(reader);
    await assert.rejects(call(read, 'insert', [50, 1, 'x']), /readonly/);
    await assert.rejects(
      call(reader, 'openIndex', 'with_node', 'nothing', 'PRIMARY', ['id']), /open_table/);
    await assert.rejects(
      call(reader, 'openIndex', 'with_node', 'employee', 'nothing', ['id']), /idxnum/);
    await assert.rejects(
      call(reader, 'openIndex', 'with_node', 'employee', 'PRIMARY', ['nothing']), /fld/);
  });
  await check('a thousand requests in flight on each of eight connections', async () => {
    await Promise.all(Array.from({ length: 8 }, async () => {
      const connection = await connect({ port, auth });
      const read = await open(connection);
      const asked = Array.from({ length: 1000 }, (_, i) => 2 + (i % 14));
      const found = await Promise.all(asked.map((id) => call(read, 'find', '=', [id])));
      found.forEach(([row], i) => assert.equal(row[2], `name ${asked[i]}`));
      connection.close();
    }));
  });
  reader.close();
  writer.close();
  await sql.end();
  process.exit(failed ? 1 : 0);
}

main().catch((error) => {
  console.log(`not ok node-handlersocket: ${error.stack}`);
  process.exit(1);
});
