// mysql2 for Node.js: text and prepared statements, several statements, pools, streams.
'use strict';
const assert = require('assert');
const mysql = require('mysql2/promise');

const base = {
  host: '127.0.0.1', port: +process.env.PORT, user: 'root', password: process.env.ROOT_PASSWORD,
};
let failed = 0;

async function check(name, body) {
  try {
    await body();
    console.log(`ok mysql2: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok mysql2: ${name}: ${error.stack}`);
  }
}

const kinds = [
  ['tiny', 'TINYINT', -5],
  ['int_u', 'INT UNSIGNED', 4000000000],
  ['big', 'BIGINT UNSIGNED', '18446744073709551615'],
  ['dbl', 'DOUBLE', -2.25e100],
  ['deci', 'DECIMAL(12,3)', '-123.450'],
  ['vchr', 'VARCHAR(50)', '\u{1F600} gr\u00fcn'],
  ['blb', 'BLOB', Buffer.from([0, 254, 39])],
  ['dat', 'DATE', '2024-02-29'],
  ['tim', 'TIME(3)', '-30:01:02.500'],
  ['dt', 'DATETIME(6)', '2024-02-29 12:34:56.000789'],
  ['yr', 'YEAR', 2024],
  ['enm', "ENUM('red','green')", 'green'],
  ['js', 'JSON', '{"a": 1}'],
  ['nul', 'DOUBLE', null],
];

async function everyType(connection) {
  const columns = kinds.map(([name, type]) => `${name} ${type}`).join(', ');
  await connection.query(`CREATE TABLE kind (id INT AUTO_INCREMENT PRIMARY KEY, ${columns})`);
  const names = kinds.map(([name]) => name).join(', ');
  const marks = kinds.map(() => '?').join(', ');
  const values = kinds.map((kind) => kind[2]);
  const insert = `INSERT INTO kind (${names}) VALUES (${marks})`;
  await connection.query(insert, values);
  await connection.execute(insert, values);
  const text = (await connection.query(`SELECT ${names} FROM kind`))[0];
  const binary = (await connection.execute(`SELECT ${names} FROM kind WHERE id > ?`, [0]))[0];
  assert.strictEqual(text.length, 2);
  assert.strictEqual(binary.length, 2);
  for (const row of [...text, ...binary]) {
    for (const [name, , value] of kinds) {
      const expected = name === 'js' ? { a: 1 } : value;
      // mysql2 cuts zeros of a binary time's fraction itself.
      const got = name === 'tim' ? row[name].padEnd(13, '0') : row[name];
      assert.deepStrictEqual(got, expected, name);
    }
  }
}

