import { randomUUID } from 'node:crypto';
import { AuditChainVerifier, operatorActor, TokenService, type ChainReport } from '#access';
import type { Answer, Call, TestApp } from '../support/test-app.js';

/** Actions that all erasure tests need, in one organization. */
export class ErasureStage {
  constructor(
    readonly app: TestApp,
    readonly orgId: string,
    readonly call: Call,
  ) {}

  /**
   * The columns of the organization's rows that contain one of the texts, as `table.column`. Includes binary columns.
   */
  async placesOf(texts: readonly string[]): Promise<string[]> {
    const columns = await this.app.database.asOwner<{ table: string; column: string; bytes: boolean }>(
      `select c.relname as table, a.attname as column, a.atttypid = 'bytea'::regtype as bytes
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'governance'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'org_id')
       order by 1, 2`,
      [],
    );
    const found: string[] = [];
    for (const { table, column, bytes } of columns) {
      const text = bytes ? `encode(t.${column}, 'escape')` : `t.${column}::text`;
      const rows = await this.app.database.asOwner(
        `select from governance.${table} t where org_id = $1
           and exists (select from unnest($2::text[]) w where position(lower(w) in lower(${text})) > 0) limit 1`,
        [this.orgId, texts],
      );
      if (rows.length > 0) found.push(`${table}.${column}`);
    }
    return found;
  }

  verify(expected?: string): Promise<ChainReport> {
    return this.app.app.get(AuditChainVerifier).verify(this.orgId, { expect: expected });
  }

  erase(id: string, body?: object): Promise<Answer> {
    return this.call('POST', `/v1/users/${id}/erase`, body);
  }

  async addUser(name: string, email = `${randomUUID()}@people.example`): Promise<{ id: string; email: string }> {
    return (await succeed(this.call('POST', '/v1/users', { email, name }))).body;
  }

  /** A token of the role admin for a user. */
  async tokenOf(userId: string, name: string): Promise<string> {
    const terms = { name, role: 'admin', userId } as const;
    return (await this.app.app.get(TokenService).issueFor(operatorActor(this.orgId), terms)).token;
  }

  /** The column `value` of the first row. */
  async value(sql: string, parameters: readonly unknown[] = []): Promise<unknown> {
    const [row] = await this.app.database.asOwner<{ value: unknown }>(sql, [...parameters]);
    return row?.value;
  }
}

/** Waits for an answer and returns it. Throws if its status is an error. */
export async function succeed(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return answer;
}
