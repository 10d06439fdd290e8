/** Where the page is and how people sign in. */
export interface PageOptions {
  /** Path of the page below the module's own, without slashes at its ends; empty: the module's own path. */
  readonly path: string;
  /** The module's own path below the host's prefix. */
  readonly modulePath: string;
  /** How people sign in: with us, or with the host. */
  readonly signIn: readonly ('token' | 'oidc' | 'host')[];
  /** Folder of the built page. Default: the one that comes with the package. */
  readonly folder?: string;
}

/** First segments below the page's path that are no pages: the API and what stands beside it. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...['v1', 'access', 'scim', 'gateway', 'health', 'session', 'assets', 'metrics', 'reference', 'openapi.json'],
]);
