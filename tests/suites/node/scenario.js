// A scenario of a framework: named steps against the server of $PORT, one after another in a database of
// its own. Each prints `passed NAME` or `failed NAME: why`; the process ends well if it came to the end.
'use strict';

const assert = require('node:assert/strict');
const mysql = require('mysql2/promise');

const port = Number(process.env.PORT);
const access = { host: '127.0.0.1', port, user: 'root', password: '' };

// Runs the steps of `make(database)`, which gives `steps`: names and functions, and `close`.
async function run(framework, make) {
  const database = `suite_${framework}`;
  const plain = await mysql.createConnection(access);
  await plain.query(`DROP DATABASE IF EXISTS ${database}`);
  await plain.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
  const { steps, close } = await make({ ...access, database }, plain);
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step();
      console.log(`passed ${framework}: ${name}`);
    } catch (error) {
      const why = String(error.message ?? error).replace(/\s+/g, ' ').slice(0, 400);
      console.log(`failed ${framework}: ${name}`);
      console.error(`${framework}: ${name}: ${why}`);
    }
  }
  await close();
  await plain.query(`DROP DATABASE ${database}`);
  await plain.end();
}

// The error that a step must end with, by MySQL's number.
async function refused(promise, errno) {
  const error = await promise.then(() => null, (reason) => reason);
  assert.ok(error, `error ${errno} did not come`);
  const found = [error, error.cause, error.original, error.parent, error.driverError].map((one) => one?.errno);
  assert.ok(found.includes(errno), `error ${errno}, not ${error.message}`);
}

module.exports = { assert, refused, run };
