import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import type { TicketState } from '#itsm';
import { Reconciliation } from '../../../libs/itsm/reconcile/reconciliation.js';
import { ChangingAdapter } from '../../support/itsm/changing-adapter.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED, until } from '../../support/webhooks.js';
import { deskStage, makeDue, type DeskStage } from './tickets.support.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * The adapter of a platform that gives the same answer for deleted tickets and for tickets that the account may not
 * see.
 */
@Injectable()
class HidingAdapter extends ChangingAdapter {
  private mayRead = true;

  /** Removes or restores the account's right to read tickets. */
  hide(isHidden: boolean): void {
    this.mayRead = !isHidden;
    this.updateScript = () => (isHidden ? { kind: 'gone', message: 'Not shown.' } : undefined);
  }

  override async status(): Promise<TicketState | null> {
    return this.mayRead ? { status: 'open' } : null;
  }
}

let app: TestApp;
let desk: HidingAdapter;
let stage: DeskStage;

beforeAll(async () => {
  app = await startTestApp({ ...LOOPBACK_ALLOWED, itsmAdapters: [HidingAdapter], itsm: { reconcileMinutes: 15 } });
  desk = app.app.get(HidingAdapter);
});

beforeEach(async () => {
  await app.database.asOwner(`delete from governance.tasks where queue like 'itsm%'`);
  await app.database.asOwner('update governance.itsm_connectors set active = false');
  desk.reset();
  desk.hide(false);
  stage = await deskStage(app);
  await stage.violate();
  await stage.settled('created');
});

afterAll(() => app?.close());

/** Waits until no task is due. Tasks that are due later stay. */
async function quiet(): Promise<void> {
  await until(async () => {
    const due = await app.database.asOwner(
      `select 1 from governance.tasks where org_id = $1 and queue like 'itsm%'
       and (lease_token is not null or due_at <= governance.now())`,
      [stage.orgId],
    );
    return due.length === 0;
  });
}

/** Advances the time, makes every task due, and waits until none is left. */
async function pass(milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  await makeDue(app, stage.orgId);
  await quiet();
}

async function resolve(): Promise<void> {
  const [{ id }] = (await stage.incidents()) as [{ id: string }];
  const change = { status: 'resolved', resolution: 'Talked.' };
  expect((await stage.call('PATCH', `/v1/incidents/${id}`, change)).status).toBe(200);
  await quiet();
}

const kinds = () => desk.changes.map(({ kind }) => kind);

/** Makes the incident occur again. The platform refuses the comment about it, because it hides the ticket. */
async function changeHidden(): Promise<void> {
  desk.hide(true);
  await stage.violate();
  await pass(MINUTE_MS);
  expect(kinds()).toEqual(['comment']);
  expect((await stage.tickets())[0]).toMatchObject({
    ...{ change_kind: 'comment', change_result: 'hidden', change_error: 'Not shown.', sync_state: 'created' },
    next_change_at: expect.any(String),
  });
}

describe('a ticket that the platform hides while its incident changes', () => {
  it('gets the next change together with the missed ones once the right is restored, and no second ticket is created', async () => {
    await changeHidden();
    desk.hide(false);
    await stage.violate();
    await pass(DAY_MS);
    expect(kinds()).toEqual(['comment', 'comment']);
    expect(desk.changes[1]).toMatchObject({ ticket: 'TKT-1', text: expect.stringContaining('Seen 3 times') });
    expect((await stage.tickets())[0]).toMatchObject({ change_error: null });
    await stage.violate();
    await pass(HOUR_MS);
    expect(kinds()).toHaveLength(3);
    expect([desk.creates, desk.tickets.length]).toEqual([1, 1]);
  });

  it('is resolved if its incident was resolved meanwhile, even if nothing else happens', async () => {
    await changeHidden();
    await resolve();
    desk.hide(false);
    await pass(HOUR_MS);
    expect(kinds()).toEqual(['comment']);
    await pass(DAY_MS);
    expect(kinds()).toEqual(['comment', 'resolve']);
    expect((await stage.tickets())[0]).toMatchObject({ status: 'resolved' });
  });

  it('is read once a day, for a month, with one entry in the timeline', async () => {
    await changeHidden();
    for (let hour = 0; hour < 3; hour++) {
      await stage.violate();
      await pass(HOUR_MS);
    }
    expect(kinds()).toHaveLength(1);
    for (let day = 0; day < 2; day++) await pass(DAY_MS);
    const looks = ['comment', 'comment', 'comment'];
    expect(kinds()).toEqual(looks);
    const [{ id }] = (await stage.incidents()) as [{ id: string }];
    const { body } = await stage.call('GET', `/v1/incidents/${id}`);
    const shown = body.timeline.filter((item: { kind: string }) => item.kind === 'ticket');
    expect(shown).toMatchObject([{ data: { change: 'comment', error: 'Not shown.' } }]);
    await pass(29 * DAY_MS);
    await resolve();
    await pass(DAY_MS);
    expect(kinds()).toEqual(looks);
  });

  it('gets the missed changes at once if the reconciliation sees it again', async () => {
    await changeHidden();
    desk.hide(false);
    await stage.violate();
    app.clock.advance(HOUR_MS);
    await app.app.get(Reconciliation).look();
    await until(async () => desk.changes.length === 2);
    await quiet();
    expect(desk.changes[1]).toMatchObject({ kind: 'comment', text: expect.stringContaining('Seen 3 times') });
  });

  it('gets no change when the reconciliation does not see it', async () => {
    await changeHidden();
    await stage.violate();
    app.clock.advance(HOUR_MS);
    await app.app.get(Reconciliation).look();
    await quiet();
    await pass(HOUR_MS);
    expect(kinds()).toEqual(['comment']);
  });

  it('gets the missed changes at once if the platform reports it', async () => {
    await changeHidden();
    desk.hide(false);
    await stage.violate();
    app.clock.advance(HOUR_MS);
    const report = { external_ticket_id: 'TKT-1', status: 'in_progress' };
    const path = `/v1/integrations/itsm/webhook/${stage.orgId}`;
    expect((await app.as(null)('POST', path, report)).status).toBe(200);
    await until(async () => desk.changes.length === 2);
    expect(desk.changes[1]).toMatchObject({ kind: 'comment', text: expect.stringContaining('Seen 3 times') });
  });
});

describe('a new incident about the same as a ticket that the platform hides', () => {
  it('gets a separate ticket, because nobody would see a reopening', async () => {
    await resolve();
    app.clock.advance(1_000);
    desk.hide(true);
    await stage.violate();
    await stage.settled('created', 2);
    await stage.violate();
    await pass(DAY_MS);
    expect([desk.creates, desk.tickets.length]).toEqual([2, 2]);
  });
});
