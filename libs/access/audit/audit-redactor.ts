import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  ERASED,
  LONG_READ_MS,
  OrgDatabase,
  PERSON_COLUMNS,
  personParameters,
  SCHEMA,
  sqlOf,
  wholeWords,
  type Person,
} from '#database';
import type { Actor } from '../principals/principal.js';
import { AuditLog } from './audit-log.port.js';
import { digestOf, REDACTED } from './audit-redaction.js';
import {
  AUDIT_COLUMNS,
  commitmentOf,
  CONTENT_COLUMNS,
  newSalt,
  type AuditContent,
  type AuditRow,
} from './audit-row.js';
import { erasedContent, type ErasedPerson } from './erased-content.js';

/** Number of rows per transaction. */
const CHUNK = 500;

const LOCK = `select seq::float8 as seq from ${SCHEMA}.audit_heads where org_id = $1 for update`;

const ROWS = (where: string): string => `
select ${AUDIT_COLUMNS} from ${SCHEMA}.audit_log where org_id = $1 and seq in (
  select t.seq from ${SCHEMA}.audit_log t,
    (select ${PERSON_COLUMNS}) p
  where t.org_id = p.org_id and t.seq > $7 and (${where}) order by t.seq limit ${CHUNK})
order by seq`;

const CHANGE = `
update ${SCHEMA}.audit_log a set actor_id = c.actor_id, actor_name = c.actor_name, address = c.address,
  request_id = c.request_id, before = c.before::json, after = c.after::json, salt = decode(c.salt, 'hex')
from json_to_recordset($2::json) as c (seq bigint, actor_id text, actor_name text, address text, request_id text,
  before text, after text, salt text)
where a.org_id = $1 and a.seq = c.seq`;

const NOTE = `
insert into ${SCHEMA}.audit_redactions (org_id, seq, redacted_by, commitment)
select $1, c.seq, $2, decode(c.commitment, 'hex') from json_to_recordset($3::json) as c (seq bigint, commitment text)`;

interface Change {
  readonly seq: number;
  readonly content: AuditContent;
  readonly salt: Buffer;
  readonly commitment: Buffer;
}

/** Erases people from the content of the audit log. The chain stays valid, and a new entry lists the changed rows. */
@Injectable()
export class AuditRedactor {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Erases a person from the matching rows: 500 rows per transaction, with one entry for each transaction. Idempotent.
   * Returns the number of changed rows.
   * @param where SQL condition on rows `t` about the person `p`
   */
  async redact(actor: Actor, person: Person, where: string): Promise<number> {
    const erased: ErasedPerson = {
      userId: person.userId.toLowerCase(),
      placeholder: ERASED,
      acts: new Set(person.acts),
      texts: wholeWords([...person.emails, ...(person.names ?? [])]),
    };
    let sum = 0;
    for (let after: number | null = 0; after !== null;) {
      const seq: number = after;
      const { changed, last } = await this.database.transaction(
        person.orgId,
        em => this.piece(em, { actor, person, where, erased }, seq),
        { timeoutMs: LONG_READ_MS },
      );
      sum += changed;
      after = last;
    }
    return sum;
  }

  private async piece(
    em: EntityManager,
    { actor, person, where, erased }: { actor: Actor; person: Person; where: string; erased: ErasedPerson },
    after: number,
  ): Promise<{ changed: number; last: number | null }> {
    const tx = sqlOf(em);
    // Other transactions lock business rows before the head. This one writes only the log, so it cannot deadlock. The
    // head contains the number of the next entry.
    const [head] = await tx.query<{ seq: number }>(LOCK, [person.orgId]);
    const rows = await tx.query<AuditRow>(ROWS(where), [...personParameters(person), after]);
    const changes = rows.flatMap(row => changeOf(row, erased));
    if (head && changes.length > 0) {
      await tx.query(CHANGE, [person.orgId, JSON.stringify(changes.map(plain))]);
      await tx.query(NOTE, [person.orgId, head.seq + 1, JSON.stringify(changes.map(plain))]);
      await this.audit.append(em, actor, {
        action: REDACTED,
        resourceType: 'user',
        resourceId: person.userId,
        before: null,
        after: { rows: changes.length, digest: digestOf(changes) },
      });
    }
    return { changed: changes.length, last: rows.length < CHUNK ? null : (rows.at(-1)?.seq ?? null) };
  }
}

function changeOf(row: AuditRow, person: ErasedPerson): Change[] {
  const content = erasedContent(row, person);
  if (CONTENT_COLUMNS.every(column => content[column] === row[column])) return [];
  const salt = newSalt();
  return [{ seq: row.seq, content, salt, commitment: commitmentOf(salt, content) }];
}

function plain({ seq, content, salt, commitment }: Change) {
  return { seq, ...content, salt: salt.toString('hex'), commitment: commitment.toString('hex') };
}
