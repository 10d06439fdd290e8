import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { createRequire } from 'node:module';
import chromium from '@sparticuz/chromium';
import { chromium as launcher, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** Browser errors of an open page. Every list must stay empty. */
export interface Complaints {
  /** Messages of the console, including warnings and notes. */
  console: string[];
  /** Violations of the content security policy. */
  policy: string[];
  /** Requests to other origins than the page's. */
  foreign: string[];
  /** Script errors. */
  errors: string[];
}

/** A page of the dashboard in a separate browser context, with its browser errors. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  complaints: Complaints;
}

/** Settings of a visitor's browser. */
export interface Visitor {
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
  reducedMotion?: boolean;
  /** The storage state of a window in which somebody has signed in. */
  signedIn?: Awaited<ReturnType<BrowserContext['storageState']>>;
}

/** Maximum number of launch attempts while another worker unpacks the program. They are a tenth of a second apart. */
const UNPACK_TRIES = 300;

/**
 * Starts Chromium from npm. Does not use the default arguments of the package: they switch web security off, which
 * would hide violations of the content security policy.
 */
export async function startBrowser(): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  for (let tries = 1; ; tries += 1) {
    try {
      return await launcher.launch({
        executablePath,
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'],
      });
    } catch (error) {
      const text = String(error);
      if (text.includes('shared libraries'))
        throw new Error('Chromium does not start: it needs libnss3 and libnspr4 (apt-get install libnss3 libnspr4).', {
          cause: error,
        });
      // Another worker of the same run is still unpacking the program.
      if (!text.includes('ETXTBSY') || tries === UNPACK_TRIES) throw error;
      await new Promise(done => setTimeout(done, 100));
    }
  }
}

/** Opens a separate browser window on an origin, and records its errors. */
export async function visit(browser: Browser, origin: string, visitor: Visitor = {}): Promise<Visit> {
  const { theme = 'light', width = 1440, height = 900, reducedMotion = true, signedIn } = visitor;
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
    timezoneId: 'America/New_York',
    ...(signedIn && { storageState: signedIn }),
  });
  const complaints: Complaints = { console: [], policy: [], foreign: [], errors: [] };
  await context.exposeBinding('reportPolicy', (_, what: string) => void complaints.policy.push(what));
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', e => reportPolicy(e.violatedDirective + ' ' + e.blockedURI))",
  );
  const page = await context.newPage();
  page.on('console', message => {
    // Errors of other sites' pages, such as an identity provider's, do not count.
    const source = new URL(message.location().url || page.url());
    if (source.origin !== new URL(origin).origin) return;
    complaints.console.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', error => complaints.errors.push(error.message));
  page.on('request', request => {
    const url = new URL(request.url());
    if (['data:', 'blob:'].includes(url.protocol) || url.origin === new URL(origin).origin) return;
    // Requests of other sites' pages, such as an identity provider's, do not count.
    if (new URL(request.frame().url()).origin === new URL(origin).origin) complaints.foreign.push(request.url());
  });
  return { page, context, complaints };
}

/** Signs in through the form, as a person does. */
export async function signIn({ page }: Visit, token: string): Promise<void> {
  await page.goto('./users');
  await page.getByLabel('Access token').fill(token);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
}

/** No browser errors of any kind. */
export const NONE: Complaints = { console: [], policy: [], foreign: [], errors: [] };

/** The browser's console message about an answer with this status. Browsers write this message for every error. */
export const refused = (status: 400 | 401 | 403): string =>
  `error: Failed to load resource: the server responded with a status of ${status} (${STATUS_CODES[status]})`;

/** The browser errors of a page, each only once. A page whose session has ended can send several refused requests. */
export function distinct(complaints: Complaints): Complaints {
  return { ...complaints, console: [...new Set(complaints.console)] };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * All elements except the focus guards of a menu. A guard passes the focus on at once, so users never reach it. axe
 * recognizes guards in a modal, but treats them as hidden controls beside a menu.
 */
const SEEN = `{ include: document, exclude: '[data-base-ui-focus-guard]' }`;

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: unknown[]; failureSummary?: string }[] }[];
}

/**
 * The errors that axe finds on the current page: rule, place and remedy, one line each. Checks all rules of WCAG 2.2 A
 * and AA, or only `rules`.
 */
export async function accessibilityFindings(page: Page, rules?: string[]): Promise<string[]> {
  // `evaluate` runs axe through the debugger, because the content security policy blocks scripts that the test adds to
  // the page.
  await page.evaluate(AXE);
  const options = rules ? { runOnly: rules } : { runOnly: RULES, rules: { 'target-size': { enabled: true } } };
  const result = await page.evaluate<AxeResult>(`axe.run(${SEEN}, ${JSON.stringify(options)})`);
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${(failureSummary ?? '').replaceAll(/\s+/g, ' ')}`,
    ),
  );
}

/** The errors that axe finds on the current page, in the light and in the dark theme. */
export async function findingsInBothThemes(page: Page): Promise<string[]> {
  const findings: string[] = [];
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme=${theme}]`).waitFor();
    findings.push(...(await accessibilityFindings(page)).map(finding => `${theme}: ${finding}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return findings;
}
