import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { countRows, OrgDatabase, sqlOf } from '#database';
import { AccessToken } from './access-token.entity.js';
import { MACHINE_TOKEN_IDS, MACHINE_TOKENS } from './token.sql.js';

/** At most so many are named; `GET /v1/tokens?issued_by=` lists all that hold. */
const NAMED_AT_MOST = 100;

/** Tokens of programs that a person made. */
export interface MachineTokensOfPerson {
  /** Newest first, at most 100. */
  tokens: AccessToken[];
  /** How many there are, exact up to 10,000. */
  total: number;
}

/** Finds the tokens of the roles agent and scim that people made: they outlive the access of their makers. */
@Injectable()
export class MachineTokens {
  constructor(private readonly database: OrgDatabase) {}

  /**
   * Those that a user made, also indirectly, and that hold, or were revoked at a given time.
   * @param revokedAt the time of a change that may have revoked them
   */
  async madeBy(orgId: string, userId: string, revokedAt: Date): Promise<MachineTokensOfPerson> {
    return this.database.transaction(orgId, async em => {
      const { ids, total } = await idsOf(em, orgId, userId, revokedAt);
      const tokens = await em.find(AccessToken, { orgId, id: { $in: ids } }, { orderBy: { id: 'desc' } });
      return { tokens, total };
    });
  }

  /** Those that a user made and that hold in the caller's transaction: ids, newest first, at most 100. */
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
