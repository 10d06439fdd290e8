import { equal, ok, rejects } from 'node:assert/strict';
import type { Json } from '#core';
import { attemptUpdate, changesOf, PlatformAnswerError, type CreateOutcome, type RejectionCode } from '#itsm';
import { changeOf, draftOf } from './drafts.js';
import { UNREADABLE, type PlatformAnswer } from './scripted-adapter-http.js';
import { NOW, type Stage } from './stage.js';

type Rule = (stage: Stage) => Promise<void>;

const ELSEWHERE = 'https://login.elsewhere.example/sign-in?return=%2F';
const PAGE =
  '<!DOCTYPE html>\n<html><head><title>Your instance is hibernating</title></head><body>Sign in</body></html>';

/** Error statuses for a create. */
const STATUSES = [400, 401, 403, 404, 405, 409, 413, 422, 429, 500, 502, 503, 504];
const ODD: readonly Json[] = [null, [], 'text', 0, true, {}, { result: null }, { error: null }, { errors: null }];
const ODD_TOO: readonly Json[] = [
  { result: [] },
  { error: 'x' },
  { errors: [null] },
  { errors: 'x' },
  { id: {}, key: [] },
];

/** Rules for the outcome of a create. */
export const OUTCOME_RULES: Record<string, Rule> = {
  'creates a ticket with one request, and returns its name and address': async stage => {
    const ref = await stage.created(draftOf());
    ok(ref.externalTicketId !== '' && ref.externalTicketId.length <= 255, 'it has a name of at most 255 characters');
    ok(ref.url === undefined || URL.parse(ref.url)?.protocol === 'https:', `its address is https: ${ref.url}`);
    const another = await stage.created(draftOf());
    ok(another.externalTicketId !== ref.externalTicketId, 'another ticket has another name');
  },
  'returns uncertain if the answer to a create is lost': async stage => {
    stage.meets('creates', { kind: 'done, but cut' });
    await stage.ends('uncertain', draftOf(), 'a connection that ends before the answer');
  },
  'returns uncertain if the platform fails during a create, whether or not the ticket exists': async stage => {
    for (const status of [500, 502, 503, 504]) {
      const answer: PlatformAnswer = { status, text: PAGE };
      stage.meets('creates', { kind: 'done, but answer', answer });
      await stage.ends('uncertain', draftOf(), `${status} after creating`);
      stage.meets('creates', { status, json: { error: { message: 'x', detail: null } } });
      await stage.ends('uncertain', draftOf(), `${status} without creating`);
    }
  },
  'returns uncertain if a success names no ticket': async stage => {
    const nothing: PlatformAnswer[] = [{ status: 201 }, { status: 201, text: PAGE }, { status: 204 }];
    const odd = [...ODD, ...ODD_TOO].map(json => ({ status: 201, json }));
    for (const answer of [...nothing, ...odd]) {
      stage.meets('creates', { kind: 'done, but answer', answer });
      await stage.ends('uncertain', draftOf(), JSON.stringify(answer));
    }
  },
  'returns uncertain if the answer to a create cannot be read, and does not throw': async stage => {
    for (const answer of UNREADABLE) {
      stage.meets('creates', { kind: 'done, but answer', answer });
      const { adapter, context } = stage;
      const draft = draftOf();
      const { kind } = await adapter.create(context, stage.render(draft), draft.key);
      equal(kind, 'uncertain', JSON.stringify(answer));
    }
  },
  'returns retryable if the connection is refused': async stage => {
    for (const which of ['all', 'creates'] as const) {
      stage.refusesConnections(which);
      await stage.ends('retryable', draftOf(), `refused connections: ${which}`);
    }
  },
  'never returns uncertain if the failure is before the create is sent': async stage => {
    const troubles = [
      { kind: 'done, but cut' },
      { status: 500 },
      { status: 503, text: PAGE },
      { status: 200, text: PAGE },
    ];
    for (const trouble of [...troubles, { status: 429 }] as PlatformAnswer[]) {
      const before = stage.creating.length;
      stage.meets('others', trouble);
      const outcome = await stage.attempt(draftOf());
      if (stage.creating.length > before) equal(outcome.kind, 'created', 'nothing was wrong with the create itself');
      else ok(['retryable', 'rejected'].includes(outcome.kind), `${JSON.stringify(trouble)}: ${outcome.kind}`);
    }
  },
  'returns the wait that the platform requests': async stage => {
    const date = new Date(NOW.getTime() + 90_000).toUTCString();
    const asked: [string | undefined, number | undefined][] = [
      ...([
        ['7', 7_000],
        ['0', 0],
        [date, 90_000],
      ] as [string, number][]),
      ...([
        [undefined, undefined],
        ['soon', undefined],
        ['', undefined],
        ['-1', undefined],
      ] as [string, undefined][]),
    ];
    for (const [header, wait] of asked) {
      const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header };
      stage.meets('creates', { status: 429, headers, json: {} });
      const outcome = await stage.ends('retryable', draftOf(), `429, Retry-After: ${header}`);
      equal(outcome.retryAfterMs, wait, `Retry-After: ${header}`);
    }
  },
  'waits after a rate limit that the platform reports with another status than 429': async stage => {
    const { adapter, context, ground } = stage;
    if (!ground.rateLimit) return stage.skip('the ground has no `rateLimit`');
    const { answer, waitMs } = ground.rateLimit;
    const ref = await stage.created(draftOf());
    stage.meets('creates', answer);
    const { retryAfterMs } = await stage.ends('retryable', draftOf(), JSON.stringify(answer));
    equal(retryAfterMs, waitMs, 'the wait after a create');
    stage.meets('all', answer);
    for (const kind of changesOf(adapter)) {
      const outcome = await attemptUpdate(adapter, context, ref, changeOf(kind));
      equal(outcome.kind, 'retryable', `${kind}: ${JSON.stringify(outcome)}`);
    }
    if (adapter.capabilities.findByKey === 'none') return;
    await rejects(adapter.findByKey(context, draftOf().key), (error: unknown) => {
      const { code, retryAfterMs: wait } = error instanceof PlatformAnswerError ? error.platform : { code: 'unknown' };
      // An error with a code would pause the connector.
      return code === undefined && wait === waitMs;
    });
  },
  'rejects refused credentials as `auth`': async stage => {
    for (const which of ['creates', 'all'] as const) {
      stage.meets(which, { status: 401, json: { error: { message: 'User Not Authenticated', detail: 'x' } } });
      await isRejected(stage, ['auth'], `401 for ${which}`);
    }
  },
  'rejects missing rights as `forbidden`': async stage => {
    stage.meets('creates', { status: 403, json: {} });
    await isRejected(stage, ['forbidden'], '403');
  },
  'rejects if the platform refuses for any other reason': async stage => {
    for (const status of [400, 404, 405, 413, 422]) {
      for (const answer of [{ status, json: {} }, { status, text: PAGE }, { status }]) {
        stage.meets('creates', answer);
        await isRejected(stage, ['config', 'field', 'forbidden'], JSON.stringify(answer));
      }
    }
  },
  'names the field that the platform refuses': async stage => {
    const { answer, field } = stage.ground.fieldRefusal;
    stage.meets('creates', answer);
    const { code, fields, message } = await stage.ends('rejected', draftOf(), JSON.stringify(answer));
    ok(code === 'field' || code === 'config', `the code is field or config: ${code}`);
    ok(Object.keys(fields ?? {}).includes(field), `${field} is among ${JSON.stringify(fields)}`);
    isSentence(message);
  },
  'rejects a login or a page instead of data, and sends no further request': async stage => {
    const answers = [301, 302, 303, 307, 308].map(status => ({ status, headers: { location: ELSEWHERE } }));
    for (const which of ['creates', 'all'] as const) {
      for (const answer of [...answers, { status: 200, text: PAGE }, { status: 203, text: PAGE }]) {
        stage.meets(which, answer);
        await isRejected(stage, ['auth', 'hibernating', 'config'], `${answer.status} for ${which}`);
      }
    }
    const { adapter, ground } = stage;
    const hosts = new Set(stage.asked.map(({ url }) => URL.parse(url)?.origin));
    for (const host of hosts) ok(adapter.origins(ground.settings).includes(host ?? ''), `nothing is sent to ${host}`);
  },
  'does not treat a refusal as a ticket, even if it names one': async stage => {
    await stage.created(draftOf());
    const json = stage.createdAnswer?.json();
    if (json === undefined) return;
    for (const status of STATUSES) {
      stage.meets('creates', { status, json });
      const outcome = await stage.attempt(draftOf());
      ok(outcome.kind !== 'created', `a ticket is taken out of an answer with status ${status}`);
    }
  },
  'treats an answer as a ticket only if its status is one with which the platform names tickets': async stage => {
    await stage.created(draftOf());
    const [status = 0, json] = [stage.createdAnswer?.status, stage.createdAnswer?.json()];
    if (json === undefined) return;
    const { createdWith = [status] } = stage.ground;
    ok(createdWith.includes(status), `createdWith in the ground names ${status}`);
    for (const other of [200, 201, 202, 203, 204, 206].filter(each => !createdWith.includes(each))) {
      stage.meets('creates', { kind: 'done, but answer', answer: { status: other, json } });
      const outcome = await stage.attempt(draftOf());
      ok(outcome.kind !== 'created', `a ticket is taken out of an answer with status ${other}`);
    }
  },
  'handles answers of any form, and treats none of them as a ticket': async stage => {
    for (const status of [200, 201, ...STATUSES]) {
      for (const json of [...ODD, ...ODD_TOO]) {
        for (const which of ['creates', 'all'] as const) {
          stage.meets(which, { status, json });
          const { adapter, context } = stage;
          const draft = draftOf();
          const outcome = await adapter.create(context, stage.render(draft), draft.key);
          const what = `${status} ${JSON.stringify(json)} for ${which}`;
          ok(outcome.kind !== 'created', `no ticket in ${what}`);
          isSentence(outcome.message);
        }
      }
    }
  },
  'keeps no state of a failed attempt': async stage => {
    const failures = [
      { status: 401 },
      { status: 403 },
      { status: 404 },
      { status: 429 },
      { status: 500 },
      { status: 302 },
    ];
    for (const failure of [...failures, { status: 200, text: PAGE }]) {
      stage.meets('all', failure);
      await stage.attempt(draftOf());
      stage.recovers();
      await stage.created(draftOf());
    }
  },
  'needs at most 30 seconds for a create in total': async stage => {
    await stage.created(draftOf());
    const total = stage.asked.reduce((sum, { timeoutMs = 10_000 }) => sum + timeoutMs, 0);
    ok(total <= 30_000, `its requests together wait up to ${total} ms`);
  },
};

async function isRejected(stage: Stage, codes: readonly RejectionCode[], why: string): Promise<void> {
  const outcome: CreateOutcome = await stage.ends('rejected', draftOf(), why);
  ok(outcome.kind === 'rejected' && codes.includes(outcome.code), `${why}: ${JSON.stringify(outcome)}`);
  isSentence(outcome.message);
}

function isSentence(message: string): void {
  ok(message.trim().length >= 10, `a sentence for the operator: ${JSON.stringify(message)}`);
  ok(!/[\r\n]/.test(message), 'on one line');
  ok(message.length <= 2_000, 'of a length that can be read');
}
