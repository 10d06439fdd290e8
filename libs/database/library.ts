import type { InjectionToken, Provider, Type } from '@nestjs/common';
import type { EntityClass } from '@mikro-orm/postgresql';
import type { NamedMigration } from './migrate.js';
import type { PersonalTable } from './personal-table.js';

/** A class used as injection token; abstract for ports. */
export type Injectable = abstract new (...args: never[]) => unknown;

/**
 * All parts of a library. A composition converts it into a Nest module. A library that is not composed has no provider,
 * route, worker, table or migration.
 */
export interface Library {
  /** Name of the library's folder, such as `policy`. */
  readonly name: string;
  readonly providers: Provider[];
  /**
   * Default implementations of ports. All libraries can inject them. An implementation by the host takes precedence.
   */
  readonly ports?: readonly PortProvider[];
  /** Ports and services that the host or another library must provide. The boot fails if one is missing. */
  readonly requires?: readonly Injectable[];
  readonly controllers: Type<unknown>[];
  readonly entities: EntityClass<object>[];
  readonly migrations: NamedMigration[];
  /** The tables with personal data. */
  readonly personal?: readonly PersonalTable[];
  /** The services that a host may inject. */
  readonly exports: readonly Injectable[];
}

/** A library's implementation of a port. */
export type PortProvider = Exclude<Provider, Type<unknown>> & { readonly provide: Injectable };

/** A library as the Nest module that a host imports. */
export type LibraryModule = Type<unknown> & { readonly library: Library };

/** The whole composition, for parts that need all libraries. */
export interface Composition {
  readonly entities: readonly EntityClass<object>[];
  /** Migrations in the order in which they run. */
  readonly migrations: readonly NamedMigration[];
  /** The tables with personal data. */
  readonly personal: readonly PersonalTable[];
}

/** Injection token of the {@link Composition}. */
export const COMPOSITION = Symbol('governance.composition');

/** The injection token of a provider. */
export function tokenOf(provider: Provider): InjectionToken {
  return typeof provider === 'function' ? provider : provider.provide;
}
