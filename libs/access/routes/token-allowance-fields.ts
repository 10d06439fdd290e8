import type { ApiPropertyOptions } from '@nestjs/swagger';
import {
  ALLOWANCE_ENFORCEMENTS,
  ALLOWANCE_PERIODS,
  type ShownAllowance,
  type TokenBudget,
  type TokenLimits,
} from '../tokens/token-allowances.js';
import * as f from '../http/dto-fields.js';

const AMOUNT = { type: 'number', minimum: 0, description: 'US dollars.' } as const;
const PERIOD = { type: 'string' as const, enum: [...ALLOWANCE_PERIODS] };
const ENFORCEMENT = {
  type: 'string' as const,
  enum: [...ALLOWANCE_ENFORCEMENTS],
  description: 'Default: `block`.',
};
const MOST = { type: 'integer', minimum: 1, maximum: 2_000_000_000, nullable: true } as const;
const LIMITS = { requests_per_minute: MOST, tokens_per_minute: MOST, concurrent_requests: MOST };
const BUDGET = { amount_usd: AMOUNT, period: PERIOD, enforcement: ENFORCEMENT };
const ID = { type: 'string', format: 'uuid' };

/** Schema of the budget of a new token. */
export const BUDGET_SCHEMA: ApiPropertyOptions = {
  type: 'object',
  required: ['amount_usd', 'period'],
  properties: BUDGET,
  additionalProperties: false,
};

/** Schema of the limits of a new token. */
export const LIMITS_SCHEMA: ApiPropertyOptions = {
  type: 'object',
  minProperties: 1,
  properties: LIMITS,
  additionalProperties: false,
};

/**
 * The error in the structure of a token's budget; undefined if the structure is valid. The library that stores budgets
 * checks the values.
 */
export function budgetFault(value: unknown): string | undefined {
  const fault = objectFault(value, BUDGET);
  if (fault !== undefined) return fault;
  const { amount_usd: amount, period, enforcement = 'block' } = value as Partial<TokenBudget>;
  if (typeof amount !== 'number') return 'must have amount_usd, a number of US dollars';
  if (!ALLOWANCE_PERIODS.some(each => each === period)) return `must have a period: ${ALLOWANCE_PERIODS.join(', ')}`;
  if (!ALLOWANCE_ENFORCEMENTS.some(each => each === enforcement)) return 'must have the enforcement notify or block';
  return undefined;
}

/** The error in the structure of a token's limits; undefined if the structure is valid. */
export function limitsFault(value: unknown): string | undefined {
  const fault = objectFault(value, LIMITS);
  if (fault !== undefined) return fault;
  const numbers = Object.values(value as TokenLimits).filter(most => most !== null);
  const fits = numbers.length > 0 && numbers.every(most => Number.isInteger(most) && most >= 1 && most <= MOST.maximum);
  return fits ? undefined : `must have at least one whole number from 1 to ${MOST.maximum}; null for no limit`;
}

function objectFault(value: unknown, fields: object): string | undefined {
  const names = Object.keys(fields);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  const unknown = Object.keys(value).find(name => !names.includes(name));
  return unknown === undefined ? undefined : `has an unknown field; the fields are ${names.join(', ')}`;
}

/** Budget and limits, as responses with a token contain them. */
export const ALLOWANCE_FIELDS = {
  budget: f
    .of<NonNullable<ShownAllowance['budget']>>({
      type: 'object',
      required: ['id', 'amount_usd', 'period', 'enforcement'],
      properties: { id: ID, ...BUDGET },
      description: 'The budget with which it was created; null without one.',
      example: { id: '0199c2a8-8a10-7e55-b6f7-3d20c94e7a18', amount_usd: 50, period: 'monthly', enforcement: 'block' },
    })
    .nullable(),
  limits: f
    .of<NonNullable<ShownAllowance['limits']>>({
      type: 'object',
      required: ['id', 'requests_per_minute', 'tokens_per_minute', 'concurrent_requests'],
      properties: { id: ID, ...LIMITS },
      description: 'The limits with which it was created; null without them.',
      example: {
        id: '0199c2a8-8b20-7e55-b6f7-3d20c94e7a18',
        ...{ requests_per_minute: 60, tokens_per_minute: null, concurrent_requests: null },
      },
    })
    .nullable(),
  spent_usd: f.decimal(12.5, 'Cost of its usage in the current month of your time zone, in US dollars.').nullable(),
};
