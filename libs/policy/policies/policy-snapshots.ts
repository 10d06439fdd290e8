import { Inject, Injectable, Logger } from '@nestjs/common';
import type { SqlTransaction } from '#core';
import { ChangeFeed, OrgDatabase, OrgMemory, SCHEMA, sqlOf } from '#database';
import {
  OperatorRegistry,
  type Conditions,
  type DecidablePolicy,
  type PolicyAction,
  type Severity,
} from '../decide/index.js';
import { POLICY_OPTIONS, type PolicyOptions } from '../policy.options.js';
import { POLICIES_TOPIC } from '../policy.topic.js';
import { snapshotOf, type PolicySnapshot } from './policy-snapshot.js';

interface PolicyRow {
  id: string;
  name: string;
  model: string | null;
  action: PolicyAction;
  conditions: Conditions;
  severity: Severity | null;
  version: number;
  born: number | string;
}

const ENABLED = `
select id, name, model, action, conditions, severity, version, (extract(epoch from created_at) * 1000)::float8 as born
from ${SCHEMA}.policies where org_id = $1 and enabled`;

/**
 * The compiled policies of every organization that has requested decisions in this process. Loaded on first use, and
 * compiled again when the change feed reports a change. During an outage of the database, decisions use the last known
 * policies.
 */
@Injectable()
export class PolicySnapshots extends OrgMemory<PolicySnapshot> {
  constructor(
    database: OrgDatabase,
    changes: ChangeFeed,
    operators: OperatorRegistry,
    @Inject(POLICY_OPTIONS) { defaultAction = 'allow' }: PolicyOptions,
  ) {
    const logger = new Logger('Governance');
    super(changes, [POLICIES_TOPIC], async orgId => {
      // Both reads use the same snapshot of the database. Otherwise, with a concurrent change, the policies might get
      // the wrong revision.
      const { revision, policies } = await database.snapshot(orgId, async em => ({
        revision: await changes.versionWithin(em, orgId, POLICIES_TOPIC),
        policies: await enabledPolicies(sqlOf(em), orgId),
      }));
      const snapshot = snapshotOf(policies, { operators, defaultAction }, revision);
      for (const error of snapshot.broken.values()) logger.error(`organization ${orgId}: ${error.message}`);
      return snapshot;
    });
  }
}

/** The organization's enabled policies, compiled for decisions. */
export async function enabledPolicies(tx: SqlTransaction, orgId: string): Promise<DecidablePolicy[]> {
  return (await tx.query<PolicyRow>(ENABLED, [orgId])).map(decidable);
}

function decidable({ born, ...row }: PolicyRow): DecidablePolicy {
  return { ...row, enabled: true, createdAt: new Date(Number(born)) };
}
