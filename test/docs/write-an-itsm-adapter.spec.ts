import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { GovernanceOperations } from 'nest-llm-governance';
import * as door from 'nest-llm-governance/itsm';
import { acmeDeskChangesContract } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.changes.contract.js';
import { acmeDeskContract } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.contract.js';
import { DeskModule } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.module.js';
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

describe('docs/write-an-itsm-adapter.md', () => {
  it('shows the complete adapter, its fake and its contract, so that the reader needs no other source', () => {
    for (const file of [
      ADAPTER,
      ...['changes', 'double', 'contract', 'changes.contract'].map(name => `${FOLDER}/acme-desk.${name}.ts`),
    ]) {
      const shown = blocksOf(PAGE)
        .filter(({ marks }) => marks[0] === file)
        .map(({ code }) => code)
        .join('\n');
      const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
      // The page shows the class member by member. Its last brace closes it before the functions that follow.
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
    expect(named.filter(name => !(name in door))).toEqual([]);
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
