import { describe, expect, it } from '@jest/globals';
import { windowOf } from './incidents.options.js';

describe('the window of incidents', () => {
  it('is an hour where nobody says otherwise', () => {
    expect(windowOf({})).toBe(60);
    expect(windowOf({ windowMinutes: 1 })).toBe(1);
  });

  it.each([0, 1.5, -1, 525_601, Number.NaN])('is never %p minutes, and the error says what may be', windowMinutes => {
    expect(() => windowOf({ windowMinutes })).toThrow(
      'incidents.windowMinutes: must be a whole number from 1 to 525600',
    );
  });
});
