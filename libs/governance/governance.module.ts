import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { tokenOf } from '#database';
import { UsageModule } from '#usage';
import { UsersModule } from '#users';
import { checkAsyncRoot, checkRoot, createdValues } from './check-options.js';
import { compose } from './composition/compose.js';
import {
  ConfigurableGovernanceModule,
  GIVEN_OPTIONS,
  type ForRootAsyncOptions,
  type ForRootOptions,
  type GovernanceStructure,
} from './governance.options.js';
import { Governance } from './governance.js';
import { UsageImporter } from './usage-import/usage-importer.js';

/**
 * Policies, usage, users and related features for any Nest application. Contains all libraries, or those in `libraries`.
 * Its guard, pipe and error format apply to its own routes only. It opens its own database connections.
 * It adds the following parts to the host:
 * - with `ItsmModule`, one middleware on Express or one `onRoute` hook on Fastify, so that the host's parsers do not
 * read ticket updates and chat commands;
 * - on Fastify, parsers for content types for which the host has no parser;
 * - a global Nest module with internal services;
 * - jobs `governance:<job>` in the `SchedulerRegistry`.
 * docs/embed.md explains when and why.
 */
@Module({})
export class GovernanceModule extends ConfigurableGovernanceModule {
  /** Takes values and structure in one object. */
  static override forRoot(options: ForRootOptions): DynamicModule {
    checkRoot(options);
    return assemble(super.forRoot(options ?? {}), options ?? {});
  }

  /** Takes the values from a factory, class or existing provider, and the structure directly. */
  static override forRootAsync(options: ForRootAsyncOptions): DynamicModule {
    checkAsyncRoot(options);
    const base = super.forRootAsync(options);
    return assemble({ ...base, providers: askingSource(base.providers ?? [], options) }, options);
  }
}

/** Nest would call `create()` of the class or provider without checking that the method exists. */
function askingSource(providers: readonly Provider[], { useClass, useExisting }: ForRootAsyncOptions): Provider[] {
  const [name, source] =
    useClass === undefined ? (['useExisting', useExisting] as const) : (['useClass', useClass] as const);
  if (source === undefined) return [...providers];
  const asking = { provide: GIVEN_OPTIONS, inject: [source], useFactory: (made: unknown) => createdValues(made, name) };
  return providers.map(provider => (tokenOf(provider) === GIVEN_OPTIONS ? asking : provider));
}

function assemble(base: DynamicModule, structure: GovernanceStructure): DynamicModule {
  // The `imports` of the host are available to its factory and to its implementations.
  const { imports = [] } = structure;
  const { libraries, modules, core } = compose(structure, {
    imports: (base.imports ?? []).filter(module => !imports.includes(module)),
    providers: base.providers ?? [],
  });
  const importers = libraries.includes(UsageModule) && libraries.includes(UsersModule) ? [UsageImporter] : [];
  return {
    module: base.module,
    global: structure.isGlobal ?? false,
    imports: modules,
    providers: [Governance, ...importers],
    exports: [
      Governance,
      ...importers,
      core,
      ...modules.filter(({ module }) => libraries.some(each => each === module)),
    ],
  };
}
