import type { ItemOf } from '../../data/use-api.ts';

type Kind = ItemOf<'listAuditRecords'>['actor_kind'];

/** What an author of changes identified itself with. The app itself and its command line have the same kind. */
export const CREDENTIALS: Readonly<Record<Kind, string>> = {
  token: 'token',
  jwt: 'sign-in',
  host: 'host app',
  cli: 'app or CLI',
  device: 'device',
  chat: 'chat',
  connector: 'connector',
};
