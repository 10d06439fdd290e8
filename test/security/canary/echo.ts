import { answer, type Behaviour } from '../../support/endpoint-behaviours.js';
import type { CanaryStage } from './stage.js';

/** An answer that repeats the request and the credentials of its endpoint. */
export function echo(status: number, told: readonly unknown[]): Behaviour {
  const body = told.map(part => (typeof part === 'string' ? part : JSON.stringify(part))).join('\n');
  return answer(status, JSON.stringify({ message: body, error: body }), { 'content-type': 'application/json' });
}

/** Makes waiting tasks due now. */
export async function makeDue({ asOwner }: CanaryStage): Promise<void> {
  await asOwner(
    `update governance.tasks set due_at = governance.now() - interval '1 second' where lease_token is null`,
  );
}
