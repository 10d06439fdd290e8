import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { HttpRequest } from '#access';
import { boundedBy, Clock, Keyring } from '#core';
import { cookiesOf } from '../sessions/session-cookie.js';
import { OidcProviders } from '../accounts/oidc-providers.js';

/** A sign-in that has started: the values that the provider's response must match, and the page to open afterwards. */
export interface BegunSignIn {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Absolute URL of the page that the person wanted to open. */
  readonly returnTo: string;
}

const LIFETIME_SECONDS = 600;
const PURPOSE = 'oidc-sign-in';
const NAME = 'governance_oidc_';
const VALUE = /^[\w-]+(\.[\w-]*){4}$/;
const USED_MAX = 10_000;
/** Maximum number of simultaneous sign-ins of a browser, in several tabs. Older sign-ins are dropped. */
const PARALLEL_MAX = 4;

/**
 * Stores each started sign-in in an encrypted cookie of the browser, for ten minutes. The server stores nothing for a
 * stranger. Each response is accepted once: this replica remembers used states, and providers accept each code once.
 */
@Injectable()
export class BegunSignIns {
  private readonly used = new LRUCache<string, true>(boundedBy(USED_MAX));

  constructor(
    private readonly keyring: Keyring,
    private readonly providers: OidcProviders,
    private readonly clock: Clock,
  ) {}

  /** The headers that store a sign-in in the browser. */
  async cookiesFor(begun: BegunSignIn, request: HttpRequest): Promise<string[]> {
    const kid = this.keyring.writingKeyId;
    const now = Math.floor(this.clock.now().getTime() / 1000);
    const sealed = await new EncryptJWT({ ...begun })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
      .setExpirationTime(now + LIFETIME_SECONDS)
      .encrypt(this.keyOf(kid));
    // Browsers send older cookies first, so the first ones are removed.
    const stale = this.namesIn(request).slice(0, 1 - PARALLEL_MAX);
    return [this.cookie(this.nameFor(begun.state), sealed, LIFETIME_SECONDS), ...stale.map(name => this.removed(name))];
  }

  /**
   * The sign-in to which a response with this state belongs. Each sign-in is returned once. Undefined if this browser
   * did not start it, or if it has expired or was returned before.
   */
  async take(state: string, request: HttpRequest): Promise<BegunSignIn | undefined> {
    for (const sealed of cookiesOf(request, this.nameFor(state), VALUE)) {
      const begun = await this.open(sealed);
      if (begun?.state !== state || this.used.has(state)) continue;
      this.used.set(state, true);
      return begun;
    }
    return undefined;
  }

  /** The header that removes a sign-in from the browser. */
  removedFor(state: string): string {
    return this.removed(this.nameFor(state));
  }

  private async open(sealed: string): Promise<BegunSignIn | undefined> {
    try {
      const { payload } = await jwtDecrypt(sealed, ({ kid = '' }) => this.keyOf(kid), {
        currentDate: this.clock.now(),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
      });
      // Only `cookiesFor()` can create a cookie with a valid authentication tag, so the type is known.
      return payload as JWTPayload & BegunSignIn;
    } catch {
      return undefined;
    }
  }

  private keyOf(kid: string): Uint8Array {
    const key = this.keyring.derive(kid, PURPOSE);
    if (!key) throw new Error('no such key');
    return key;
  }

  /** Browsers accept a cookie with the prefix `__Host-` only from this host, over TLS, and with the path `/`. */
  private get prefix(): string {
    return this.providers.isSecure ? `__Host-${NAME}` : NAME;
  }

  private nameFor(state: string): string {
    return this.prefix + hash('sha256', state, 'base64url').slice(0, 16);
  }

  private namesIn({ headers }: HttpRequest): string[] {
    const names = (headers.cookie ?? '').split(';').map(pair => pair.split('=', 1)[0]?.trim() ?? '');
    return names.filter(name => name.startsWith(this.prefix) && /^[\w-]+$/.test(name));
  }

  private removed(name: string): string {
    return this.cookie(name, '', 0);
  }

  /**
   * `Lax` instead of `Strict`: the provider's site redirects the browser here, and `Strict` cookies are not sent with
   * such a request.
   */
  private cookie(name: string, value: string, seconds: number): string {
    const secure = this.providers.isSecure ? '; Secure' : '';
    return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
  }
}
