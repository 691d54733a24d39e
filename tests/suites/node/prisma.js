// Prisma's client, whose query compiler is WebAssembly, over MariaDB's driver: rows with relations, filters, groups,
// upserts, errors, transactions.
'use strict';

const path = require('node:path');
const { assert, run } = require('./scenario');

const folder = process.env.PRISMA;
const from = (name) => require(path.join(folder, 'node_modules', name));
const { PrismaMariaDb } = from('@prisma/adapter-mariadb');
const { PrismaClient, Prisma } = require(path.join(folder, 'generated'));

// As Prisma Migrate would write it: its engine for MySQL is a program of its own.
const TABLES = [
  `CREATE TABLE \`User\` (
    \`id\` INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, \`email\` VARCHAR(120) NOT NULL, \`name\` VARCHAR(191) NULL,
    \`role\` ENUM('READER', 'writer') NOT NULL DEFAULT 'READER', \`balance\` DECIMAL(12, 2) NOT NULL DEFAULT 0, \`extra\` JSON NULL,
    \`active\` BOOLEAN NOT NULL DEFAULT true, \`big\` BIGINT UNSIGNED NULL, \`ratio\` DOUBLE NULL, \`photo\` MEDIUMBLOB NULL,
    \`born\` DATE NULL, \`seen\` DATETIME(3) NULL, \`made\` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    \`changed\` DATETIME(3) NOT NULL, \`boss_id\` INTEGER UNSIGNED NULL, UNIQUE INDEX \`User_email_key\`(\`email\`),
    INDEX \`by_role\`(\`role\`, \`seen\` DESC), PRIMARY KEY (\`id\`)) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`,
  `CREATE TABLE \`Profile\` (\`userId\` INTEGER UNSIGNED NOT NULL, \`motto\` TEXT NOT NULL, PRIMARY KEY (\`userId\`))
    DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`,
  `CREATE TABLE \`posts\` (\`id\` CHAR(36) NOT NULL, \`title\` VARCHAR(200) NOT NULL, \`body\` VARCHAR(2000) NOT NULL DEFAULT '',
    \`votes\` INTEGER NOT NULL DEFAULT 0, \`authorId\` INTEGER UNSIGNED NOT NULL, FULLTEXT INDEX \`posts_title_body_idx\`(\`title\`, \`body\`),
    UNIQUE INDEX \`posts_authorId_title_key\`(\`authorId\`, \`title\`), PRIMARY KEY (\`id\`)) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`,
  `CREATE TABLE \`Tag\` (\`word\` VARCHAR(40) NOT NULL, PRIMARY KEY (\`word\`)) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`,
  `CREATE TABLE \`_PostToTag\` (\`A\` CHAR(36) NOT NULL, \`B\` VARCHAR(40) NOT NULL, UNIQUE INDEX \`_PostToTag_AB_unique\`(\`A\`, \`B\`),
    INDEX \`_PostToTag_B_index\`(\`B\`)) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`,
  'ALTER TABLE `User` ADD CONSTRAINT `User_boss_id_fkey` FOREIGN KEY (`boss_id`) REFERENCES `User`(`id`) ON DELETE SET NULL ON UPDATE NO ACTION',
  'ALTER TABLE `Profile` ADD CONSTRAINT `Profile_userId_fkey` FOREIGN KEY (`userId`) REFERENCES `User`(`id`) ON DELETE CASCADE ON UPDATE CASCADE',
  'ALTER TABLE `posts` ADD CONSTRAINT `posts_authorId_fkey` FOREIGN KEY (`authorId`) REFERENCES `User`(`id`) ON DELETE CASCADE ON UPDATE CASCADE',
  'ALTER TABLE `_PostToTag` ADD CONSTRAINT `_PostToTag_A_fkey` FOREIGN KEY (`A`) REFERENCES `posts`(`id`) ON DELETE CASCADE ON UPDATE CASCADE',
  'ALTER TABLE `_PostToTag` ADD CONSTRAINT `_PostToTag_B_fkey` FOREIGN KEY (`B`) REFERENCES `Tag`(`word`) ON DELETE CASCADE ON UPDATE CASCADE',
];

// The error that an operation must end with, by Prisma's code.
async function coded(promise, code) {
  const error = await promise.then(() => null, (reason) => reason);
  assert.equal(error?.code, code, error?.message ?? `error ${code} did not come`);
}

