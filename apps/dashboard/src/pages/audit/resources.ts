import { sentence } from '../../data/format.ts';
import type { ItemOf } from '../../data/use-api.ts';

/** The pages of resources, by the type that the audit log gives them. */
const PAGES: Readonly<Record<string, string>> = {
  approval: '/approvals',
  budget: '/budgets',
  device: '/devices',
  incident: '/incidents',
  itsm_connector: '/integrations',
  limit: '/limits',
  policy: '/policies',
  ticket: '/incidents/tickets',
  user: '/users',
  webhook: '/webhooks',
};

/** The name of a resource type: `itsm_connector` is `ITSM connector`. */
export function resourceName(type: string): string {
  return sentence(type).replace(/^(Itsm|Siem|Scim)\b/, word => word.toUpperCase());
}

type State = ItemOf<'listAuditRecords'>['after'];

/** Fields that name a resource, the best one first. */
const NAMES = ['name', 'title', 'email', 'url'];

/** The name that the recorded values give a resource; undefined if they have none. */
export function nameIn({ before, after }: { before: State; after: State }): string | undefined {
  const values: unknown[] = NAMES.flatMap(field => [after?.[field], before?.[field]]);
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** The path of a resource's page; undefined if it has none. */
export function resourcePath(type: string, id: string): string | undefined {
  const page = PAGES[type];
  return page === undefined ? undefined : `${page}/${id}`;
}
