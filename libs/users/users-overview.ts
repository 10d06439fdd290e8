import { Injectable } from '@nestjs/common';
import type { LiveTopic, SearchKind } from '#core';
import { markPosition, SCHEMA, SearchPart } from '#database';
import { DEVICES_TOPIC } from './devices/devices.topic.js';
import { USERS_TOPIC } from './users.topic.js';

const KINDS: readonly SearchKind[] = [
  {
    kind: 'user',
    scope: 'users:read',
    sql: `select id::text, name as title, email as subtitle from ${SCHEMA}.users
   where org_id = $1 and (id = $3::uuid or strpos(email_key, $2) > 0 or strpos(lower(name collate "default"), $2) > 0
     or strpos(lower(name collate "default"), $5) > 0)
   order by name, id limit 5`,
  },
];

const TOPICS: readonly LiveTopic[] = [
  { name: 'users', scope: 'users:read', position: markPosition(USERS_TOPIC) },
  { name: 'devices', scope: 'devices:read', position: markPosition(DEVICES_TOPIC) },
];

/** Overview section: whether the organization has a user. */
@Injectable()
export class UsersOverview extends SearchPart {
  protected override readonly kinds = KINDS;
  protected override readonly topics = TOPICS;
  protected override readonly step = { name: 'user', table: 'users' } as const;
}
