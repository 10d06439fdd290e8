/**
 * The content security policy of the page. Only the page's own files are loaded, and text cannot become markup (Trusted
 * Types).
 */
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

/** An identity provider, with the name on its button. */
export interface NamedProvider {
  readonly id: string;
  readonly name: string;
}

/** Position of a document in the path, derived from its URL. */
export interface DocumentPlace {
  /** Number of slashes in the URL after the page's own path. */
  readonly depth: number;
  /** Number of segments of the page's path below the API's path. */
  readonly below: number;
  readonly signIn: readonly string[];
  readonly providers: readonly NamedProvider[];
  /** Whether the browser certainly has no session. The page then need not request who is signed in. */
  readonly isSignedOut: boolean;
}

/**
 * The page's document for one URL. All URLs in the document are relative to its base, and the base is relative to the
 * document. They are therefore correct behind any proxy path.
 */
export function pageDocument(html: string, { depth, below, signIn, providers, isSignedOut }: DocumentPlace): string {
  const head = [
    `<base href="${up(depth)}" />`,
    `<meta name="api" content="${up(below)}v1" />`,
    `<meta name="sign-in" content="${signIn.join(' ')}" />`,
    ...(providers.length > 0 ? [`<meta name="identity-providers" content="${namesOf(providers)}" />`] : []),
    ...(isSignedOut ? ['<meta name="session" content="none" />'] : []),
  ];
  return html.replace('<head>', () => `<head>${head.join('')}`);
}

/** Shown if the page is not built. */
export const NOT_BUILT =
  'The dashboard is not built. Run `npm run build` in the repository; a published package brings it along.';

function namesOf(providers: readonly NamedProvider[]): string {
  const text = JSON.stringify(providers.map(({ id, name }) => ({ id, name })));
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function up(levels: number): string {
  return levels === 0 ? './' : '../'.repeat(levels);
}
