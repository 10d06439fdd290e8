import { deepEqual, equal, fail, notEqual } from 'node:assert/strict';
import {
  attemptUpdate,
  changesOf,
  type ChangeKind,
  type TicketChange,
  type TicketRef,
  type UpdateOutcome,
} from '#itsm';
import { changeOf, draftOf } from './drafts.js';
import type { UpdateGround } from './ground.js';
import type { PlatformAnswer } from './scripted-adapter-http.js';
import { met, type SimulatedFailure, type Stage } from './stage.js';

/** A number of requests that no change reaches. */
const REQUESTS_MAX = 12;

/** The number of times that the service retries a comment. */
const ATTEMPTS_MAX = 4;

/** Response statuses that say nothing about the ticket. */
const FAILURES = [302, 400, 401, 403, 405, 409, 413, 429, 500, 502, 503, 504];

export function groundOf({ ground }: Stage): UpdateGround {
  return ground.update ?? fail('an adapter with `update` needs `update` in its ground');
}

/** Creates a ticket with severity `high`. */
export async function ticketOn(stage: Stage): Promise<TicketRef> {
  return stage.created(draftOf({ severity: 'high' }));
}

export function attempt(stage: Stage, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
  return attemptUpdate(stage.adapter, stage.context, ref, change);
}

export async function updated(stage: Stage, ref: TicketRef, change: TicketChange, why: string): Promise<void> {
  const outcome = await attempt(stage, ref, change);
  equal(outcome.kind, 'updated', `${why}: ${JSON.stringify(outcome)}`);
}

async function timesOf(stage: Stage, ref: TicketRef, key: string): Promise<number> {
  const texts = await groundOf(stage).texts(ref);
  return texts.filter(text => text.includes(key)).length;
}

export async function statusOf(stage: Stage, ref: TicketRef): Promise<string | undefined> {
  if (stage.adapter.status) return (await stage.adapter.status(stage.context, ref))?.status;
  return groundOf(stage).standing?.(ref) ?? fail('an adapter without `status` needs `standing` in its ground');
}

/** Whether the adapter supports changes of this kind. */
export function makes({ adapter }: Stage, kind: ChangeKind): boolean {
  return changesOf(adapter).includes(kind);
}

/** Puts a ticket into a state in which a change of this kind has an effect. */
export async function prepare(stage: Stage, ref: TicketRef, kind: TicketChange['kind']): Promise<void> {
  if (kind === 'reopen') await stage.ground.status?.move(ref, groundOf(stage).resolved);
}

/** Answers that refuse a request and do not say that the ticket was deleted. */
export function refusalsOf({ ground }: Stage): PlatformAnswer[] {
  const pages = [200, 203, 404, 503].map(status => ({ status, text: '<html>no such page</html>' }));
  return [...FAILURES.map(status => ({ status })), ...pages, ...(ground.failsInSuccess ?? [])];
}

/**
 * Refuses each request of a change in turn, reads and writes. An adapter may report a change as made only if the
 * platform made it. A 404 to a write may say that the ticket was deleted.
 */
export async function admitsRefusals(stage: Stage, kind: ChangeKind): Promise<void> {
  const bare: PlatformAnswer = { status: 404, json: {} };
  for (let n = 1; n <= REQUESTS_MAX; n++) {
    let ref: TicketRef | undefined;
    for (const answer of [...refusalsOf(stage), bare]) {
      if (!ref) await prepare(stage, (ref = await ticketOn(stage)), kind);
      const what = `${kind}, request ${n}: ${JSON.stringify(answer)}`;
      const change = changeOf(kind);
      const count = stage.meetsAt(n, answer);
      const outcome = await attempt(stage, ref, change);
      const isOver = count() < n;
      stage.recovers();
      if (isOver) return;
      if (answer !== bare) notEqual(outcome.kind, 'gone', what);
      if (outcome.kind !== 'updated') continue;
      await isMade(stage, ref, change, [change.key], what);
      ref = undefined;
    }
  }
}

/**
 * Refuses the credentials at each request of a change in turn. The service repeats a change that failed with a
 * retryable error. It also repeats a refused change after the credentials were corrected. Therefore, a failed change
 * must leave the ticket unchanged.
 */
export async function keepsWhole(stage: Stage, kind: ChangeKind): Promise<void> {
  for (let n = 1; n <= REQUESTS_MAX; n++) {
    const ref = await ticketOn(stage);
    await prepare(stage, ref, kind);
    const change = changeOf(kind);
    const seen = async (): Promise<unknown> => ({
      status: await statusOf(stage, ref),
      texts: makes(stage, 'comment') ? await timesOf(stage, ref, change.key) : 0,
      priority: makes(stage, 'priority') ? await groundOf(stage).priority(ref) : null,
    });
    const before = await seen();
    const count = stage.meetsAt(n, { status: 401 });
    const outcome = await attempt(stage, ref, change);
    const isOver = count() < n;
    stage.recovers();
    if (isOver) return;
    const isAnew = outcome.kind === 'retryable' || (outcome.kind === 'refused' && outcome.code === 'auth');
    if (!isAnew) continue;
    deepEqual(await seen(), before, `${kind}, request ${n}: 401 after a part of it was made is uncertain`);
  }
}

/**
 * Lets each request of a change fail in turn. The service repeats the change: under the same key if the outcome is
 * uncertain, under a new key if nothing was changed. In the end, the ticket has the change, and the text of the change
 * exactly once.
 */
export async function survives(stage: Stage, kind: TicketChange['kind'], trouble: SimulatedFailure): Promise<void> {
  for (let n = 1; n <= REQUESTS_MAX; n++) {
    const ref = await ticketOn(stage);
    await prepare(stage, ref, kind);
    const what = `${kind}, request ${n}: ${JSON.stringify(trouble)}`;
    const count = stage.meetsAt(n, met(trouble));
    let change = changeOf(kind);
    let outcome = await attempt(stage, ref, change);
    if (count() < n) return stage.recovers();
    const keys = [change.key];
    for (let again = 1; again < ATTEMPTS_MAX && outcome.kind !== 'updated'; again++) {
      if (outcome.kind === 'retryable') change = changeOf(kind);
      else if (outcome.kind === 'uncertain') change = { ...change, repeated: true };
      else fail(`${what}: ${JSON.stringify(outcome)}`);
      keys.push(change.key);
      outcome = await attempt(stage, ref, change);
    }
    stage.recovers();
    equal(outcome.kind, 'updated', `${what}: ${JSON.stringify(outcome)}`);
    await isMade(stage, ref, change, keys, what);
  }
}

/** Asserts that the ticket has the change, and the text of the change exactly once, with one of the keys. */
async function isMade(
  stage: Stage,
  ref: TicketRef,
  { kind }: TicketChange,
  keys: readonly string[],
  what: string,
): Promise<void> {
  if (kind === 'priority') {
    deepEqual(await groundOf(stage).priority(ref), stage.ground.severity.expected.critical, what);
    return;
  }
  let texts = 0;
  for (const key of makes(stage, 'comment') ? new Set(keys) : []) texts += await timesOf(stage, ref, key);
  if (makes(stage, 'comment')) equal(texts, 1, `${what}: the ticket has the text once`);
  if (kind !== 'comment') equal((await statusOf(stage, ref)) === 'resolved', kind === 'resolve', what);
}
