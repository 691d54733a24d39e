// Drizzle: tables as its schema has them, migrations out of a folder, relational queries (which MySQL answers by
// LATERAL), upserts, unions, locks, nested transactions.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const mysql = require('mysql2/promise');
const { and, count, desc, eq, exists, gt, inArray, like, relations, sql } = require('drizzle-orm');
const { drizzle } = require('drizzle-orm/mysql2');
const { migrate } = require('drizzle-orm/mysql2/migrator');
const { bigint, boolean, datetime, decimal, index, int, json, mysqlEnum, mysqlTable, text, union, uniqueIndex, varchar } = require('drizzle-orm/mysql-core');
const { assert, refused, run } = require('./scenario');

const users = mysqlTable('users', {
  id: int('id').autoincrement().primaryKey(),
  name: varchar('name', { length: 60 }).notNull(),
  role: mysqlEnum('role', ['reader', 'writer']).notNull().default('reader'),
  balance: decimal('balance', { precision: 12, scale: 2 }).notNull().default('0'),
  extra: json('extra'),
  seen: datetime('seen', { mode: 'date', fsp: 3 }),
  big: bigint('big', { mode: 'bigint', unsigned: true }),
  active: boolean('active').notNull().default(true),
  mentor: int('mentor'),
}, (table) => [uniqueIndex('one_name').on(table.name), index('by_role').on(table.role, table.seen)]);
const posts = mysqlTable('posts', {
  id: int('id').autoincrement().primaryKey(),
  author: int('author').notNull().references(() => users.id, { onDelete: 'cascade' }),
  title: varchar('title', { length: 100 }).notNull(),
  body: text('body'),
});
const userRelations = relations(users, ({ many, one }) => ({ posts: many(posts), mentor: one(users, { fields: [users.mentor], references: [users.id] }) }));
const postRelations = relations(posts, ({ one }) => ({ author: one(users, { fields: [posts.author], references: [users.id] }) }));

const MIGRATIONS = [
  `CREATE TABLE \`users\` (\`id\` int AUTO_INCREMENT NOT NULL, \`name\` varchar(60) NOT NULL,
    \`role\` enum('reader','writer') NOT NULL DEFAULT 'reader', \`balance\` decimal(12,2) NOT NULL DEFAULT '0',
    \`extra\` json, \`seen\` datetime(3), \`big\` bigint unsigned, \`active\` boolean NOT NULL DEFAULT true, \`mentor\` int,
    CONSTRAINT \`users_id\` PRIMARY KEY(\`id\`), CONSTRAINT \`one_name\` UNIQUE(\`name\`));
--> statement-breakpoint
CREATE TABLE \`posts\` (\`id\` int AUTO_INCREMENT NOT NULL, \`author\` int NOT NULL, \`title\` varchar(100) NOT NULL,
    CONSTRAINT \`posts_id\` PRIMARY KEY(\`id\`));
--> statement-breakpoint
ALTER TABLE \`posts\` ADD CONSTRAINT \`posts_author_users_id_fk\` FOREIGN KEY (\`author\`) REFERENCES \`users\`(\`id\`) ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX \`by_role\` ON \`users\` (\`role\`,\`seen\`);`,
  'ALTER TABLE `posts` ADD `body` text;',
];

// A folder of migrations as drizzle-kit writes it.
function migrationsFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rowhouse-drizzle-'));
  fs.mkdirSync(path.join(folder, 'meta'));
  const entries = MIGRATIONS.map((text, idx) => {
    fs.writeFileSync(path.join(folder, `000${idx}_step.sql`), text);
    return { idx, version: '5', when: 1700000000000 + idx, tag: `000${idx}_step`, breakpoints: true };
  });
  fs.writeFileSync(path.join(folder, 'meta', '_journal.json'), JSON.stringify({ version: '7', dialect: 'mysql', entries }));
  return folder;
}

