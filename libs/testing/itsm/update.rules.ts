import { deepEqual, equal, fail, notEqual, ok } from 'node:assert/strict';
import {
  attemptUpdate,
  changesOf,
  CHANGE_KINDS,
  type ChangeKind,
  type TicketChange,
  type TicketRef,
  type UpdateOutcome,
} from '#itsm';
import { changeOf, draftOf, textsIn } from './drafts.js';
import type { UpdateGround } from './ground.js';
import { isShownAsItIs, MARKUP } from './markup.js';
import { UNREADABLE, type PlatformAnswer } from './scripted-adapter-http.js';
import { met, type SimulatedFailure, type Stage } from './stage.js';

type Rule = (stage: Stage) => Promise<void>;

/** More requests than any change needs. */
const REQUESTS_MAX = 12;

/** The number of times that the service retries a comment. */
const ATTEMPTS_MAX = 4;

/** Statuses that say nothing about the ticket. */
const FAILURES = [302, 400, 401, 403, 405, 409, 413, 429, 500, 502, 503, 504];

function groundOf({ ground }: Stage): UpdateGround {
  return ground.update ?? fail('an adapter with `update` needs `update` in its ground');
}

/** Creates a ticket with severity `high`. */
async function ticketOn(stage: Stage): Promise<TicketRef> {
  return stage.created(draftOf({ severity: 'high' }));
}

function attempt(stage: Stage, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
  return attemptUpdate(stage.adapter, stage.context, ref, change);
}

async function updated(stage: Stage, ref: TicketRef, change: TicketChange, why: string): Promise<void> {
  const outcome = await attempt(stage, ref, change);
  equal(outcome.kind, 'updated', `${why}: ${JSON.stringify(outcome)}`);
}

async function timesOf(stage: Stage, ref: TicketRef, key: string): Promise<number> {
  const texts = await groundOf(stage).texts(ref);
  return texts.filter(text => text.includes(key)).length;
}

async function statusOf(stage: Stage, ref: TicketRef): Promise<string | undefined> {
  if (stage.adapter.status) return (await stage.adapter.status(stage.context, ref))?.status;
  return groundOf(stage).standing?.(ref) ?? fail('an adapter without `status` needs `standing` in its ground');
}

/** Whether the adapter makes such changes. */
function makes({ adapter }: Stage, kind: ChangeKind): boolean {
  return changesOf(adapter).includes(kind);
}

/** Puts a ticket into a state in which a change of this kind has an effect. */
async function prepare(stage: Stage, ref: TicketRef, kind: TicketChange['kind']): Promise<void> {
  if (kind === 'reopen') await stage.ground.status?.move(ref, groundOf(stage).resolved);
}

const NO_UPDATE = 'the adapter has no `update`';

