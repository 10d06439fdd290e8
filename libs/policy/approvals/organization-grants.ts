import { Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { ChangeFeed, OrgDatabase, OrgMemory, SCHEMA, sqlOf } from '#database';
import { GrantIndex } from '../decide/grants.js';
import type { Grants } from '../decisions/grants.port.js';

/** Topic of the change feed: a grant of the organization was created or revoked. */
export const APPROVALS_TOPIC = 'approvals';

interface GrantRow {
  policy_id: string;
  user_id: string;
  model: string;
  until_ms: number | string;
}

const GRANTED = `
select policy_id, user_id, model, (extract(epoch from expires_at) * 1000)::float8 as until_ms
from ${SCHEMA}.approvals where org_id = $1 and status = 'approved' and expires_at > $2`;

/**
 * The grants of each organization, in memory. The first decision loads them, and every change on any replica reloads
 * them. A decision compares the end of a grant with the time of the decision.
 */
@Injectable()
export class OrganizationGrants extends OrgMemory<GrantIndex> implements Grants {
  constructor(database: OrgDatabase, changes: ChangeFeed, clock: Clock) {
    super(changes, [APPROVALS_TOPIC], async orgId => {
      const parameters = [orgId, clock.now()];
      const rows = await database.transaction(orgId, em => sqlOf(em).query<GrantRow>(GRANTED, parameters));
      return new GrantIndex(
        rows.map(row => ({
          policyId: row.policy_id,
          userId: row.user_id,
          model: row.model,
          until: new Date(Number(row.until_ms)),
        })),
      );
    });
  }
}
