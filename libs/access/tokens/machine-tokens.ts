import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { countRows, OrgDatabase, sqlOf } from '#database';
import { AccessToken } from './access-token.entity.js';
import { MACHINE_TOKEN_IDS, MACHINE_TOKENS } from './token.sql.js';

/** Maximum number of listed tokens. `GET /v1/tokens?issued_by=` lists all valid tokens. */
const NAMED_AT_MOST = 100;

/** Machine tokens that a user created. */
export interface MachineTokensOfPerson {
  /** Newest first, at most 100. */
  tokens: AccessToken[];
  /** Total number, exact up to 10,000. */
  total: number;
}

/**
 * Finds machine tokens (roles agent and scim) by creator. Machine tokens stay valid when their creators lose access.
 */
@Injectable()
export class MachineTokens {
  constructor(private readonly database: OrgDatabase) {}

  /**
   * Machine tokens that a user created, also indirectly. Includes valid tokens, and tokens that were revoked at the
   * given time.
   * @param revokedAt time of a change that may have revoked tokens
   */
  async madeBy(orgId: string, userId: string, revokedAt: Date): Promise<MachineTokensOfPerson> {
    return this.database.transaction(orgId, async em => {
      const { ids, total } = await idsOf(em, orgId, userId, revokedAt);
      const tokens = await em.find(AccessToken, { orgId, id: { $in: ids } }, { orderBy: { id: 'desc' } });
      return { tokens, total };
    });
  }

  /**
   * Reads the ids of valid machine tokens that a user created, in the caller's transaction. Newest first, at most 100.
   */
  async leftBy(em: EntityManager, orgId: string, userId: string): Promise<{ ids: string[]; total: number }> {
    return idsOf(em, orgId, userId, null);
  }
}

async function idsOf(
  em: EntityManager,
  orgId: string,
  userId: string,
  revokedAt: Date | null,
): Promise<{ ids: string[]; total: number }> {
  const parameters = [orgId, userId.toLowerCase(), revokedAt];
  const total = await countRows(sqlOf(em), MACHINE_TOKENS, parameters);
  const rows = await sqlOf(em).query<{ id: string }>(MACHINE_TOKEN_IDS, [...parameters, NAMED_AT_MOST]);
  return { ids: rows.map(({ id }) => id), total };
}
