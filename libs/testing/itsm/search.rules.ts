import { deepEqual, equal, notDeepEqual, ok, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PlatformAnswerError } from '#itsm';
import { draftOf } from './drafts.js';
import type { PlatformAnswer } from './scripted-adapter-http.js';
import type { Stage } from './stage.js';

type Rule = (stage: Stage) => Promise<void>;

/** Texts that a search must not use as a key. `KEY` stands for an existing key. */
const HOSTILE_KEYS = [
  ...['', ' ', '%', '*', '_', '.*', '\0', '\n', "'", '"', '\\', '__proto__', 'null', 'undefined'],
  ...[
    'KEY^ORsys_idISNOTEMPTY',
    'x^ORnumberISNOTEMPTY',
    'x^NQsys_idISNOTEMPTY',
    'x^ORDERBYDESCsys_created_on^ORsys_id!=',
  ],
  ...['x" OR labels IS NOT EMPTY OR labels = "x', "x' OR '1'='1", 'x) OR (key IS NOT EMPTY', 'x\\" OR key > "A'],
  ...['x&sysparm_query=sys_idISNOTEMPTY', 'x#', 'x?per_page=100', '../', 'x is:open', '-x', 'x OR KEY', '"KEY" OR "x"'],
];

/** Response statuses to any search that do not prove that a ticket is missing. */
const REFUSALS = [302, 400, 401, 403, 404, 405, 409, 410, 413, 422, 429, 500, 502, 503, 504];
const NO_LISTS: readonly PlatformAnswer[] = [
  { status: 200, text: '<html>hibernating</html>' },
  { status: 200, json: {} },
  { status: 200, json: null },
  { status: 200, json: { message: 'x', error: { message: 'x' }, errors: ['x'] } },
  { status: 200 },
];

const NO_SEARCH = '`findByKey` is declared as `none`';

