import type { ItemOf } from '../../data/use-api.ts';

type Kind = ItemOf<'listAuditRecords'>['actor_kind'];

/** What an author of changes identified itself with. The app itself and its command line have the same kind. */
export const CREDENTIALS: Readonly<Record<Kind, string>> = {
  token: 'Token',
  jwt: 'Sign-in',
  host: 'Host app',
  cli: 'App or CLI',
  device: 'Device',
  chat: 'Chat',
  connector: 'Connector',
};
