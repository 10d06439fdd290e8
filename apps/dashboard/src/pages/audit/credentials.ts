import type { ItemOf } from '../../data/use-api.ts';

type Kind = ItemOf<'listAuditRecords'>['actor_kind'];

/**
 * The credential with which the author of a change was identified. The app itself and its command line have the same
 * kind.
 */
export const CREDENTIALS: Readonly<Record<Kind, string>> = {
  token: 'Token',
  jwt: 'Sign-in',
  host: 'Host app',
  cli: 'App or CLI',
  device: 'Device',
  chat: 'Chat',
  connector: 'Connector',
};