/** Rules for searches. A ticket that a search misses is created a second time. */
export const SEARCH_RULES: Record<string, Rule> = {
  'finds by key the ticket that it created, and no other': async stage => {
    const [one, two] = [draftOf(), draftOf()];
    const [first, second] = [await stage.created(one), await stage.created(two)];
    await stage.found(one.key, [first]);
    await stage.found(two.key, [second]);
    await stage.found(randomUUID(), []);
    await stage.found(one.key.slice(0, -1), []);
    await stage.found(`${one.key}0`, []);
  },
  'finds a ticket whose create had no answer': async stage => {
    const draft = draftOf();
    stage.meets('creates', { kind: 'done, but cut' });
    await stage.ends('uncertain', draft, 'a lost answer');
    stage.recovers();
    const end = performance.now() + (stage.ground.foundWithinMs ?? 0);
    let refs = await stage.adapter.findByKey(stage.context, draft.key);
    while (refs.length === 0 && performance.now() < end) {
      await new Promise(done => setTimeout(done, 50));
      refs = await stage.adapter.findByKey(stage.context, draft.key);
    }
    if (stage.adapter.capabilities.findByKey === 'none') deepEqual(refs, []);
    else equal(refs.length, 1, 'one ticket is found');
  },
  'creates one ticket if a create is repeated with its key, and the adapter declares it idempotent': async stage => {
    if ((stage.adapter.capabilities.create ?? 'once') === 'once')
      return stage.skip('creates are not declared idempotent');
    const draft = draftOf();
    stage.meets('creates', { kind: 'done, but cut' });
    await stage.ends('uncertain', draft, 'a lost answer');
    stage.recovers();
    const first = await stage.created(draft);
    const second = await stage.created(draft);
    deepEqual(second, first, 'a repeated create names the same ticket');
    await stage.found(draft.key, [first]);
    const other = await stage.created(draftOf());
    notDeepEqual(other, first, 'another key is another ticket');
  },
  'finds nothing if a key contains a query': async stage => {
    const draft = draftOf();
    await stage.created(draft);
    await stage.created(draftOf());
    for (const key of HOSTILE_KEYS.map(text => text.replaceAll('KEY', draft.key))) {
      // The adapter may also refuse to search for such a key.
      const refs = await stage.adapter.findByKey(stage.context, key).catch(() => []);
      deepEqual(refs, [], `found by ${JSON.stringify(key)}`);
    }
  },
  'finds tickets in every state, also closed ones': async stage => {
    const { ground } = stage;
    if (!ground.status) return stage.skip('the ground has no `status`');
    const draft = draftOf();
    const ref = await stage.created(draft);
    for (const state of Object.keys(ground.status.expected)) {
      await ground.status.move(ref, state);
      await stage.found(draft.key, [ref]);
    }
  },
  'returns the newest first if two tickets have one key': async stage => {
    const draft = draftOf();
    const first = await stage.created(draft);
    await stage.ground.age?.(first);
    const second = await stage.attempt(draft);
    // If the platform accepts a key only once, there are no two tickets whose order can be checked.
    if (second.kind !== 'created' || second.ref.externalTicketId === first.externalTicketId)
      return stage.skip('the platform takes a key only once');
    await stage.found(draft.key, [second.ref, first]);
  },
  'finds tickets on every page of a search': async stage => {
    if (stage.adapter.capabilities.findByKey === 'none') return stage.skip(NO_SEARCH);
    const { paginate } = stage.ground;
    ok(paginate !== undefined, 'an adapter that can search needs `paginate` in its ground');
    if (paginate === 'none') return stage.skip('the platform answers a search with one page');
    const draft = draftOf();
    const first = await stage.created(draft);
    await stage.ground.age?.(first);
    const second = await stage.created(draft);
    await stage.found(draft.key, [second, first]);
    await paginate(draft.key);
    await stage.found(draft.key, [second, first]);
  },
  'throws if the platform does not answer a search, and never returns an empty result': async stage => {
    if (stage.adapter.capabilities.findByKey === 'none') return stage.skip(NO_SEARCH);
    for (const failure of [...REFUSALS.map(status => ({ status, json: {} })), ...NO_LISTS]) {
      stage.meets('all', failure);
      await rejects(stage.adapter.findByKey(stage.context, randomUUID()), Error, JSON.stringify(failure));
    }
    stage.refusesConnections('all');
    await rejects(stage.adapter.findByKey(stage.context, randomUUID()), Error, 'refused connections');
  },
  'throws if the answer to a search is lost': async stage => {
    if (stage.adapter.capabilities.findByKey === 'none') return stage.skip(NO_SEARCH);
    const draft = draftOf();
    await stage.created(draft);
    stage.meets('all', { kind: 'done, but cut' });
    for (const key of [draft.key, randomUUID()]) {
      await rejects(stage.adapter.findByKey(stage.context, key), Error, 'a connection that ends before the answer');
    }
  },
  'treats an incomplete answer as a temporary failure, and pauses nothing': async stage => {
    if (stage.adapter.capabilities.findByKey === 'none') return stage.skip(NO_SEARCH);
    const headers = { 'content-type': 'application/json' };
    stage.meets('all', { status: 200, headers, text: '{"result":[{"id":"1"},{"error":' });
    await rejects(stage.adapter.findByKey(stage.context, randomUUID()), (error: unknown) => {
      // Only a refusal that applies to all requests may have a code, because a code pauses the connector.
      return error instanceof Error && !(error instanceof PlatformAnswerError && error.platform.code !== undefined);
    });
  },
  'checks the error before the result if a success reports a failure': async stage => {
    const { failsInSuccess = [] } = stage.ground;
    if (failsInSuccess.length === 0) return stage.skip('the ground has no `failsInSuccess`');
    for (const answer of failsInSuccess) {
      const { becomes = 'uncertain' } = answer;
      // The outcome `uncertain` means that the platform may have created the ticket. Every other outcome must be
      // certain.
      stage.meets('creates', becomes === 'uncertain' ? { kind: 'done, but answer', answer } : answer);
      await stage.ends(becomes, draftOf(), JSON.stringify(answer));
      if (stage.adapter.capabilities.findByKey === 'none') continue;
      stage.meets('all', answer);
      await rejects(stage.adapter.findByKey(stage.context, randomUUID()), Error, JSON.stringify(answer));
    }
  },
};
