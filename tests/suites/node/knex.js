// Knex: migrations, the schema builder and what it reads of tables, queries, upserts, transactions.
'use strict';

const makeKnex = require('knex');
const { assert, refused, run } = require('./scenario');

const migrations = {
  '1_people': {
    up: (db) => db.schema.createTable('people', (table) => {
      table.increments('id');
      table.string('name', 50).notNullable().unique();
      table.enu('role', ['reader', 'writer']).defaultTo('reader');
      table.decimal('balance', 12, 2).unsigned().defaultTo(0);
      table.boolean('active').defaultTo(true);
      table.json('extra');
      table.datetime('seen', { precision: 3 });
      table.timestamps(true, true);
      table.comment('who reads and who writes');
    }),
    down: (db) => db.schema.dropTable('people'),
  },
  '2_books': {
    up: (db) => db.schema.createTable('books', (table) => {
      table.bigIncrements();
      table.integer('author').unsigned().references('people.id').onDelete('CASCADE').onUpdate('CASCADE');
      table.text('title').collate('utf8mb4_bin');
      table.specificType('year', 'SMALLINT UNSIGNED').checkPositive();
      table.uuid('code');
      table.binary('cover');
      table.index(['author', 'year'], 'by_author');
    }),
    down: (db) => db.schema.dropTable('books'),
  },
};
const source = {
  getMigrations: async () => Object.keys(migrations),
  getMigrationName: (name) => name,
  getMigration: async (name) => migrations[name],
};

