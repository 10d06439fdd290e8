import { Inject, Injectable, Logger } from '@nestjs/common';
import type { SqlTransaction } from '#core';
import { ChangeFeed, OrgDatabase, SCHEMA, sqlOf } from '#database';
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
 * The compiled policies of every organization that has decided something in this process. Loaded on first use, compiled
 * again when the change feed says so. While the database is away, decisions follow the policies last known.
 */
@Injectable()
export class PolicySnapshots {
  private readonly logger = new Logger('Governance');
  private readonly held = new Map<string, PolicySnapshot>();
  private readonly loading = new Map<string, Promise<PolicySnapshot>>();

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly operators: OperatorRegistry,
    @Inject(POLICY_OPTIONS) private readonly options: PolicyOptions,
  ) {
    changes.subscribe(POLICIES_TOPIC, orgId => this.reload(orgId));
  }

  /** The organization's policies, where they are in memory. */
  peek(orgId: string): PolicySnapshot | undefined {
    return this.held.get(orgId);
  }

  /** The organization's policies. Callers that come together share one load; a failed one is not kept. */
  load(orgId: string): Promise<PolicySnapshot> {
    const running = this.loading.get(orgId);
    if (running) return running;
    const started = this.read(orgId).finally(() => this.loading.delete(orgId));
    this.loading.set(orgId, started);
    return started;
  }

  private async reload(orgId: string): Promise<void> {
    // What is loading now may have read before the change.
    for (let running = this.loading.get(orgId); running; running = this.loading.get(orgId)) {
      await running.catch(() => undefined);
    }
    if (this.held.has(orgId)) await this.load(orgId);
  }

  private async read(orgId: string): Promise<PolicySnapshot> {
    await this.changes.watch(orgId);
    const policies = await this.database.transaction(orgId, em => enabledPolicies(sqlOf(em), orgId));
    const snapshot = snapshotOf(policies, {
      operators: this.operators,
      defaultAction: this.options.defaultAction ?? 'allow',
    });
    for (const error of snapshot.broken.values()) this.logger.error(`organization ${orgId}: ${error.message}`);
    this.held.set(orgId, snapshot);
    return snapshot;
  }
}

/** The organization's enabled policies, as decisions are made by them. */
export async function enabledPolicies(tx: SqlTransaction, orgId: string): Promise<DecidablePolicy[]> {
  return (await tx.query<PolicyRow>(ENABLED, [orgId])).map(decidable);
}

function decidable({ born, ...row }: PolicyRow): DecidablePolicy {
  return { ...row, enabled: true, createdAt: new Date(Number(born)) };
}
