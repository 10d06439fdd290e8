import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A customer of the shop. Governance has an entity class of the same name. The two classes do not conflict. */
@Entity({ tableName: 'users', schema: 'shop' })
export class User {
  @PrimaryKey({ type: 'text' })
  email!: string;

  @Property({ type: 'text' })
  nickname!: string;
}
