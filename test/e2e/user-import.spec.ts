import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { operatorActor } from '#access';
import { UserImporter } from '#users';
import { startTestApp, type TestApp } from '../support/test-app.js';

const LINES = 2_500;
const HEADERS = { 'content-type': 'text/csv', accept: 'application/x-ndjson' };

const file = (name: string): string =>
  ['email,name', ...Array.from({ length: LINES }, (_, at) => `${name}-${at}@example.com,Person ${at}`)].join('\n');

describe.each(['express', 'fastify'] as const)('an import with progress on %s', platform => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(platform === 'fastify' ? { adapter: new FastifyAdapter() } : {});
  });

  afterAll(() => app?.close());

  it('reports the lines of each transaction, and then the result', async () => {
    const { call } = await app.addOrganization();
    const { status, headers, text } = await call('POST', '/v1/users/import', file('all'), HEADERS);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    const lines = text.split('\n').slice(0, -1);
    const told = lines.map(line => JSON.parse(line));
    const result = told.at(-1)?.result;
    expect(told.slice(0, -1).map(({ progress }) => progress.lines)).toEqual([0, 1_000, 2_000, 2_500]);
    expect(result).toMatchObject({ dry_run: false, created: LINES, updated: 0, unchanged: 0, refused: 0 });
    expect((await call('GET', '/v1/users?limit=1')).body.total_count).toBe(LINES);
  });

  it('answers an error as JSON if the file cannot be read', async () => {
    const { call } = await app.addOrganization();
    const answer = await call('POST', '/v1/users/import', 'email,nonsense\na@example.com,1', HEADERS);
    expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request' } });
  });

  it('stops before its next transaction when its signal aborts, and keeps the imported lines', async () => {
    const { orgId, call } = await app.addOrganization();
    const gone = new AbortController();
    const onProgress = (lines: number): void => {
      if (lines === 1_000) gone.abort(new Error('The reader is gone.'));
    };
    const request = { source: [file('some')], onProgress, signal: gone.signal };
    const run = app.app.get(UserImporter, { strict: false }).import(operatorActor(orgId, 'test'), request);
    await expect(run).rejects.toThrow('The reader is gone.');
    expect((await call('GET', '/v1/users?limit=1')).body.total_count).toBe(1_000);
  });
});
