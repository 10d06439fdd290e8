import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COMPILE_CACHE } from '../support/compile-cache.js';
import { newDataDir } from '../support/standalone-process.js';

const ROOT = join(import.meta.dirname, '..', '..');

describe('npm run demo', () => {
  const folder = newDataDir();
  let demo: ChildProcess;
  let output = '';
  let origin = '';

  beforeAll(async () => {
    demo = spawn(process.execPath, [join(ROOT, 'scripts', 'demo.mjs')], {
      env: { ...process.env, ...COMPILE_CACHE, DEMO_DATA_DIR: folder, PORT: '0', NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [demo.stdout, demo.stderr]) stream?.on('data', chunk => (output += String(chunk)));
    while (!output.includes('Ctrl-C ends it.')) {
      if (demo.exitCode !== null) throw new Error(output);
      await new Promise(done => setTimeout(done, 100));
    }
    origin = /Ready after \d+ s: (http:\S+)/.exec(output)?.[1] ?? '';
  });

  afterAll(async () => {
    const gone = new Promise(done => demo.once('exit', done));
    demo.kill('SIGTERM');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  });

  async function get(path: string, token = readFileSync(join(folder, 'admin-token'), 'utf8').trim()) {
    const response = await fetch(`${origin}/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    return (await response.json()) as { items: Record<string, unknown>[]; total_count: number };
  }

  it('creates 200 people, some with names that a page must escape', async () => {
    expect((await get('/users')).total_count).toBe(200);
    const { items } = await get('/users?limit=100&department=Engineering');
    expect(items.map(({ name }) => name)).toContain('مريم الخطيب');
  });

  it('creates a budget of Marketing that is almost used up', async () => {
    const { items } = await get('/budgets');
    const budget = items.find(({ name }) => name === 'Marketing, monthly');
    const share = Number(budget?.['spent_usd']) / Number(budget?.['amount_usd']);
    expect(share).toBeGreaterThan(0.75);
    expect(share).toBeLessThan(1.1);
  });

  it('creates violations, a failing endpoint, and a connector whose credentials are refused', async () => {
    expect((await get('/incidents?type=policy_violation')).total_count).toBeGreaterThan(5);
    const webhooks = await get('/webhooks');
    expect(webhooks.items.map(({ description }) => description)).toEqual(
      expect.arrayContaining(['Chargeback of Finance', 'Former chat relay']),
    );
    expect((await get('/itsm/connectors')).items.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['jira', 'servicenow']),
    );
  });

  it('prints a sign-in link that works once, for an admin, an auditor and a member', async () => {
    const links = [...output.matchAll(/^ {2}(admin|auditor|member) .*#link=(\S+)$/gm)];
    expect(links.map(([, role]) => role)).toEqual(['admin', 'auditor', 'member']);
    for (const [, role, link] of links) {
      const headers = {
        'content-type': 'application/json',
        'x-governance-dashboard': '1',
        'sec-fetch-site': 'same-origin',
      };
      const signIn = () => fetch(`${origin}/session`, { method: 'POST', headers, body: JSON.stringify({ link }) });
      const first = await signIn();
      expect(first.status).toBe(201);
      expect(await first.json()).toMatchObject({ role });
      expect((await signIn()).status).toBe(401);
    }
  });
});
