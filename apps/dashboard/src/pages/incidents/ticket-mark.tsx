import { Mark } from '../../parts/marks.tsx';

interface TicketMarkProps {
  /** State of the creation of the ticket. */
  state: string;
  /** Status on the platform. */
  status: string | null;
  isStuck: boolean;
}

/**
 * What there is to know of a ticket in one mark. Until the ticket exists, that is the state of its creation. If it waits
 * for a connector that fails, it looks like the connector.
 */
export function TicketMark({ state, status, isStuck }: TicketMarkProps) {
  if (isStuck) return <Mark of="failed" word="Waiting" />;
  return <Mark of={state === 'created' ? (status ?? 'created') : state} />;
}
