import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, SystemClock } from '#core';
import { BEHAVIOURS, redirect, slow, type BehaviourName } from '../../../../test/support/endpoint-behaviours.js';
import { toBehaviour, type Interception } from '../../../../test/support/itsm/platform-endpoint.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { startInstance, type Instance } from '../../../../test/emulators/servicenow/instance.js';
import { attemptCreate } from '../../adapter/attempt-create.js';
import type { CreateOutcome } from '../../adapter/create-outcome.js';
import type { TicketDraft } from '../../adapter/ticket-draft.js';
import { EgressAdapterHttp } from '../../delivery/egress-adapter-http.js';
import { ServiceNowAdapter } from './servicenow.adapter.js';
import { platformAccess } from '../../../../test/support/itsm/platform-access.js';

const ACCOUNT = { username: 'svc.governance', password: 'Correct-Horse:9' };
const PAGE = '<!DOCTYPE html><html><body>Your instance is hibernating</body></html>';
const CREATE = '/api/now/table/incident';

const failure = (status: number, message: string, detail: string | null = null, headers = {}) =>
  toBehaviour({ status, headers, json: { error: { message, detail }, status: 'failure' } });

describe('ServiceNowAdapter', () => {
  const platforms = platformAccess();

  describe('at an instance', () => {
    let instance: Instance;
    let adapter: ServiceNowAdapter;

    beforeEach(async () => {
      instance = await startInstance({ authority: platforms.authority, account: ACCOUNT, now: () => new Date() });
      adapter = new ServiceNowAdapter();
    });
    afterEach(() => instance.close());

    const contextOf = (assignment_group?: string, maxTimeoutMs?: number) => ({
      settings: { instance_url: instance.url, ...(assignment_group !== undefined && { assignment_group }) },
      secrets: ACCOUNT,
      clock: new SystemClock(),
      http: new EgressAdapterHttp(platforms.egress, [instance.origin], maxTimeoutMs),
    });

    const draftOf = (more: Partial<TicketDraft> = {}): TicketDraft => ({
      key: newId(),
      title: '[Governance] policy_violation: ada@example.com',
      severity: 'high',
      labels: ['governance', 'ai-policy', 'high'],
      payload: { id: 'evt_1' },
      link: null,
      ...more,
    });

    async function create(group?: string, draft = draftOf(), maxTimeoutMs?: number): Promise<CreateOutcome> {
      const context = contextOf(group, maxTimeoutMs);
      return attemptCreate(adapter, context, adapter.render(draft, context.settings), draft.key);
    }

    const onCreate =
      (then: Interception): Interception =>
      (request, perform) =>
        request.method === 'POST' ? then(request, perform) : undefined;

    it('creates an incident whose priority the instance computes from urgency and impact', async () => {
      for (const severity of ['critical', 'high', 'medium', 'low'] as const)
        await create(undefined, draftOf({ severity }));
      expect(instance.incidents.map(({ urgency, impact, priority }) => [urgency, impact, priority])).toEqual([
        ['1', '1', '1'],
        ['2', '2', '3'],
        ['2', '3', '4'],
        ['3', '3', '5'],
      ]);
    });

    it('requests the fields that it reads, with Basic authentication and JSON', async () => {
      const draft = draftOf();
      const outcome = await create(undefined, draft);
      const [request] = instance.received;
      expect(request?.path).toBe(
        `${CREATE}?sysparm_fields=sys_id%2Cnumber%2Cstate%2Cpriority%2Cassignment_group%2Csys_updated_on&sysparm_exclude_reference_link=true`,
      );
      expect(request?.headers).toMatchObject({
        authorization: `Basic ${btoa('svc.governance:Correct-Horse:9')}`,
        accept: 'application/json',
        'content-type': 'application/json',
      });
      expect(request?.json).toEqual({
        short_description: draft.title,
        description: '{\n  "id": "evt_1"\n}',
        urgency: '2',
        impact: '2',
        correlation_id: draft.key,
        correlation_display: 'LLM governance',
      });
      const { sys_id: platformId, number: externalTicketId } = instance.incidents[0]!;
      const url = `${instance.origin}/incident.do?sys_id=${platformId}`;
      expect(outcome).toEqual({ kind: 'created', ref: { externalTicketId, platformId, url } });
    });

    it('assigns by the sys_id of the group, and looks it up once in five minutes', async () => {
      const sysId = instance.addGroup('Security');
      instance.addGroup('Security', false);
      await create('Security');
      await create(' security ');
      await create('Security');
      expect(instance.incidents.map(({ assignment_group }) => assignment_group)).toEqual([sysId, sysId, sysId]);
      expect(instance.received.filter(({ method }) => method === 'GET')).toHaveLength(2);
    });

    it.each([
      ['unknown', 'No active group is called “Nobody”: incidents are created without one.', 'Nobody'],
      ['ambiguous', 'Several active groups are called “Twice”: incidents are created without one.', 'Twice'],
      [
        'a query',
        'No active group is called “x^ORsys_idISNOTEMPTY”: incidents are created without one.',
        'x^ORsys_idISNOTEMPTY',
      ],
      [
        'a script',
        'No active group is called “javascript:gs.x()”: incidents are created without one.',
        'javascript:gs.x()',
      ],
    ])(
      'creates without a group that is %s, reports that, and warns in the connector test',
      async (_what, problem, group) => {
        instance.addGroup('Twice');
        instance.addGroup('Twice');
        expect(await create(group)).toMatchObject({ kind: 'created', degraded: [problem] });
        expect(instance.incidents[0]).toMatchObject({ assignment_group: '' });
        expect(await adapter.verify(contextOf(group))).toMatchObject([
          { status: 'passed' },
          { status: 'warning', message: problem },
        ]);
      },
    );

    it.each([
      ['read', 'GET', 403, 'sn_incident_read or itil'],
      ['sign in', 'GET', 401, 'snc_basic_auth_api_access'],
    ])('names the role in the connector test if the account may not %s', async (_what, method, status, role) => {
      instance.intercept(request => (request.method === method ? failure(status, 'Not Authorized') : undefined));
      const message = expect.stringContaining(role);
      expect(await adapter.verify(contextOf())).toMatchObject([{ status: 'failed', message }]);
    });

    it('names the role if the account may not create incidents', async () => {
      instance.intercept(onCreate(() => failure(403, 'User Not Authorized')));
      const message = expect.stringContaining('sn_incident_write or itil');
      expect(await create()).toMatchObject({ kind: 'rejected', code: 'forbidden', message });
    });

    it('looks up a group again after five minutes', async () => {
      instance.addGroup('Security');
      const clock = new ManualClock();
      const context = { ...contextOf('Security'), clock };
      const lookups = () => instance.received.filter(({ path }) => path.includes('sys_user_group')).length;
      for (const [waited, asked] of [
        [0, 1],
        [299_000, 1],
        [1_000, 2],
      ] as const) {
        clock.advance(waited);
        const draft = draftOf();
        await attemptCreate(adapter, context, adapter.render(draft, context.settings), draft.key);
        expect(lookups()).toBe(asked);
      }
    });

    it('escapes names of groups and keys in queries', async () => {
      await create('x^ORsys_idISNOTEMPTY');
      await create('javascript:gs.x()');
      await adapter.findByKey(contextOf(), `${newId()}^ORsys_idISNOTEMPTY`);
      const asked = instance.received.filter(({ method }) => method === 'GET');
      expect(asked.map(({ url }) => url.searchParams.get('sysparm_query'))).toEqual([
        'name=xORsys_idISNOTEMPTY^active=true',
      ]);
    });

    it('looks up a group again in a connector test, so that a correction is used at once', async () => {
      await create('Security');
      const sysId = instance.addGroup('Security');
      await adapter.verify(contextOf('Security'));
      expect(await create('Security')).not.toHaveProperty('degraded');
      expect(instance.incidents.at(-1)).toMatchObject({ assignment_group: sysId });
    });

    it('reports that the instance drops a deleted group, and looks it up again', async () => {
      instance.addGroup('Security');
      await create('Security');
      instance.groups.pop();
      expect(await create('Security')).toMatchObject({
        degraded: ['The instance did not assign the incident to the group.'],
      });
      const sysId = instance.addGroup('Security');
      await create('Security');
      expect(instance.incidents.at(-1)).toMatchObject({ assignment_group: sysId });
    });

    it('creates without a group if the account may not read groups', async () => {
      instance.intercept(({ method, path }) =>
        method === 'GET' && path.includes('sys_user_group') ? failure(403, 'User Not Authorized') : undefined,
      );
      expect(await create('Security')).toMatchObject({
        kind: 'created',
        degraded: [expect.stringContaining('may not look up')],
      });
    });

    it.each<[string, Interception]>([
      ['nothing was created', () => 'hang'],
      ['the incident was created', (_request, perform) => (perform(), 'hang')],
      ['the answer comes later', (_request, perform) => slow(2_000, toBehaviour(perform()))],
    ])('reports an unknown outcome for a timeout: %s', async (_what, interception) => {
      instance.intercept(onCreate(interception));
      expect(await create(undefined, draftOf(), 500)).toMatchObject({ kind: 'uncertain' });
      expect(instance.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
    });

    it.each<[string, Interception, Partial<CreateOutcome>]>([
      ['a lost answer', (_r, perform) => (perform(), 'reset'), { kind: 'uncertain' }],
      ['a truncated answer', (_r, perform) => (perform(), 'reset after headers'), { kind: 'uncertain' }],
      ['an endless answer', (_r, perform) => (perform(), 'huge body'), { kind: 'uncertain' }],
      ['an answer that is not HTTP', () => 'garbage', { kind: 'uncertain' }],
      ['500 before creating', () => failure(500, 'x'), { kind: 'uncertain' }],
      ['503 after creating', (_r, perform) => (perform(), failure(503, 'x')), { kind: 'uncertain' }],
      [
        '201 without an id',
        (_r, perform) => (perform(), toBehaviour({ status: 201, json: { result: {} } })),
        { kind: 'uncertain' },
      ],
      ['200 with an incident', (_r, perform) => toBehaviour({ ...perform(), status: 200 }), { kind: 'uncertain' }],
      ['429', () => failure(429, 'Rate limit'), { kind: 'retryable' }],
      [
        '429 with a wait',
        () => failure(429, 'x', null, { 'retry-after': '34' }),
        { kind: 'retryable', retryAfterMs: 34_000 },
      ],
      ['hibernation', () => toBehaviour({ status: 200, text: PAGE }), { kind: 'rejected', code: 'hibernating' }],
      ['a redirect to a login', () => redirect('https://login.elsewhere.test/'), { kind: 'rejected', code: 'auth' }],
      [
        'an answer about another account',
        () => failure(401, 'User Not Authenticated'),
        { kind: 'rejected', code: 'auth' },
      ],
      [
        '404',
        () => failure(404, 'Requested URI does not represent any resource'),
        { kind: 'rejected', code: 'config' },
      ],
    ])('turns %s into the right outcome', async (_what, interception, expected) => {
      instance.intercept(onCreate(interception));
      expect(await create()).toMatchObject(expected);
      expect(instance.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
    });

    it('finds the incident after a lost answer, and nothing if none was created', async () => {
      const [lost, never] = [draftOf(), draftOf()];
      instance.intercept(onCreate((_request, perform) => (perform(), 'reset')));
      await create(undefined, lost);
      instance.intercept(onCreate(() => 'reset'));
      await create(undefined, never);
      instance.intercept();
      const refs = await adapter.findByKey(contextOf(), lost.key);
      expect(refs.map(({ externalTicketId }) => externalTicketId)).toEqual(['INC0010001']);
      expect(await adapter.findByKey(contextOf(), never.key)).toEqual([]);
    });

    it('ignores incidents if the instance does not understand the query', async () => {
      await create();
      instance.intercept(() => toBehaviour({ status: 200, json: { result: instance.incidents } }));
      expect(await adapter.findByKey(contextOf(), newId())).toEqual([]);
    });

    it('finds the newest first if there are several', async () => {
      const draft = draftOf();
      await create(undefined, draft);
      await create(undefined, draft);
      instance.incidents[0]!['sys_created_on'] = '2026-01-01 00:00:00';
      const refs = await adapter.findByKey(contextOf(), draft.key);
      expect(refs.map(({ externalTicketId }) => externalTicketId)).toEqual(['INC0010002', 'INC0010001']);
    });

    it.each([
      ['Data Policy Exception: Short description is mandatory', { 'Short description': 'is mandatory' }],
      [
        'Data Policy Exception: The following fields are mandatory: Caller, Category',
        { Caller: 'is mandatory', Category: 'is mandatory' },
      ],
      ['Data Policy Exception: The following fields are read only: Impact', { Impact: 'is read only' }],
    ])('names the fields of “%s”', async (detail, fields) => {
      instance.intercept(onCreate(() => failure(403, 'Operation Failed', detail)));
      expect(await create()).toEqual({
        ...{ kind: 'rejected', code: 'field', fields },
        message: `The instance rejected a field of the incident. It says: Operation Failed: ${detail}`,
      });
    });

    it('returns the message of a business rule that aborts', async () => {
      const detail = "Operation against file 'incident' was aborted by Business Rule 'No\r\n robots'";
      instance.intercept(onCreate(() => failure(403, 'Operation Failed', detail)));
      expect(await create()).toEqual({
        ...{ kind: 'rejected', code: 'forbidden' },
        message: `The platform denies this account access (403): check its permissions. It says: Operation Failed: ${detail.replace('\r\n', '')}`,
      });
    });

    it('retries if the connection is refused, or its certificate is not trusted', async () => {
      await instance.present('self-signed');
      expect(await create()).toMatchObject({ kind: 'retryable' });
      await instance.close();
      expect(await create()).toMatchObject({ kind: 'retryable', message: 'The endpoint refused the connection.' });
      expect(instance.received).toEqual([]);
    });

    it('waits if a group cannot be looked up now, instead of reporting an unknown outcome', async () => {
      for (const behaviour of ['hang', 'reset', 'garbage'] satisfies BehaviourName[]) {
        instance.intercept(() => BEHAVIOURS[behaviour]);
        expect(await create('Security', draftOf(), 300)).toMatchObject({ kind: 'retryable' });
      }
      instance.intercept(() => failure(429, 'x', null, { 'retry-after': '5' }));
      expect(await create('Security')).toMatchObject({ kind: 'retryable', retryAfterMs: 5_000 });
      expect(instance.incidents).toEqual([]);
    });

    it('reads the state of an incident, who changed it when, and whether it was deleted', async () => {
      const outcome = await create();
      const ref = outcome.kind === 'created' ? outcome.ref : { externalTicketId: '' };
      instance.tables.change(ref.platformId!, {
        ...{
          state: '6',
          close_code: 'Solution provided',
          close_notes: 'Told Ada.',
          sys_updated_on: '2026-11-20 10:15:00',
        },
      });
      expect(await adapter.status(contextOf(), ref)).toEqual({
        ...{ status: 'resolved', resolution: 'Solution provided', notes: 'Told Ada.', updatedBy: 'abel.tuter' },
        occurredAt: new Date('2026-11-20T10:15:00Z'),
      });
      instance.tables.change(ref.platformId!, { state: '42', active: 'false' });
      expect(await adapter.status(contextOf(), ref)).toMatchObject({ status: 'closed' });
      instance.incidents.pop();
      expect(await adapter.status(contextOf(), ref)).toBeNull();
    });

    it('works with an instance below a path', async () => {
      const settings = { instance_url: `${instance.origin}/itsm/` };
      instance.intercept(({ path }) =>
        toBehaviour({ status: path.startsWith('/itsm/api/now/') ? 200 : 500, json: { result: [] } }),
      );
      expect(await adapter.verify({ ...contextOf(), settings })).toMatchObject([{ status: 'passed' }]);
    });
  });
});
