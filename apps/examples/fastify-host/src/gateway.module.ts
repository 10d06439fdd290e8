import { Controller, Get, Module, type DynamicModule } from '@nestjs/common';
import { GovernanceModule } from 'nest-llm-governance';

/** Settings of the gateway. */
export interface GatewaySettings {
  databaseUrl: string;
  governanceKeys: string;
}

@Controller('models')
class ModelsController {
  @Get()
  list(): { models: string[] } {
    return { models: ['gpt-4', 'claude-sonnet-4-5'] };
  }
}

@Module({})
export class GatewayModule {
  static with({ databaseUrl, governanceKeys }: GatewaySettings): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        GovernanceModule.forRootAsync({
          path: 'governance',
          health: true,
          useFactory: () => ({ database: { url: databaseUrl, migrations: 'run' }, keys: governanceKeys }),
        }),
      ],
      controllers: [ModelsController],
    };
  }
}
