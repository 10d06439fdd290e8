/** Path of the page and its way to sign in. */
export interface PageOptions {
  /** Path of the page below the module's own, without surrounding slashes. Empty: the module's own path. */
  readonly path: string;
  /** The module's own path below the host's prefix. */
  readonly modulePath: string;
  /** The way to sign in: with this module, or with the host. */
  readonly signIn: readonly ('token' | 'host')[];
  /** Folder of the built page. Default: the one that comes with the package. */
  readonly folder?: string;
}

/** First path segments below the page's path that are not pages: the API and its neighbors. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...['v1', 'access', 'scim', 'gateway', 'health', 'session', 'assets', 'metrics', 'reference', 'openapi.json'],
]);
