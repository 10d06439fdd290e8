import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A customer of the shop. Governance has a class of the same name; the two never meet. */
@Entity({ tableName: 'users', schema: 'shop' })
export class User {
  @PrimaryKey({ type: 'text' })
  email!: string;

  @Property({ type: 'text' })
  nickname!: string;
}
