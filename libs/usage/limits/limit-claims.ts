import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OrgDatabase, plainArray, prepared, retryingConflicts, SCHEMA, textArray } from '#database';
import { byBytes } from '../scopes/index.js';
import { LEASE_MS, type LimitShare, type ShareClaim, type ShareGrant } from './limit-share.js';

type Line = [requests: number, requestsWait: number, tokens: number, tokensWait: number, slots: number | null] | null;

interface Answer {
  readonly step: number;
  readonly rows: readonly Line[];
}

/** A share of a limit, and the number of tokens of each request that waits for it. */
export interface WaitingShare {
  readonly share: LimitShare;
  readonly waiting: readonly number[];
}

const CLAIM = prepared(
  'claim_limits',
  `select ${SCHEMA}.claim_limits($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16) as answer`,
);

/** Claims parts of limits from the counters that all replicas share. */
@Injectable()
export class LimitClaims {
  /** The id under which this process leases slots of limits for concurrent requests. */
  readonly replica = randomUUID();

  constructor(private readonly database: OrgDatabase) {}

  /**
   * Makes claims for several shares of an organization in one statement. The same statement returns the unused claims
   * of these shares.
   */
  async claim(orgId: string, wanted: readonly WaitingShare[], now: number): Promise<void> {
    const sorted = [...wanted].sort(({ share: a }, { share: b }) =>
      a.limit.id === b.limit.id ? byBytes(a.part, b.part) : a.limit.id < b.limit.id ? -1 : 1,
    );
    const claims = sorted.map(({ share, waiting }) => ({ share, claim: share.claim(waiting, now) }));
    const column = (value: (claim: ShareClaim) => number | null): string => plainArray(claims, one => value(one.claim));
    const most = (kind: 'requestsPerMinute' | 'tokensPerMinute' | 'concurrentRequests'): string =>
      plainArray(claims, ({ share }) => share.limit[kind]);
    const parameters = [
      orgId,
      this.replica,
      `${LEASE_MS} milliseconds`,
      plainArray(claims, ({ share }) => share.limit.id),
      textArray(claims, ({ share }) => share.part),
      most('requestsPerMinute'),
      column(({ leastRequests }) => leastRequests),
      column(({ requests }) => requests),
      column(({ backRequests }) => backRequests),
      most('tokensPerMinute'),
      column(({ leastTokens }) => leastTokens),
      column(({ tokens }) => tokens),
      column(({ backTokens }) => backTokens),
      column(({ backStep }) => backStep),
      most('concurrentRequests'),
      column(({ slots }) => slots),
    ];
    const [row] = await retryingConflicts(() => this.database.global<{ answer: string }>(CLAIM, parameters));
    // The database function claim_limits has produced this text.
    const { step, rows } = JSON.parse(row?.answer ?? '{"step":0,"rows":[]}') as Answer;
    for (const [at, { share, claim }] of claims.entries()) share.granted(claim, grantOf(rows[at], claim), step, now);
  }
}

/** A deleted limit no longer restricts requests, so the claim is granted in full. */
function grantOf(line: Line | undefined, claim: ShareClaim): ShareGrant {
  if (!line) {
    const { requests, tokens, slots } = claim;
    return { requests, requestsWait: 0, tokens, tokensWait: 0, slots };
  }
  const [requests, requestsWait, tokens, tokensWait, slots] = line;
  return { requests, requestsWait, tokens, tokensWait, slots };
}
