import { describe, it } from '@jest/globals';
import { AdapterHttp, type AdapterRequest, type AdapterResponse } from '#itsm';
import { itsmAdapterContract, ScriptedAdapterHttp, type ItsmAdapterGround } from 'nest-llm-governance/testing';
import { TokenEndpoint } from '../../../../test/emulators/servicenow/oauth.js';
import { startInstance, type Instance } from '../../../../test/emulators/servicenow/instance.js';
import { EgressAdapterHttp } from '../../delivery/egress-adapter-http.js';
import type { ServiceNowSecrets, ServiceNowSettings } from './connector.js';
import { ServiceNowAdapter } from './servicenow.adapter.js';
import { platformAccess } from '../../../../test/support/itsm/platform-access.js';

const CANCELED = { message: 'Transaction cancelled', detail: null };
const RECORD = { sys_id: '46e2', number: 'INC0010001', state: '6' };

const ACCOUNT = { username: 'svc.governance', password: 'Correct-Horse:9' };
const CREATE = '/api/now/table/incident';

/** The work notes of an incident, as separate texts. */
function entriesOf({ incidents }: Instance, sysId: string | undefined): string[] {
  const notes = incidents.find(each => each['sys_id'] === sysId)?.['work_notes'] ?? '';
  return notes.split('\n\n').filter(entry => entry !== '');
}

type Ground = ItsmAdapterGround<ServiceNowSettings, ServiceNowSecrets>;

/** A proxy in front of an instance with Basic authentication. It grants OAuth tokens. */
class TokenFront extends AdapterHttp {
  private readonly endpoint: ScriptedAdapterHttp;

  constructor(
    origin: string,
    private readonly oauth: TokenEndpoint,
    private readonly instance: AdapterHttp,
  ) {
    super();
    this.endpoint = new ScriptedAdapterHttp([origin], ({ method, form = {} }) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return oauth.answer({ method, headers, body: Buffer.from(new URLSearchParams(form).toString()) });
    });
  }

  override request(request: AdapterRequest): Promise<AdapterResponse> {
    if (request.url.endsWith('/oauth_token.do')) return this.endpoint.request(request);
    const basic = Buffer.from(`${ACCOUNT.username}:${ACCOUNT.password}`).toString('base64');
    const authorization = this.oauth.knows(request.headers?.['authorization']) ? `Basic ${basic}` : 'Bearer unknown';
    return this.instance.request({ ...request, headers: { ...request.headers, authorization } });
  }
}

describe('ServiceNowAdapter keeps the contract of adapters, over HTTPS: it', () => {
  const platforms = platformAccess();

  const makeGround = async (): Promise<Ground> => {
    const instance = await startInstance({ authority: platforms.authority, account: ACCOUNT, now: () => new Date() });
    instance.addGroup('Security');
    return {
      newAdapter: () => new ServiceNowAdapter(),
      settings: { instance_url: instance.url, assignment_group: 'Security' },
      secrets: ACCOUNT,
      http: new EgressAdapterHttp(platforms.egress, [instance.origin]),
      creates: ({ method, url }) => method === 'POST' && new URL(url).pathname === CREATE,
      shows: 'plain' as const,
      limits: { title: 160, description: 4_000 },
      severity: {
        in: ({ urgency, impact }) => [urgency, impact],
        expected: { critical: ['1', '1'], high: ['2', '2'], medium: ['2', '3'], low: ['3', '3'] },
      },
      fieldRefusal: {
        answer: {
          status: 403,
          json: {
            error: {
              message: 'Operation Failed',
              detail: 'Data Policy Exception: The following fields are mandatory: Caller, Category',
            },
            status: 'failure',
          },
        },
        field: 'Caller',
      },
      failsInSuccess: [
        { status: 200, json: { result: [], error: CANCELED } },
        // The record proves nothing, because the answer also contains an error.
        { status: 200, json: { result: RECORD, error: CANCELED } },
        { status: 201, json: { result: RECORD, error: CANCELED } },
      ],
      // The platform's times are in whole seconds.
      age: ({ platformId = '' }) => instance.tables.change(platformId, { sys_created_on: '2026-01-01 00:00:00' }),
      status: {
        move: ({ platformId = '' }, state) => instance.tables.change(platformId, { state }),
        expected: {
          ...{ 1: 'open', 2: 'in_progress', 3: 'in_progress', 6: 'resolved', 7: 'closed', 8: 'closed' },
          18: 'in_progress',
        },
      },
      // People do not change the number of a record. The requested 50 records are more than any key has.
      rename: 'none' as const,
      paginate: 'none' as const,
      update: {
        texts: ({ platformId }) => entriesOf(instance, platformId),
        priority: ({ platformId }) => {
          const incident = instance.incidents.find(each => each['sys_id'] === platformId);
          return [incident?.['urgency'], incident?.['impact']];
        },
        prioritize: ({ platformId = '' }, severity) => {
          const urgency = { critical: '1', high: '2', medium: '2', low: '3' }[severity];
          instance.tables.change(platformId, { urgency, impact: severity === 'critical' ? '1' : '3' });
        },
        resolved: '6',
        decline: ({ platformId = '' }) =>
          instance.tables.change(platformId, { state: '6', close_code: 'Not Solved (Too Costly)' }),
      },
      inbound: [
        {
          body: {
            ...{ table: 'incident', sys_id: '46e2fee9a9fe19810049b49dee0daf58', sys_mod_count: '4' },
            ...{ number: 'INC0010023', state: '6', active: 'true', close_code: 'Solution provided' },
            ...{ close_notes: 'Told Ada.', sys_updated_by: 'abel.tuter', sys_updated_on: '2026-11-20 10:15:00' },
          },
          update: {
            ...{
              externalTicketId: 'INC0010023',
              platformId: '46e2fee9a9fe19810049b49dee0daf58',
              status: 'resolved',
              resolution: 'Solution provided',
            },
            ...{ notes: 'Told Ada.', updatedBy: 'abel.tuter', occurredAt: new Date('2026-11-20T10:15:00Z') },
            eventId: '46e2fee9a9fe19810049b49dee0daf58:4',
          },
        },
      ],
      interfere: interference => instance.interfere(interference),
      close: () => instance.close(),
    };
  };
  const contract = itsmAdapterContract(makeGround);
  // Failures are simulated between the adapter and the network, so they also affect token requests.
  const withOAuth = itsmAdapterContract(async () => {
    const { interfere: _, ...ground } = await makeGround();
    const oauth = new TokenEndpoint(ACCOUNT);
    const origin = new URL(ground.settings.instance_url).origin;
    return { ...ground, secrets: oauth.client, http: new TokenFront(origin, oauth, ground.http) };
  });

  it.each(contract.map(({ title, run }) => [title, run] as const))('%s', async (_title, run) => run());
  it.each(withOAuth.map(({ title, run }) => [title, run] as const))('%s, with OAuth', async (_title, run) => run());
});