run('prisma', async (access, plain) => {
  await plain.query(`USE ${access.database}`);
  const db = new PrismaClient({ adapter: new PrismaMariaDb({ ...access, connectionLimit: 4 }) });
  return {
    close: () => db.$disconnect(),
    steps: {
      'tables are made': async () => {
        for (const statement of TABLES) await plain.query(statement);
      },
      'rows with rows of theirs go in, and come back as they were': async () => {
        const born = new Date('1990-02-03T00:00:00Z');
        const seen = new Date('2026-11-30T01:02:03.456Z');
        const made = await db.user.create({
          data: {
            email: 'ada@example.org', name: 'Adä 😀', role: 'WRITER', balance: '12345.67', extra: { a: [1, 'x', null] }, big: 18446744073709551615n,
            ratio: 1e-7, photo: Buffer.from([0, 255, 39, 92]), born, seen, profile: { create: { motto: 'on' } },
            posts: { create: [{ title: 'one', tags: { create: [{ word: 'sql' }, { word: 'rust' }] } }, { title: 'two', votes: 5 }] },
          },
          include: { profile: true, posts: { include: { tags: true }, orderBy: { title: 'asc' } } },
        });
        const got = await db.user.findUniqueOrThrow({
          where: { email: 'ada@example.org' }, include: { profile: true, posts: { include: { tags: true }, orderBy: { title: 'asc' } } },
        });
        const sorted = (user) => user.posts.forEach((post) => post.tags.sort((a, b) => a.word.localeCompare(b.word)));
        sorted(made);
        sorted(got);
        assert.deepEqual(got, made);
        assert.deepEqual([got.big, got.balance.toString(), got.ratio, got.extra], [18446744073709551615n, '12345.67', 1e-7, { a: [1, 'x', null] }]);
        assert.deepEqual([got.born, got.seen, [...got.photo]], [born, seen, [0, 255, 39, 92]]);
      },
      'relations by joins and by queries of their own': async () => {
        for (const relationLoadStrategy of ['join', 'query']) {
          const users = await db.user.findMany({
            relationLoadStrategy, select: { name: true, profile: { select: { motto: true } }, posts: { select: { title: true, tags: { orderBy: { word: 'asc' } } }, orderBy: { title: 'desc' }, take: 2 }, _count: { select: { posts: true } } },
          });
          assert.deepEqual(users, [{ name: 'Adä 😀', profile: { motto: 'on' }, posts: [{ title: 'two', tags: [] }, { title: 'one', tags: [{ word: 'rust' }, { word: 'sql' }] }], _count: { posts: 2 } }]);
        }
      },
      'many rows: created, skipped, updated, deleted': async () => {
        const data = Array.from({ length: 300 }, (_, n) => ({ email: `u${n}@example.org`, name: n % 2 ? null : `u${n}`, balance: n }));
        assert.equal((await db.user.createMany({ data })).count, 300);
        assert.equal((await db.user.createMany({ data: [...data, { email: 'new@example.org' }], skipDuplicates: true })).count, 1);
        assert.equal((await db.user.updateMany({ where: { name: null }, data: { balance: { increment: 1000 } } })).count, 151);
        assert.equal((await db.user.deleteMany({ where: { balance: { gte: 1200, lt: 1300 } } })).count, 50);
        assert.equal(await db.user.count(), 252);
      },
      'filters, order, pages and cursors': async () => {
        const names = async (query) => (await db.user.findMany({ select: { email: true }, ...query })).map((user) => user.email.split('@')[0]);
        assert.deepEqual(await names({ where: { OR: [{ email: { startsWith: 'u29' } }, { name: { contains: 'dä' } }], NOT: { balance: { gt: 1000000 } } }, orderBy: { email: 'asc' }, take: 3 }), ['ada', 'u29', 'u290']);
        assert.deepEqual(await names({ orderBy: [{ name: { sort: 'asc', nulls: 'last' } }, { id: 'asc' }], skip: 1, take: 2 }), ['u0', 'u10']);
        assert.deepEqual(await names({ cursor: { email: 'u4@example.org' }, skip: 1, take: 2, orderBy: { id: 'asc' } }), ['u5', 'u6']);
        assert.deepEqual(await names({ where: { posts: { some: { tags: { some: { word: 'sql' } } }, none: { votes: { gt: 5 } } } } }), ['ada']);
        assert.deepEqual(await names({ where: { extra: { path: '$.a[1]', equals: 'x' } } }), ['ada']);
        assert.deepEqual(await names({ where: { id: { in: Array.from({ length: 3000 }, (_, n) => n + 1) }, posts: { every: { votes: 0 } } }, take: 1, orderBy: { id: 'asc' } }), ['u0']);
        assert.deepEqual(await names({ distinct: ['role'], orderBy: { id: 'asc' } }), ['ada', 'u0']);
        assert.deepEqual(await names({ where: { posts: { some: { title: { search: 'two' }, body: { search: 'two' } } } } }), ['ada']);
      },
      'aggregates and groups': async () => {
        const sums = await db.user.aggregate({ where: { name: null }, _avg: { balance: true }, _max: { id: true }, _count: { _all: true } });
        assert.deepEqual([sums._count._all, sums._avg.balance.toFixed(2)], [101, '1099.01']);
        const groups = await db.user.groupBy({ by: ['role'], _count: { _all: true }, having: { balance: { _avg: { gt: 10 } } }, orderBy: { role: 'desc' } });
        assert.deepEqual(groups.map((group) => [group.role, group._count._all]), [['WRITER', 1], ['READER', 251]]);
      },
      'an upsert, a connection made on the way, a nested change': async () => {
        for (const votes of [1, 2]) {
          await db.post.upsert({
            where: { authorId_title: { authorId: 1, title: 'three' } }, update: { votes: { increment: votes } },
            create: { title: 'three', votes, author: { connect: { id: 1 } }, tags: { connectOrCreate: { where: { word: 'sql' }, create: { word: 'sql' } } } },
          });
        }
        await db.user.update({ where: { id: 1 }, data: { posts: { update: { where: { authorId_title: { authorId: 1, title: 'three' } }, data: { tags: { set: [{ word: 'rust' }] } } }, deleteMany: { title: 'two' } } } });
        const posts = await db.post.findMany({ where: { authorId: 1 }, orderBy: { title: 'asc' }, include: { tags: true } });
        assert.deepEqual(posts.map((post) => [post.title, post.votes, post.tags.length]), [['one', 0, 2], ['three', 3, 1]]);
      },
      'errors have their codes': async () => {
        await coded(db.user.create({ data: { email: 'ada@example.org' } }), 'P2002');
        await coded(db.profile.create({ data: { userId: 999999, motto: '' } }), 'P2003');
        await coded(db.user.update({ where: { id: 999999 }, data: { name: 'x' } }), 'P2025');
        await coded(db.user.create({ data: { email: 'x'.repeat(121) } }), 'P2000');
        await coded(db.$queryRaw`SELECT * FROM nowhere`, 'P2010');
      },
      'transactions: of a list, of a function, rolled back, of a level': async () => {
        await assert.rejects(db.$transaction([
          db.tag.create({ data: { word: 'gone' } }), db.tag.create({ data: { word: 'sql' } }),
        ]));
        await assert.rejects(db.$transaction(async (tx) => {
          await tx.tag.create({ data: { word: 'gone' } });
          throw new Error('no');
        }), /no/);
        assert.equal(await db.tag.count({ where: { word: 'gone' } }), 0);
        const level = await db.$transaction(async (tx) => {
          await tx.tag.create({ data: { word: 'kept' } });
          return tx.tag.count();
        }, { isolationLevel: Prisma.TransactionIsolationLevel.Serializable });
        assert.equal(level, 3);
      },
      'statements as they are written': async () => {
        assert.deepEqual(await db.$queryRaw`SELECT COUNT(*) AS n, CAST(1.50 AS DECIMAL(4, 2)) AS d, ${'é'} AS t, NOW(3) > ${new Date(0)} AS late FROM Tag`,
          [{ n: 3n, d: new Prisma.Decimal('1.50'), t: 'é', late: 1n }]);
        assert.equal(await db.$executeRaw`UPDATE posts SET votes = votes + ${1} WHERE title IN (${Prisma.join(['one', 'three'])})`, 2);
      },
      'a delete goes on to what hangs on it': async () => {
        await db.user.update({ where: { email: 'u0@example.org' }, data: { manager: { connect: { id: 1 } } } });
        await db.user.delete({ where: { id: 1 } });
        assert.deepEqual([await db.post.count(), await db.profile.count(), await db.user.count({ where: { bossId: null } })], [0, 0, 251]);
      },
    },
  };
});
