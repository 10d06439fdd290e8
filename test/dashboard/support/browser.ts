import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import chromium from '@sparticuz/chromium';
import { chromium as launcher, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** What the browser complained of while a page was open: all of these lists must stay empty. */
export interface Complaints {
  /** Messages of the console, warnings and notes included. */
  console: string[];
  /** What the content security policy stopped. */
  policy: string[];
  /** Requests to other origins. */
  foreign: string[];
  /** Errors of scripts. */
  errors: string[];
}

/** A page of the dashboard in a browser of its own, with what the browser complained of. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  complaints: Complaints;
}

/** How a visitor's browser is set. */
export interface Visitor {
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
  reducedMotion?: boolean;
  /** The state of a window in which somebody signed in. */
  signedIn?: Awaited<ReturnType<BrowserContext['storageState']>>;
}

/** Launches that wait for a worker that unpacks the program, a tenth of a second apart. */
const UNPACK_TRIES = 300;

/**
 * Starts Chromium, which comes with npm. The arguments are our own: those that the package suggests switch web security
 * off, and nothing that the policy forbids would be seen.
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

/** Opens a browser window of its own on an origin, and listens for complaints. */
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
    // Pages of others, such as that of an identity provider, complain for themselves.
    const source = new URL(message.location().url || page.url());
    if (source.origin !== new URL(origin).origin) return;
    complaints.console.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', error => complaints.errors.push(error.message));
  page.on('request', request => {
    const url = new URL(request.url());
    if (!['data:', 'blob:'].includes(url.protocol) && url.origin !== new URL(origin).origin)
      complaints.foreign.push(request.url());
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

/** Complaints of no kind. */
export const NONE: Complaints = { console: [], policy: [], foreign: [], errors: [] };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * All but the places around a menu that take the focus at its ends and give it on at once: nobody is ever on them. In a
 * modal axe knows them; beside a menu it takes them for hidden controls.
 */
const SEEN = `{ include: document, exclude: '[data-base-ui-focus-guard]' }`;

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: unknown[]; failureSummary?: string }[] }[];
}

/** What axe finds on the page as it is now: rule, place and remedy, one line each. Of all rules of WCAG 2.2 A and AA, or of some. */
export async function accessibilityFindings(page: Page, rules?: string[]): Promise<string[]> {
  // Through the debugger: the policy lets no script of ours into the page.
  await page.evaluate(AXE);
  const options = rules ? { runOnly: rules } : { runOnly: RULES, rules: { 'target-size': { enabled: true } } };
  const result = await page.evaluate<AxeResult>(`axe.run(${SEEN}, ${JSON.stringify(options)})`);
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${(failureSummary ?? '').replaceAll(/\s+/g, ' ')}`,
    ),
  );
}

/** What axe finds on the page as it is now, in the light theme and in the dark one. */
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
