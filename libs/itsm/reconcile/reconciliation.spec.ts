import { describe, expect, it } from '@jest/globals';
import { Reconciliation } from './reconciliation.js';

describe('the option reconcileMinutes', () => {
  it.each([0, 0.5, 1_441, NaN])('is refused where it is %d, with what it may be', reconcileMinutes => {
    // Refused before anything else is looked at.
    const make = () =>
      new Reconciliation(...([{}, { reconcileMinutes }] as unknown as ConstructorParameters<typeof Reconciliation>));
    expect(make).toThrow('itsm.reconcileMinutes: must be a whole number from 1 to 1440; leave it out for never');
  });
});
