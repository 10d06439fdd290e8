import { Global, Module, ValidationPipe } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { GovernanceModule } from 'nest-llm-governance';
import { Settings } from './settings.js';
import { ShopErrorsFilter } from './shop-errors.filter.js';
import { User } from './user.entity.js';
import { UsersController } from './users.controller.js';

@Global()
@Module({ providers: [Settings], exports: [Settings] })
class SettingsModule {}

@Module({
  imports: [
    SettingsModule,
    MikroOrmModule.forRootAsync({
      driver: PostgreSqlDriver,
      inject: [Settings],
      useFactory: ({ databaseUrl }: Settings) => ({
        clientUrl: databaseUrl,
        entities: [User],
        // Without this option, the shop's `schema.update()` would drop the tables of governance.
        schemaGenerator: { ignoreSchema: ['governance'] },
      }),
    }),
    GovernanceModule.forRootAsync({
      path: 'governance',
      inject: [Settings],
      useFactory: ({ databaseUrl, governanceKeys }: Settings) => ({
        database: { url: databaseUrl, migrations: 'run' },
        keys: governanceKeys,
      }),
    }),
  ],
  controllers: [UsersController],
  providers: [
    { provide: APP_PIPE, useValue: new ValidationPipe({ whitelist: true, transform: true }) },
    { provide: APP_FILTER, useClass: ShopErrorsFilter },
  ],
})
export class ShopModule {}
