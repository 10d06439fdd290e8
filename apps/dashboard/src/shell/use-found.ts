import { Siren, UserRound, type LucideIcon } from 'lucide-react';
import { useMemo } from 'react';
import { may, useMe } from '../data/scopes.ts';

/** Something that the palette offers. */
export interface Offer {
  id: string;
  /** Stands above offers of its kind. */
  group: string;
  name: string;
  detail?: string;
  icon?: LucideIcon;
  to: string;
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What the server has for a text: by id, for the moment. */
export function useFound(text: string): Offer[] {
  const me = useMe();
  return useMemo(() => {
    const id = text.trim();
    if (!ID.test(id)) return [];
    const kinds = [
      { group: 'Incidents', scopes: ['incidents:read'], icon: Siren, to: `/incidents/${id}` },
      { group: 'Users', scopes: ['users:read'], icon: UserRound, to: `/users/${id}` },
    ];
    return kinds
      .filter(({ scopes }) => may(me, scopes))
      .map(({ group, icon, to }) => ({ id: to, group, name: id, icon, to }));
  }, [me, text]);
}
