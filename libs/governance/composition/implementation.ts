import type { FactoryProvider, InjectionToken, Provider, Type } from '@nestjs/common';
import { option } from '#core';

/**
 * How a host provides its own implementation of a port: as a class, or as any form of a Nest provider without its
 * token. `useExisting` shares the instance that a module of `imports` provides.
 */
export type Implementation<T> =
  | Type<T>
  | { useClass: Type<T> }
  | { useExisting: InjectionToken<T> }
  | { useFactory: FactoryProvider<T>['useFactory']; inject?: readonly InjectionToken[] }
  | { useValue: T };

const FORMS = ['useClass', 'useExisting', 'useFactory', 'useValue'];

const FORM_RULE = option.rule(isImplementation, `must be a class, or an object with one of ${FORMS.join(', ')}`);

/**
 * The allowed forms of an {@link Implementation} of a port with these methods. Before Nest creates the instance, only a
 * `useValue` can be checked.
 */
export function implementation(methods: readonly string[]): option.OptionRule {
  const value = option.instance(methods);
  return {
    faults: (given, path, known) => {
      const faults = FORM_RULE.faults(given, path, known);
      if (faults.length > 0 || typeof given === 'function' || !Object.hasOwn(Object(given), 'useValue')) return faults;
      return value.faults(Reflect.get(Object(given), 'useValue'), `${path}.useValue`, known);
    },
  };
}

/** One implementation, or a list of them. */
export function oneOrMore(one: option.OptionRule): option.OptionRule {
  const many = option.list(one, 'Name at least one, or leave the option out');
  return { faults: (value, path, known) => (Array.isArray(value) ? many : one).faults(value, path, known) };
}

/** Whether a value is a class or a function. */
export function isClass(value: unknown): boolean {
  return typeof value === 'function';
}

/** Provides the implementation under the token of its port. */
export function providedAs<T>(token: InjectionToken, given: Implementation<T>): Provider {
  if (typeof given === 'function') return { provide: token, useClass: given };
  if ('useFactory' in given) {
    return { provide: token, useFactory: given.useFactory, inject: [...(given.inject ?? [])] };
  }
  return { provide: token, ...given };
}

/**
 * Provides several implementations as one array under one token, in the given order.
 * @param assertMade checks the instances before the array is injected
 */
export function providedTogether<T>(
  token: InjectionToken,
  given: readonly Implementation<T>[],
  assertMade: (made: readonly T[]) => void,
): Provider[] {
  // Each class also keeps its own token, so that the host can inject the instance.
  const tokens = given.map(each => (typeof each === 'function' ? each : Symbol('governance.implementation')));
  return [
    ...given.map((each, at) => (typeof each === 'function' ? each : providedAs(tokens[at] ?? each.constructor, each))),
    {
      provide: token,
      inject: tokens,
      useFactory: (...made: T[]): T[] => {
        assertMade(made);
        return made;
      },
    },
  ];
}

function isImplementation(value: unknown): boolean {
  if (isClass(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  const forms = FORMS.filter(form => Object.hasOwn(value, form) && Reflect.get(value, form) !== undefined);
  return forms.length === 1 && Object.keys(value).every(key => FORMS.includes(key) || key === 'inject');
}
