// The time that events take to arrive at their webhooks during other work.
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../support/server.mjs';
import { monotonicMs } from '../../webhooks/support/clock.mjs';

/** The first events of a phase meet closed connections and code that is not yet compiled, so they are not measured. */
const WARM_UP_SECONDS = 2;
/**
 * Fewer than the database connections of the host, so that measured events do not wait for a connection that a
 * violation uses.
 */
const AT_ONCE = 4;
/** An event that arrives later than this counts as lost. */
const TIMEOUT_MS = 30_000;

/** Fires events at a constant rate and measures when each arrives at the receiver. */
export class ArrivalTimes {
  #next = 0;
  /** Events of all phases that never arrived, and arrivals of events that had arrived before. */
  missing = 0;
  repeated = 0;

  constructor(rig, perSecond) {
    this.rig = rig;
    this.perSecond = perSecond;
  }

  /** Milliseconds from each event of a phase to its arrival, during `work`, which is called with the start time. */
  async during(seconds, work) {
    const { rig, perSecond } = this;
    await rig.receiver.ask('reset', { isKept: true });
    const firedAt = new Map();
    const firing = [];
    const count = seconds * perSecond;
    const begun = monotonicMs();
    const beside = work(begun);
    for (let fired = 0; fired < count; await sleep(1)) {
      for (; fired < Math.min(count, ((monotonicMs() - begun) * perSecond) / 1_000); fired++) {
        const number = this.#next++;
        firedAt.set(number, monotonicMs());
        firing.push(rig.fire(1, { first: number, type: 'budget_warning' }));
      }
    }
    await Promise.all([beside, ...firing]);
    const arrivedAt = await this.#arrivals(firedAt);
    this.missing += firedAt.size - arrivedAt.size;
    return [...firedAt]
      .filter(([, at]) => at - begun >= WARM_UP_SECONDS * 1_000)
      .map(([number, at]) => (arrivedAt.get(number) ?? Infinity) - at);
  }

  async #arrivals(firedAt) {
    const arrivedAt = new Map();
    const until = monotonicMs() + TIMEOUT_MS;
    for (; ; await sleep(100)) {
      const { at, number } = await this.rig.receiver.ask('log');
      let repeated = 0;
      arrivedAt.clear();
      for (const [index, value] of number.entries()) {
        if (arrivedAt.has(value)) repeated++;
        else if (firedAt.has(value)) arrivedAt.set(value, at[index]);
      }
      if (arrivedAt.size < firedAt.size && monotonicMs() < until) continue;
      this.repeated += repeated;
      return arrivedAt;
    }
  }
}

/** Creates users and returns their email addresses. */
export async function peopleOf(rig, name, count) {
  const emails = Array.from({ length: count }, (_, at) => `${name}-${at}@example.com`);
  for (const email of emails) await rig.call('POST', '/v1/users', { email, name: email });
  return emails;
}

/**
 * People violate the policy at a constant rate for this many seconds, a few in parallel. `after` is called with each
 * person. Resolves with the number of decisions that were refused with 503 and requested again.
 */
export async function violateInTurn(rig, violators, begun, seconds, after = () => undefined) {
  const left = violators.entries();
  let unavailable = 0;
  const client = async () => {
    for (const [at, email] of left) {
      await sleep(Math.max(0, begun + (at * seconds * 1_000) / violators.length - monotonicMs()));
      await decide(rig, email, () => unavailable++);
      after(email, at);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return unavailable;
}

async function decide(rig, email, onUnavailable) {
  const request = { user_email: email, provider: 'openai', model: 'gpt-4o', idempotency_key: crypto.randomUUID() };
  for (;;) {
    try {
      await rig.call('POST', '/v1/decisions', request);
      return;
    } catch (error) {
      // Repeats a request after a 503, as clients do.
      if (!String(error).includes(': 503 ')) throw error;
      onUnavailable();
      await sleep(1_000);
    }
  }
}

export function figuresOf(times) {
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), max: quantile(times, 1) };
}

export function printTimes(what, figures) {
  const of = name => figures[name].toFixed(1).padStart(7);
  console.log(`  ${what.padEnd(26)} p50 ${of('p50')}   p99 ${of('p99')}   max ${of('max')}`);
}
