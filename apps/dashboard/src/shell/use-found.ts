import {
  Hand,
  ListChecks,
  Plug,
  ScrollText,
  Siren,
  TicketCheck,
  UserRound,
  Wallet,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import { useRoute } from '../data/ahead.ts';

/** Something that the palette offers. */
export interface Offer {
  id: string;
  /** Stands above the offers of its kind. */
  group: string;
  name: string;
  detail?: string;
  icon?: LucideIcon;
  to: string;
}

interface Found {
  results: { kind: string; id: string; title: string; subtitle: string | null }[];
}

/** Where each kind of result is shown. */
const PLACES: Record<string, readonly [group: string, icon: LucideIcon, path: string]> = {
  user: ['Users', UserRound, '/users/'],
  policy: ['Policies', ScrollText, '/policies/'],
  approval: ['Approvals', Hand, '/approvals/'],
  decision: ['Decisions', ListChecks, '/decisions/'],
  incident: ['Incidents', Siren, '/incidents/'],
  webhook: ['Webhooks', Webhook, '/webhooks/'],
  connector: ['Integrations', Plug, '/integrations/'],
  ticket: ['Tickets', TicketCheck, '/incidents/tickets/'],
  budget: ['Budgets', Wallet, '/budgets/'],
};

/** Fewer characters than this are not searched for. */
const SHORTEST = 2;

/** What the server finds for a text: by name, by e-mail address, by id. */
export function useFound(text: string): Offer[] {
  const q = useDeferredValue(text.trim());
  const { data } = useRoute<Found>('search', 'search', { q }, q.length >= SHORTEST);
  return useMemo(() => {
    if (q.length < SHORTEST) return [];
    return (data?.results ?? []).flatMap(({ kind, id, title, subtitle }) => {
      const place = PLACES[kind];
      if (place === undefined) return [];
      const [group, icon, path] = place;
      return [{ id, group, name: title, icon, to: path + id, ...(subtitle !== null && { detail: subtitle }) }];
    });
  }, [data, q]);
}
