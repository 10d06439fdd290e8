import { Inject, Injectable } from '@nestjs/common';
import type { SqlTransaction } from '#core';
import {
  COMPOSITION,
  LONG_READ_MS,
  OrgDatabase,
  personalTexts,
  personParameters,
  SCHEMA,
  sqlOf,
  type Composition,
  type Person,
  type PersonalTable,
} from '#database';

// Selects former addresses that now belong to another user.
const OF_OTHERS = `
select u.email_key as text from ${SCHEMA}.users u where u.org_id = $1 and u.id <> $2 and u.email_key = any ($3::text[])
union
select s.email_key from ${SCHEMA}.scim_emails s where s.org_id = $1 and s.user_id <> $2 and s.email_key = any ($3::text[])`;

/** Text that replaces an erased address. */
const NO_ADDRESS = '@erased.invalid';

/** Finds the identifying data of a person in the personal tables of all libraries. */
@Injectable()
export class PersonalData {
  constructor(
    @Inject(COMPOSITION) private readonly composition: Composition,
    private readonly database: OrgDatabase,
  ) {}

  /** The tables with personal data. */
  get tables(): readonly PersonalTable[] {
    return this.composition.personal;
  }

  /**
   * The person behind a user: current and former addresses, names, and the ids under which the person acts. The audit
   * log contains the former addresses. Former addresses that another user has now are left out.
   * @param email the current address
   * @param texts further addresses and names
   */
  async personOf(orgId: string, userId: string, email: string, texts: readonly string[] = []): Promise<Person> {
    const person: Person = { orgId, userId, emails: [email] };
    const found = { addresses: [email, ...texts.filter(isAddress)], names: texts.filter(text => !isAddress(text)) };
    const acts: string[] = [];
    for (const table of this.tables) {
      if (table.addresses) found.addresses.push(...(await this.textsOf(person, table, table.addresses)));
      if (table.names) found.names.push(...(await this.textsOf(person, table, table.names)));
      if (table.acts) acts.push(...(await this.textsOf(person, table, table.acts)));
    }
    const emails = [...new Set(found.addresses.map(address => address.toLowerCase()))];
    const taken = await this.read(orgId, tx => tx.query<{ text: string }>(OF_OTHERS, [orgId, userId, emails]));
    const others = new Set(taken.map(({ text }) => text));
    return {
      ...{ orgId, userId, acts },
      emails: emails.filter(address => !others.has(address) && !address.endsWith(NO_ADDRESS)),
      names: [...new Set(found.names)].filter(name => !others.has(name.toLowerCase()) && !isPlaceholder(name)),
    };
  }

  private async textsOf(person: Person, table: PersonalTable, texts: string): Promise<string[]> {
    const rows = await this.read(person.orgId, tx =>
      tx.query<{ text: string }>(personalTexts(table, texts), personParameters(person)),
    );
    return rows.map(({ text }) => text);
  }

  private read<T>(orgId: string, read: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    return this.database.transaction(orgId, em => read(sqlOf(em)), { timeoutMs: LONG_READ_MS });
  }
}

function isAddress(text: string): boolean {
  return text.includes('@');
}

/** Whether the text is the placeholder that replaces erased data. */
function isPlaceholder(name: string): boolean {
  return /^(Erased (user|device|token)|\[erased\])$/.test(name);
}
