import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { GovernanceModule, GovernanceOperations } from 'nest-llm-governance';
import * as library from 'nest-llm-governance/itsm';
import { serveDouble } from 'nest-llm-governance/testing';
import { AcmeDeskApiAdapter } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.api.js';
import {
  acmeDeskApiContract,
  acmeDeskChangesContract,
} from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.changes.contract.js';
import { acmeDeskContract } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.contract.js';
import { AcmeDeskDouble } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.double.js';
import { DeskModule } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.module.js';
import { trustInThisProcess } from '../support/certificates.js';
import { until } from '../support/webhooks.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';
import { blocksOf, readPage } from './markdown.js';

const PAGE = 'docs/write-an-itsm-adapter.md';
const KEYS = `k1:${Buffer.alloc(32, 6).toString('base64')}`;
const FOLDER = 'apps/examples/docs-snippets/src/acme-desk';
const ADAPTER = `${FOLDER}/acme-desk.adapter.ts`;

/** The section of a heading, up to the next heading. */
function chapter(heading: string): string {
  return (
    readPage(PAGE)
      .split(/^## /m)
      .find(text => text.startsWith(`${heading}\n`)) ?? ''
  );
}

describe('the adapter of docs/write-an-itsm-adapter.md keeps the contract: it', () => {
  it.each(acmeDeskContract.map(({ title, run }) => [title, run] as const))('%s', async (_title, run) => run());
});

describe('the changing adapter of docs/write-an-itsm-adapter.md keeps the contract: it', () => {
  it.each(acmeDeskChangesContract.map(({ title, run }) => [title, run] as const))('%s', async (_title, run) => run());
});

describe('the adapter for a JSON API of docs/write-an-itsm-adapter.md keeps the contract: it', () => {
  it.each(acmeDeskApiContract.map(({ title, run }) => [title, run] as const))('%s', async (_title, run) => run());
});

describe('docs/write-an-itsm-adapter.md', () => {
  it('shows the complete adapter, its fake and its contract, so that the reader needs no other source', () => {
    for (const file of [
      ADAPTER,
      ...['changes', 'api', 'limits', 'double', 'contract', 'changes.contract'].map(
        name => `${FOLDER}/acme-desk.${name}.ts`,
      ),
    ]) {
      const shown = blocksOf(PAGE)
        .filter(({ marks }) => marks[0] === file)
        .map(({ code }) => code)
        .join('\n');
      const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
      // The page shows the class member by member. The last brace of the class closes it before the functions that
      // follow.
      expect(words(shown).replaceAll(/\s|\}/g, '')).toBe(words(readPage(file)).replaceAll(/\s|\}/g, ''));
    }
  });

  it('keeps the adapter within 150 lines', () => {
    expect(readPage(ADAPTER).trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it('lists every rule of the contract', () => {
    const listed = [...chapter('The test').matchAll(/^- (.+)$/gm)].map(([, rule]) => rule);
    expect(listed).toEqual(acmeDeskContract.map(({ title }) => title));
  });

  it('names only helpers that exist', () => {
    const rows = chapter('Helpers').matchAll(/^\| (.+?) +\|/gm);
    const named = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)/g)].map(([, name = '']) => name));
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter(name => !(name in library))).toEqual([]);
  });
});

describe('a host with the adapter of docs/write-an-itsm-adapter.md', () => {
  let database: TestDatabase;
  let app: INestApplication;
  let url: string;
  let token: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await NestFactory.create(DeskModule.with(database.url, KEYS), { bodyParser: false, logger: ['error'] });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    ({ token } = await app.get(GovernanceOperations).createOrganization('Acme'));
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  const send = (path: string, body?: string) =>
    fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });

  it('lists the platform with its schemas', async () => {
    const kinds: unknown = await (await send('/v1/itsm/kinds')).json();
    expect(JSON.stringify(kinds)).toContain('"acme_desk"');
    expect(JSON.stringify(kinds)).toContain('"Where new tickets go."');
  });

  it('accepts the connector that the page shows', async () => {
    const shown = blocksOf(PAGE).find(({ marks }) => marks[0] === 'connector');
    const response = await send('/v1/itsm/connectors', shown?.code);
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 201,
      body: { kind: 'acme_desk', active: true },
    });
  });
});

describe('the steps of docs/write-an-itsm-adapter.md to try an adapter on a machine', () => {
  const REPORT_SECRET = 'a-secret-of-reports-0123456789';
  const undo: (() => Promise<void> | void)[] = [];
  const desk = new AcmeDeskDouble();
  let folder: string;
  let url: string;
  let orgId: string;
  let token: string;
  let deskUrl: string;

  const shown = (mark: string): string => blocksOf(PAGE).find(({ marks }) => marks[0] === mark)?.code ?? '';

  async function run(mark: string, env: Record<string, string> = {}): Promise<string> {
    const command = ['bash', ['-euo', 'pipefail', '-c', shown(mark)]] as const;
    // The host answers in this process, so the command must not block the process.
    const { stdout } = await promisify(execFile)(...command, { cwd: folder, env: { ...process.env, ...env } });
    return stdout;
  }

  const send = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return response.json();
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'acme-desk-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    await run('certificate');
    const [key, cert] = ['key.pem', 'cert.pem'].map(name => readFileSync(join(folder, name), 'utf8'));
    if (key === undefined || cert === undefined) throw new Error('The command writes both files.');
    undo.push(trustInThisProcess(cert));
    const served = await serveDouble(desk.http, { origin: 'https://acme.example', key, cert });
    deskUrl = served.url;
    undo.push(() => served.close());
    const database = await createTestDatabase();
    undo.push(() => database.drop());
    const app = await NestFactory.create(
      GovernanceModule.forRoot({
        database: { url: database.url, migrations: 'run' },
        keys: KEYS,
        itsmAdapters: [AcmeDeskApiAdapter],
        egress: { allow: [`tickets=${new URL(deskUrl).host}`] },
      }),
      { bodyParser: false, logger: ['error'] },
    );
    undo.push(() => app.close());
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    ({ orgId, token } = await app.get(GovernanceOperations).createOrganization('Acme'));
  });

  afterAll(async () => {
    for (const each of undo.toReversed()) await each();
  });

  it('open a ticket in the fake desk; governance accepts its report only with the right secret', async () => {
    const draft = library.asObject(JSON.parse(shown('connector').replace('https://acme.example', deskUrl)));
    const secrets = { api_token: 'token-of-acme', report_secret: REPORT_SECRET };
    const connector = await send('/itsm/connectors', { ...draft, secrets });
    const id = library.asText(library.asObject(connector)?.['id']);
    expect(await send(`/itsm/connectors/${id}/test`, {})).toMatchObject({ passed: true });
    expect(desk.tickets).toHaveLength(1);
    await send('/users', { email: 'lin@example.com', name: 'Lin' });
    await send('/policies', { name: 'No images', action: 'block', model: 'image-*' });
    await send('/decisions', { user_email: 'lin@example.com', provider: 'openai', model: 'image-1' });
    await until(async () => JSON.stringify(await send('/itsm/tickets')).includes('"AD-2"'));
    const report = (secret: string): Promise<string> =>
      run('report-of-desk', { URL: url, ORG_ID: orgId, REPORT_SECRET: secret });
    expect(JSON.parse(await report('x'.repeat(30)))).toMatchObject({ error: 'unauthorized' });
    expect(JSON.parse(await report(REPORT_SECRET))).toEqual({ external_ticket_id: 'AD-2', status: 'resolved' });
  });
});
