import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** Finds the chat links of a person who leaves. */
export class LinksOfUsersMigration0790 extends Migration {
  override up(): void {
    this.addSql(`create index chat_links_of_user on ${SCHEMA}.chat_links (org_id, user_id)`);
  }
}
