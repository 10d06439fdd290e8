import { Inject, Injectable } from '@nestjs/common';
import { defined, NotFoundError } from '#core';
import { isLoopbackName } from '../loopback.js';
import type { OidcProvider } from './oidc-provider.js';
import { OIDC_OPTIONS, type OidcOptions } from './oidc.options.js';

const PLACE = 'https://unset.invalid/';

/** The configured providers, and the public URLs to which they redirect browsers after a sign-in. */
@Injectable()
export class OidcProviders {
  readonly all: readonly OidcProvider[];
  /** Public URL of the page, with a trailing slash. */
  readonly page: URL;

  constructor(@Inject(OIDC_OPTIONS) { providers = [], clientSecret, publicUrl }: OidcOptions) {
    this.all = providers.map(provider => ({ ...defined({ clientSecret }), ...provider }));
    this.page = new URL(publicUrl?.replace(/\/*$/, '/') ?? PLACE);
    if (this.all.length > 0) this.checkPage();
  }

  /** @throws NotFoundError */
  get(id: string): OidcProvider {
    const provider = this.find(id);
    if (!provider) throw new NotFoundError('There is no such identity provider.');
    return provider;
  }

  /** The provider with this id; undefined if it is no longer configured. */
  find(id: string): OidcProvider | undefined {
    return this.all.find(provider => provider.id === id);
  }

  /** The redirect URI to register at a provider: `<public URL>/session/oidc/<id>/callback`. */
  callback(id: string): URL {
    return new URL(`session/oidc/${id}/callback`, this.page);
  }

  /** Whether browsers reach the page over TLS. Without TLS, browsers refuse cookies with the attribute `Secure`. */
  get isSecure(): boolean {
    return this.page.protocol === 'https:';
  }

  private checkPage(): void {
    if (this.page.href === PLACE) {
      throw new Error(
        'oidc: the identity providers need to know where to send people back; set publicUrl (GOVERNANCE_PUBLIC_URL) to ' +
          'the public address of the dashboard, such as https://governance.example.com',
      );
    }
    if (!this.isSecure && !isLoopbackName(this.page.host)) {
      throw new Error('oidc: publicUrl must be an https: URL (http: only on this machine)');
    }
  }
}
