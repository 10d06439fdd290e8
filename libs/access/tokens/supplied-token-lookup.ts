import type { OrgDatabase } from '#database';
import { hashToken } from './token-format.js';

const FIND = 'select org_id, revoked from governance.access_token_of($1)';

const OTHERS = 'select org_id, id from governance.supplied_tokens_besides($1)';

/** Looks up secrets that the operator has configured. Only reads. */
export class SuppliedTokenLookup {
  constructor(protected readonly database: OrgDatabase) {}

  /** Valid operator tokens with another secret. Only operator tokens have no expiry. */
  async besides(secret: string | undefined): Promise<{ orgId: string; id: string }[]> {
    const hash = secret === undefined ? null : Buffer.from(hashToken(secret), 'base64');
    const rows = await this.database.global<{ org_id: string; id: string }>(OTHERS, [hash]);
    return rows.map(({ org_id: orgId, id }) => ({ orgId, id }));
  }

  /** The stored token with this secret; undefined before the first boot with this secret. */
  async find(secret: string): Promise<{ orgId: string; revoked: boolean } | undefined> {
    const [found] = await this.database.global<{ org_id: string; revoked: boolean }>(FIND, [
      Buffer.from(hashToken(secret), 'base64'),
    ]);
    return found && { orgId: found.org_id, revoked: found.revoked };
  }
}
