import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OverviewSections, type SqlTransaction, SearchKinds, type SearchKind } from '#core';
import { SCHEMA } from '#database';

const ANY = `select exists (select from ${SCHEMA}.users where org_id = $1) as found`;

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

/** Tells whether the organization has a user. */
@Injectable()
export class UsersOverview implements OnModuleInit {
  constructor(
    private readonly overview: OverviewSections,
    private readonly kinds: SearchKinds,
  ) {}

  onModuleInit(): void {
    for (const kind of KINDS) this.kinds.add(kind);
    this.overview.addStep({ name: 'user', read: hasAny });
  }
}

async function hasAny(tx: SqlTransaction, orgId: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(ANY, [orgId]);
  return row?.found === true;
}
