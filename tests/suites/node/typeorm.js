// TypeORM: entities as tables, what it reads of them (a second synchronisation has nothing to do), relations,
// upserts, locks, transactions, migrations.
'use strict';

require('reflect-metadata');
const { DataSource, EntitySchema, In, IsNull, Like, MoreThan, Not, Raw, TableColumn, TableIndex } = require('typeorm');
const { assert, refused, run } = require('./scenario');

const User = new EntitySchema({
  name: 'User',
  columns: {
    id: { type: 'int', primary: true, generated: 'increment', unsigned: true },
    name: { type: 'varchar', length: 60, unique: true },
    role: { type: 'enum', enum: ['reader', 'writer'], default: 'reader' },
    kinds: { type: 'set', enum: ['a', 'b', 'c'], nullable: true },
    balance: { type: 'decimal', precision: 12, scale: 2, default: 0 },
    extra: { type: 'json', nullable: true },
    notes: { type: 'simple-array', nullable: true },
    seen: { type: 'datetime', precision: 3, nullable: true },
    big: { type: 'bigint', unsigned: true, nullable: true, comment: 'a large number' },
    photo: { type: 'mediumblob', nullable: true },
    active: { type: 'boolean', default: true },
    made: { type: 'datetime', createDate: true },
    changed: { type: 'datetime', updateDate: true },
    gone: { type: 'datetime', deleteDate: true, nullable: true },
    version: { type: 'int', version: true },
  },
  indices: [{ name: 'by_role', columns: ['role', 'seen'] }],
  relations: { posts: { type: 'one-to-many', target: 'Post', inverseSide: 'author', cascade: true } },
});
const Post = new EntitySchema({
  name: 'Post',
  columns: { id: { type: 'varchar', length: 36, primary: true, generated: 'uuid' }, title: { type: 'varchar', collation: 'utf8mb4_bin', charset: 'utf8mb4' }, votes: { type: 'int', default: 0 } },
  relations: {
    author: { type: 'many-to-one', target: 'User', inverseSide: 'posts', onDelete: 'CASCADE', nullable: false },
    tags: { type: 'many-to-many', target: 'Tag', joinTable: true, cascade: true },
  },
});
const Tag = new EntitySchema({ name: 'Tag', columns: { word: { type: 'varchar', length: 30, primary: true } } });
const Busy = new EntitySchema({
  name: 'Busy', type: 'view', expression: 'SELECT `authorId` AS `id`, COUNT(*) AS `n` FROM `post` GROUP BY `authorId`',
  columns: { id: { type: 'int', viewColumn: true }, n: { type: 'int', viewColumn: true } },
});
class AddSlug1700000000000 {
  async up(runner) {
    await runner.addColumn('post', new TableColumn({ name: 'slug', type: 'varchar', length: '40', isNullable: true }));
    await runner.createIndex('post', new TableIndex({ name: 'by_slug', columnNames: ['slug'], isUnique: true }));
    await runner.renameColumn('post', 'slug', 'path');
  }
  async down(runner) { await runner.dropColumn('post', 'path'); }
}

