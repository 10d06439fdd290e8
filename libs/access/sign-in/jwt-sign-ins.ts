import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy, Clock } from '#core';
import { ChangeFeed } from '#database';
import { ClientAddress } from '../request/client-address.js';
import { requestIdOf, type HttpRequest } from '../request/http-request.js';
import { IDENTITIES_TOPIC } from '../identities/known-identities.js';
import { JwtPrincipals, type Bearer } from './jwt-principals.js';
import type { JwtIdentity } from './jwt-verifier.js';
import type { Principal } from '../principals/principal.js';
import { SignInLimits } from './sign-in-limits.js';

const CAPACITY = 10_000;
/** How long the refusal of an unknown account is cached, in milliseconds. */
const UNKNOWN_MS = 1_000;
const WARN_ONCE_PER_MS = 3_600_000;

/**
 * Signs in with verified JWTs. Lookups of accounts that were never accepted are rate-limited per address, and a refusal
 * is cached for one second. A stranger with a valid JWT can therefore cause only a limited number of queries.
 */
@Injectable()
export class JwtSignIns {
  private readonly logger = new Logger('Governance');
  /** Accounts that were accepted before; their lookups are not limited. */
  private readonly accepted = new LRUCache<string, true>(boundedBy(CAPACITY));
  /** Refused claims, with the time of the refusal. */
  private readonly refused = new LRUCache<string, { orgId: string; at: number }>(boundedBy(CAPACITY));
  private readonly underWay = new Map<string, Promise<Bearer | null>>();
  /** Incremented with every change of links, so that a refusal from before a change is not cached after it. */
  private news = 0;
  private readonly warned = new LRUCache<string, number>(boundedBy(CAPACITY));

  constructor(
    private readonly principals: JwtPrincipals,
    private readonly limits: SignInLimits,
    private readonly clientAddress: ClientAddress,
    private readonly clock: Clock,
    changes: ChangeFeed,
  ) {
    changes.subscribe(IDENTITIES_TOPIC, orgId => {
      this.news++;
      for (const [key, refused] of [...this.refused.entries()]) {
        if (refused.orgId === orgId) this.refused.delete(key);
      }
    });
  }

  /** The principal; null if the JWT is refused. */
  async of(identity: JwtIdentity, request: HttpRequest): Promise<Principal | null> {
    const { orgId, issuer, subject, issuedAt, user, hasUnprovenAddress, name, scopes } = identity;
    const account = JSON.stringify([orgId, issuer, subject]);
    const claims = JSON.stringify([orgId, issuer, subject, issuedAt, user, hasUnprovenAddress]);
    const refused = this.refused.get(claims);
    if (refused && this.now() - refused.at < UNKNOWN_MS) return null;
    const bearer = await this.find(identity, { account, claims }, request);
    if (bearer?.isLetIn !== true) return null;
    const { userId } = bearer;
    // Different providers may use the same subject for different people.
    const principal: Principal = { kind: 'jwt', orgId, id: `${issuer}#${subject}`, name, scopes };
    return userId === undefined ? principal : { ...principal, userId };
  }

  private find(
    identity: JwtIdentity,
    keys: { account: string; claims: string },
    request: HttpRequest,
  ): Promise<Bearer | null> {
    const look = () => this.lookUp(identity, keys, request);
    if (this.accepted.get(keys.account)) return look();
    const running = this.underWay.get(keys.claims);
    if (running) return running;
    const found = this.limits.lookUp(request, look).finally(() => this.underWay.delete(keys.claims));
    this.underWay.set(keys.claims, found);
    return found;
  }

  private async lookUp(
    identity: JwtIdentity,
    { account, claims }: { account: string; claims: string },
    request: HttpRequest,
  ): Promise<Bearer | null> {
    const origin = { address: this.clientAddress.of(request), requestId: requestIdOf(request) };
    const before = this.news;
    const bearer = await this.principals.of(identity, origin);
    if (bearer.isLetIn) {
      this.accepted.set(account, true);
      return bearer;
    }
    this.accepted.delete(account);
    // A refusal of a linked account is not cached. Its check needs no query, and the account must be accepted as soon
    // as its user has access again.
    if (!bearer.isLinked && before === this.news) this.refused.set(claims, { orgId: identity.orgId, at: this.now() });
    if (bearer.takenUserId !== undefined) this.warn(identity, bearer.takenUserId);
    return null;
  }

  /**
   * Logs a warning at most once an hour for each user. The warning contains no data of the JWT except the issuer, which
   * is also in the settings.
   */
  private warn({ orgId, issuer }: JwtIdentity, userId: string): void {
    const key = JSON.stringify([orgId, issuer, userId]);
    const last = this.warned.get(key);
    if (last !== undefined && this.now() - last < WARN_ONCE_PER_MS) return;
    this.warned.set(key, this.now());
    this.logger.warn(
      `An account of ${issuer} has the e-mail address or UUID of user ${userId}, but cannot be linked: the user has ` +
        'another account there, or the account was of somebody who has left. Where the account was created anew, remove ' +
        `the old link: GET /v1/identities?user_id=${userId}, DELETE /v1/identities/{id}.`,
    );
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
