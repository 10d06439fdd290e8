import { Injectable } from '@nestjs/common';
import { DecisionDimensions, DimensionRefusal, NO_DIMENSIONS, readDimensions, type DecidedFor } from '#core';
import { OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';

// The ids are literals, so that the planner prunes the partitions of other days.
const BY_IDS = `
select id, user_id, attributes ->> 'department' as department, attributes -> 'project' as project, attributes -> 'tags' as tags
from ${SCHEMA}.decisions where org_id = $1 and id = any($2::uuid[])`;

interface Row {
  id: string;
  user_id: string | null;
  department: string | null;
  project: unknown;
  tags: unknown;
}

/** Reads the dimensions of decisions from their records. */
@Injectable()
export class RecordedDimensions extends DecisionDimensions {
  constructor(private readonly database: OrgDatabase) {
    super();
  }

  override async of(orgId: string, decisionIds: readonly string[]): Promise<Map<string, DecidedFor>> {
    const ids = plainArray(decisionIds, id => id);
    const rows = await this.database.transaction(orgId, em => sqlOf(em).query<Row>(BY_IDS, [orgId, ids]));
    return new Map(rows.map(row => [row.id, decidedFor(row)]));
  }
}

function decidedFor({ user_id: userId, department, project, tags }: Row): DecidedFor {
  const read = readDimensions(project, tags);
  return Object.assign({ userId, department }, read instanceof DimensionRefusal ? NO_DIMENSIONS : read);
}
