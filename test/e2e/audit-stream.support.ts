import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { SecurityEvent } from '#access';
import type { AuditRecord, AuditSink } from '#governance';
import type { Call } from '../support/test-app.js';
import type { TestDatabase } from '../support/test-postgres.js';

/** The name of the sink. */
export const STREAM = 'kept';

/** A sink of a host that stores the accepted events. A test sets its behavior. */
export class KeptSink implements AuditSink {
  readonly name: string = STREAM;
  readonly batches: (readonly AuditRecord[])[] = [];
  act: (records: readonly AuditRecord[]) => Promise<void> = async () => {};

  async write(records: readonly AuditRecord[]): Promise<void> {
    await this.act(records);
    this.batches.push(records);
  }

  get records(): AuditRecord[] {
    return this.batches.flat();
  }

  reset(): void {
    this.batches.splice(0);
    this.act = async () => {};
  }
}

interface Backlog {
  waiting: number;
  oldest_seconds: number;
  failing: number;
  fault: string | null;
}

/** Records that wait for the sink. */
export async function backlogOf(database: TestDatabase): Promise<Backlog | undefined> {
  const [row] = await database.asOwner<Backlog>('select * from governance.siem_backlog($1)', [STREAM]);
  return row;
}

/** A refused request of an organization at a given time. */
export function refusedRequest(orgId: string, at: Date): SecurityEvent {
  const actor = { orgId, kind: 'token' as const, id: randomUUID() };
  return { type: 'access_denied', at, actor, address: null, requestId: null, route: null, reason: 'x' };
}

/** Creates a policy, and makes a new user violate it this many times. */
export async function violate(call: Call, times: number): Promise<void> {
  const user_email = `${randomUUID()}@people.example`;
  await call('POST', '/v1/users', { email: user_email, name: 'Ada' });
  await call('POST', '/v1/policies', { name: 'No large models', action: 'block', model: 'large' });
  for (let n = 0; n < times; n++) {
    const { status, body } = await call('POST', '/v1/decisions', { user_email, provider: 'openai', model: 'large' });
    expect([status, body.action]).toEqual([200, 'block']);
  }
}
