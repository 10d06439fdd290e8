import { describe, it } from '@jest/globals';
import { itsmAdapterContract } from 'nest-llm-governance/testing';
import type { TicketRef } from '#itsm';
import { startInstance } from '../../../../test/emulators/servicenow/instance.js';
import { platformAccess } from '../../../../test/support/itsm/platform-access.js';
import type { TableRecord } from '../../../../test/emulators/servicenow/query.js';
import { EgressAdapterHttp } from '../../delivery/egress-adapter-http.js';
import { ServiceNowAdapter } from './servicenow.adapter.js';

const TABLE = 'sn_si_incident';

describe('ServiceNowAdapter keeps the contract of adapters for security incidents: it', () => {
  const platforms = platformAccess();

  const contract = itsmAdapterContract(async () => {
    const instance = await startInstance({ authority: platforms.authority });
    const recordOf = ({ platformId }: TicketRef): TableRecord => {
      const record = instance.tables.of(TABLE).find(each => each['sys_id'] === platformId);
      if (!record) throw new Error(`There is no record ${platformId}.`);
      return record;
    };
    return {
      newAdapter: () => new ServiceNowAdapter(),
      settings: { instance_url: instance.origin, table: TABLE },
      secrets: instance.account,
      http: new EgressAdapterHttp(platforms.egress, [instance.origin]),
      creates: ({ method, url }) => method === 'POST' && new URL(url).pathname === `/api/now/table/${TABLE}`,
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
              detail: 'Data Policy Exception: The following fields are mandatory: Category',
            },
            status: 'failure',
          },
        },
        field: 'Category',
      },
      status: {
        move: (ref, state) => void Object.assign(recordOf(ref), { state }),
        expected: {
          ...{ 10: 'open', 16: 'in_progress', 18: 'in_progress', 19: 'in_progress', 20: 'in_progress' },
          ...{ 100: 'resolved', 3: 'closed', 7: 'closed' },
        },
      },
      // People do not change the number of a record. The requested 50 records are more than any key has.
      rename: 'none' as const,
      paginate: 'none' as const,
      update: {
        texts: ref => (recordOf(ref)['work_notes'] ?? '').split('\n\n').filter(entry => entry !== ''),
        priority: ref => [recordOf(ref)['urgency'], recordOf(ref)['impact']],
        prioritize: (ref, severity) => {
          const urgency = { critical: '1', high: '2', medium: '2', low: '3' }[severity];
          Object.assign(recordOf(ref), { urgency, impact: severity === 'critical' ? '1' : '3' });
        },
        resolved: '100',
        decline: ref => void Object.assign(recordOf(ref), { state: '100', close_code: 'False positive' }),
      },
      inbound: [
        {
          body: {
            ...{ table: TABLE, sys_id: '46e2fee9a9fe19810049b49dee0daf58', sys_mod_count: '4' },
            ...{ number: 'SIR0010023', state: '100', active: 'true', close_code: 'Threat mitigated' },
            ...{ sys_updated_by: 'abel.tuter', sys_updated_on: '2026-11-20 10:15:00' },
          },
          update: {
            ...{ externalTicketId: 'SIR0010023', platformId: '46e2fee9a9fe19810049b49dee0daf58', status: 'resolved' },
            ...{
              resolution: 'Threat mitigated',
              updatedBy: 'abel.tuter',
              occurredAt: new Date('2026-11-20T10:15:00Z'),
            },
            eventId: '46e2fee9a9fe19810049b49dee0daf58:4',
          },
        },
      ],
      interfere: interference => instance.interfere(interference),
      close: () => instance.close(),
    };
  });

  it.each(contract.map(({ title, run }) => [title, run] as const))('%s', async (_title, run) => run());
});
