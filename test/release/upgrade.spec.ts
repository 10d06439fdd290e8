import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '#database';
import { MIGRATIONS } from '#governance';
import { fillEveryTable } from '../support/fill-every-table.js';
import { startTestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';
import { LOOPBACK_ALLOWED } from '../support/webhooks.js';
import { dumpOf, restore, type Dump } from './dump.js';

const ROOT = join(import.meta.dirname, '..', '..');
/** One database of each released version, written by `npm run release` and never changed by hand. */
const FOLDER = join(import.meta.dirname, 'dumps');
const RELEASED = join(ROOT, 'libs', 'governance', 'migrations', 'released.json');
const RELEASE = process.env['RELEASE_VERSION'];
const THIS_VERSION = 'this version';
const ENDING = '.json.gz';

const released = existsSync(FOLDER) ? readdirSync(FOLDER).filter(file => file.endsWith(ENDING)) : [];
const versions = released.map(file => file.slice(0, -ENDING.length));

let present: Dump;
let orgId: string;

/** Dumps a database with at least one row in every table of organizations. */
beforeAll(async () => {
  const app = await startTestApp(LOOPBACK_ALLOWED);
  await fillEveryTable(app, app.orgId, app.call);
  orgId = app.orgId;
  // Closes the app before the dump, so that no write is running.
  await app.app.close();
  present = await dumpOf(app.database);
  await app.database.drop();
  if (RELEASE === undefined) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${RELEASE}${ENDING}`), gzipSync(JSON.stringify({ orgId, ...present })));
});

describe.each([...versions, THIS_VERSION])('a database of %s', version => {
  let database: TestDatabase;
  let dump: Dump;
  let organization: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    if (version === THIS_VERSION) [dump, organization] = [present, orgId];
    else {
      // `npm run release` has written this dump, so it is not validated.
      const text = gunzipSync(readFileSync(join(FOLDER, `${version}${ENDING}`))).toString();
      const { orgId: theirs, ...read } = JSON.parse(text) as Dump & { orgId: string };
      [dump, organization] = [read, theirs];
    }
    await restore(dump, database, MIGRATIONS);
  });

  afterAll(() => database?.drop());

  it('is complete after the restore: the schema and every row equal the dump', async () => {
    expect(await dumpOf(database)).toEqual(dump);
  });

  it('is upgraded without losing a row, and the app works with it', async () => {
    const missing = MIGRATIONS.map(({ name }) => name).filter(name => !dump.migrations.includes(name));
    expect(await migrate({ url: database.url }, MIGRATIONS)).toEqual(missing);
    for (const { name, count } of dump.tables) {
      const [row] = await database.asOwner<{ count: number }>(`select count(*)::int as count from governance.${name}`);
      expect({ name, count: row?.count }).toEqual({ name, count });
    }
    const app = await startTestApp({ ...LOOPBACK_ALLOWED, testDatabase: database, orgId: organization });
    try {
      expect((await app.call('GET', '/health/ready')).status).toBe(200);
      for (const list of [
        'users',
        'policies',
        'prices',
        'budgets',
        'limits',
        'webhooks',
        'itsm/connectors',
        'devices',
      ]) {
        const { status, body } = await app.call('GET', `/v1/${list}`);
        expect([list, status, body.items.length > 0]).toEqual([list, 200, true]);
      }
      const { items } = (await app.call('GET', '/v1/users?department=Sales')).body;
      const asked = { user_email: items[0].email, provider: 'openai', model: 'gpt-4o' };
      expect(await app.call('POST', '/v1/decisions', asked)).toMatchObject({ status: 200, body: { allowed: true } });
    } finally {
      await app.close();
    }
  });
});

it('exists for every released version', () => {
  const listed = Object.keys(JSON.parse(readFileSync(RELEASED, 'utf8')) as object);
  // Ignores the version that is being released, whose dump another test file may be writing at the same time.
  expect(versions.filter(version => version !== RELEASE).toSorted()).toEqual(
    listed.filter(version => version !== RELEASE).toSorted(),
  );
});
