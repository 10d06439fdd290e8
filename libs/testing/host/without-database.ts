import type { Provider } from '@nestjs/common';
import type { Injectable } from '#database';

/** Nest calls these methods on every provider that has them. */
const LIFECYCLE: ReadonlySet<string> = new Set([
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
]);

/** The service, for injection in a host. Each method throws, because it needs a database. */
export function withoutDatabase(service: Injectable): Provider {
  return { provide: service, useValue: standIn(service) };
}

/** An object with all methods of the service. The methods in `own` work; all other methods throw. */
export function standIn(service: Injectable, own: object = {}): object {
  const refusals = methodsOf(service).map(method => [method, () => refuse(`${service.name}.${method}`)] as const);
  return { ...Object.fromEntries(refusals), ...own };
}

function methodsOf(service: Injectable): string[] {
  const found = new Set<string>();
  let prototype: object | null = service.prototype as object;
  for (; prototype !== null && prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value === 'function' && name !== 'constructor' && !LIFECYCLE.has(name)) found.add(name);
    }
  }
  return [...found];
}

function refuse(what: string): never {
  throw new Error(
    `${what} needs a database, and GovernanceTestingModule has none. Override this provider in your test, or test this ` +
      'part with GovernanceModule and PostgreSQL.',
  );
}
