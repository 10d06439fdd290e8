import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createContext, SourceTextModule } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type * as ClientModule from 'nest-llm-governance/client';
import { ROOT } from './packed-host.js';

const FOLDER = join(ROOT, 'dist/libs/client');
const GZIP_MAX_BYTES = 6 * 1024;

describe('the built client', () => {
  beforeAll(() => {
    if (!existsSync(join(FOLDER, 'index.js'))) throw new Error('There is no build: run npm run build.');
  });

  it('is at most 6 KiB, compressed', () => {
    const code = readdirSync(FOLDER).filter(file => file.endsWith('.js'));
    expect(code.length).toBeGreaterThan(1);
    expect(gzipSync(code.map(file => readFileSync(join(FOLDER, file), 'utf8')).join('')).length).toBeLessThan(
      GZIP_MAX_BYTES,
    );
  });

  it('runs without any API of Node, as in a browser or an edge runtime', async () => {
    const urls: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      urls.push(url);
      return urls.length === 1
        ? Response.json(
            { error: 'rate_limited', message: 'Slow down.' },
            { status: 429, headers: { 'retry-after': '0' } },
          )
        : Response.json({ items: [{ id: 'p1' }], next_cursor: null, has_more: false });
    };
    const context = createContext({ fetch, setTimeout, clearTimeout, URLSearchParams, AbortController });
    const load = async (file: string): Promise<SourceTextModule> =>
      new SourceTextModule(readFileSync(file, 'utf8'), { context, identifier: file });
    const loaded = new Map<string, Promise<SourceTextModule>>();
    const entryPoint = await load(join(FOLDER, 'index.js'));
    await entryPoint.link((name, from) => {
      const file = join(dirname(from.identifier), name);
      const found = loaded.get(file) ?? load(file);
      loaded.set(file, found);
      return found;
    });
    await entryPoint.evaluate();
    const { createClient, iterate } = entryPoint.namespace as typeof ClientModule;
    const client = createClient({ baseUrl: 'https://governance.example.com', token: 't' });
    const ids: string[] = [];
    for await (const { id } of iterate(client.listPolicies, { limit: 5 })) ids.push(id);
    expect(ids).toEqual(['p1']);
    expect(urls).toEqual(Array(2).fill('https://governance.example.com/v1/policies?limit=5'));
  });
});
