import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { builtPage } from './dashboard.support.js';

const HTML = { accept: 'text/html,*/*;q=0.8' };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

describe.each(['', 'inside/governance'])('the page at "/%s"', path => {
  const mount = path === '' ? '' : `/${path}`;
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ path, dashboard: { sessions: true, folder: await builtPage() } });
  });

  afterAll(() => app?.close());

  const get = (address: string, headers: Record<string, string> = HTML) =>
    app.as(null)('GET', mount + address, undefined, headers);

  it.each([
    ['/', './'],
    ['/incidents', './'],
    ['/incidents?severity=high', './'],
    ['/incidents/', '../'],
    ['/incidents/0199c2a8', '../'],
    ['/a/b/c/d/e', '../../../../'],
    ['/policies/a%2Fb', '../'],
  ])('answers %s with the document and the base %s', async (address, base) => {
    const { status, text, headers } = await get(address);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain(`<head><base href="${base}" /><meta name="api" content="./v1" />`);
    expect(text).toContain('<meta name="sign-in" content="token" />');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toBe(POLICY);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('serves hashed files with a type, compressed and cacheable forever', async () => {
    const { status, text, headers } = await get('/assets/index-a1b2.js', { 'accept-encoding': 'gzip, br' });
    expect([status, headers.get('content-encoding')]).toEqual([200, 'br']);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toContain('immutable');
    expect(text).toContain('page page');
    const plain = await get('/assets/index-a1b2.js', { 'accept-encoding': 'br;q=0, identity' });
    expect([plain.headers.get('content-encoding'), plain.text]).toEqual([null, text]);
    expect((await get('/favicon.svg')).headers.get('cache-control')).toBe('no-cache');
  });

  it.each([
    '/assets/index-c3d4.js',
    '/assets/../index.html/..%2f..%2fpackage.json',
    '/favicon.png',
    '/v1/nothing',
    '/session',
    '/gateway',
  ])('answers %s with 404 as JSON', async address => {
    const { status, body } = await get(address);
    expect([status, body?.error]).toEqual([404, 'not_found']);
  });

  it('does not answer addresses that are not requested as a document', async () => {
    expect((await get('/incidents', { accept: 'application/json' })).status).toBe(404);
    expect((await get('/v1/incidents')).status).toBe(401);
    expect((await app.as(null)('POST', `${mount}/incidents`, {})).status).toBe(404);
  });
});

describe('a page below a path', () => {
  it('is redirected from the address without a trailing slash to the one with it', async () => {
    const app = await startTestApp({ path: 'inside', dashboard: { sessions: true, folder: await builtPage() } });
    try {
      const answer = await fetch(`${app.url}/inside`, { redirect: 'manual', headers: HTML });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, './inside/']);
    } finally {
      await app.close();
    }
  });
});

describe('a page that is not built', () => {
  it('is answered with the build command', async () => {
    const app = await startTestApp({ dashboard: { sessions: true, folder: '/nowhere' } });
    try {
      const { status, text } = await app.as(null)('GET', '/', undefined, HTML);
      expect([status, text]).toEqual([503, expect.stringContaining('npm run build')]);
    } finally {
      await app.close();
    }
  });
});
