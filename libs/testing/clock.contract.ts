import { ok } from 'node:assert/strict';
import type { Clock } from '#core';
import { casesOf, type Closable, type ContractCase } from './contract-case.js';

/** A clock under test. Created for each case. */
export interface ClockGround extends Closable {
  readonly clock: Clock;
}

const RULES: Record<string, (ground: ClockGround) => void> = {
  'returns a valid time on each call'({ clock }) {
    for (let n = 0; n < 1_000; n++) ok(Number.isFinite(clock.now().getTime()), 'now() is a valid date');
  },
  'is not affected if a caller changes the returned date'({ clock }) {
    const given = clock.now();
    const before = given.getTime();
    given.setUTCFullYear(1980);
    ok(clock.now().getTime() >= before, 'the clock follows the changed date');
  },
  'never goes backwards'({ clock }) {
    let last = clock.now().getTime();
    for (let n = 0; n < 1_000; n++) {
      const now = clock.now().getTime();
      ok(now >= last, `${now} came after ${last}`);
      last = now;
    }
  },
};

/** The contract of `Clock`: the cases that every clock must pass. `makeGround` is called for each case. */
export function clockContract(makeGround: () => Promise<ClockGround> | ClockGround): readonly ContractCase[] {
  return casesOf(RULES, makeGround);
}
