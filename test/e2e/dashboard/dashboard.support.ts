import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, TestApp } from '../../support/test-app.js';

/** The headers that the page's script sends with every request. */
export const PAGE = { 'x-governance-dashboard': '1', 'sec-fetch-site': 'same-origin' };

/** A folder with a built page: one document, one script with a hash in its name, one icon. */
export async function builtPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><html><head><script type="module" src="./assets/index-a1b2.js"></script></head><body></body></html>',
  );
  await writeFile(join(folder, 'assets', 'index-a1b2.js'), `console.log('${'page '.repeat(1000)}');`);
  await writeFile(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  return folder;
}

/** A browser from the server's view: it stores the session cookie and sends the headers of the page's script. */
export class Browser {
  cookie: string | undefined;

  constructor(
    private readonly app: Pick<TestApp, 'as'>,
    private readonly mount = '',
  ) {}

  /** Sends requests like the page. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = PAGE): Promise<Answer> {
    const cookie: Record<string, string> = this.cookie === undefined ? {} : { cookie: this.cookie };
    const answer = await this.app.as(null)(method, this.mount + path, body, { ...cookie, ...headers });
    const [set] = answer.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.includes('Max-Age=0') ? undefined : set.split(';')[0];
    return answer;
  }

  /** Signs in with an access token. */
  signIn(token: string): Promise<Answer> {
    return this.call('POST', '/session', { token });
  }
}
