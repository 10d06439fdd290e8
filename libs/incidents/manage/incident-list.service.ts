import { Injectable } from '@nestjs/common';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page, type Severity } from '#core';
import { countRows, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Incident } from '../incident/incident.entity.js';
import type { IncidentStatus, IncidentType } from '../incident/incident-status.js';

/** Which incidents to list, and from where. */
export interface IncidentListQuery {
  status?: IncidentStatus | undefined;
  severity?: Severity | undefined;
  type?: IncidentType | undefined;
  user_id?: string | undefined;
  policy_id?: string | undefined;
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

/** Lists incidents, the one that was opened last first; ids of incidents grow with time. */
@Injectable()
export class IncidentListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
  ) {}

  /** One page. @throws BadRequestError where the cursor is not valid here */
  async list<Item>(orgId: string, query: IncidentListQuery, show: (incident: Incident) => Item): Promise<Page<Item>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const { status, severity, type } = query;
    const user_id = query.user_id?.toLowerCase();
    const policy_id = query.policy_id?.toLowerCase();
    const filters = { status, severity, type, user_id, policy_id };
    const digest = digestFilters('incidents', filters);
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, digest, query.cursor);
    const given = Object.entries(filters).filter(([, value]) => value !== undefined);
    return this.database.transaction(orgId, async em => {
      const where = given.map(([column], at) => ` and ${column} = $${at + 2}`).join('');
      const all = `select 1 from ${SCHEMA}.incidents where org_id = $1${where}`;
      const values = [orgId, ...given.map(([, value]) => value)];
      const totalCount = opened?.totalCount ?? (await countRows(sqlOf(em), all, values));
      const incidents = await em.find(
        Incident,
        {
          orgId,
          ...(status === undefined ? {} : { status }),
          ...(severity === undefined ? {} : { severity }),
          ...(type === undefined ? {} : { type }),
          ...(user_id === undefined ? {} : { userId: user_id }),
          ...(policy_id === undefined ? {} : { policyId: policy_id }),
          ...(opened ? { id: { $lt: String(opened.position[0]) } } : {}),
        },
        { orderBy: { id: 'desc' }, limit: limit + 1 },
      );
      const cursorAfter = ({ id }: Incident) => this.cursors.seal(orgId, digest, { position: [id], totalCount });
      return pageOf(incidents, limit, show, cursorAfter, totalCount);
    });
  }
}
