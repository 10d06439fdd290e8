import { deepEqual, ok } from 'node:assert/strict';
import type { Json } from '#core';
import { SecretFilter, type AdapterContext, type AdapterRequest } from '#itsm';
import { AnotherConnector } from './another-connector.js';
import { draftOf, textsIn } from './drafts.js';
import { everything } from './memory.rules.js';
import type { PlatformAnswer } from './scripted-adapter-http.js';
import type { Stage } from './stage.js';

type Rule = (stage: Stage) => Promise<void>;

/** A message reveals a secret if it contains this many consecutive characters of the secret. */
const TELLING = 8;
const STATUSES = [200, 201, 400, 401, 422, 500];
/** Length of the repeated text, in characters. It exceeds the part of an answer that a message quotes. */
const ECHO = 1_500;

/** Rules about secrets, and about the separation of connectors. */
export const SECRECY_RULES: Record<string, Rule> = {
  'shows no part of a secret that the platform sends back': async stage => {
    await stage.created(draftOf());
    const headers = stage.asked.flatMap(({ headers: sent = {} }) => Object.values(sent));
    const credentials = [...new Set(headers.map(value => value.replace(/^\w+ /, '')))].filter(isOfSecrets(stage));
    const told = [...stage.secretValues, ...credentials];
    const filter = new SecretFilter({ ...stage.ground.secrets });
    const { fieldRefusal, failsInSuccess = [] } = stage.ground;
    for (const answer of echoes(told, [fieldRefusal.answer, ...failsInSuccess])) {
      for (const which of ['creates', 'all'] as const) {
        stage.meets(which, answer);
        const shown = filter.hide(
          JSON.stringify(which === 'creates' ? await createSays(stage) : await othersSay(stage)),
        );
        for (const part of told.flatMap(partsOf)) {
          ok(
            !shown.includes(part),
            `after ${answer.status} “${part}”, a part of a secret, is shown: ${shown.slice(0, 500)}`,
          );
        }
      }
    }
  },
  'sends a secret in a body only if it declares that, as a value of its own': async stage => {
    await everything(stage);
    const { bodySecrets = [] } = stage.adapter;
    for (const [name, secret] of Object.entries<unknown>({ ...stage.ground.secrets })) {
      if (typeof secret !== 'string' || !stage.secretValues.includes(secret)) continue;
      const filter = new SecretFilter({ [name]: secret });
      for (const request of stage.asked.filter(each => !isForToken(stage, each))) {
        const body: Json = [request.json ?? null, { ...request.form }];
        if (!bodySecrets.includes(name)) ok(!filter.finds(JSON.stringify(body)), `${name} is in a body`);
        const inside: string[] = textsIn(body).filter(text => text !== secret && filter.finds(text));
        deepEqual(inside, [], `${name} is within another text of a body`);
      }
    }
  },
  'separates connectors: each call uses its own addresses and secrets': async stage => {
    const { adapter, ground } = stage;
    const another = new AnotherConnector(ground, adapter);
    const [first, second] = [
      () => allCalls(stage, stage.context),
      () => allCalls(stage, another.contextLike(stage.context)),
    ];
    await first();
    await second();
    await first();
    await Promise.all([first(), second(), first()]);
    ok(another.asked.length > 0, 'the platform is asked for the second connector');
    isOwn(stage.asked, adapter.origins(ground.settings), new SecretFilter(another.foreignTo(ground.secrets)));
    isOwn(another.asked, adapter.origins(another.settings), new SecretFilter(another.foreign));
    await stage.created(draftOf());
  },
};

/** The request for an OAuth token may send the secret of its client in the form (RFC 6749, section 2.3.1). */
function isForToken({ ground }: Stage, request: AdapterRequest): boolean {
  return request.form?.['grant_type'] !== undefined && !ground.creates(request);
}

async function createSays(stage: Stage): Promise<unknown> {
  const outcome = await stage.attempt(draftOf());
  return outcome.kind === 'created' ? (outcome.degraded ?? []) : outcome;
}

/** The messages of all operations except create. */
function othersSay({ adapter, context }: Stage): Promise<unknown[]> {
  const asked = [
    adapter.verify(context),
    adapter.findByKey(context, draftOf().key).then(() => ''),
    Promise.resolve(adapter.status?.(context, { externalTicketId: 'X-1', platformId: '1' })).then(() => ''),
  ];
  return Promise.all(asked.map(work => work.catch((error: unknown) => String(error))));
}

function partsOf(secret: string): string[] {
  const starts = Array.from({ length: Math.max(1, secret.length - TELLING + 1) }, (_, at) => at);
  return starts.map(at => secret.slice(at, at + TELLING));
}

/** Answers that repeat the sent request. A message that quotes such an answer may cut off a secret in the middle. */
function echoes(told: readonly string[], known: readonly PlatformAnswer[]): PlatformAnswer[] {
  const spellings = told.flatMap(text => [text, encodeURIComponent(text), JSON.stringify(text)]).join('\n');
  const echo = `${spellings} `.repeat(Math.ceil(ECHO / spellings.length));
  // Shifts the text by a few offsets, so that the length limit of a quote also falls between two secrets.
  const shifts = ['.....', '..........'];
  const shifted = shifts.map(dots => ({ status: 201, json: { message: dots + echo, error: dots + echo } }));
  const errors: Json = { message: echo, errorMessages: [echo], errors: { [echo]: echo } };
  const nested: Json = {
    message: echo,
    error: { message: echo, detail: echo },
    errors: [{ field: echo, message: echo }],
  };
  const everywhere = STATUSES.flatMap(each => [errors, nested].map(body => ({ status: each, json: body })));
  const own = known.flatMap(({ status, json }) =>
    json === undefined ? [] : ['', ...shifts].map(dots => ({ status, json: replaced(json, dots + echo) })),
  );
  return [...everywhere, ...shifted, { status: 400, text: echo }, ...own];
}

function replaced(json: Json, text: string): Json {
  if (typeof json === 'string') return text;
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(each => replaced(each, text));
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, replaced(value, text)]));
}

function isOfSecrets(stage: Stage): (value: string) => boolean {
  const filter = new SecretFilter({ ...stage.ground.secrets });
  return value => value.length >= TELLING && filter.finds(value);
}

/** Runs all operations once and ignores errors. */
async function allCalls({ adapter, ground }: Stage, context: AdapterContext<object, object>): Promise<void> {
  const draft = draftOf();
  await adapter.verify(context).catch(() => undefined);
  const outcome = await adapter
    .create(context, adapter.render(draft, ground.settings), draft.key)
    .catch(() => undefined);
  await adapter.findByKey(context, draft.key).catch(() => undefined);
  if (outcome?.kind === 'created') await adapter.status?.(context, outcome.ref).catch(() => undefined);
}

function isOwn(asked: readonly AdapterRequest[], origins: readonly string[], foreign: SecretFilter): void {
  for (const { url, headers = {}, json = null, form = {} } of asked) {
    ok(origins.includes(URL.parse(url)?.origin ?? ''), 'a connector calls its own origins');
    for (const text of [url, ...Object.values(headers), ...Object.values(form), JSON.stringify(json)]) {
      ok(!foreign.finds(text), 'a connector sends its own secrets, and never another’s');
    }
  }
}
