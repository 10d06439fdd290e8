import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, Body } from './api.js';
import { MODELS, type Model, type Person } from './people.js';
import { FORBIDDEN } from './forbidden.js';
import { usageEvent } from './history.js';
import { findUser } from './organization.js';
import type { Platforms } from './platforms.js';
import { randomFrom } from './random.js';
import type { Parts } from './scenarios.js';

const TICK_MS = 3_000;
const VIOLATION_EVERY = 20;
const BURST_EVERY = 7;
const TICKETS_EVERY = 10;
/** Time that a person on the platform takes to resolve a ticket. */
const RESOLUTION_MS = 120_000;

/**
 * Creates activity until the signal aborts: a decision every few seconds, a violation per minute, and resolved tickets.
 */
export async function createActivity(
  api: Api,
  people: readonly Person[],
  parts: Parts,
  platforms: Platforms,
  signal: AbortSignal,
): Promise<void> {
  const random = randomFrom(Date.now());
  const run = Date.now().toString(36);
  const busy = people.map(person => [person, person.perDay] as const);
  const { id: orgId } = await api('GET', '/organization');
  for (let tick = 0; !signal.aborted; tick += 1) {
    const started = Date.now();
    try {
      const person = random.weighted(busy);
      await request(person, random.weighted(person.models), `${run}-${tick}`);
      if (tick % VIOLATION_EVERY === 1) {
        const model = FORBIDDEN[Math.floor(tick / VIOLATION_EVERY) % FORBIDDEN.length] ?? random.pick(FORBIDDEN);
        await request(random.pick(people), model, `${run}-${tick}-violation`);
      }
      if (tick % BURST_EVERY === 2) await request(parts.spender, MODELS.large, `${run}-${tick}-burst`, 40);
      if (tick % VIOLATION_EVERY === 5) await request(parts.contractor, MODELS.large, `${run}-${tick}-contractor`);
      if (tick % TICKETS_EVERY === 0) await resolveTickets(orgId);
      if (tick % TICKETS_EVERY === 5) await suspendLeaver();
    } catch (error) {
      if (!signal.aborted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
    await sleep(Math.max(0, TICK_MS - (Date.now() - started)), undefined, { signal }).catch(() => undefined);
  }

  /** Acts as a gateway: requests a decision, calls the model and reports the usage. */
  async function request(person: Person, model: Model, id: string, times = 1): Promise<void> {
    const { provider, model: name, input, output } = model;
    const asked = { user_email: person.email, provider, model: name };
    const tokens = { estimated_input_tokens: input * times, max_output_tokens: output * times * 3 };
    const decision = await api('POST', '/decisions', { ...asked, ...tokens });
    if (!decision['allowed']) return;
    const event = usageEvent(`live-${id}`, person, model, new Date(), times, random);
    await api('POST', '/usage/events', { events: [{ ...event, decision_id: decision['id'] }] });
  }

  /** Resolves tickets that are older than two minutes. Jira then reports the change. */
  async function resolveTickets(orgId: string): Promise<void> {
    const { items } = await api('GET', '/itsm/tickets?status=open&sync_state=created&limit=100');
    const old = items.find((ticket: Body) => Date.parse(ticket['created_at']) < Date.now() - RESOLUTION_MS);
    if (!old) return;
    const issue = platforms.jira.issues.all.find(({ key }) => key === old.external_ticket_id);
    if (!issue) return;
    platforms.jira.issues.move(issue.key, { category: 'done', resolution: 'Done' });
    await api('POST', `/integrations/itsm/webhook/${orgId}`, {
      external_ticket_id: issue.key,
      status: 'resolved',
      resolution: 'Done',
      notes: 'Talked to the user; the case is clear.',
      updated_by: 'desk@acme.example',
    });
  }

  /** Suspends the person who leaves, once the anomaly of that person's night was detected. */
  async function suspendLeaver(): Promise<void> {
    const id = await findUser(api, parts.leaver.email);
    const { items } = await api('GET', `/anomalies?user_id=${id}`);
    if (items.length === 0) return;
    const user = await api('GET', `/users/${id}`);
    if (user['status'] === 'suspended') return;
    await api('POST', `/users/${id}/offboard`, { reason: 'Export at night before leaving' });
  }
}
