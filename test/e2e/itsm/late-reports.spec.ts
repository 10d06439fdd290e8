import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ChangingAdapter } from '../../support/itsm/changing-adapter.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../../support/webhooks.js';
import { lifeStage, type LifeStage } from './life.support.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

let app: TestApp;
let desk: ChangingAdapter;

beforeAll(async () => {
  app = await startTestApp({ ...LOOPBACK_ALLOWED, itsmAdapters: [ChangingAdapter] });
  desk = app.app.get(ChangingAdapter);
});

beforeEach(async () => {
  await app.database.asOwner(`delete from governance.tasks where queue like 'itsm%'`);
  desk.reset();
});

afterAll(() => app?.close());

interface LateStage extends LifeStage {
  /**
   * Reports a status that people set on the platform at the given time. Returns the statuses of all tickets, the newest
   * first.
   */
  tell(status: string, at: Date): Promise<string[]>;
  /** Reports after a second that people closed the ticket, and then that they reopened it. */
  closeAndReopen(): Promise<void>;
}

async function opened(): Promise<LateStage> {
  const stage = await lifeStage(app, {});
  await stage.violate();
  await stage.settled('created');
  const tell = async (status: string, at: Date): Promise<string[]> => {
    const body = { external_ticket_id: 'TKT-1', status, occurred_at: at.toISOString() };
    expect(await stage.report(JSON.stringify(body), {})).toBe(200);
    return (await stage.tickets()).map(ticket => ticket.status);
  };
  const closeAndReopen = async (): Promise<void> => {
    app.clock.advance(SECOND_MS);
    await tell('closed', moment());
    await tell('in_progress', moment());
  };
  return { ...stage, tell, closeAndReopen };
}

/** Returns the current time, and then advances the clock by a second. */
function moment(): Date {
  const now = app.clock.now();
  app.clock.advance(SECOND_MS);
  return now;
}

/**
 * From now on, the platform states the time of each change that it makes. Returns a function that returns the last
 * stated time.
 */
function dated(): () => Date {
  let last = app.clock.now();
  desk.updateScript = () => ({ kind: 'updated', occurredAt: (last = app.clock.now()) });
  return () => last;
}

describe('a report of a change that the platform made before a change of the service, and that arrives after it', () => {
  it('does not overwrite the status after the service resolved the ticket', async () => {
    const { tell, resolve } = await opened();
    const before = moment();
    dated();
    await resolve();
    expect(await tell('in_progress', before)).toEqual(['resolved']);
  });

  it('overwrites the status in neither of the two rows of the ticket after a new incident reopened it', async () => {
    const { tell, resolve, violate, settled } = await opened();
    dated();
    await resolve();
    app.clock.advance(SECOND_MS);
    const before = moment();
    await violate();
    await settled('created', 2);
    expect(await tell('closed', before)).toEqual(['open', 'open']);
  });

  it('does not overwrite the status after further occurrences reopened the ticket', async () => {
    const { tell, violate, pass } = await opened();
    const resolved = moment();
    expect(await tell('resolved', resolved)).toEqual(['resolved']);
    const before = moment();
    dated();
    await violate();
    await pass(MINUTE_MS);
    expect(await tell('closed', before)).toEqual(['open']);
  });

  it('does not overwrite the status if it arrives while the service resolves the ticket', async () => {
    const { tell, resolve, ticket } = await opened();
    const before = moment();
    desk.updateScript = async () => {
      await tell('in_progress', before);
      return { kind: 'updated', occurredAt: app.clock.now() };
    };
    await resolve();
    expect(await ticket()).toMatchObject({ status: 'resolved' });
    expect(await tell('in_progress', before)).toEqual(['resolved']);
  });

  it('does not overwrite the status if it arrives while the service reopens the ticket', async () => {
    const { tell, resolve, violate, settled, tickets } = await opened();
    dated();
    await resolve();
    app.clock.advance(SECOND_MS);
    const before = moment();
    desk.updateScript = async () => {
      await tell('closed', before);
      return { kind: 'updated', occurredAt: app.clock.now() };
    };
    await violate();
    await settled('created', 2);
    expect((await tickets()).map(({ status }) => status)).toEqual(['open', 'open']);
  });
});

describe('a report of the time of a change of the service, or of a later one', () => {
  it('is applied, because one time may stand for two changes', async () => {
    const { tell, resolve } = await opened();
    const changedAt = dated();
    await resolve();
    expect(await tell('in_progress', changedAt())).toEqual(['in_progress']);
    app.clock.advance(SECOND_MS);
    expect(await tell('closed', moment())).toEqual(['closed']);
  });

  it('is applied while a change of the service without a time is the last one', async () => {
    const { tell, resolve } = await opened();
    const before = moment();
    await resolve();
    expect(await tell('in_progress', before)).toEqual(['in_progress']);
  });

  it('is applied if the clock of the platform is ahead, so that its changes are not ignored for long', async () => {
    const { tell, resolve } = await opened();
    desk.updateScript = () => ({ kind: 'updated', occurredAt: new Date(app.clock.now().getTime() + 10 * MINUTE_MS) });
    await resolve();
    app.clock.advance(SECOND_MS);
    expect(await tell('in_progress', moment())).toEqual(['in_progress']);
  });
});

describe('a resolution whose outcome is unknown', () => {
  const kinds = (): string[] => desk.changes.map(({ kind }) => kind);

  it('is not repeated after people closed the ticket and reopened it', async () => {
    const { closeAndReopen, resolve, pass, ticket } = await opened();
    desk.updateScript = () => ({ kind: 'uncertain', message: 'No answer.' });
    await resolve();
    await closeAndReopen();
    desk.updateScript = () => undefined;
    await pass(MINUTE_MS);
    expect(kinds()).toEqual(['resolve']);
    const ended = { change_kind: 'resolve', change_result: 'made', change_error: null, next_change_at: null };
    expect(await ticket()).toMatchObject({ ...ended, status: 'in_progress' });
  });

  it('is not repeated if people closed the ticket and reopened it during the request', async () => {
    const { closeAndReopen, resolve, pass, ticket } = await opened();
    desk.updateScript = async () => {
      await closeAndReopen();
      desk.updateScript = () => undefined;
      return { kind: 'uncertain', message: 'No answer.' };
    };
    await resolve();
    await pass(MINUTE_MS);
    expect(kinds()).toEqual(['resolve']);
    expect(await ticket()).toMatchObject({ change_result: 'made', next_change_at: null, status: 'in_progress' });
  });

  it('is repeated if a report shows only that the ticket was closed before the incident was resolved', async () => {
    const { tell, resolve, pass } = await opened();
    const before = moment();
    app.clock.advance(SECOND_MS);
    desk.updateScript = () => ({ kind: 'uncertain', message: 'No answer.' });
    await resolve();
    await tell('closed', before);
    desk.updateScript = () => undefined;
    await pass(MINUTE_MS);
    expect(kinds()).toEqual(['resolve', 'resolve']);
  });
});

it('a resolution that waits for a platform is not sent after people closed the ticket and reopened it', async () => {
  const { closeAndReopen, resolve, pass } = await opened();
  desk.updateScript = () => ({ kind: 'retryable', message: 'Busy.' });
  await resolve();
  await closeAndReopen();
  desk.updateScript = () => undefined;
  await pass(MINUTE_MS);
  expect(desk.changes.map(({ kind }) => kind)).toEqual(['resolve']);
});
