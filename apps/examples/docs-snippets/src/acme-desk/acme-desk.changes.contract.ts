import type { ItsmAdapter, Severity, TicketRef } from 'nest-llm-governance/itsm';
import { itsmAdapterContract, type ContractCase } from 'nest-llm-governance/testing';
import { URGENCY, type AcmeDeskSecrets, type AcmeDeskSettings } from './acme-desk.adapter.js';
import { AcmeDeskApiAdapter } from './acme-desk.api.js';
import { AcmeDeskWithChanges } from './acme-desk.changes.js';
import { acmeDeskGround } from './acme-desk.contract.js';
import { AcmeDeskDouble } from './acme-desk.double.js';

function changesContract(newAdapter: () => ItsmAdapter<AcmeDeskSettings, AcmeDeskSecrets>): readonly ContractCase[] {
  return itsmAdapterContract(() => {
    const desk = new AcmeDeskDouble();
    const ticketOf = ({ platformId }: TicketRef) => desk.tickets.find(({ id }) => id === platformId) ?? {};
    return {
      ...acmeDeskGround(newAdapter, desk),
      update: {
        texts: ref => (ticketOf(ref)['notes'] ?? '').split('\n---\n'),
        priority: ref => ticketOf(ref)['urgency'],
        prioritize: (ref, severity: Severity) => void Object.assign(ticketOf(ref), { urgency: URGENCY[severity] }),
        resolved: 'solved',
        decline: ref => void Object.assign(ticketOf(ref), { state: 'filed', resolution: 'Won’t do' }),
      },
    };
  });
}

export const acmeDeskChangesContract = changesContract(() => new AcmeDeskWithChanges());
export const acmeDeskApiContract = changesContract(() => new AcmeDeskApiAdapter());
