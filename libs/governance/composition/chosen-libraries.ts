import type { InjectionToken } from '@nestjs/common';
import { GovernedCalls } from '#calls';
import { UsageActivity, UserDirectory } from '#core';
import type { Injectable, LibraryModule } from '#database';
import { DecisionService } from '#policy';
import { UsageIngestion } from '#usage';
import { UsersModule } from '#users';
import type { GovernanceStructure } from '../governance.options.js';
import { LIBRARIES } from './libraries.js';

/** Remedies for a missing dependency of a library. */
const REMEDIES = new Map<Injectable, string>([
  [UserDirectory, 'add UsersModule to `libraries`, or give `userDirectory`'],
  [DecisionService, 'add PolicyModule to `libraries`'],
  [UsageIngestion, 'add UsageModule to `libraries`'],
  [UsageActivity, 'add UsageModule to `libraries`'],
  [GovernedCalls, 'add CallsModule to `libraries`'],
]);

/**
 * The libraries that the host selects, or all of them, in the order of {@link LIBRARIES}. A host with its own user
 * directory does not need the library `users`.
 * @throws Error if the selection contradicts other options
 */
export function chosenLibraries({ libraries, userDirectory }: GovernanceStructure): readonly LibraryModule[] {
  if (libraries === undefined) return LIBRARIES.filter(library => !userDirectory || library !== UsersModule);
  for (const library of libraries) {
    if (!LIBRARIES.includes(library)) throw new Error(`libraries: ${nameOf(library)} is none; there are ${names()}`);
  }
  if (userDirectory && libraries.includes(UsersModule)) {
    throw new Error(
      'libraries: UsersModule keeps people, and `userDirectory` says that the host does; decisions would not know the ' +
        'people of /v1/users. Leave out one of the two.',
    );
  }
  return LIBRARIES.filter(library => libraries.includes(library));
}

/** @throws Error naming the library, the port and the remedy */
export function assertPortsImplemented(
  libraries: readonly LibraryModule[],
  implemented: ReadonlySet<InjectionToken>,
): void {
  for (const module of libraries) {
    for (const port of module.library.requires ?? []) {
      if (implemented.has(port)) continue;
      throw new Error(`libraries: ${module.name} needs a ${port.name}: ${REMEDIES.get(port) ?? 'give one'}.`);
    }
  }
}

function nameOf(library: unknown): string {
  return typeof library === 'function' ? library.name : String(library);
}

function names(): string {
  return LIBRARIES.map(({ name }) => name).join(', ');
}
