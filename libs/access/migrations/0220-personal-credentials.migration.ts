import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** Finds the tokens of a person who leaves. */
export class PersonalCredentialsMigration0220 extends Migration {
  override up(): void {
    this.addSql(
      `create index access_tokens_of_user on ${SCHEMA}.access_tokens (org_id, user_id)
       where user_id is not null and revoked_at is null`,
    );
  }
}