run('drizzle', async (access) => {
  const pool = mysql.createPool({ ...access, connectionLimit: 4 });
  const db = drizzle(pool, { schema: { users, posts, userRelations, postRelations }, mode: 'default' });
  const folder = migrationsFolder();
  const names = async (query) => (await query).map((row) => row.name);
  return {
    close: async () => { fs.rmSync(folder, { recursive: true }); await pool.end(); },
    steps: {
      'migrations run once': async () => {
        await migrate(db, { migrationsFolder: folder });
        await migrate(db, { migrationsFolder: folder });
        const [done] = await db.execute(sql`SELECT COUNT(*) AS n FROM __drizzle_migrations`);
        assert.equal(Number(done[0].n), 2);
      },
      'rows come back as they went in': async () => {
        const made = await db.insert(users).values([{ name: 'Ann', balance: '12.50', extra: { a: [1, null] }, seen: new Date(1e12 + 7), big: 9007199254740991n }, { name: 'Bob', mentor: 1 }]).$returningId();
        assert.deepEqual(made, [{ id: 1 }, { id: 2 }]);
        const [row] = await db.select().from(users).where(eq(users.name, 'Ann'));
        assert.deepEqual([row.balance, row.extra, row.seen.getTime(), row.big, row.active], ['12.50', { a: [1, null] }, 1e12 + 7, 9007199254740991n, true]);
        await db.insert(posts).values([{ author: 1, title: 'One', body: 'text' }, { author: 1, title: 'Two' }]);
        await refused(db.insert(posts).values({ author: 99, title: 'x' }), 1452);
      },
      'conflicts are merged or passed over': async () => {
        await db.insert(users).values({ name: 'Bob', balance: '5' }).onDuplicateKeyUpdate({ set: { balance: sql`values(${users.balance}) + 1` } });
        await db.insert(users).ignore().values({ name: 'Bob', balance: '9' });
        assert.equal((await db.select().from(users).where(eq(users.name, 'Bob')))[0].balance, '6.00');
      },
      'relational queries': async () => {
        const [ann] = await db.query.users.findMany({ with: { posts: { columns: { title: true }, orderBy: desc(posts.title), limit: 1 } }, where: eq(users.name, 'Ann') });
        assert.deepEqual(ann.posts, [{ title: 'Two' }]);
        const bob = await db.query.users.findFirst({ with: { mentor: { with: { posts: true } } }, where: like(users.name, 'B%') });
        assert.deepEqual([bob.mentor.name, bob.mentor.posts.length], ['Ann', 2]);
        const post = await db.query.posts.findFirst({ with: { author: true }, extras: { long: sql`length(${posts.title})`.as('long') } });
        assert.deepEqual([post.author.name, Number(post.long)], ['Ann', 3]);
      },
      'queries of many forms': async () => {
        const busy = db.$with('busy').as(db.select({ author: posts.author, n: count().as('n') }).from(posts).groupBy(posts.author).having(gt(count(), 1)));
        assert.deepEqual(await names(db.with(busy).select({ name: users.name }).from(users).innerJoin(busy, eq(users.id, busy.author))), ['Ann']);
        assert.deepEqual(await names(union(db.select({ name: users.name }).from(users), db.select({ name: posts.title }).from(posts)).orderBy(sql`name`).limit(3)), ['Ann', 'Bob', 'One']);
        assert.deepEqual(await names(db.select().from(users).where(and(inArray(users.id, [1, 2]), exists(db.select().from(posts).where(eq(posts.author, users.id)))))), ['Ann']);
        const prepared = db.select().from(users).where(eq(users.name, sql.placeholder('name'))).prepare();
        assert.equal((await prepared.execute({ name: 'Bob' })).length, 1);
        assert.equal(await db.$count(posts), 2);
        await db.update(users).set({ extra: sql`JSON_SET(${users.extra}, '$.b', 1)` }).where(eq(users.id, 1));
        assert.deepEqual((await db.select().from(users).limit(1))[0].extra, { a: [1, null], b: 1 });
      },
      'nested transactions and locks': async () => {
        await db.transaction(async (work) => {
          await work.insert(users).values({ name: 'Cyd' });
          await work.transaction(async (inner) => { await inner.insert(users).values({ name: 'gone' }); inner.rollback(); }).catch(() => {});
          await work.select().from(users).where(eq(users.name, 'Bob')).for('update');
          await db.transaction(async (other) => {
            assert.deepEqual(await other.select().from(users).where(eq(users.name, 'Bob')).for('update', { skipLocked: true }), []);
          });
        }, { isolationLevel: 'repeatable read', withConsistentSnapshot: true });
        assert.deepEqual(await names(db.select().from(users).orderBy(users.name)), ['Ann', 'Bob', 'Cyd']);
        await db.delete(users).where(eq(users.name, 'Ann'));
        assert.equal(await db.$count(posts), 0);
      },
    },
  };
});
