import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/**
 * The address of an answer lets its holder speak in the chat: it is sealed in the vault, under owner `chat_commands` and
 * the command's id. Answers that are owed at this moment are lost; people type the command again.
 */
export class SealedRepliesMigration0710 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.chat_commands drop column reply_url`);
  }
}
