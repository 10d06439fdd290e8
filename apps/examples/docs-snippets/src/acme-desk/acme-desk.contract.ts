import type { ItsmAdapter } from 'nest-llm-governance/itsm';
import { itsmAdapterContract, type ItsmAdapterGround } from 'nest-llm-governance/testing';
import { AcmeDeskAdapter, type AcmeDeskSecrets, type AcmeDeskSettings } from './acme-desk.adapter.js';
import { AcmeDeskDouble } from './acme-desk.double.js';

type Adapter = ItsmAdapter<AcmeDeskSettings, AcmeDeskSecrets>;

export function acmeDeskGround(
  newAdapter: () => Adapter = () => new AcmeDeskAdapter(),
  desk = new AcmeDeskDouble(),
): ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets> {
  return {
    newAdapter,
    settings: { instance_url: 'https://acme.example', queue: 'Security' },
    secrets: { api_token: 'token-of-acme' },
    http: desk.http,
    creates: ({ method, url }) => method === 'POST' && new URL(url).pathname === '/api/tickets',
    shows: 'plain',
    limits: { title: 100, description: 8_000 },
    severity: {
      in: sent => sent['urgency'],
      expected: { critical: 'now', high: 'today', medium: 'week', low: 'later' },
    },
    fieldRefusal: { answer: { status: 422, json: { errors: { queue: 'is closed' } } }, field: 'queue' },
    failsInSuccess: [{ status: 200, json: { tickets: [], error: 'overloaded' } }],
    status: {
      move: ({ platformId }, state) => {
        for (const ticket of desk.tickets) if (ticket['id'] === platformId) ticket['state'] = state;
      },
      expected: { new: 'open', taken: 'in_progress', solved: 'resolved', filed: 'closed' },
    },
    rename: 'none',
    paginate: 'none',
    inbound: [
      {
        body: { event: 'ticket.changed', ticket: { id: '7f', number: 'AD-1', state: 'solved' } },
        update: { externalTicketId: 'AD-1', status: 'resolved' },
      },
    ],
  };
}

/** Use it with any test runner: `for (const { title, run } of acmeDeskContract) it(title, run);` */
export const acmeDeskContract = itsmAdapterContract(() => acmeDeskGround());
