/** Path of the page and its way to sign in. */
export interface PageOptions {
  /**
   * Path of the page below the module's own path, without leading and trailing slashes. Empty: the module's own path.
   */
  readonly path: string;
  /** The module's own path below the host's prefix. */
  readonly modulePath: string;
  /** Who signs people in: this module (with an access token), or the host. */
  readonly signIn: readonly ('token' | 'host')[];
  /** Folder of the built page. Default: the page that comes with the package. */
  readonly folder?: string;
}

/** First path segments below the page's path that belong to the API and related routes, not to the page. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...['v1', 'access', 'scim', 'gateway', 'health', 'session', 'assets', 'metrics', 'reference', 'openapi.json'],
]);
