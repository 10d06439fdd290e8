import { Injectable } from '@nestjs/common';
import { firstIdAt, NotFoundError, type Page, type PageQuery, type SqlTransaction } from '#core';
import { equal, KeysetLists, newestFirst, OrgDatabase, SCHEMA, sql, sqlOf, type TableList } from '#database';
import type { Anomaly, AnomalyKind, Feedback } from './anomaly.js';
import { ANOMALY_COLUMNS, anomalyOf, type AnomalyRow } from './anomaly-rows.js';

/** Filter and position of an anomaly list. */
export interface AnomalyListQuery extends PageQuery {
  kind?: AnomalyKind | undefined;
  user_id?: string | undefined;
  incident_id?: string | undefined;
  /** `none`: alarms without feedback. */
  feedback?: Feedback | 'none' | undefined;
  /** Only anomalies whose period begins at or after this time. */
  since?: Date | undefined;
  /** Only anomalies whose period begins before this time. */
  until?: Date | undefined;
}

// Detection reads only usage that was reported, so an anomaly is made after its period began. One hour covers clocks that
// differ.
const CLOCKS_DIFFER_MS = 3_600_000;

/** The organization has no anomaly with this id. */
export class AnomalyNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no anomaly ${id} in your organization.`);
  }
}

/** Reads alarms. */
@Injectable()
export class AnomaliesService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
  ) {}

  /**
   * Returns one page, newest alarm first.
   * @throws BadRequestError if the cursor is not valid here
   */
  list<Item>(orgId: string, query: AnomalyListQuery, show: (anomaly: Anomaly) => Item): Promise<Page<Item>> {
    const { kind, feedback, since, until } = query;
    const userId = query.user_id?.toLowerCase();
    const incidentId = query.incident_id?.toLowerCase();
    const judged = feedback === 'none' ? [sql`a.feedback is null`] : equal({ 'a.feedback': feedback });
    const list: TableList<AnomalyRow> = {
      name: 'anomalies',
      filters: {
        ...{ kind, user_id: userId, incident_id: incidentId, feedback },
        ...{ since: since?.getTime(), until: until?.getTime() },
      },
      table: 'anomalies',
      as: 'a',
      where: [
        ...equal({ 'a.kind': kind, 'a.user_id': userId, 'a.incident_id': incidentId }),
        ...judged,
        // The bound of the ids skips older anomalies by the key.
        since && sql`a.id >= ${firstIdAt(new Date(since.getTime() - CLOCKS_DIFFER_MS))}::uuid`,
        since && sql`a.window_start >= ${since}`,
        until && sql`a.window_start < ${until}`,
      ],
      rows: ANOMALY_COLUMNS,
      order: newestFirst('a.id'),
    };
    return this.lists.page(orgId, query, list, row => show(anomalyOf(row)));
  }

  /** @throws AnomalyNotFoundError */
  get(orgId: string, id: string): Promise<Anomaly> {
    return this.database.transaction(orgId, em => readAnomaly(sqlOf(em), orgId, id));
  }
}

/**
 * Reads an alarm in a transaction of the organization, and locks it until that transaction ends.
 * @throws AnomalyNotFoundError
 */
export async function readAnomaly(tx: SqlTransaction, orgId: string, id: string): Promise<Anomaly> {
  const { sql: columns } = ANOMALY_COLUMNS.statement;
  const statement = `select ${columns} from ${SCHEMA}.anomalies a where a.org_id = $1 and a.id = $2 for update`;
  const [row] = await tx.query<AnomalyRow>(statement, [orgId, id]);
  if (!row) throw new AnomalyNotFoundError(id);
  return anomalyOf(row);
}
