import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy, Clock, type Tags } from '#core';
import { ChangeFeed, OrgDatabase } from '#database';
import { OUTAGE_GRACE_MS } from '../credentials/outage-grace.js';
import type { TokenBounds } from '../principals/principal.js';
import { effectiveScopes, type Scope } from '../principals/scopes.js';
import { hasTokenPrefix, hashToken, isWellFormedToken } from './token-format.js';
import { SECRET_MIN_LENGTH } from './token-secret.js';
import { TokenUse } from './token-use.js';
import { TOKENS_TOPIC } from './tokens.topic.js';

/** A valid token. */
export interface VerifiedToken {
  id: string;
  orgId: string;
  name: string;
  scopes: ReadonlySet<Scope>;
  userId: string | null;
  /** The users who created it, directly or through other credentials. */
  issuedBy: readonly string[];
  /** Whether one of the creating credentials belonged to no user. */
  issuedByNobody: boolean;
  /** The token is refused while one of these users has no access. */
  endsWithUsers: readonly string[];
  /** Restrictions of requests with the token; undefined if it has none. */
  bounds: TokenBounds | undefined;
}

interface Remembered extends VerifiedToken {
  expiresMs: number | null;
  revoked: boolean;
  loadedMs: number;
  /** Time of the last background refresh. */
  renewedMs: number;
}

interface Row {
  id: string;
  org_id: string;
  name: string;
  role: string;
  scopes: string[] | null;
  user_id: string | null;
  issued_by: string[];
  issued_by_nobody: boolean;
  ends_with_users: string[];
  expires_ms: number | null;
  last_used_ms: number | null;
  revoked: boolean;
  models: string[] | null;
  project: string | null;
  tags: Tags | null;
}

/** Runs a lookup. Throws without a lookup if too many lookups were unsuccessful. */
export type LookUp = <T>(look: () => Promise<T | null>) => Promise<T | null>;

const CAPACITY = 10_000;
/**
 * How long a token is cached as unknown, in milliseconds. A generated token cannot be used before it exists. A token
 * that the operator chose can be: once stored, it is valid on this replica at once, and on the others after this time.
 */
const UNKNOWN_MS = 1_000;
/** Age at which a cached token is refreshed in the background, because it may have been changed by SQL. */
const RENEW_AFTER_MS = 5 * 60 * 1000;
const RENEW_EVERY_MS = 1_000;

const LOOK_UP = `
select id, org_id, name, role, scopes, user_id, issued_by, issued_by_nobody, ends_with_users, expires_ms,
  last_used_ms, revoked, models, project, tags
from governance.access_token_of($1)`;

/**
 * Verifies access tokens from memory. A revocation on any replica evicts the organization's tokens within one second.
 */
