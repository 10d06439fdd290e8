import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, newId, NotFoundError } from '#core';
import { OrgDatabase, sqlOf } from '#database';

/** A new sign-in link. */
export interface SignInLink {
  /** Secret part of the link. Only this result contains it; the database stores its SHA-256. */
  readonly code: string;
  readonly expiresAt: Date;
}

const MINUTE_MS = 60_000;
/** A code contains the organization and a secret: 16 bytes of the organization's id, then 32 random bytes. */
const ORG_BYTES = 16;
const CODE = /^[\w-]{64}$/;

const INSERT = `
insert into governance.dashboard_sign_in_links (org_id, id, code_hash, token_id, expires_at)
values ($1, $2, $3, $4, $5)`;

const FORGET = `delete from governance.dashboard_sign_in_links where org_id = $1 and expires_at <= $2`;

// Deleting the row consumes the code, so that it works only once.
const USE = `
with used as (
  delete from governance.dashboard_sign_in_links
  where org_id = $1 and code_hash = $2 returning token_id, expires_at)
select t.token_hash from used u
join governance.access_tokens t on t.org_id = $1 and t.id = u.token_id
where u.expires_at > $3`;

/**
 * Sign-in links. A link signs one browser in with an access token, once. The browser never receives the token itself.
 */
@Injectable()
export class SignInLinks {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a link for the caller's access token. When the token ends, the link ends too.
   * @throws BadRequestError if the caller used another credential
   */
  async make(actor: Actor, minutes: number): Promise<SignInLink> {
    const { orgId, kind, id: tokenId } = actor;
    if (kind !== 'token') {
      throw new BadRequestError('Create a sign-in link with an access token, or in a session that began with one.');
    }
    const now = this.clock.now();
    const code = Buffer.concat([Buffer.from(orgId.replaceAll('-', ''), 'hex'), randomBytes(32)]).toString('base64url');
    const [id, expiresAt] = [newId(now), new Date(now.getTime() + minutes * MINUTE_MS)];
    await this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      await tx.query(FORGET, [orgId, now]);
      await tx.query(INSERT, [orgId, id, hashOf(code), tokenId, expiresAt]);
      await this.audit.append(em, actor, {
        action: 'sign_in_link.created',
        resourceType: 'sign_in_link',
        resourceId: id,
        before: null,
        after: { token_id: tokenId, expires_at: expiresAt.toISOString() },
      });
    });
    return { code, expiresAt };
  }

  /**
   * Consumes a code. Returns the digest of its token (SHA-256, base64), or null if the code was used or has expired.
   */
  async use(code: string): Promise<string | null> {
    if (!CODE.test(code)) return null;
    const orgId = uuidOf(Buffer.from(code, 'base64url').subarray(0, ORG_BYTES));
    const used = await this.database
      .transaction(orgId, em => sqlOf(em).query<{ token_hash: Buffer }>(USE, [orgId, hashOf(code), this.clock.now()]))
      .catch(refusedByName);
    return used[0]?.token_hash.toString('base64') ?? null;
  }
}

/** A code may contain the id of an organization that does not exist. Such a code is treated as a wrong code. */
function refusedByName(error: unknown): [] {
  if (error instanceof NotFoundError) return [];
  throw error;
}

function hashOf(code: string): Buffer {
  return hash('sha256', code, 'buffer');
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
