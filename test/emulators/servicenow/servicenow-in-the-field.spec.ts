import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import { attemptUpdate, formFaults, PlatformAnswerError, type AdapterContext, type TicketChange } from '#itsm';
import { ServiceNowAdapter } from '../../../libs/itsm/adapters/servicenow/servicenow.adapter.js';
import type { ServiceNowSecrets, ServiceNowSettings } from '../../../libs/itsm/adapters/servicenow/connector.js';
import { readBack } from '../../../libs/itsm/delivery/read-back.js';
import { adapterStage, createBy, fieldDraft, type AdapterStage } from '../adapter-stage.js';
import type { Cancelled } from './conditions.js';
import { startInstance, type Instance } from './instance.js';

const CANCELLED: Cancelled[] = ['an error object', 'an error beside an empty result', 'broken JSON'];

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

function contextOf(more: Partial<ServiceNowSettings> = {}): AdapterContext<ServiceNowSettings, ServiceNowSecrets> {
  return stage.contextOf(adapter, { instance_url: instance.origin, ...more }, instance.account);
}

/** The error with which a call rejects. */
async function failureOf(call: Promise<unknown>): Promise<PlatformAnswerError> {
  const error = await call.then(
    result => new Error(`it answered ${JSON.stringify(result)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof PlatformAnswerError)) throw error;
  return error;
}

describe('a canceled transaction', () => {
  it.each(CANCELLED)('in a search is a temporary failure if the answer is %s', async answer => {
    instance.conditions.cancels = { method: 'GET', answer };
    const { platform } = await failureOf(adapter.findByKey(contextOf(), fieldDraft().key));
    // There is no error code, because the connector would be paused for it.
    expect(platform).toEqual({});
  });

  it.each(CANCELLED)('in a read of a ticket is a temporary failure if the answer is %s', async answer => {
    const draft = fieldDraft();
    const created = await createBy(adapter, contextOf(), draft);
    if (created.kind !== 'created') throw new Error(created.message);
    instance.conditions.cancels = { method: 'GET', answer };
    expect((await failureOf(adapter.status(contextOf(), created.ref))).platform).toEqual({});
  });

  it.each(CANCELLED)('in a create leaves the result unknown if the answer is %s', async answer => {
    instance.conditions.cancels = { method: 'POST', answer };
    expect(await createBy(adapter, contextOf(), fieldDraft())).toMatchObject({ kind: 'uncertain' });
  });

  it.each(CANCELLED)('in the look-up of the group delays the create if the answer is %s', async answer => {
    instance.tables.insert('sys_user_group', { name: 'Security', active: 'true' }, 'admin');
    instance.conditions.cancels = { method: 'GET', table: 'sys_user_group', answer };
    const context = contextOf({ assignment_group: 'Security' });
    expect(await createBy(adapter, context, fieldDraft())).toMatchObject({ kind: 'retryable' });
    expect(instance.tables.of('incident')).toHaveLength(0);
    delete instance.conditions.cancels;
    expect(await createBy(adapter, context, fieldDraft())).not.toHaveProperty('degraded');
  });
});

describe('a session whose queue is full', () => {
  it('leaves the result of a create unknown, and is a temporary failure in a search', async () => {
    instance.conditions.overflows = true;
    expect(await createBy(adapter, contextOf(), fieldDraft())).toMatchObject({ kind: 'uncertain' });
    expect((await failureOf(adapter.findByKey(contextOf(), fieldDraft().key))).platform).toEqual({});
  });
});

describe('an instance with a rate limit', () => {
  it('gets no request for as long as it says', async () => {
    instance.conditions.throttledForS = 9;
    const outcome = await createBy(adapter, contextOf(), fieldDraft());
    expect(outcome).toMatchObject({ kind: 'retryable', retryAfterMs: 9_000 });
    const { platform } = await failureOf(adapter.findByKey(contextOf(), fieldDraft().key));
    expect(platform).toEqual({ retryAfterMs: 9_000 });
  });
});

describe('an instance under maintenance', () => {
  it('is reported as hibernating for a page with 200, and as temporarily unavailable for 503', async () => {
    instance.conditions.maintenance = 'a page with 200';
    const asleep = await failureOf(adapter.findByKey(contextOf(), fieldDraft().key));
    expect(asleep.platform).toEqual({ code: 'hibernating' });
    instance.conditions.maintenance = 'a page with 503';
    expect((await failureOf(adapter.findByKey(contextOf(), fieldDraft().key))).platform).toEqual({});
  });
});

describe('rows that access rules hide', () => {
  it('are not reported as missing if the total counts them', async () => {
    const draft = fieldDraft();
    await createBy(adapter, contextOf(), draft);
    instance.conditions.hiddenTables = new Set(['incident']);
    const error = await failureOf(adapter.findByKey(contextOf(), draft.key));
    expect(error.message).toMatch(/grant the account read access/);
    expect(error.platform).toEqual({ code: 'forbidden' });
  });

  it('leave the result of a create unknown, because its answer names no ticket', async () => {
    instance.conditions.hiddenTables = new Set(['incident']);
    expect(await createBy(adapter, contextOf(), fieldDraft())).toMatchObject({ kind: 'uncertain' });
  });
});

describe('reading a ticket right after its creation', () => {
  async function readBackOf(): Promise<[status: string, message: string][]> {
    const draft = fieldDraft();
    const created = await createBy(adapter, contextOf(), draft);
    const ref = created.kind === 'created' ? created.ref : undefined;
    const checks = await readBack(adapter, contextOf(), { key: draft.key, ref }, () => Promise.resolve());
    return checks.map(({ status, message }) => [status, message]);
  }

  it('finds it by its sys_id and by its key if the account may read it', async () => {
    expect(await readBackOf()).toEqual([
      ['passed', 'It is open.'],
      ['passed', 'It is INC0010001.'],
    ]);
  });

  it.each([
    ['counts', true],
    ['does not count', false],
  ])('says which right is missing if the instance hides the rows and %s them', async (_what, countsHiddenRows) => {
    Object.assign(instance.conditions, { hiddenTables: new Set(['incident']), countsHiddenRows });
    expect(await readBackOf()).toEqual([['failed', expect.stringMatching(/grant the account read access/)]]);
  });

  it('says so for its sys_id if the rows are hidden after the creation', async () => {
    const draft = fieldDraft();
    const created = await createBy(adapter, contextOf(), draft);
    if (created.kind !== 'created') throw new Error(created.message);
    instance.conditions.hiddenTables = new Set(['incident']);
    const checks = await readBack(adapter, contextOf(), { key: draft.key, ref: created.ref }, () => Promise.resolve());
    expect(checks.map(({ status }) => status)).toEqual(['failed', 'failed']);
  });
});

describe('priorities of a connector', () => {
  it('map a severity to urgency and impact; other severities keep the default', async () => {
    const context = contextOf({ priorities: { critical: '1-2' } });
    for (const severity of ['critical', 'low'] as const) await createBy(adapter, context, fieldDraft({ severity }));
    const shown = instance.tables.of('incident').map(({ urgency, impact }) => `${urgency}-${impact}`);
    expect(shown).toEqual(['1-2', '3-3']);
  });
});

describe('an instance that requires fields', () => {
  beforeEach(() => {
    instance.conditions.mandatory = { caller_id: 'Caller', category: 'Category' };
  });

  it('names them if the connector does not fill them', async () => {
    const outcome = await createBy(adapter, contextOf(), fieldDraft());
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'field', fields: { Caller: 'is mandatory' } });
  });

  it('accepts the ticket if the setting `fields` fills them', async () => {
    const fields = { caller_id: '62826bf03710200044e0bfc8bcbe5df1', category: 'software' };
    expect(await createBy(adapter, contextOf({ fields }), fieldDraft())).toMatchObject({ kind: 'created' });
    expect(instance.tables.of('incident')).toMatchObject([fields]);
  });

  it('gets no request if `fields` names a field that the ticket fills, because such settings are invalid', () => {
    for (const name of ['short_description', 'correlation_id', 'urgency']) {
      const settings = { instance_url: instance.origin, fields: { [name]: 'x' } };
      expect(formFaults(adapter.settingsSchema, settings, 'settings')).not.toEqual([]);
    }
  });
});

describe('the test of a connector with further fields', () => {
  const NAME = 'The table has the further fields';
  const look = async (more: Partial<ServiceNowSettings>) =>
    (await adapter.verify(contextOf(more))).filter(({ name }) => name === NAME);

  it('passes for columns of the table and of the table that it extends', async () => {
    const fields = { caller_id: '62826bf03710200044e0bfc8bcbe5df1', category: 'software' };
    expect(await look({ fields })).toEqual([{ name: NAME, status: 'passed', message: 'caller_id, category' }]);
  });

  it('names columns that the table does not have, also if another table has them', async () => {
    const message = expect.stringMatching(/^The table sn_si_incident has no column categorie, known_error, /);
    const fields = { category: 'software', categorie: 'software', known_error: true };
    expect(await look({ table: 'sn_si_incident', fields })).toEqual([{ name: NAME, status: 'warning', message }]);
  });

  it.each(['sys_db_object', 'sys_dictionary'])('says that it does not check them without access to %s', async table => {
    instance.conditions.hiddenTables = new Set([table]);
    const message = expect.stringContaining('the names are not checked');
    expect(await look({ fields: { categorie: 'x' } })).toEqual([{ name: NAME, status: 'warning', message }]);
  });

  it('reads no metadata without further fields', async () => {
    expect(await look({})).toEqual([]);
    expect(instance.received.filter(({ path }) => path.includes('/sys_d'))).toEqual([]);
  });
});

describe('a connector for security incidents', () => {
  it('creates, finds, shows and links records of its table', async () => {
    const draft = fieldDraft();
    const context = contextOf({ table: 'sn_si_incident' });
    const outcome = await createBy(adapter, context, draft);
    if (outcome.kind !== 'created') throw new Error(outcome.message);
    expect(outcome.ref).toMatchObject({
      externalTicketId: 'SIR0010001',
      url: expect.stringContaining('/sn_si_incident.do?'),
    });
    expect(await adapter.findByKey(context, draft.key)).toEqual([outcome.ref]);
    const [record] = instance.tables.of('sn_si_incident');
    const states = { 10: 'open', 16: 'in_progress', 20: 'in_progress', 100: 'resolved', 3: 'closed', 7: 'closed' };
    for (const [state, status] of Object.entries(states)) {
      Object.assign(record ?? {}, { state });
      expect(await adapter.status(context, outcome.ref)).toMatchObject({ status });
    }
  });

  const life = async (settings: Partial<ServiceNowSettings> = {}) => {
    const context = contextOf({ table: 'sn_si_incident', ...settings });
    const outcome = await createBy(adapter, context, fieldDraft());
    if (outcome.kind !== 'created') throw new Error(outcome.message);
    const { ref } = outcome;
    const change = (kind: TicketChange['kind']) => {
      const key = newId();
      const severities = { severity: 'critical', severityBefore: 'critical' } as const;
      return attemptUpdate(adapter, context, ref, { kind, key, text: `Done.\n${key}`, repeated: false, ...severities });
    };
    return { change, record: () => instance.tables.of('sn_si_incident')[0] ?? {} };
  };

  it('moves them from Draft to Review with one of their close codes, so that people can close them', async () => {
    const { change, record } = await life();
    expect(record()).toMatchObject({ state: '10' });
    expect(await change('resolve')).toMatchObject({ kind: 'updated', status: 'resolved' });
    expect(record()).toMatchObject({ state: '100', close_code: 'Threat mitigated', close_notes: expect.any(String) });
    expect(instance.tables.update(record(), { state: '3' }, 'abel.tuter')).toBeUndefined();
    expect(await change('reopen')).toMatchObject({ kind: 'refused', code: 'declined' });
  });

  it('uses the close code of the connector, and reopens them in Analysis', async () => {
    const { change, record } = await life({ close_code: 'Investigation completed' });
    await change('resolve');
    expect(record()).toMatchObject({ state: '100', close_code: 'Investigation completed' });
    expect(await change('reopen')).toMatchObject({ kind: 'updated', status: 'in_progress' });
    expect(record()).toMatchObject({ state: '16', close_code: '', close_notes: '' });
  });

  it.each(['False positive', 'Invalid vulnerability', 'false_positive'])(
    'does not change incidents that people ended with “%s”',
    async code => {
      const { change, record } = await life();
      Object.assign(record(), { state: '100', close_code: code });
      expect(await change('reopen')).toMatchObject({ kind: 'refused', code: 'declined' });
      expect(record()).toMatchObject({ state: '100', close_code: code });
    },
  );

  it('names the missing role if the instance hides them', async () => {
    instance.conditions.hiddenTables = new Set(['sn_si_incident']);
    const context = contextOf({ table: 'sn_si_incident' });
    const draft = fieldDraft();
    await createBy(adapter, context, draft);
    await expect(adapter.findByKey(context, draft.key)).rejects.toThrow('sn_si.basic or sn_si.integration_user');
  });
});

describe('an account that may not sort', () => {
  it('finds its tickets, newest first', async () => {
    instance.conditions.maySort = false;
    const draft = fieldDraft();
    await createBy(adapter, contextOf(), draft);
    await createBy(adapter, contextOf(), draft);
    const found = await adapter.findByKey(contextOf(), draft.key);
    expect(found.map(({ externalTicketId }) => externalTicketId)).toEqual(['INC0010002', 'INC0010001']);
  });
});
