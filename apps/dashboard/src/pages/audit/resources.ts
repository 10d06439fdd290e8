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

/** The resource types of the audit log. */
const TYPES = [
  ...['anomaly', 'anomaly_settings', 'approval', 'audit_log', 'budget', 'chat_link', 'chat_workspace', 'device'],
  ...['device_authority', 'device_enrollment', 'discount', 'exchange_rate', 'gateway_provider', 'identity'],
  ...['identity_provider', 'incident', 'itsm_connector', 'itsm_inbound', 'limit', 'organization', 'policy', 'price'],
  ...['price_rerating', 'scim_group', 'session', 'sign_in_link', 'ticket', 'token', 'user', 'webhook'],
  'webhook_delivery',
];

/** The resource types with their names, for a filter. A type of the address that is not known here is added. */
export function resourceOptions(chosen: string | undefined): [type: string, name: string][] {
  const types = chosen === undefined || TYPES.includes(chosen) ? TYPES : [...TYPES, chosen];
  return types.map(type => [type, resourceName(type)]);
}

/** The name of a resource type: `itsm_connector` is `ITSM connector`. */
export function resourceName(type: string): string {
  return sentence(type).replace(/^(Itsm|Siem|Scim)\b/, word => word.toUpperCase());
}

/** Actions whose code reads badly in words. */
const ACTIONS: Readonly<Record<string, string>> = {
  'chat_workspace.secret_replaced': 'Chat workspace secret replaced',
  'incident.noted': 'Note added to incident',
  'organization.deletion_begun': 'Organization deletion started',
  'price.rerating_begun': 'Re-rating started',
  'session.created': 'Signed in',
  'sign_in.refused': 'Sign-in refused',
  'webhook.recovery_begun': 'Webhook recovery started',
};

/** An action of the audit log in words: `policy.updated` is `Policy updated`. */
export function actionName(action: string): string {
  return ACTIONS[action] ?? resourceName(action);
}

type State = ItemOf<'listAuditRecords'>['after'];

/** Fields that name a resource, the best one first. */
const NAMES = ['name', 'title', 'email', 'display_name', 'url', 'workspace', 'account', 'user_email', 'model'];

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
