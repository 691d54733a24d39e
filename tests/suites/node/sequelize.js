// Sequelize: models and their relations, synchronisation, upserts, transactions, what it reads of tables.
'use strict';

const { DataTypes, ForeignKeyConstraintError, Op, Sequelize, Transaction, UniqueConstraintError } = require('sequelize');
const { assert, run } = require('./scenario');

run('sequelize', async ({ host, port, user, database }) => {
  const db = new Sequelize(database, user, '', { host, port, dialect: 'mysql', logging: false, pool: { max: 4 } });
  const User = db.define('User', {
    name: { type: DataTypes.STRING(60), allowNull: false, unique: 'one_name' },
    role: { type: DataTypes.ENUM('reader', 'writer'), defaultValue: 'reader' },
    balance: DataTypes.DECIMAL(12, 2),
    extra: DataTypes.JSON,
    born: DataTypes.DATEONLY,
    seen: DataTypes.DATE(6),
    big: DataTypes.BIGINT.UNSIGNED,
    photo: DataTypes.BLOB,
    uuid: { type: DataTypes.UUID, defaultValue: DataTypes.UUIDV4 },
    active: { type: DataTypes.BOOLEAN, defaultValue: true },
    initial: { type: DataTypes.VIRTUAL, get() { return this.name[0]; } },
  }, { paranoid: true, version: true, indexes: [{ fields: ['role', 'born'] }], comment: 'people' });
  const Post = db.define('Post', { title: DataTypes.STRING, body: DataTypes.TEXT('medium'), votes: { type: DataTypes.INTEGER, defaultValue: 0 } });
  const Tag = db.define('Tag', { word: { type: DataTypes.STRING(30), primaryKey: true } }, { timestamps: false });
  User.hasMany(Post, { as: 'posts', foreignKey: { name: 'authorId', allowNull: false }, onDelete: 'CASCADE' });
  Post.belongsTo(User, { as: 'author', foreignKey: 'authorId' });
  Post.belongsToMany(Tag, { through: 'PostTags' });
  Tag.belongsToMany(Post, { through: 'PostTags' });
  User.hasOne(User, { as: 'mentee', foreignKey: 'mentorId' });
  const own = db.getQueryInterface();
  return {
    close: () => db.close(),
    steps: {
      'models become tables, and stay as they are': async () => {
        await db.authenticate();
        await db.sync({ force: true });
        await db.sync({ alter: true });
        await db.sync({ alter: true });
        assert.deepEqual((await own.showAllTables()).sort(), ['PostTags', 'Posts', 'Tags', 'Users']);
      },
      'tables tell what they are': async () => {
        const columns = await own.describeTable('Users');
        assert.deepEqual([columns.name.type, columns.name.allowNull, columns.id.primaryKey, columns.id.autoIncrement], ['VARCHAR(60)', false, true, true]);
        assert.equal(columns.role.type, "ENUM('reader','writer')");
        assert.equal(columns.role.defaultValue, 'reader');
        const keys = await own.getForeignKeyReferencesForTable('Posts');
        assert.deepEqual(keys.map((key) => [key.columnName, key.referencedTableName, key.referencedColumnName]), [['authorId', 'Users', 'id']]);
        const indexes = (await own.showIndex('Users')).map((index) => [index.name, index.unique]).sort();
        assert.ok(indexes.some(([name, unique]) => name === 'users_role_born' && !unique), JSON.stringify(indexes));
      },
      'rows come back as they went in': async () => {
        const made = await User.create({
          name: 'Ann', balance: '12.50', extra: { a: { b: [1, 'x'], c: 'x' } }, born: '2000-02-29', seen: new Date(1e12 + 7), big: '18446744073709551615', photo: Buffer.from([0, 1, 255]),
        });
        const row = await User.findByPk(made.id);
        assert.deepEqual([row.balance, row.extra, row.born, row.seen.getTime(), String(row.big), row.photo], ['12.50', { a: { b: [1, 'x'], c: 'x' } }, '2000-02-29', 1e12 + 7, '18446744073709551615', Buffer.from([0, 1, 255])]);
        assert.deepEqual([row.active, row.role, row.initial], [true, 'reader', 'A']);
      },
      'many at once, upserts and found or made': async () => {
        await User.bulkCreate([{ name: 'Bob' }, { name: 'Cyd' }, { name: 'Dan' }]);
        await User.bulkCreate([{ name: 'Bob', balance: 3 }, { name: 'Eve' }], { updateOnDuplicate: ['balance'] });
        await User.bulkCreate([{ name: 'Bob', balance: 9 }], { ignoreDuplicates: true });
        assert.equal((await User.findOne({ where: { name: 'Bob' } })).balance, '3.00');
        await User.upsert({ name: 'Bob', balance: 4 });
        const [found, made] = await User.findOrCreate({ where: { name: 'Bob' } });
        assert.deepEqual([found.balance, made], ['4.00', false]);
        assert.equal((await User.findOrCreate({ where: { name: 'Fay' }, defaults: { role: 'writer' } }))[1], true);
        assert.equal(await User.count(), 6);
      },
      'relations are made, included and counted': async () => {
        const ann = await User.findOne({ where: { name: 'Ann' } });
        const post = await ann.createPost({ title: 'One', body: 'text' });
        await ann.createPost({ title: 'Two' });
        await post.addTags([await Tag.create({ word: 'red' }), await Tag.create({ word: 'blue' })]);
        const all = await User.findAll({ include: [{ association: 'posts', include: [Tag] }], where: { name: 'Ann' }, order: [[{ model: Post, as: 'posts' }, 'title'], [{ model: Post, as: 'posts' }, Tag, 'word']] });
        assert.deepEqual(all[0].posts.map((one) => [one.title, one.Tags.map((tag) => tag.word)]), [['One', ['blue', 'red']], ['Two', []]]);
        const limited = await User.findAndCountAll({ include: [{ association: 'posts', required: true }], limit: 1, distinct: true });
        assert.deepEqual([limited.count, limited.rows[0].posts.length], [1, 2]);
        const counted = await Post.findAll({ attributes: ['authorId', [db.fn('COUNT', db.col('id')), 'n']], group: 'authorId', having: db.literal('n > 1'), raw: true });
        assert.deepEqual(counted, [{ authorId: ann.id, n: 2 }]);
        assert.equal(await post.countTags(), 2);
        await post.removeTag('red');
        assert.equal(await Post.count({ include: [{ model: Tag, where: { word: { [Op.startsWith]: 'b' } } }] }), 1);
      },
      'conditions of many forms': async () => {
        const count = (where) => User.count({ where });
        assert.equal(await count({ name: { [Op.or]: [{ [Op.like]: 'A%' }, { [Op.regexp]: '^B' }] } }), 2);
        assert.equal(await count({ 'extra.a.c': 'x' }), 1);
        assert.equal(await count({ born: { [Op.between]: ['1999-01-01', '2001-01-01'] }, seen: { [Op.not]: null } }), 1);
        assert.equal(await count({ id: { [Op.in]: db.literal('(SELECT authorId FROM Posts)') } }), 1);
        assert.equal(await User.max('name'), 'Fay');
        await Post.increment({ votes: 5 }, { where: {} });
        assert.equal(await Post.sum('votes'), 10);
      },
      'errors have their own classes': async () => {
        await assert.rejects(User.create({ name: 'Ann' }), (error) => error instanceof UniqueConstraintError && error.fields.name === 'Ann');
        await assert.rejects(Post.create({ title: 'x', authorId: 999 }), (error) => error instanceof ForeignKeyConstraintError && error.fields[0] === 'authorId' && error.table === 'Users');
      },
      'transactions of each isolation, locks, savepoints': async () => {
        for (const isolationLevel of Object.values(Transaction.ISOLATION_LEVELS)) {
          await db.transaction({ isolationLevel }, async (transaction) => {
            const row = await User.findOne({ where: { name: 'Bob' }, lock: transaction.LOCK.UPDATE, transaction });
            await row.update({ balance: 8 }, { transaction });
            await User.findOne({ where: { name: 'Cyd' }, lock: transaction.LOCK.SHARE, skipLocked: true, transaction });
          });
        }
        await assert.rejects(db.transaction(async (transaction) => {
          await User.create({ name: 'gone' }, { transaction });
          await db.transaction({ transaction }, (inner) => User.create({ name: 'gone too' }, { transaction: inner }));
          throw new Error('no');
        }), /no/);
        assert.equal(await User.count({ where: { name: { [Op.startsWith]: 'gone' } } }), 0);
      },
      'rows that two change, and rows put aside': async () => {
        const [one, two] = [await User.findOne({ where: { name: 'Cyd' } }), await User.findOne({ where: { name: 'Cyd' } })];
        await one.update({ balance: 1 });
        await assert.rejects(two.update({ balance: 2 }), /stale/);
        await one.destroy();
        assert.equal(await User.findOne({ where: { name: 'Cyd' } }), null);
        await one.restore();
        await User.destroy({ where: { name: 'Ann' }, force: true });
        assert.equal(await Post.count(), 0, 'posts follow their author');
      },
      'tables are altered by hand': async () => {
        await own.addColumn('Posts', 'slug', { type: DataTypes.STRING(40), after: 'title' });
        await own.addIndex('Posts', ['slug'], { unique: true, name: 'by_slug' });
        await own.changeColumn('Posts', 'slug', { type: DataTypes.STRING(80), allowNull: false, defaultValue: '' });
        await own.renameColumn('Posts', 'slug', 'path');
        assert.equal((await own.describeTable('Posts')).path.type, 'VARCHAR(80)');
        await own.removeIndex('Posts', 'by_slug');
        await own.addConstraint('Posts', { fields: ['votes'], type: 'check', name: 'some_votes', where: { votes: { [Op.gte]: 0 } } });
        await assert.rejects(Post.create({ title: 'x', votes: -1, authorId: 2 }));
        await db.query('ALTER TABLE Posts DROP CONSTRAINT some_votes');
        await own.removeColumn('Posts', 'path');
        await db.drop();
        assert.deepEqual(await own.showAllTables(), []);
      },
    },
  };
});
