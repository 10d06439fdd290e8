/** The content security policy of the page: its own files and nothing else, and no text that becomes markup. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Where a document stands, as its address says. */
export interface DocumentPlace {
  /** Slashes behind the page's own path. */
  readonly depth: number;
  /** Segments of the page's path below that of the API. */
  readonly below: number;
  readonly signIn: readonly string[];
  /** Whether the browser surely has no session, so that the page need not ask who is signed in. */
  readonly isSignedOut: boolean;
}

/**
 * The page's document for one address. All addresses in it are relative to the base, and the base is relative to the
 * document: they hold behind a proxy that puts the page anywhere.
 */
export function pageDocument(html: string, { depth, below, signIn, isSignedOut }: DocumentPlace): string {
  const head = [
    `<base href="${up(depth)}" />`,
    `<meta name="api" content="${up(below)}v1" />`,
    `<meta name="sign-in" content="${signIn.join(' ')}" />`,
    ...(isSignedOut ? ['<meta name="session" content="none" />'] : []),
  ];
  return html.replace('<head>', `<head>${head.join('')}`);
}

/** What stands in place of a page that is not built. */
export const NOT_BUILT =
  'The dashboard is not built. Run `npm run build` in the repository; a published package brings it along.';

function up(levels: number): string {
  return levels === 0 ? './' : '../'.repeat(levels);
}
