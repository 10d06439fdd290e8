import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { startStandalone, type StandaloneProcess } from '../../support/standalone-process.js';
import { signIn, startBrowser, visit, type Visit, type Visitor } from './browser.js';
import { apiOf, type Api } from './fill.js';

/** The context of the tests of one file: one app, one browser, and one signed-in operator. */
export interface Desk {
  readonly app: StandaloneProcess;
  readonly api: Api;
  readonly browser: Browser;
  /** The window of the current test. */
  readonly visitor: Visit;
  readonly page: Page;
  /** The sheet or dialog that was opened last. */
  readonly sheet: () => Locator;
  /** A button, by its whole name unless a pattern is given. */
  readonly button: (name: string | RegExp) => Locator;
  /** Opens another window in which the operator is signed in. The test closes it. */
  readonly window: (visitor?: Visitor) => Promise<Visit>;
}

/** How a test file prepares its app before the first window opens. */
interface Preparations {
  /** Starts the app's external systems. Returns the app's settings for them. */
  settings?: () => Promise<Record<string, string>>;
  /** Fills the organization. */
  fill?: (api: Api) => Promise<unknown>;
  /** Stops the systems that `settings` started. */
  end?: () => Promise<unknown>;
}

/**
 * Prepares the context for the tests of the surrounding block. Each test has a separate window with the cookie of one
 * common sign-in.
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
