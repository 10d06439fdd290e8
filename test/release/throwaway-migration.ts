import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA, type NamedMigration } from '../../libs/database/index.js';

/** Adds a column, a table under row-level security, and a row there for each existing row. */
export class Throwaway extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.policies add column throwaway text not null default 'added'`);
    this.addSql(
      `create table ${SCHEMA}.throwaway_notes (org_id uuid not null, id uuid not null, primary key (org_id, id))`,
    );
    this.addSql(protectTable('throwaway_notes', 'select, insert').join(';'));
    this.addSql(`insert into ${SCHEMA}.throwaway_notes select org_id, id from ${SCHEMA}.policies`);
  }
}

class Failing extends Migration {
  override up(): void {
    this.addSql(`create table ${SCHEMA}.half_done (org_id uuid primary key)`);
    this.addSql('select 1 / 0');
  }
}

/** The changes of the next version. */
export const THROWAWAY: NamedMigration = { name: '0998_throwaway', class: Throwaway, tables: ['throwaway_notes'] };

/** A migration that fails after its first statement. */
export const FAILING: NamedMigration = { name: '0999_failing', class: Failing, tables: ['half_done'] };
