import { sentence } from '../../data/format.ts';

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

/** The path of a resource's page; undefined if it has none. */
export function resourcePath(type: string, id: string): string | undefined {
  const page = PAGES[type];
  return page === undefined ? undefined : `${page}/${id}`;
}
