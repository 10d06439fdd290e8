import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { HttpRequest } from '#access';
import { boundedBy, Clock, Keyring } from '#core';
import { cookiesOf } from '../sessions/session-cookie.js';
import { OidcProviders } from '../accounts/oidc-providers.js';

/** A started sign-in: the values that its answer must match, and the page to open afterwards. */
export interface BegunSignIn {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Absolute address of the page that the person wanted. */
  readonly returnTo: string;
}

const LIFETIME_SECONDS = 600;
const PURPOSE = 'oidc-sign-in';
const NAME = 'governance_oidc_';
const VALUE = /^[\w-]+(\.[\w-]*){4}$/;
const USED_MAX = 10_000;
/** Maximum number of concurrent sign-ins of a browser, in several tabs. Older ones are dropped. */
const PARALLEL_MAX = 4;

/**
 * Keeps sign-ins that have begun in an encrypted cookie of the browser, one cookie for each, for ten minutes. Nothing
 * is stored here for a stranger. Each answer is accepted once: this replica checks the state, and providers accept each
 * code once.
 */
@Injectable()
export class BegunSignIns {
  private readonly used = new LRUCache<string, true>(boundedBy(USED_MAX));

  constructor(
    private readonly keyring: Keyring,
    private readonly providers: OidcProviders,
    private readonly clock: Clock,
  ) {}

  /** The headers that make the browser remember a sign-in. */
  async cookiesFor(begun: BegunSignIn, request: HttpRequest): Promise<string[]> {
    const kid = this.keyring.writingKeyId;
    const now = Math.floor(this.clock.now().getTime() / 1000);
    const sealed = await new EncryptJWT({ ...begun })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
      .setExpirationTime(now + LIFETIME_SECONDS)
      .encrypt(this.keyOf(kid));
    // Browsers send older cookies first.
    const stale = this.namesIn(request).slice(0, 1 - PARALLEL_MAX);
    return [this.cookie(this.nameFor(begun.state), sealed, LIFETIME_SECONDS), ...stale.map(name => this.removed(name))];
  }

  /**
   * The sign-in that an answer with this state belongs to, once; undefined if this browser began none, or it has expired
   * or was answered before.
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

  /** The header that makes the browser forget a sign-in. */
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
      // The authentication tag proves that cookiesFor() wrote it.
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

  /** `__Host-`: browsers take it from this host only, over TLS only. It needs the path `/`. */
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

  /** `Lax`: the answer comes by a link from the provider's site, with which `Strict` cookies are not sent. */
  private cookie(name: string, value: string, seconds: number): string {
    const secure = this.providers.isSecure ? '; Secure' : '';
    return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
  }
}
