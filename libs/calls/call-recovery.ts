import { metrics } from '@opentelemetry/api';
import { Injectable, Logger } from '@nestjs/common';
import { METER, type ServiceTier } from '#core';
import { OrgDatabase, retryingConflicts, SCHEMA, sqlOf } from '#database';
import { Scheduler } from '#scheduler';
import type { UsageEventInput } from '#usage';
import { CallEnds, type CallEnd } from './call-ends.js';
import { ownEventId } from './call-event.js';
import { CallMarks } from './call-marks.js';

/** Maximum number of organizations per query, and of calls per transaction. */
const ORGANIZATIONS = 1_000;
const BATCH = 500;

const DUE = `select org_id from ${SCHEMA}.organizations_with_abandoned_calls($1)`;

// Skips calls of this process, because it is alive even if its leases have expired. Also skips rows that another
// replica has locked.
const TAKE = `
with due as (
  select c.id from ${SCHEMA}.open_calls c
  where c.org_id = $1 and c.lease_until <= ${SCHEMA}.now()
    and (c.owner <> $2 or c.ended is not null)
  order by c.id limit $3 for update skip locked
)
delete from ${SCHEMA}.open_calls c using due where c.org_id = $1 and c.id = due.id
returning c.id, c.decision_id, c.user_id, c.user_email, c.provider, c.model, c.service_tier, c.region, c.input_tokens::text, c.output_tokens::text,
  floor(extract(epoch from c.opened_at) * 1000)::text as opened_ms, c.ended`;

interface AbandonedCall {
  id: string;
  decision_id: string | null;
  user_id: string | null;
  user_email: string | null;
  provider: string;
  model: string;
  service_tier: ServiceTier | null;
  region: string | null;
  input_tokens: string;
  output_tokens: string;
  opened_ms: string;
  /** Usage of the call, as written by `endedEventOf`; null if the call has not ended. */
  ended: string | null;
}

/**
 * Records the calls of processes that died. If a call has ended, its stored usage is recorded; otherwise the usage that
 * was written ahead. Every replica checks three times a minute.
 */
@Injectable()
export class CallRecovery {
  /** Records all calls with an expired lease; returns their number. */
  readonly sweep: () => Promise<number>;
  private readonly logger = new Logger('Governance');
  private readonly recovered = metrics.getMeter(METER).createCounter('governance.calls.recovered', {
    description: 'Calls that were recorded for a process that died before it had counted them',
    unit: '{call}',
  });

  constructor(
    private readonly database: OrgDatabase,
    private readonly ends: CallEnds,
    private readonly marks: CallMarks,
    scheduler: Scheduler,
  ) {
    this.sweep = scheduler.add({
      name: 'call-recovery',
      pattern: '*/20 * * * * *',
      isDueAtStart: true,
      failure: 'Calls of processes that died could not be recorded',
      round: () => this.round(),
    });
  }

  private async round(): Promise<number> {
    let sum = 0;
    for (const { org_id: orgId } of await this.database.global<{ org_id: string }>(DUE, [ORGANIZATIONS])) {
      sum += await retryingConflicts(() => this.recover(orgId));
    }
    if (sum > 0) this.logger.warn(`Recorded ${sum} calls of processes that died before they recorded them`);
    return sum;
  }

  private recover(orgId: string): Promise<number> {
    return this.database.transaction(orgId, async em => {
      const calls = await sqlOf(em).query<AbandonedCall>(TAKE, [orgId, this.marks.owner, BATCH]);
      if (calls.length === 0) return 0;
      await this.ends.recordWithin(em, orgId, calls.map(endOf));
      this.recovered.add(calls.length);
      return calls.length;
    });
  }
}

function endOf(call: AbandonedCall): CallEnd {
  const { id, ended, decision_id: decisionId } = call;
  const event = ended ?? JSON.stringify({ event: eventOf(call), plain: { model: call.model } });
  return { id, decisionId: decisionId ?? undefined, event, isCovered: true, isCertain: true };
}

function eventOf(call: AbandonedCall): UsageEventInput {
  return {
    id: ownEventId(call),
    user_id: call.user_id,
    user_email: call.user_email,
    provider: call.provider,
    model: call.model,
    service_tier: call.service_tier,
    region: call.region,
    occurred_at: new Date(Number(call.opened_ms)).toISOString(),
    input_tokens: Number(call.input_tokens),
    output_tokens: Number(call.output_tokens),
    decision_id: call.decision_id,
    metadata: { estimated: true, recovered: true },
  };
}
