import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, newId, UnauthorizedError, UserDirectory } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import { AuditLog, type Principal } from '#access';
import type { OidcIdentity } from '../accounts/oidc-identity.js';
import { INPUT_NOTED_EVERY_MS, isLive, LIFETIME_MS, type SessionTimes } from './session-times.js';

/** An active session. */
export interface LiveSession extends SessionTimes {
  readonly orgId: string;
  readonly id: string;
  /** SHA-256 of the session's access token, in base64; null for an account at an identity provider. */
  readonly tokenDigest: string | null;
  /** The account at an identity provider; null for an access token. */
  readonly identity: OidcIdentity | null;
}

/** Data of a new session. */
export interface NewSession {
  readonly principal: Principal;
  /** The account at an identity provider; undefined for an access token. */
  readonly identity?: OidcIdentity;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly userAgent: string | null;
}

interface Row {
  org_id: string;
  id: string;
  token_hash: Buffer | null;
  identity: OidcIdentity | null;
  created_ms: number;
  last_input_ms: number;
  expires_ms: number;
}

const USER_AGENT_MAX = 255;
const KEPT_MS = 24 * 60 * 60_000;

const FIND = `
select org_id, id, token_hash, identity, created_ms, last_input_ms, expires_ms
from governance.dashboard_session_of($1)`;

const INSERT = `
insert into governance.dashboard_sessions (org_id, id, secret_hash, token_id, identity, credential_id, name, user_id,
  address, user_agent, created_at, last_input_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12)`;

const NOTE_INPUT = `
update governance.dashboard_sessions set last_input_at = $3
where org_id = $1 and id = $2 and ended_at is null and last_input_at < $3`;

const END = `
update governance.dashboard_sessions set ended_at = $3 where org_id = $1 and id = $2 and ended_at is null`;

// Deletes ended sessions, because they are not needed any more. Affects only sessions of the caller's organization.
const FORGET = `delete from governance.dashboard_sessions where org_id = $1 and expires_at < $2`;

/** Stores browser sessions: creates, finds, refreshes and ends them. */
@Injectable()
export class StoredSessions {
  constructor(
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a session and adds an audit entry. Returns the session with its secret, which is not stored.
   * @throws UnauthorizedError if the user has lost access in the meantime
   */
  async start({
    principal,
    identity,
    address,
    requestId,
    userAgent,
  }: NewSession): Promise<{ secret: string; id: string }> {
    const now = this.clock.now();
    const { orgId, userId } = principal;
    const [secret, id] = [randomBytes(32).toString('base64url'), newId(now)];
    await this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      if (userId !== undefined && (await this.users.statusWithin(tx, orgId, userId)) !== 'active') {
        throw new UnauthorizedError('The user of this credential has no access.');
      }
      await tx.query(FORGET, [orgId, new Date(now.getTime() - KEPT_MS)]);
      await tx.query(INSERT, [
        ...[orgId, id, hashOf(secret), identity === undefined ? principal.id : null],
        ...[identity === undefined ? null : JSON.stringify(identity), principal.id, principal.name, userId ?? null],
        ...[address, userAgent?.slice(0, USER_AGENT_MAX) ?? null, now, new Date(now.getTime() + LIFETIME_MS)],
      ]);
      await this.audit.append(
        em,
        { ...principal, address, requestId },
        {
          ...{ action: 'session.created', resourceType: 'session', resourceId: id, before: null },
          after: { credential: identity === undefined ? 'token' : 'oidc', user_id: userId ?? null },
        },
      );
    });
    return { secret, id };
  }

  /** The active session with this secret; undefined if there is none. */
  async find(secret: string): Promise<LiveSession | undefined> {
    const [row] = await this.database.global<Row>(FIND, [hashOf(secret)]);
    if (!row) return undefined;
    const session = {
      orgId: row.org_id,
      id: row.id,
      tokenDigest: row.token_hash?.toString('base64') ?? null,
      identity: row.identity,
      createdAt: new Date(row.created_ms),
      lastInputAt: new Date(row.last_input_ms),
      expiresAt: new Date(row.expires_ms),
    };
    return isLive(session, this.clock.now()) ? session : undefined;
  }

  /** Records that a person has made an input. Writes at most every 30 seconds. */
  async noteInput({ orgId, id, lastInputAt }: LiveSession): Promise<void> {
    const now = this.clock.now();
    if (now.getTime() - lastInputAt.getTime() < INPUT_NOTED_EVERY_MS) return;
    await this.database.transaction(orgId, em => sqlOf(em).query(NOTE_INPUT, [orgId, id, now]));
  }

  /** Ends a session. Safe to repeat. */
  async end({ orgId, id }: Pick<LiveSession, 'orgId' | 'id'>): Promise<void> {
    await this.database.transaction(orgId, em => sqlOf(em).query(END, [orgId, id, this.clock.now()]));
  }
}

function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