async function main() {
  const connection = await mysql.createConnection({
    ...base, multipleStatements: true, dateStrings: true,
    supportBigNumbers: true, bigNumberStrings: false,
  });
  await connection.query('DROP DATABASE IF EXISTS with_mysql2');
  await connection.query('CREATE DATABASE with_mysql2; USE with_mysql2');
  await check('every type, both forms', () => everyType(connection));
  await check('several statements', async () => {
    const [results] = await connection.query('SELECT 1 AS a; DO 2; SELECT 3 AS c');
    assert.deepStrictEqual(results[0], [{ a: 1 }]);
    assert.deepStrictEqual(results[2], [{ c: 3 }]);
  });
  await check('changes and errors', async () => {
    await connection.query('CREATE TABLE n (id INT AUTO_INCREMENT PRIMARY KEY, v INT UNIQUE)');
    const [done] = await connection.query('INSERT INTO n (v) VALUES ?', [[[1], [2], [3]]]);
    assert.strictEqual(done.affectedRows, 3);
    assert.strictEqual(done.insertId, 1);
    await assert.rejects(connection.execute('INSERT INTO n (v) VALUES (?)', [1]), { errno: 1062 });
    await assert.rejects(connection.query('SELECT x FROM n'), { errno: 1054 });
    const [changed] = await connection.execute('UPDATE n SET v = v + 10 WHERE id = ?', [2]);
    assert.strictEqual(changed.changedRows === undefined ? 1 : changed.affectedRows, 1);
  });
  await check('errors by number', async () => {
    const refused = (sql, errno, sqlState) =>
      assert.rejects(connection.query(sql), { errno, sqlState });
    await connection.query('CREATE TABLE strict (a TINYINT NOT NULL, b VARCHAR(3))');
    await refused("INSERT INTO n (v) VALUES (1)", 1062, '23000');
    await refused('SELECT * FROM nothing', 1146, '42S02');
    await refused('nonsense', 1064, '42000');
    await refused('INSERT INTO strict VALUES (NULL, NULL)', 1048, '23000');
    await refused('INSERT INTO strict VALUES (128, NULL)', 1264, '22003');
    await refused("INSERT INTO strict VALUES (1, 'four')", 1406, '22001');
    const [[row]] = await connection.query('SELECT COUNT(*) AS c FROM strict');
    assert.strictEqual(row.c, 0);
  });
  await check('10,000 rows, both forms and as a stream', async () => {
    await connection.query('CREATE TABLE many (id INT PRIMARY KEY, v VARCHAR(100))');
    const rows = Array.from({ length: 10000 }, (_, i) => [i, `v${i}`.repeat(i % 15)]);
    await connection.query('INSERT INTO many VALUES ?', [rows]);
    const select = 'SELECT id, v FROM many ORDER BY id';
    const [text] = await connection.query({ sql: select, rowsAsArray: true });
    assert.deepStrictEqual(text, rows);
    const [binary] = await connection.execute({ sql: select, rowsAsArray: true });
    assert.deepStrictEqual(binary, rows);
    let count = 0;
    for await (const row of connection.connection.query(select).stream()) {
      assert.strictEqual(row.id, count);
      count += 1;
    }
    assert.strictEqual(count, 10000);
  });
  await check('20 MiB in one value, both forms', async () => {
    await connection.query('CREATE TABLE large (id INT PRIMARY KEY, data LONGBLOB)');
    const data = Buffer.alloc(20 << 20, require('crypto').randomBytes(1009));
    await connection.query('INSERT INTO large VALUES (1, ?)', [data]);
    await connection.execute('INSERT INTO large VALUES (2, ?)', [data]);
    for (const ask of ['query', 'execute']) {
      const [rows] = await connection[ask]('SELECT data FROM large WHERE id IN (?, ?)', [1, 2]);
      assert.strictEqual(rows.length, 2);
      rows.forEach((row) => assert.ok(row.data.equals(data), ask));
    }
  });
  await check('transactions', async () => {
    await connection.beginTransaction();
    await connection.query('DELETE FROM n');
    await connection.rollback();
    const [rows] = await connection.query('SELECT COUNT(*) AS c FROM n');
    assert.strictEqual(rows[0].c, 3);
  });
  await check('passwords and changing the user', async () => {
    const bob = await mysql.createConnection({ ...base, user: 'bob', password: 'secret' });
    await bob.changeUser({ user: 'bob', password: 'secret', database: 'with_mysql2' });
    await bob.ping();
    await bob.end();
    const wrong = mysql.createConnection({ ...base, user: 'bob', password: 'no' });
    await assert.rejects(wrong, { errno: 1045 });
  });
  await check('LOAD DATA LOCAL from a stream', async () => {
    const { Readable } = require('stream');
    await connection.query('CREATE TABLE loaded (id INT PRIMARY KEY, name VARCHAR(20))');
    const lines = Array.from({ length: 5000 }, (_, i) => Buffer.from(`${i}\tname ${i}\n`));
    const [done] = await connection.query({
      sql: "LOAD DATA LOCAL INFILE 'lines' INTO TABLE loaded",
      infileStreamFactory: () => Readable.from(lines),
    });
    assert.strictEqual(done.affectedRows, 5000);
  });
  await check('a pool of ten, a thousand look-ups', async () => {
    const pool = mysql.createPool({ ...base, database: 'with_mysql2', connectionLimit: 10 });
    const look = (id) => pool.execute('SELECT name FROM loaded WHERE id = ?', [id]);
    const found = await Promise.all(Array.from({ length: 1000 }, (_, id) => look(id)));
    found.forEach(([rows], id) => assert.deepStrictEqual(rows, [{ name: `name ${id}` }]));
    await pool.end();
  });
  await connection.end();
  process.exit(failed ? 1 : 0);
}

main().catch((error) => {
  console.log(`not ok mysql2: ${error.stack}`);
  process.exit(1);
});