run('typeorm', async ({ host, port, user, database }) => {
  const db = new DataSource({ type: 'mysql', host, port, username: user, password: '', database, entities: [User, Post, Tag, Busy], migrations: [AddSlug1700000000000], supportBigNumbers: true });
  await db.initialize();
  const [users, posts] = [db.getRepository('User'), db.getRepository('Post')];
  return {
    close: () => db.destroy(),
    steps: {
      'entities become tables, and a second look finds them so': async () => {
        await db.synchronize();
        const { upQueries } = await db.driver.createSchemaBuilder().log();
        assert.deepEqual(upQueries.map((one) => one.query), []);
      },
      'rows come back as they went in': async () => {
        await users.save({ name: 'Ann', kinds: ['a', 'c'], balance: '12.50', extra: { a: [1, null] }, notes: ['x', 'y'], seen: new Date(1e12 + 7), big: '18446744073709551615', photo: Buffer.from([0, 255]) });
        const row = await users.findOneByOrFail({ name: 'Ann' });
        assert.deepEqual([row.kinds, row.balance, row.extra, row.notes, row.seen.getTime(), row.big, row.photo], [['a', 'c'], '12.50', { a: [1, null] }, ['x', 'y'], 1e12 + 7, '18446744073709551615', Buffer.from([0, 255])]);
        assert.deepEqual([row.role, row.active, row.version], ['reader', true, 1]);
        await users.update({ name: 'Ann' }, { balance: '13' });
        await refused(users.insert({ name: 'Ann' }), 1062);
      },
      'relations are saved, loaded and counted': async () => {
        const ann = await users.findOneByOrFail({ name: 'Ann' });
        await posts.save([{ title: 'One', author: ann, tags: [{ word: 'red' }, { word: 'blue' }] }, { title: 'Two', author: ann, votes: 5 }]);
        const [loaded] = await users.find({ relations: { posts: { tags: true } }, where: { posts: { title: Not('x') } }, order: { posts: { title: 'ASC', tags: { word: 'ASC' } } }, take: 1 });
        assert.deepEqual(loaded.posts.map((post) => [post.title, post.tags.map((tag) => tag.word)]), [['One', ['blue', 'red']], ['Two', []]]);
        assert.deepEqual((await db.getRepository('Busy').find()).map((row) => Number(row.n)), [2]);
        const counted = await posts.createQueryBuilder('p').select('p.authorId', 'author').addSelect('SUM(p.votes)', 'votes').groupBy('p.authorId').having('COUNT(*) > 1').getRawMany();
        assert.deepEqual(counted.map((row) => Number(row.votes)), [5]);
        const inside = await users.createQueryBuilder('u').where((query) => `u.id IN ${query.subQuery().select('p.authorId').from('Post', 'p').where('p.votes > :votes').getQuery()}`).setParameter('votes', 4).getMany();
        assert.equal(inside.length, 1);
      },
      'conditions, upserts and many at once': async () => {
        await users.upsert([{ name: 'Ann', balance: '1' }, { name: 'Bob', balance: '2' }], ['name']);
        await users.createQueryBuilder().insert().values([{ name: 'Bob', balance: '9' }, { name: 'Cyd' }]).orIgnore().execute();
        await users.createQueryBuilder().insert().values({ name: 'Cyd', balance: '4' }).orUpdate(['balance'], ['name']).execute();
        assert.deepEqual((await users.find({ order: { name: 'ASC' } })).map((row) => row.balance), ['1.00', '2.00', '4.00']);
        assert.equal(await users.count({ where: [{ name: Like('A%') }, { balance: MoreThan(3) }] }), 2);
        assert.equal(await users.countBy({ seen: IsNull(), name: In(['Bob', 'Cyd']), extra: Raw((column) => `${column} IS NULL`) }), 2);
        await users.increment({ name: 'Bob' }, 'balance', 5);
        assert.equal(await users.sum('balance'), 12);
      },
      'transactions, locks and rows put aside': async () => {
        await assert.rejects(db.transaction('SERIALIZABLE', async (work) => {
          await work.save(User, { name: 'gone' });
          await work.transaction((inner) => inner.save(User, { name: 'gone too' }));
          throw new Error('no');
        }), /no/);
        assert.equal(await users.countBy({ name: Like('gone%') }), 0);
        await db.transaction(async (work) => {
          const one = await work.findOneOrFail(User, { where: { name: 'Bob' }, lock: { mode: 'pessimistic_write' } });
          await work.find(User, { where: { name: 'Cyd' }, lock: { mode: 'pessimistic_read' } });
          await db.transaction(async (other) => {
            const free = await other.createQueryBuilder(User, 'u').setLock('pessimistic_write').setOnLocked('skip_locked').where('u.name = :name', { name: 'Bob' }).getMany();
            assert.equal(free.length, 0);
          });
          await work.update(User, one.id, { balance: '7' });
        });
        await users.softDelete({ name: 'Bob' });
        assert.deepEqual([await users.countBy({ name: 'Bob' }), await users.count({ where: { name: 'Bob' }, withDeleted: true })], [0, 1]);
        await users.restore({ name: 'Bob' });
        await users.delete({ name: 'Ann' });
        assert.equal(await posts.count(), 0, 'posts follow their author');
      },
      'migrations run and are taken back': async () => {
        await db.runMigrations();
        const runner = db.createQueryRunner();
        const table = await runner.getTable('post');
        assert.ok(table.findColumnByName('path') && table.indices.some((index) => index.isUnique));
        assert.deepEqual(table.foreignKeys.map((key) => [key.columnNames[0], key.referencedTableName.split('.').pop(), key.onDelete]), [['authorId', 'user', 'CASCADE']]);
        await db.undoLastMigration();
        assert.equal(await runner.hasColumn('post', 'path'), false);
        await runner.clearDatabase();
        assert.equal(await runner.hasTable('post'), false);
        await runner.release();
      },
    },
  };
});
