import { sentence } from '../../data/format.ts';
import type { ItemOf } from '../../data/use-api.ts';

/** The page of each type of resource, by the type's name in the audit log. */
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

/**
 * The resource types with their names, for a filter. If the address contains a type that is not known here, it is
 * added.
 */
export function resourceOptions(chosen: string | undefined): [type: string, name: string][] {
  const types = chosen === undefined || TYPES.includes(chosen) ? TYPES : [...TYPES, chosen];
  return types.map(type => [type, resourceName(type)]);
}

/** The name of a resource type: `itsm_connector` is `ITSM connector`. */
export function resourceName(type: string): string {
  return sentence(type).replace(/^(Itsm|Siem|Scim)\b/, word => word.toUpperCase());
}

/** Actions whose codes do not read well when they are converted to words. */
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

/** Fields that can contain the name of a resource, the best one first. */
const NAMES = ['name', 'title', 'email', 'display_name', 'url', 'workspace', 'account', 'user_email', 'model'];

/** The name of a resource in the recorded values; undefined if they do not contain one. */
export function nameIn({ before, after }: { before: State; after: State }): string | undefined {
  const values: unknown[] = NAMES.flatMap(field => [after?.[field], before?.[field]]);
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** The path of a resource's page; undefined if the resource has no page. */
export function resourcePath(type: string, id: string): string | undefined {
  const page = PAGES[type];
  return page === undefined ? undefined : `${page}/${id}`;
}
