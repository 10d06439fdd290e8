import { describe, expect, it } from '@jest/globals';
import { budgetOption } from './budget.options.js';

describe('budgetOption', () => {
  it('assumes 1,000 input and output tokens and reserves for 15 minutes by default', () => {
    expect(budgetOption({}, 'assumedInputTokens')).toBe(1_000);
    expect(budgetOption({}, 'assumedOutputTokens')).toBe(1_000);
    expect(budgetOption({}, 'reservationMinutes')).toBe(15);
    expect(budgetOption({ assumedInputTokens: 0 }, 'assumedInputTokens')).toBe(0);
  });
});
