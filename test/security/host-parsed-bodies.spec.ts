import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { GovernanceModule } from '#governance';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { createOrganization, createToken } from '../support/seed.js';
import type { TestDatabase } from '../support/test-postgres.js';

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const TYPES = ['application/json', 'application/*+json'];
const WIDE = JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`k${at}`, at])));

describe('a body with 1,001 keys that the host has parsed', () => {
  let app: NestExpressApplication;
  let database: TestDatabase;
  let token: string;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    @Module({
      imports: [GovernanceModule.forRoot({ keys: KEYS, database: { url: database.url, migrations: 'check' } })],
    })
    class Host {}
    app = await NestFactory.create<NestExpressApplication>(Host, { bodyParser: false, logger: ['error'] });
    app.useBodyParser('json', { limit: '5mb', type: TYPES });
    await app.listen(0, '127.0.0.1');
    token = await createToken(app, await createOrganization(app, 'Test organization'), 'admin');
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  it.each([
    ['application/json', '/v1/users', WIDE],
    ['application/scim+json', '/scim/v2/Users', WIDE],
    ['application/cloudevents-batch+json', '/v1/usage/events', `[${WIDE}]`],
  ])('is refused if it is %s', async (type, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const answer = await fetch((await app.getUrl()) + path, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('more than 1000 keys')]);
  });
});