/** Rules for changes of existing tickets. They do not apply to an adapter without `update`. */
export const UPDATE_RULES: Record<string, Rule> = {
  'declares only changes that it makes': async stage => {
    const { adapter } = stage;
    const { changes } = adapter.capabilities;
    if (changes === undefined) return stage.skip('the adapter does not declare `changes`');
    ok(adapter.update !== undefined, 'an adapter with `changes` has `update`');
    const known = changes.filter(kind => CHANGE_KINDS.includes(kind));
    ok(
      known.length > 0 && known.length === changes.length,
      `some of ${CHANGE_KINDS.join(', ')}: ${changes.join(', ')}`,
    );
  },
  'adds the text of a change to the ticket, every line of it, and its key': async stage => {
    if (!makes(stage, 'comment')) return stage.skip('the adapter adds no texts');
    for (const kind of changesOf(stage.adapter).filter(each => each !== 'priority')) {
      const ref = await ticketOn(stage);
      await prepare(stage, ref, kind);
      const change = changeOf(kind);
      await updated(stage, ref, change, kind);
      const text = (await groundOf(stage).texts(ref)).find(each => each.includes(change.key)) ?? '';
      for (const line of change.text.split('\n')) ok(text.includes(line), `${kind}: ${line} is in ${text}`);
    }
  },
  'adds texts so that the platform shows them unchanged and without markup': async stage => {
    if (!makes(stage, 'comment')) return stage.skip('the adapter adds no texts');
    const ref = await ticketOn(stage);
    const { key, ...change } = changeOf('comment');
    const before = stage.asked.length;
    await updated(stage, ref, { ...change, key, text: `${MARKUP}\nReference: ${key}` }, 'markup');
    const sent = stage.asked.slice(before).flatMap(({ json = null, form = {} }) => textsIn([json, form]));
    const texts = sent.filter(text => text.includes(key) || text.includes('onerror'));
    isShownAsItIs(stage.ground.shows ?? 'html', texts, 'the text of a change');
  },
  'resolves and reopens a ticket, and raises its priority': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    const { severity } = stage.ground;
    const ref = await ticketOn(stage);
    if (makes(stage, 'resolve')) {
      await updated(stage, ref, changeOf('resolve'), 'an open ticket');
      equal(await statusOf(stage, ref), 'resolved');
    }
    if (makes(stage, 'reopen')) {
      await prepare(stage, ref, 'reopen');
      await updated(stage, ref, changeOf('reopen'), 'a resolved ticket');
      ok(['open', 'in_progress'].includes((await statusOf(stage, ref)) ?? ''), 'it is open again');
    }
    if (!makes(stage, 'priority')) return;
    await updated(stage, ref, changeOf('priority'), 'a ticket of severity high');
    deepEqual(await groundOf(stage).priority(ref), severity.expected.critical);
  },
  'makes a change once, whichever of its answers is lost, however often it is repeated': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    for (const kind of changesOf(stage.adapter)) {
      for (const trouble of ['lost', 429, 503, 'a refused connection'] as const) await survives(stage, kind, trouble);
    }
  },
  'makes a change once if the answer to it cannot be read': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    for (const kind of changesOf(stage.adapter)) {
      for (const answer of UNREADABLE) await survives(stage, kind, answer);
    }
  },
  'reports a change as repeatable only if no part of it was made': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    for (const kind of changesOf(stage.adapter)) await keepsWhole(stage, kind);
  },
  'does not change a ticket that is already in the requested status': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    const [open, over] = [await ticketOn(stage), await ticketOn(stage)];
    if (makes(stage, 'reopen')) {
      await updated(stage, open, changeOf('reopen'), 'an open ticket');
      equal(await statusOf(stage, open), 'open');
    }
    if (!makes(stage, 'resolve')) return;
    await stage.ground.status?.move(over, groundOf(stage).resolved);
    await updated(stage, over, changeOf('resolve'), 'a resolved ticket');
    equal(await statusOf(stage, over), 'resolved');
  },
  'does not change a priority that people chose': async stage => {
    if (!makes(stage, 'priority')) return stage.skip('the adapter changes no priorities');
    const ref = await ticketOn(stage);
    const ground = groundOf(stage);
    ok(ground.prioritize !== undefined, 'an adapter that changes priorities needs `prioritize` in its ground');
    await ground.prioritize(ref, 'low');
    const before = await ground.priority(ref);
    await updated(stage, ref, changeOf('priority'), 'a ticket whose priority people lowered');
    deepEqual(await ground.priority(ref), before);
  },
  'does not reopen what people declined': async stage => {
    if (!makes(stage, 'reopen')) return stage.skip('the adapter reopens no tickets');
    // If the adapter cannot read how a ticket ended, the service decides.
    if (!stage.adapter.status) return stage.skip('the adapter has no `status`');
    const ref = await ticketOn(stage);
    const ground = groundOf(stage);
    ok(ground.decline !== undefined, 'an adapter with `status` needs `decline` in its ground');
    if (ground.decline === 'none') return stage.skip('the platform has no ending that means “declined”');
    await ground.decline(ref);
    const before = await statusOf(stage, ref);
    const outcome = await attempt(stage, ref, changeOf('reopen'));
    ok(outcome.kind === 'refused' && outcome.code === 'declined', JSON.stringify(outcome));
    equal(await statusOf(stage, ref), before, 'it stays as it is');
  },
  'never reports a failure as a made change or as a deleted ticket': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    for (const kind of changesOf(stage.adapter)) {
      const ref = await ticketOn(stage);
      await prepare(stage, ref, kind);
      for (const answer of refusalsOf(stage)) {
        stage.meets('all', answer);
        const outcome = await attempt(stage, ref, changeOf(kind));
        notEqual(outcome.kind, 'updated', `${kind}: ${JSON.stringify(answer)}`);
        notEqual(outcome.kind, 'gone', `${kind}: ${JSON.stringify(answer)}`);
      }
      stage.recovers();
      await admitsRefusals(stage, kind);
    }
  },
};

/** Answers that refuse a request and do not say that the ticket was deleted. */
function refusalsOf({ ground }: Stage): PlatformAnswer[] {
  const pages = [200, 203, 404, 503].map(status => ({ status, text: '<html>no such page</html>' }));
  return [...FAILURES.map(status => ({ status })), ...pages, ...(ground.failsInSuccess ?? [])];
}

/**
 * Refuses the n-th request of a change, for every n, so also the request that writes after successful reads. A change
 * may be reported as made only if it was made. A 404 to a write may say that the ticket was deleted.
 */
async function admitsRefusals(stage: Stage, kind: ChangeKind): Promise<void> {
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
 * Refuses the credentials at the n-th request of a change, for every n. The service retries a retryable change, and a
 * refused one after the credentials were corrected. So a failed change must leave the ticket unchanged.
 */
async function keepsWhole(stage: Stage, kind: ChangeKind): Promise<void> {
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
 * Lets the n-th request of a change fail, for every n. The service repeats the change: as the same one if its outcome
 * is uncertain, as a new one if nothing was changed. In the end the change is made, and its text exists once.
 */
async function survives(stage: Stage, kind: TicketChange['kind'], trouble: SimulatedFailure): Promise<void> {
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

/** Asserts that a change was made, and that its text is on the ticket once, with one of the keys. */
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
  if (makes(stage, 'comment')) equal(texts, 1, `${what}: the text stands there once`);
  if (kind !== 'comment') equal((await statusOf(stage, ref)) === 'resolved', kind === 'resolve', what);
}
