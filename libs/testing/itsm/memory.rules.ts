import { deepEqual, doesNotThrow, equal, ok, rejects } from 'node:assert/strict';
import type { Json, JsonObject } from '#core';
import { attemptUpdate, TICKET_STATUSES, type Check, type InboundUpdate, type TicketChange } from '#itsm';
import { draftOf } from './drafts.js';
import { reportOf } from './signature.rules.js';
import type { Stage } from './stage.js';

type Rule = (stage: Stage) => Promise<void>;

/** Bodies that the platform did not send. Some resemble bodies of the platform. */
const FOREIGN: readonly Json[] = [
  ...[
    {},
    { a: 1 },
    { status: 'resolved' },
    { external_ticket_id: null },
    { issue: null },
    { issue: {} },
    { action: 'closed' },
  ],
  ...[
    { issue: { fields: null } },
    { issue: [] },
    { result: {} },
    { webhookEvent: 'jira:issue_updated' },
    { table: 'incident' },
  ],
  ...[
    { number: 1, state: [] },
    { event: { type: 'issue' } },
    { toString: null, constructor: 1 },
    { ['__proto__']: { state: '6' } },
  ],
];

const NO_STATUS = 'the adapter has no `status`';
const NO_REPORTS = 'the adapter has no `mapInbound`';

/** Contract rules: statelessness, status and reports. */
export const MEMORY_RULES: Record<string, Rule> = {
  'stores no state: another instance finds and reads the ticket': async stage => {
    const draft = draftOf();
    const ref = await stage.created(draft);
    const other = stage.ground.newAdapter();
    if (other.capabilities.findByKey !== 'none') await stage.found(draft.key, [ref], other);
    const stored = JSON.parse(JSON.stringify(ref)) as typeof ref;
    if (other.status) ok(await other.status(stage.context, stored), 'it is there');
    await stage.created(draftOf(), other);
  },
  'returns the status of a ticket as open, in_progress, resolved or closed': async stage => {
    const { adapter, context, ground } = stage;
    if (!adapter.status) return stage.skip(NO_STATUS);
    ok(ground.status, 'an adapter with `status` needs `status` in its ground');
    const ref = await stage.created(draftOf());
    equal((await adapter.status(context, ref))?.status, 'open', 'a new ticket is open');
    for (const [state, expected] of Object.entries(ground.status.expected)) {
      await ground.status.move(ref, state);
      equal((await adapter.status(context, ref))?.status, expected, `state ${state}`);
    }
  },
  'throws if the platform does not return the status, and never reports the ticket as deleted': async stage => {
    const { adapter, context } = stage;
    if (!adapter.status) return stage.skip(NO_STATUS);
    const ref = await stage.created(draftOf());
    const failures = [302, 400, 401, 403, 429, 500, 502, 503, 504].map(status => ({ status }));
    // A 404 with an error page of a proxy does not prove that the ticket is missing.
    const pages = [404, 503, 200].map(status => ({ status, text: '<html>no such page</html>' }));
    const inSuccess = stage.ground.failsInSuccess ?? [];
    for (const failure of [...failures, ...pages, ...inSuccess, { kind: 'done, but cut' } as const]) {
      stage.meets('all', failure);
      await rejects(adapter.status(context, ref), Error, `${JSON.stringify(failure)} does not say that it is gone`);
    }
    stage.refusesConnections('all');
    await rejects(adapter.status(context, ref), Error, 'a refused connection does not say that it is gone');
  },
  'reads the platform’s own reports': async stage => {
    const { adapter, ground } = stage;
    if (!adapter.mapInbound) return stage.skip(NO_REPORTS);
    ok(ground.inbound && ground.inbound.length > 0, 'an adapter with `mapInbound` needs `inbound` in its ground');
    for (const { body, headers, update } of ground.inbound) {
      deepEqual(adapter.mapInbound(structuredClone(body), reportOf(body, headers)), update);
    }
  },
  'returns null for foreign and broken reports, and never throws': async stage => {
    const { adapter, ground } = stage;
    if (!adapter.mapInbound) return stage.skip(NO_REPORTS);
    const read = (body: Json): void => {
      let update: InboundUpdate | null = null;
      doesNotThrow(
        () => (update = adapter.mapInbound?.(body as JsonObject, reportOf(body)) ?? null),
        JSON.stringify(body),
      );
      if (update !== null) isUpdate(update, body);
    };
    for (const body of FOREIGN) {
      const update: InboundUpdate | null = adapter.mapInbound(structuredClone(body) as JsonObject, reportOf(body));
      equal(update, null, JSON.stringify(body));
    }
    for (const { body } of ground.inbound ?? []) for (const broken of mutants(body)) read(broken);
  },
  'verifies without a failed check if tickets can be created, and only reads': async stage => {
    const checks = await stage.adapter.verify(stage.context);
    areChecks(checks);
    deepEqual(
      checks.filter(({ status }) => status === 'failed'),
      [],
    );
    equal(stage.creating.length, 0, 'nothing is created');
    const changes = stage.asked.filter(({ method }) => method === 'PUT' || method === 'PATCH');
    deepEqual(changes, [], 'nothing is changed');
  },
  'verifies with a failed check if something is wrong, and does not throw': async stage => {
    const page = { status: 200, text: '<html>hibernating</html>' };
    const failures = [401, 403, 404, 429, 500, 302].map(status => ({ status, json: {} }));
    for (const failure of [...failures, page, { status: 200, json: null }, { status: 200, json: [] }]) {
      stage.meets('all', failure);
      await fails(stage, JSON.stringify(failure));
    }
    stage.refusesConnections('all');
    await fails(stage, 'refused connections');
  },
  'calls only its origins, over https:': async stage => {
    await everything(stage);
    const origins = stage.adapter.origins(stage.ground.settings);
    for (const { url } of stage.asked) ok(origins.includes(URL.parse(url)?.origin ?? ''), `${url} is at an origin`);
  },
  'shows its secrets in no URL, no message, no preview and no ticket': async stage => {
    const said = await everything(stage);
    const draft = draftOf();
    const shown = [said, stage.render(draft), stage.asked.map(({ url }) => url)];
    const text = JSON.stringify(shown);
    ok(stage.secretValues.length > 0, 'there are secrets of at least six characters');
    for (const secret of stage.secretValues) {
      const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/.?=*$/, '')];
      for (const form of forms) ok(!text.includes(form), 'a secret is where it can be seen');
    }
    const headers = JSON.stringify(stage.asked.map(request => request.headers ?? {}));
    ok(!/[^\x20-\x7e]/.test(headers), 'headers are ASCII');
  },
};