run('knex', async (connection) => {
  const db = makeKnex({ client: 'mysql2', connection, pool: { min: 0, max: 4 }, migrations: { migrationSource: source } });
  const names = (query) => query.orderBy('name').pluck('name');
  return {
    close: () => db.destroy(),
    steps: {
      'migrations go up, down and up again': async () => {
        assert.deepEqual((await db.migrate.latest())[1], ['1_people', '2_books']);
        await db.migrate.rollback();
        assert.equal(await db.schema.hasTable('books'), false);
        await db.migrate.up();
        await db.migrate.latest();
        const [done, pending] = await db.migrate.list();
        assert.deepEqual([done.length, pending.length], [2, 0]);
      },
      'tables tell their columns': async () => {
        const info = await db('people').columnInfo();
        assert.equal(info.name.maxLength, 50);
        assert.equal(info.name.nullable, false);
        assert.equal(String(info.role.defaultValue).replaceAll("'", ''), 'reader');
        assert.equal(info.balance.type, 'decimal');
        assert.equal(await db.schema.hasColumn('books', 'year'), true);
        assert.equal(await db.schema.hasColumn('books', 'pages'), false);
      },
      'rows come back as they went in': async () => {
        const [id] = await db('people').insert({ name: 'Ann', extra: JSON.stringify({ a: [1, null] }), seen: new Date(1e12 + 123) });
        const row = await db('people').first().where({ id });
        assert.deepEqual(row.extra, { a: [1, null] });
        assert.deepEqual([row.role, row.balance, row.active, row.seen.getTime()], ['reader', '0.00', 1, 1e12 + 123]);
        await db.batchInsert('people', Array.from({ length: 50 }, (_, n) => ({ name: `p${n}`, balance: n })), 20);
        await db('books').insert({ author: id, title: 'Ünï', year: 1999, code: 'c', cover: Buffer.from([0, 255, 10]) });
        assert.deepEqual((await db('books').first()).cover, Buffer.from([0, 255, 10]));
      },
      'conflicts are merged or passed over': async () => {
        await db('people').insert({ name: 'Ann', balance: 5 }).onConflict('name').merge();
        await db('people').insert([{ name: 'Ann', balance: 9 }, { name: 'Bob' }]).onConflict('name').ignore();
        await db('people').insert({ name: 'Bob', balance: 1 }).onConflict('name').merge({ balance: 7 });
        const rows = await db('people').whereIn('name', ['Ann', 'Bob']).orderBy('name').pluck('balance');
        assert.deepEqual(rows, ['5.00', '7.00']);
        await refused(db('people').insert({ name: 'Ann' }), 1062);
      },
      'queries of many forms': async () => {
        const joined = await db('people as p').leftJoin('books as b', 'b.author', 'p.id').where('p.name', 'like', 'A%').select('p.name', 'b.title');
        assert.deepEqual(joined.map((row) => ({ ...row })), [{ name: 'Ann', title: 'Ünï' }]);
        const rich = db('people').select('id').where('balance', '>', 45);
        assert.deepEqual(await names(db('people').whereIn('id', rich)), ['p46', 'p47', 'p48', 'p49']);
        assert.deepEqual(await names(db.with('rich', rich).from('people').join('rich', 'rich.id', 'people.id')), ['p46', 'p47', 'p48', 'p49']);
        const both = db('people').select('name').where('name', 'Ann').union([db('people').select('name').where('name', 'Bob')], true);
        assert.equal((await both).length, 2);
        const numbered = await db('people').select('name').rowNumber('n', 'balance').where('balance', '>', 46).orderBy('n');
        assert.deepEqual(numbered.map((row) => row.n), [1, 2, 3]);
        assert.deepEqual(await names(db('people').whereIn(['name', 'role'], [['Ann', 'reader'], ['Bob', 'writer']])), ['Ann']);
        const counted = await db('people').select('role').count({ n: '*' }).groupBy('role').having('n', '>', 3);
        assert.deepEqual(counted.map((row) => row.n), [52]);
        assert.deepEqual(await names(db('people').whereJsonPath('extra', '$.a[0]', '=', 1)), ['Ann']);
        assert.deepEqual(await names(db('people').whereExists(db('books').select(1).whereRaw('books.author = people.id'))), ['Ann']);
      },
      'rows are counted up, changed and removed': async () => {
        await db('people').where('name', 'Bob').increment({ balance: 3 });
        assert.equal(await db('people').where('name', 'like', 'p%').update({ role: 'writer' }), 50);
        assert.equal(await db('people').where('name', 'like', 'p4_').del(), 10);
        await refused(db('people').where('name', 'Bob').update({ balance: -1 }), 1264);
        await refused(db('books').insert({ author: 9999, title: 'x', year: 2000 }), 1452);
      },
      'a stream gives all rows': async () => {
        let seen = 0;
        for await (const row of db('people').select('id').stream()) seen += row.id > 0;
        assert.equal(seen, 42);
      },
      'transactions, savepoints and locks': async () => {
        await assert.rejects(db.transaction(async (work) => {
          await work('people').insert({ name: 'gone' });
          throw new Error('no');
        }));
        await db.transaction(async (work) => {
          await work('people').insert({ name: 'stays' });
          await work.transaction(async (inner) => {
            await inner('people').insert({ name: 'inner' });
            await inner.rollback();
          }).catch(() => {});
          await work('people').where('name', 'Bob').forUpdate().first();
          await db.transaction(async (other) => {
            assert.deepEqual(await other('people').where('name', 'Ann').forUpdate().skipLocked().pluck('name'), ['Ann']);
            await refused(other('people').where('name', 'Bob').forUpdate().noWait(), 3572);
            assert.deepEqual(await other('people').where('name', 'Bob').forUpdate().skipLocked(), []);
          });
        }, { isolationLevel: 'read committed' });
        assert.deepEqual(await names(db('people').whereIn('name', ['gone', 'stays', 'inner'])), ['stays']);
      },
      'tables are altered': async () => {
        await db('books').whereNull('title').del();
        await db.schema.alterTable('books', (table) => {
          table.string('isbn', 20).after('title').nullable();
          table.renameColumn('code', 'mark');
          table.string('title', 200).notNullable().alter();
          table.unique(['isbn', 'year'], { indexName: 'by_isbn' });
        });
        const info = await db('books').columnInfo();
        assert.equal(info.title.maxLength, 200);
        assert.ok(info.mark && !info.code);
        await db.schema.alterTable('books', (table) => { table.dropForeign('author'); table.dropUnique([], 'by_isbn'); table.dropColumn('isbn'); });
        await db.schema.renameTable('books', 'tomes');
        await db.schema.createViewOrReplace('titles', (view) => { view.columns(['title']); view.as(db('tomes').select('title')); });
        assert.equal((await db('titles')).length, 1);
        await db.schema.dropView('titles');
        await db('tomes').truncate();
        await db.schema.dropTable('tomes');
      },
    },
  };
});
