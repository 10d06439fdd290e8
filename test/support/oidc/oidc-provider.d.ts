/** The part of the package that the tests use. The package has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export interface Account {
    accountId: string;
    claims(): Promise<Record<string, unknown>>;
  }

  export default class OidcServer {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}
