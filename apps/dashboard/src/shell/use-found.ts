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
import { sentence } from '../data/format.ts';
import { platformName } from '../data/platform.ts';
import { useRoute } from '../data/usage-series.ts';

/** An entry of the palette. */
export interface Offer {
  id: string;
  /** Heading of the group to which the entry belongs. */
  group: string;
  name: string;
  detail?: string;
  icon?: LucideIcon;
  to: string;
}

interface Found {
  results: { kind: string; id: string; title: string; subtitle: string | null }[];
}

/** Group, icon and path of each kind of result. */
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

/** The second text of a result, in the words of the pages. */
function detailOf(kind: string, subtitle: string): string {
  if (kind === 'user' || kind === 'webhook') return subtitle;
  if (kind === 'connector') return platformName(subtitle);
  return kind === 'budget' && subtitle === 'organization' ? 'Whole organization' : sentence(subtitle);
}

/** Minimum length of a text that is searched. */
const SHORTEST = 2;

/** Search results of the server for a text: by name, e-mail address and id. */
export function useFound(text: string): Offer[] {
  const q = useDeferredValue(text.trim());
  const { data } = useRoute<Found>('search', 'search', { q }, q.length >= SHORTEST);
  return useMemo(() => {
    if (q.length < SHORTEST) return [];
    return (data?.results ?? []).flatMap(({ kind, id, title, subtitle }) => {
      const place = PLACES[kind];
      if (place === undefined) return [];
      const [group, icon, path] = place;
      const name = kind === 'incident' ? sentence(title) : title;
      return [{ id, group, name, icon, to: path + id, ...(subtitle !== null && { detail: detailOf(kind, subtitle) }) }];
    });
  }, [data, q]);
}
