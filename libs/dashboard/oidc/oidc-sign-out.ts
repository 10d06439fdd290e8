import { Injectable } from '@nestjs/common';
import type { OidcIdentity } from '../accounts/oidc-identity.js';
import { OidcAnswers } from './oidc-answers.js';
import { OidcProviders } from '../accounts/oidc-providers.js';

/** The URL at which people end the session at their provider after they have signed out here (RP-initiated logout). */
@Injectable()
export class OidcSignOut {
  constructor(
    private readonly providers: OidcProviders,
    private readonly answers: OidcAnswers,
  ) {}

  /** The URL that ends one of the sessions at its provider; undefined if no session has such a URL. */
  async addressAfter(ended: readonly { identity: OidcIdentity | null }[]): Promise<URL | undefined> {
    const provider = ended.flatMap(({ identity }) => this.providers.find(identity?.provider ?? '') ?? [])[0];
    return provider && this.answers.signOutAddress(provider);
  }
}
