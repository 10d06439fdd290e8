import type { Severity, TicketRef } from 'nest-llm-governance/itsm';
import { itsmAdapterContract } from 'nest-llm-governance/testing';
import { URGENCY } from './acme-desk.adapter.js';
import { AcmeDeskWithChanges } from './acme-desk.changes.js';
import { acmeDeskGround } from './acme-desk.contract.js';
import { AcmeDeskDouble } from './acme-desk.double.js';

export const acmeDeskChangesContract = itsmAdapterContract(() => {
  const desk = new AcmeDeskDouble();
  const ticketOf = ({ platformId }: TicketRef) => desk.tickets.find(({ id }) => id === platformId) ?? {};
  return {
    ...acmeDeskGround(() => new AcmeDeskWithChanges(), desk),
    update: {
      texts: ref => (ticketOf(ref)['notes'] ?? '').split('\n---\n'),
      priority: ref => ticketOf(ref)['urgency'],
      prioritize: (ref, severity: Severity) => void Object.assign(ticketOf(ref), { urgency: URGENCY[severity] }),
      resolved: 'solved',
      decline: ref => void Object.assign(ticketOf(ref), { state: 'filed', resolution: 'Won’t do' }),
    },
  };
});
