import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { caseForms, isUuid, SearchKinds } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import type { FoundDto } from './search.dto.js';

/** Searches by name, address and id. */
@Injectable()
export class SearchService {
  constructor(
    private readonly kinds: SearchKinds,
    private readonly database: OrgDatabase,
  ) {}

  /** At most five results of each kind that the actor's scopes allow, by kind. */
  async find({ orgId, scopes }: Pick<Actor, 'orgId' | 'scopes'>, text: string): Promise<FoundDto[]> {
    const wanted = text.trim();
    const held: ReadonlySet<string> = scopes;
    const kinds = this.kinds.all.filter(({ scope }) => held.has(scope));
    const [lower, asciiOnly] = caseForms(wanted);
    const id = isUuid(wanted) ? lower : null;
    const values = [orgId, lower, id, wanted, asciiOnly].map((value, at) => ({ value, at: at + 1 }));
    return this.database.snapshot(orgId, async em => {
      const found: FoundDto[] = [];
      for (const { kind, sql } of kinds) {
        const usesText = sql.includes('$2') || sql.includes('$4');
        // Some kinds can only be found by id. They are skipped if the text is not an id.
        if (!usesText && id === null) continue;
        const { text: statement, used } = renumbered(sql, values);
        const rows = await sqlOf(em).query<Omit<FoundDto, 'kind'>>(statement, used);
        found.push(...rows.map(({ id, title, subtitle }) => ({ kind, id, title, subtitle })));
      }
      return found;
    });
  }
}

/** PostgreSQL cannot infer the type of an unused parameter. Only used parameters are sent, with new numbers. */
function renumbered(sql: string, values: readonly { value: unknown; at: number }[]): { text: string; used: unknown[] } {
  const used = values.filter(({ at }) => sql.includes(`$${at}`));
  const places = new Map(used.map(({ at }, place) => [at, place + 1]));
  return {
    text: sql.replaceAll(/\$(\d)/g, (_, at) => `$${places.get(Number(at))}`),
    used: used.map(({ value }) => value),
  };
}