@Injectable()
export class TokenVerifier {
  private readonly remembered = new LRUCache<string, Remembered>(boundedBy(CAPACITY));
  private readonly loading = new Map<string, Promise<Remembered | null>>();
  private readonly watched = new Set<string>();
  /** Digests of unknown tokens, with the time of the lookup. */
  private readonly unknown = new LRUCache<string, number>(boundedBy(CAPACITY));
  /** Digests of tokens that were valid in this process before. Their lookups are not rate-limited. */
  private readonly accepted = new LRUCache<string, true>(boundedBy(CAPACITY));
  /** Incremented with every change, so that a result that was read before a change is not cached after it. */
  private changesReceived = 0;

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly clock: Clock,
    private readonly use: TokenUse,
  ) {
    changes.subscribe(TOKENS_TOPIC, orgId => this.forget(orgId));
    changes.onReset(orgId => this.forget(orgId));
  }

  /**
   * The token of a bearer credential; null if it is malformed, unknown, expired or revoked.
   * @param lookUp runs the lookup of an uncached credential, or throws
   */
  async verify(credential: string, lookUp: LookUp = look => look()): Promise<VerifiedToken | null> {
    const now = this.clock.now().getTime();
    return this.accept(await this.find(credential, now, lookUp), now);
  }

  /**
   * Like {@link verify}, but by the digest of the credential (SHA-256, base64). For callers that keep only the digest.
   */
  async verifyDigest(digest: string): Promise<VerifiedToken | null> {
    const now = this.clock.now().getTime();
    return this.accept(await (this.known(digest, now) ?? this.startLoad(digest, now)), now);
  }

  private forget(orgId: string): void {
    this.changesReceived++;
    this.unknown.clear();
    for (const [key, token] of [...this.remembered.entries()]) {
      if (token.orgId === orgId) this.remembered.delete(key);
    }
  }

  private accept(token: Remembered | null, now: number): VerifiedToken | null {
    if (!token || token.revoked || (token.expiresMs !== null && token.expiresMs <= now)) return null;
    this.use.note(token.orgId, token.id, now);
    return token;
  }

  private known(key: string, now: number): Promise<Remembered | null> | Remembered | undefined {
    const known = this.remembered.get(key);
    if (!known || this.changes.age >= OUTAGE_GRACE_MS) return this.loading.get(key);
    this.renewIfDue(key, known, now);
    return known;
  }

  private find(credential: string, now: number, lookUp: LookUp): Promise<Remembered | null> | Remembered | null {
    const key = hashToken(credential);
    const known = this.known(key, now);
    if (known) return known;
    // A text that cannot be one of our tokens is refused without a query.
    if (hasTokenPrefix(credential) ? !isWellFormedToken(credential) : credential.length < SECRET_MIN_LENGTH)
      return null;
    const unknownSince = this.unknown.get(key);
    if (unknownSince !== undefined && now - unknownSince < UNKNOWN_MS) return null;
    return this.startLoad(key, now, this.accepted.get(key) ? undefined : lookUp);
  }

  private startLoad(key: string, now: number, lookUp: LookUp = look => look()): Promise<Remembered | null> {
    const load = lookUp(() => this.load(key, now)).finally(() => this.loading.delete(key));
    this.loading.set(key, load);
    return load;
  }

  /**
   * The change feed already keeps the cache current; this refresh finds changes by SQL. If the refresh fails during an
   * outage, it is repeated later.
   */
  private renewIfDue(key: string, known: Remembered, now: number): void {
    if (now - known.loadedMs < RENEW_AFTER_MS || now - known.renewedMs < RENEW_EVERY_MS || this.loading.has(key))
      return;
    known.renewedMs = now;
    this.startLoad(key, now).catch(() => undefined);
  }

  private async load(key: string, now: number): Promise<Remembered | null> {
    const before = this.changesReceived;
    let row = await this.lookUp(key);
    if (row && !this.watched.has(row.org_id)) {
      // Watches the organization, and then reads the row again. Otherwise a revocation between the first read and the
      // watch would be missed.
      await this.changes.watch(row.org_id);
      this.watched.add(row.org_id);
      row = await this.lookUp(key);
    }
    if (!row) {
      this.remembered.delete(key);
      if (before === this.changesReceived) this.unknown.set(key, now);
      return null;
    }
    if (!row.revoked) this.accepted.set(key, true);
    const token = remember(row, now);
    if (before === this.changesReceived) this.remembered.set(key, token);
    this.use.learn(token.id, row.last_used_ms);
    return token;
  }

  private async lookUp(key: string): Promise<Row | undefined> {
    const [row] = await this.database.global<Row>(LOOK_UP, [Buffer.from(key, 'base64')]);
    return row;
  }
}

function boundsIn({ models, project, tags }: Row): TokenBounds {
  return { models, project, tags };
}

function remember(row: Row, now: number): Remembered {
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    scopes: new Set(effectiveScopes(row.role, row.scopes)),
    userId: row.user_id,
    issuedBy: row.issued_by,
    issuedByNobody: row.issued_by_nobody,
    endsWithUsers: row.ends_with_users,
    bounds: row.models || row.project !== null || row.tags ? boundsIn(row) : undefined,
    expiresMs: row.expires_ms,
    revoked: row.revoked,
    loadedMs: now,
    renewedMs: now,
  };
}
