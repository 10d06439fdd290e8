import type { FactoryProvider, InjectionToken, Provider, Type } from '@nestjs/common';

/**
 * How a host gives its own implementation of a port: a class, or any form of a Nest provider without its token.
 * `useExisting` shares the instance that a module of `imports` provides.
 */
export type Implementation<T> =
  | Type<T>
  | { useClass: Type<T> }
  | { useExisting: InjectionToken<T> }
  | { useFactory: FactoryProvider<T>['useFactory']; inject?: readonly InjectionToken[] }
  | { useValue: T };

/** The implementation under the token of its port. */
export function providedAs<T>(token: InjectionToken, given: Implementation<T>): Provider {
  if (typeof given === 'function') return { provide: token, useClass: given };
  if ('useFactory' in given) {
    return { provide: token, useFactory: given.useFactory, inject: [...(given.inject ?? [])] };
  }
  return { provide: token, ...given };
}

/** Several implementations, as one array under one token and in the given order. */
export function providedTogether<T>(token: InjectionToken, given: readonly Implementation<T>[]): Provider[] {
  // A class stays its own token, so that the host can inject the instance.
  const tokens = given.map(each => (typeof each === 'function' ? each : Symbol('governance.implementation')));
  return [
    ...given.map((each, at) => (typeof each === 'function' ? each : providedAs(tokens[at] ?? each.constructor, each))),
    { provide: token, useFactory: (...made: T[]) => made, inject: tokens },
  ];
}
