import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOpenApiDocument } from '#governance';
import { startTestApp, type TestApp } from '../support/test-app.js';

const NOTHING = '00000000-0000-4000-8000-000000000000';
/** Public documents without personal data. Clients must revalidate these documents at each use. */
const REVALIDATED = new Set(['/v1/devices/ca', '/v1/devices/crl', '/v1/devices/authorities/{id}/crl']);

describe('the Cache-Control header', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app?.close());

  async function storable(token: string | null): Promise<string[]> {
    const found: string[] = [];
    const { paths } = createOpenApiDocument(app.app);
    for (const [path, operations] of Object.entries(paths)) {
      if (!/^\/(v1|scim)\//.test(path)) continue;
      for (const method of Object.keys(operations)) {
        const answer = await app.as(token)(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, NOTHING));
        const value = answer.headers.get('cache-control');
        if (REVALIDATED.has(path) && value === 'no-cache') continue;
        if (value !== 'no-store') found.push(`${method} ${path} ${answer.status}: ${value}`);
      }
    }
    return found;
  }

  it('forbids all caching if the request has a credential', async () => {
    expect(await storable(app.adminToken)).toEqual([]);
  });

  it('forbids all caching if the request has no credential', async () => {
    expect(await storable(null)).toEqual([]);
  });

  it('forbids all caching of a usage table', async () => {
    const { status, headers } = await app.call('GET', '/v1/usage', undefined, { accept: 'text/csv' });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  });
});
