import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  LiveTopics,
  OverviewSections,
  SearchKinds,
  type FirstStep,
  type LiveTopic,
  type Overview,
  type OverviewSection,
  type SearchKind,
  type SqlTransaction,
} from '#core';
import { SCHEMA } from './database.options.js';

/** Registers a library's search kind, live topic and setup step. */
@Injectable()
export abstract class SearchPart implements OnModuleInit {
  protected readonly kinds: readonly SearchKind[] = [];
  protected readonly topics: readonly LiveTopic[] = [];
  /** The setup step is done if the organization has a row in the given table. */
  protected readonly step?: { readonly name: FirstStep; readonly table: string };

  constructor(
    protected readonly overview: OverviewSections,
    private readonly searched: SearchKinds,
    private readonly live: LiveTopics,
  ) {}

  onModuleInit(): void {
    for (const kind of this.kinds) this.searched.add(kind);
    for (const topic of this.topics) this.live.add(topic);
    if (!this.step) return;
    const { name, table } = this.step;
    const any = `select exists (select from ${SCHEMA}.${table} where org_id = $1) as found`;
    this.overview.addStep({
      name,
      async read(tx, orgId) {
        const [row] = await tx.query<{ found: boolean }>(any, [orgId]);
        return row?.found === true;
      },
    });
  }
}

/** Overview part of a library that has a section in the overview. */
export abstract class OverviewPart<Name extends keyof Overview> extends SearchPart implements OverviewSection<Name> {
  abstract readonly name: Name;
  abstract readonly scope: string;

  abstract read(tx: SqlTransaction, orgId: string, now: Date): Promise<Overview[Name]>;

  override onModuleInit(): void {
    super.onModuleInit();
    this.overview.add(this);
  }
}
