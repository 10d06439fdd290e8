import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OverviewSections, type SqlTransaction } from '#core';
import { SCHEMA } from '#database';

const ANY = `select exists (select from ${SCHEMA}.users where org_id = $1) as found`;

/** Tells whether the organization has a user. */
@Injectable()
export class UsersOverview implements OnModuleInit {
  constructor(private readonly overview: OverviewSections) {}

  onModuleInit(): void {
    this.overview.addStep({ name: 'user', read: hasAny });
  }
}

async function hasAny(tx: SqlTransaction, orgId: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(ANY, [orgId]);
  return row?.found === true;
}
