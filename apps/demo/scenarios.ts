import type { Api } from './api.js';
import { MODELS, type Person } from './people.js';
import { FORBIDDEN } from './forbidden.js';
import { usageEvent } from './history.js';
import { findUser } from './organization.js';
import { randomFrom } from './random.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Number of ordinary requests before the page is opened, so that a simulation has decisions to evaluate. */
const ORDINARY = 60;
/** Number of requests that policies decide before the page is opened. */
const REQUESTS = 24;
const random = randomFrom(11);

/** The person who plays each role in the scenarios. */
export interface Parts {
  /** Person who leaves next week, and copies data the night before. */
  readonly leaver: Person;
  /** Person who owns a nightly job that runs out of control. */
  readonly runaway: Person;
  /** Person who exceeds the budget of Marketing. */
  readonly spender: Person;
  readonly contractor: Person;
}

export function chooseParts(people: readonly Person[]): Parts {
  const busy = (department: string): Person[] =>
    people.filter(person => person.department === department).sort((a, b) => b.perDay - a.perDay);
  const of = (department: string, at: number): Person => {
    const person = busy(department)[at];
    if (!person) throw new Error(`no person of ${department} fits`);
    return person;
  };
  const contractor = people.find(({ role, department }) => role === 'contractor' && department === 'Sales');
  return {
    leaver: of('Sales', 2),
    runaway: of('Engineering', 4),
    spender: of('Marketing', 0),
    contractor: contractor ?? of('Sales', 5),
  };
}

/** Creates today's events up to the moment when the operator opens the page. */
export async function createScenarios(api: Api, people: readonly Person[], parts: Parts, now: Date): Promise<void> {
  await makeBudgets(api);
  await leave(api, parts.leaver, now);
  await runAway(api, parts.runaway, now);
  await tryPolicy(api);
  await ask(api, parts.contractor);
  await workAsUsual(api, people);
  await violate(api, people);
}

/**
 * Creates budgets that match the past spending. One is at 76 %; a burst of usage today takes it past 80 % and then past
 * 100 %.
 */
async function makeBudgets(api: Api): Promise<void> {
  const budgets = [
    { name: 'All of Acme, monthly', scope: 'organization', share: 0.58, enforcement: 'notify' },
    { name: 'Marketing, monthly', scope: 'department', department: 'Marketing', share: 0.76, enforcement: 'block' },
    {
      name: 'Engineering, monthly',
      scope: 'department',
      department: 'Engineering',
      share: 0.44,
      enforcement: 'notify',
    },
    { name: 'Research, monthly', scope: 'department', department: 'Research', share: 0.87, enforcement: 'notify' },
  ];
  for (const { share, ...budget } of budgets) {
    const made = await api('POST', '/budgets', { ...budget, amount_usd: 1_000_000, period: 'monthly' });
    const amount = Math.max(1, Math.round((100 * made['spent_usd']) / share) / 100);
    await api('PATCH', `/budgets/${made['id']}`, { amount_usd: amount });
  }
}

async function leave(api: Api, leaver: Person, now: Date): Promise<void> {
  const id = await findUser(api, leaver.email);
  const departure = new Date(now.getTime() + 6 * 24 * HOUR).toISOString().slice(0, 10);
  await api('POST', `/users/${id}/offboard`, { departure_date: departure, reason: 'Resigned' });
  const night = lastNight(now, 1);
  const events = Array.from({ length: 18 }, (_, at) => {
    const model = at % 3 === 0 ? MODELS.reasoning : MODELS.large;
    return usageEvent(`export-${at}`, leaver, model, new Date(night + at * 9 * MINUTE), 60, random);
  });
  await api('POST', '/usage/events', { events });
}

async function runAway(api: Api, person: Person, now: Date): Promise<void> {
  const night = lastNight(now, 3);
  const events = Array.from({ length: 30 }, (_, at) =>
    usageEvent(`runaway-${at}`, person, MODELS.coder, new Date(night + at * 2 * MINUTE), 150, random),
  );
  await api('POST', '/usage/events', { events });
}

/** Start of the last full hour before `now` that begins at `hour` o'clock UTC. */
function lastNight(now: Date, hour: number): number {
  const at = new Date(now).setUTCHours(hour, 0, 0, 0);
  return at + HOUR > now.getTime() ? at - 24 * HOUR : at;
}

/** Creates a policy that was first simulated, then enabled, and corrected an hour later. */
async function tryPolicy(api: Api): Promise<void> {
  const draft = {
    name: 'Reasoning models for Research and Engineering',
    description: 'They cost ten times as much.',
    model: 'o3*',
    action: 'block',
    conditions: { department: { not_in: ['Research'] } },
  };
  await api('POST', '/policies/simulate', { policy: draft, days: 30 });
  const policy = await api('POST', '/policies', { ...draft, enabled: false });
  await api('PUT', `/policies/${policy['id']}`, { enabled: true });
  const corrected = { department: { not_in: ['Research', 'Engineering', 'Finance'] } };
  await api('PUT', `/policies/${policy['id']}`, { conditions: corrected });
}

/** Creates decisions on the calls of an ordinary morning. */
async function workAsUsual(api: Api, people: readonly Person[]): Promise<void> {
  const busy = people.map(person => [person, person.perDay] as const);
  for (let at = 0; at < ORDINARY; at += 1) {
    const person = random.weighted(busy);
    const { provider, model } = random.weighted(person.models);
    await api('POST', '/decisions', { user_email: person.email, provider, model });
  }
}

/** Creates the violations of this morning. */
async function violate(api: Api, people: readonly Person[]): Promise<void> {
  for (let at = 0; at < REQUESTS; at += 1) {
    const { provider, model } = random.pick(FORBIDDEN);
    await api('POST', '/decisions', { user_email: random.pick(people).email, provider, model });
  }
}

/** Creates two requests for approval. One expires in two minutes, the other stays pending. */
async function ask(api: Api, contractor: Person): Promise<void> {
  const request = { user_email: contractor.email, provider: 'openai', model: 'gpt-4o' };
  const first = await api('POST', '/decisions', request);
  if (first['approval_id'] === undefined) return;
  const expires = new Date(Date.now() + 2 * MINUTE).toISOString();
  await api('POST', `/approvals/${first['approval_id']}/approve`, {
    expires_at: expires,
    reason: 'For this demo call.',
  });
}
