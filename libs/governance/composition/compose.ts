import type { DynamicModule, InjectionToken, ModuleMetadata, Provider, Type } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { tokenOf, type LibraryModule } from '#database';
import type { GovernanceStructure } from '../governance.options.js';
import { coreModule, GovernanceCoreModule } from './core.module.js';
import { decorated } from './decorated.js';
import { hostControllers, hostPorts, hostProviders } from './host-parts.js';
import { assertPortsImplemented, chosenLibraries } from './chosen-libraries.js';

/** Further arguments of `forRoot` or `forRootAsync`. */
export interface GivenOptions {
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  /** Providers of the option values. */
  readonly providers: Provider[];
}

/** The Nest modules of a composition. */
export interface ComposedModules {
  readonly libraries: readonly LibraryModule[];
  /** The Nest modules of the libraries and of the core. */
  readonly modules: DynamicModule[];
  readonly core: DynamicModule;
}

/**
 * Builds a Nest module for each library, and one core that all of them can inject.
 * @throws Error that explains what to do if the libraries do not fit together
 */
export function compose(structure: GovernanceStructure, options: GivenOptions): ComposedModules {
  const libraries = chosenLibraries(structure);
  const host = hostPorts(structure);
  const replaced = new Set(host.map(tokenOf));
  const imports = [...options.imports, ...(structure.imports ?? [])];

  const modules = libraries.map(module => libraryModule(module, { structure, replaced, imports }));
  const implemented = new Set([
    ...replaced,
    ...libraries.flatMap(({ library }) => [...(library.ports ?? []).map(tokenOf), ...library.exports]),
  ]);
  assertPortsImplemented(libraries, implemented);
  const core = coreModule(structure, { options, libraries, modules, host, implemented, imports });
  // Nest matches routes in the order of the modules, so the order matters.
  return {
    libraries,
    modules: [...modules, core, ...prefixed(structure.path, [...libraries, GovernanceCoreModule])],
    core,
  };
}

interface Surroundings {
  readonly structure: GovernanceStructure;
  /** Tokens of the ports that the host implements itself. */
  readonly replaced: ReadonlySet<InjectionToken>;
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

function libraryModule(module: LibraryModule, { structure, replaced, imports }: Surroundings): DynamicModule {
  const { library } = module;
  const ports = (library.ports ?? []).filter(port => !replaced.has(tokenOf(port)));
  return {
    module,
    imports: [...imports],
    controllers:
      structure.controllers === false
        ? []
        : decorated([...library.controllers, ...hostControllers(module, structure)], structure.routeDecorators),
    providers: [...library.providers, ...ports, ...hostProviders(module, structure)],
    exports: [...ports.map(tokenOf), ...library.exports],
  };
}

function prefixed(path: string | undefined, modules: readonly Type<unknown>[]): DynamicModule[] {
  return path ? [RouterModule.register(modules.map(module => ({ path, module })))] : [];
}