const COMMENT: TicketChange = {
  ...{ kind: 'comment', key: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33', text: 'Seen twice.', repeated: false },
  ...{ severity: 'high', severityBefore: 'high' },
};

/** Runs all operations of an adapter, with and without errors. Returns the messages of all of them. */
export async function everything(stage: Stage): Promise<unknown[]> {
  const { adapter, context } = stage;
  const said: unknown[] = [];
  const note = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      value => said.push(value),
      (error: unknown) => said.push(String(error)),
    );
  const draft = draftOf();
  const ref = await stage.created(draft);
  said.push(ref);
  const round = async (): Promise<void> => {
    await note(adapter.verify(context));
    await note(stage.attempt(draftOf()));
    await note(adapter.findByKey(context, draft.key));
    await note(adapter.status?.(context, ref) ?? Promise.resolve());
    await note(attemptUpdate(adapter, context, ref, COMMENT));
  };
  await round();
  for (const status of [302, 400, 401, 403, 404, 429, 500]) {
    stage.meets('all', { status, headers: { location: 'https://login.elsewhere.example/' }, json: {} });
    await round();
    stage.meets('creates', { status, headers: { location: 'https://login.elsewhere.example/' }, json: {} });
    await note(stage.attempt(draftOf()));
  }
  stage.meets('all', stage.ground.fieldRefusal.answer);
  await round();
  stage.refusesConnections('all');
  await round();
  stage.recovers();
  return said;
}

async function fails(stage: Stage, why: string): Promise<void> {
  const checks = await stage.adapter.verify(stage.context);
  areChecks(checks);
  ok(
    checks.some(({ status }) => status === 'failed'),
    `${why}: ${JSON.stringify(checks)}`,
  );
  equal(stage.creating.length, 0, 'nothing is created');
}

function areChecks(checks: readonly Check[]): void {
  ok(checks.length > 0, 'something was looked at');
  for (const { name, status, message } of checks) {
    ok(name !== '' && message.length >= 2, 'a check says what was looked at and what was found');
    ok(['passed', 'warning', 'failed'].includes(status), status);
  }
}

function isUpdate({ externalTicketId, status, occurredAt }: InboundUpdate, body: Json): void {
  const what = `read from ${JSON.stringify(body)}`;
  ok(typeof externalTicketId === 'string' && externalTicketId !== '', `a ticket is named, ${what}`);
  ok(TICKET_STATUSES.includes(status), `the status is one of ours, ${what}`);
  ok(occurredAt === undefined || !Number.isNaN(occurredAt.getTime()), `the time is one, ${what}`);
}

/** Variants of a body: in each, one part is removed or replaced by another value. */
function mutants(body: Json): Json[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const all: Json[] = [];
  for (const [name, value] of Object.entries(body)) {
    const { [name]: _without, ...rest } = body;
    const others = [null, [], {}, 0, '', 'x', true, [null], { [name]: null }, '\u202E', ...mutants(value)];
    all.push(rest);
    for (const other of others) all.push({ ...body, [name]: other });
  }
  return all;
}
