import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import { attemptUpdate, type TicketChange, type TicketRef, type UpdateOutcome } from '#itsm';
import { ServiceNowAdapter } from '../../../libs/itsm/adapters/servicenow/servicenow.adapter.js';
import { adapterStage, createBy, fieldDraft, type AdapterStage } from '../adapter-stage.js';
import type { Cancelled } from './conditions.js';
import { startInstance, type Instance } from './instance.js';

const CANCELLED: Cancelled[] = [
  ...(['an error object', 'an error beside an empty result'] as const),
  ...(['an error beside a record', 'broken JSON'] as const),
];

let stage: AdapterStage;
let instance: Instance;
let adapter: ServiceNowAdapter;
beforeAll(async () => {
  stage = await adapterStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  instance = await startInstance({ authority: stage.authority });
  adapter = new ServiceNowAdapter();
});
afterEach(() => instance.close());

const context = () => stage.contextOf(adapter, { instance_url: instance.origin }, instance.account);

async function created(): Promise<TicketRef> {
  const outcome = await createBy(adapter, context(), fieldDraft());
  if (outcome.kind !== 'created') throw new Error(outcome.message);
  return outcome.ref;
}

function change(ref: TicketRef, kind: TicketChange['kind'], key = newId(), repeated = false): Promise<UpdateOutcome> {
  const severities = { severity: 'critical', severityBefore: 'high' } as const;
  return attemptUpdate(adapter, context(), ref, { kind, key, text: `Done.\n${key}`, repeated, ...severities });
}

describe('a canceled change', () => {
  it.each(CANCELLED)('has an unknown outcome if the answer is %s', async answer => {
    const ref = await created();
    instance.conditions.cancels = { method: 'PATCH', answer };
    expect(await change(ref, 'comment')).toMatchObject({ kind: 'uncertain' });
    expect(await change(ref, 'resolve')).toMatchObject({ kind: 'uncertain' });
    expect(instance.tables.of('incident')).toMatchObject([{ state: '1' }]);
  });
});

describe('a business rule that keeps the state', () => {
  it.each(['resolve', 'reopen'] as const)('is named if it prevents a %s', async kind => {
    const ref = await created();
    if (kind === 'reopen') await change(ref, 'resolve');
    instance.conditions.keepsState = true;
    expect(await change(ref, kind)).toMatchObject({
      ...{ kind: 'refused', code: 'config' },
      message: expect.stringContaining('left the state as it was'),
    });
    expect(instance.tables.of('incident')[0]?.['work_notes']).toContain('Done.');
    expect(await change(ref, 'comment')).toMatchObject({ kind: 'updated' });
  });
});

describe('a repeated change whose first attempt had succeeded', () => {
  it('reports the status that people have set since, with its time', async () => {
    const ref = await created();
    const key = newId();
    await change(ref, 'resolve', key);
    const [record] = instance.tables.of('incident');
    if (!record) throw new Error('There is no incident.');
    instance.tables.update(record, { state: '2', close_code: '', close_notes: '' }, 'abel.tuter');
    const occurredAt = new Date(`${record['sys_updated_on']?.replace(' ', 'T')}Z`);
    expect(await change(ref, 'resolve', key, true)).toEqual({ kind: 'updated', status: 'in_progress', occurredAt });
    expect(record['state']).toBe('2');
  });
});
