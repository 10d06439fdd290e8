import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import {
  LONG_READ_MS,
  OrgDatabase,
  PERSONAL_CHUNK,
  personalRows,
  personParameters,
  sqlOf,
  type Person,
  type PersonalTable,
} from '#database';
import { UserService } from '../user.service.js';
import { PersonalData } from './personal-data.js';

interface Row {
  key: string;
  /** The row as JSON text. */
  row: string;
}

/** Exports all data about one person. */
@Injectable()
export class PersonalExport {
  constructor(
    private readonly data: PersonalData,
    private readonly database: OrgDatabase,
    private readonly users: UserService,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Yields lines of JSON objects `{"table": …, "row": …}`: one for every row, in the tables of all libraries, that is
   * about the person or mentions the person. A row mentions the person by id, or by a present or former e-mail address.
   * Secrets are left out. Each chunk is read after the consumer has taken the previous one, so rows that are added
   * meanwhile may be missing. The audit log records the export before the first line.
   * @throws UserNotFoundError
   */
  async *lines(actor: Actor, userId: string): AsyncGenerator<string> {
    const { orgId } = actor;
    const { emailKey } = await this.users.get(orgId, userId);
    const person = await this.data.personOf(orgId, userId.toLowerCase(), emailKey);
    await this.database.transaction(orgId, em =>
      this.audit.append(em, actor, {
        action: 'user.exported',
        resourceType: 'user',
        resourceId: userId,
        before: null,
        after: null,
      }),
    );
    for (const table of this.data.tables) yield* this.rowsOf(table, person);
  }

  private async *rowsOf(table: PersonalTable, person: Person): AsyncGenerator<string> {
    const statement = personalRows(table);
    let after: string | null = null;
    for (;;) {
      const rows: Row[] = await this.rowsAfter(person.orgId, statement, [...personParameters(person), after]);
      if (rows.length > 0) yield rows.map(({ row }) => `{"table":"${table.table}","row":${row}}\n`).join('');
      const last = rows.at(-1);
      if (!last || rows.length < PERSONAL_CHUNK) return;
      after = last.key;
    }
  }

  private rowsAfter(orgId: string, statement: string, parameters: readonly unknown[]): Promise<Row[]> {
    return this.database.transaction(orgId, em => sqlOf(em).query<Row>(statement, parameters), {
      timeoutMs: LONG_READ_MS,
    });
  }
}
