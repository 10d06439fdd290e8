import { MikroORM } from '@mikro-orm/postgresql';
import { Module, ValidationPipe, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { SkipThrottle, ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { GovernanceModule } from 'nest-llm-governance';
import { Envelope, Public, SessionGuard, StoreErrors } from './globals.js';
import { OrdersController } from './orders.controller.js';
import { Order } from './order.entity.js';

export interface Settings {
  readonly databaseUrl: string;
  readonly keys: string;
  readonly isGoverned: boolean;
  /** Options of governance that are missing in its types. */
  readonly extra: Readonly<Record<string, unknown>>;
}

@Module({})
export class AppModule {
  static with({ databaseUrl, keys, isGoverned, extra }: Settings): DynamicModule {
    const governance = GovernanceModule.forRootAsync({
      path: 'governance',
      routeDecorators: [Public(), SkipThrottle()],
      useFactory: () => ({ ...extra, database: { url: databaseUrl, migrations: 'run' }, keys }),
    });
    return {
      module: AppModule,
      imports: [
        ScheduleModule.forRoot(),
        ThrottlerModule.forRoot([{ ttl: 600_000, limit: 5 }]),
        ...(isGoverned ? [governance] : []),
      ],
      controllers: [OrdersController],
      providers: [
        {
          provide: MikroORM,
          useFactory: () =>
            MikroORM.init({
              clientUrl: databaseUrl,
              entities: [Order],
              schemaGenerator: { ignoreSchema: ['governance'] },
            }),
        },
        { provide: APP_PIPE, useValue: new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }) },
        { provide: APP_FILTER, useClass: StoreErrors },
        { provide: APP_GUARD, useClass: ThrottlerGuard },
        { provide: APP_GUARD, useClass: SessionGuard },
        { provide: APP_INTERCEPTOR, useClass: Envelope },
      ],
    };
  }
}
