import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { startStandalone, type StandaloneProcess } from '../../support/standalone-process.js';
import { signIn, startBrowser, visit, type Visit, type Visitor } from './browser.js';
import { apiOf, type Api } from './fill.js';

/** What the tests of one file share: one app, one browser, and one operator who is signed in. */
export interface Desk {
  readonly app: StandaloneProcess;
  readonly api: Api;
  readonly browser: Browser;
  /** The window of the present test. */
  readonly visitor: Visit;
  readonly page: Page;
  /** The sheet or dialog that was opened last. */
  readonly sheet: () => Locator;
  /** A button, by its whole name unless a pattern is given. */
  readonly button: (name: string | RegExp) => Locator;
  /** Opens a further window in which the operator is signed in; the test closes it. */
  readonly window: (visitor?: Visitor) => Promise<Visit>;
}

/** How a test file prepares its app before the first window opens. */
interface Preparations {
  /** Starts what the app depends on; returns settings of the app. */
  settings?: () => Promise<Record<string, string>>;
  /** Fills the organization. */
  fill?: (api: Api) => Promise<unknown>;
  /** Ends what `settings` started. */
  end?: () => Promise<unknown>;
}

/**
 * Sets a desk up for the tests of the surrounding block: each test has a window of its own, in which the operator is
 * signed in by the cookie of the one sign-in.
 */
export function openDesk({ settings, fill, end }: Preparations = {}): Desk {
  let app: StandaloneProcess | undefined;
  let browser: Browser | undefined;
  let visitor: Visit | undefined;
  let cookie: Awaited<ReturnType<BrowserContext['storageState']>> | undefined;

  const desk: Desk = {
    get app() {
      return present(app);
    },
    get browser() {
      return present(browser);
    },
    get visitor() {
      return present(visitor);
    },
    get page() {
      return this.visitor.page;
    },
    api: (...request) => apiOf(desk.app.url, desk.app.token ?? '')(...request),
    sheet: () => desk.page.getByRole('dialog').last(),
    button: name => desk.page.getByRole('button', { name, exact: true }),
    window: set => visit(desk.browser, desk.app.url, { ...set, signedIn: present(cookie) }),
  };

  beforeAll(async () => {
    const set = (await settings?.()) ?? {};
    [app, browser] = await Promise.all([startStandalone(set), startBrowser()]);
    await fill?.(desk.api);
    const first = await visit(browser, app.url);
    await signIn(first, app.token ?? '');
    cookie = await first.context.storageState();
    await first.context.close();
  });

  beforeEach(async () => {
    visitor = await desk.window();
  });

  afterEach(() => visitor?.context.close());

  afterAll(async () => {
    await browser?.close();
    if (app && !app.hasEnded()) await app.end('SIGTERM');
    await end?.();
  });

  return desk;
}

function present<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the desk is set up before each test, not while tests are collected');
  return part;
}
