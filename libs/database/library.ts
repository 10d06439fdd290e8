import type { InjectionToken, Provider, Type } from '@nestjs/common';
import type { EntityClass } from '@mikro-orm/postgresql';
import type { NamedMigration } from './migrate.js';
import type { PersonalTable } from './personal-table.js';

/** A class that others depend on; abstract for ports. */
export type Injectable = abstract new (...args: never[]) => unknown;

/**
 * What a library is made of. A composition turns it into a Nest module of its own; a library that is not composed has
 * no provider, route, worker, table or migration.
 */
export interface Library {
  /** Folder and door of the library, such as `policy`. */
  readonly name: string;
  readonly providers: Provider[];
  /** Implementations of ports, each left out where the host gives its own. All libraries see them. */
  readonly ports?: readonly PortProvider[];
  /**
   * Ports that another library or the host must implement, and services that another library must export, or the
   * composition is refused at boot.
   */
  readonly requires?: readonly Injectable[];
  readonly controllers: Type<unknown>[];
  readonly entities: EntityClass<object>[];
  readonly migrations: NamedMigration[];
  /** The tables that hold rows about people. */
  readonly personal?: readonly PersonalTable[];
  /** The services that a host may inject. */
  readonly exports: readonly Injectable[];
}

/** A library's implementation of a port. */
export type PortProvider = Exclude<Provider, Type<unknown>> & { readonly provide: Injectable };

/** A library as the Nest module that a host names. */
export type LibraryModule = Type<unknown> & { readonly library: Library };

/** What a composition is made of, for the parts that look at all of it. */
export interface Composition {
  readonly entities: readonly EntityClass<object>[];
  /** In the order in which they run. */
  readonly migrations: readonly NamedMigration[];
  /** The tables that hold rows about people. */
  readonly personal: readonly PersonalTable[];
}

/** Injection token of the {@link Composition}. */
export const COMPOSITION = Symbol('governance.composition');

/** The injection token of a provider. */
export function tokenOf(provider: Provider): InjectionToken {
  return typeof provider === 'function' ? provider : provider.provide;
}
