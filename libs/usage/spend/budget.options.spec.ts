import { describe, expect, it } from '@jest/globals';
import { budgetOption } from './budget.options.js';

describe('budgetOption', () => {
  it('assumes 1,000 tokens each way and holds money for 15 minutes, unless told otherwise', () => {
    expect(budgetOption({}, 'assumedInputTokens')).toBe(1_000);
    expect(budgetOption({}, 'assumedOutputTokens')).toBe(1_000);
    expect(budgetOption({}, 'reservationMinutes')).toBe(15);
    expect(budgetOption({ assumedInputTokens: 0 }, 'assumedInputTokens')).toBe(0);
  });

  it.each([0, 1.5, -1, Number.NaN, 100_000])(
    'refuses to hold money for %p minutes, and says what is possible',
    minutes => {
      expect(() => budgetOption({ reservationMinutes: minutes }, 'reservationMinutes')).toThrow(
        `budgets.reservationMinutes: must be a whole number from 1 to 10080, and is ${minutes}`,
      );
    },
  );
});
