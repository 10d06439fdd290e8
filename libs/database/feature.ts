import type { Provider, Type } from '@nestjs/common';
import type { EntityClass } from '@mikro-orm/postgresql';
import type { NamedMigration } from './migrate.js';

/** What a library brings to the module: everything that must be wired, nothing that must be done. */
export interface Feature {
  providers: Provider[];
  controllers: Type<unknown>[];
  entities: EntityClass<object>[];
  migrations: NamedMigration[];
}
