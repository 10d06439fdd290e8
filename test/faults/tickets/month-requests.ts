import type { Stage } from '../../e2e/incidents.support.js';
import type { Call, TestApp } from '../../support/test-app.js';
import { sleep } from '../processes/chance.js';
import type { Evidence, GivenUp, OurIncident, OurTicket } from './evidence.js';

const AT_ONCE = 8;
const SECOND_MS = 1_000;
/** Maximum number of attempts for a request that the app does not answer on a busy machine. */
const ATTEMPTS = 10;

/**
 * Simulates the death of the test's own process: its lease has expired, and the outcome comes too late. Does so only if
 * the process holds a single task. With more tasks, the process would send requests at the same time as its successor.
 */
export async function robSingle({ database }: TestApp, orgId: string): Promise<void> {
  const held = `org_id = $1 and lease_token is not null and queue in ('itsm', 'itsm-changes')`;
  await database.asOwner(
    `update governance.tasks set lease_token = gen_random_uuid(), due_at = governance.now() - interval '1 second'
     where ${held} and (select count(*) from governance.tasks where ${held}) = 1`,
    [orgId],
  );
}

/** The token of the leases of killed processes. */
const DEAD = '00000000-0000-0000-0000-000000000000';

/** Condition of tasks that a living process has leased. */
export const HELD = `lease_token <> '${DEAD}'`;

/** Marks the leases of a killed process, when no other process runs ticket tasks. They expire in their own time. */
export async function markLeases({ database }: TestApp): Promise<void> {
  await database.asOwner(`update governance.tasks set lease_token = '${DEAD}' where queue like 'itsm%' and ${HELD}`);
}

/** Creates an event for each model, a few at a time. */
export async function violateAll(stage: Stage, models: readonly string[]): Promise<void> {
  const left = models.values();
  const run = async (): Promise<void> => {
    for (const model of left) await repeated(() => stage.violate(undefined, { model }));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}

/** A busy machine may answer 503. */
async function repeated<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let left = ATTEMPTS; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(SECOND_MS);
    }
  }
}

/** What the service says about its tickets and incidents. */
export async function recordsOf(call: Call): Promise<Pick<Evidence, 'tickets' | 'incidents' | 'givenUp'>> {
  const tickets = await all<OurTicket>(call, '/v1/itsm/tickets');
  const incidents = await all<OurIncident>(call, '/v1/incidents');
  const givenUp = new Map<string, GivenUp[]>();
  for (const { id, occurrences } of incidents) {
    // An incident that occurred once has no comments.
    const entries = occurrences > 1 ? await all<TimelineEntry>(call, `/v1/incidents/${id}/timeline`) : [];
    const found = entries.filter(({ data }) => data['change'] === 'comment' && data['result'] === 'unanswered');
    const said = found.map(({ at, data }) => ({ at: Date.parse(at), occurrences: Number(data['occurrences']) }));
    if (said.length > 0) givenUp.set(id, said);
  }
  return { tickets, incidents, givenUp };
}

interface TimelineEntry {
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** All items of a list. */
async function all<Item>(call: Call, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = ''; ;) {
    const { body } = await repeated(async () => {
      const answer = await call('GET', `${path}?limit=100${cursor}`);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
      return answer;
    });
    items.push(...body.items);
    if (!body.next_cursor) return items;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}
