import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { f, dtoOf } from '#access';
import { convertedText, type ConvertedCost, type DaysWithoutRate } from '../currency/index.js';
import type { ReportCurrency } from '../series/index.js';

/** The days of a report that have no exchange rate. */
@ApiSchema({ name: 'GovernanceDaysWithoutRateDto' })
class DaysWithoutRateDto
  extends dtoOf({
    first_day: f.day('2026-11-01'),
    last_day: f.day('2026-11-03', 'Inclusive.'),
  })
  implements DaysWithoutRate {}

/** Documents `cost_converted`. */
export const CostConverted = (): PropertyDecorator =>
  ApiPropertyOptional({
    type: Number,
    nullable: true,
    description:
      'The cost in `currency`: the number nearest to the exact sum. Null if a day of it has no exchange rate, or the cost ' +
      'is unknown. Only if you ask for a currency.',
    example: 10.765,
  });

/** Documents `currency`. */
export const CurrencyOf = (): PropertyDecorator =>
  ApiPropertyOptional({ description: 'Only if you ask for a currency.', example: 'EUR' });

/** Documents `without_rate`. */
export const WithoutRate = (): PropertyDecorator =>
  ApiPropertyOptional({
    type: DaysWithoutRateDto,
    nullable: true,
    description: 'The days without an exchange rate: those before the first one. Only if you ask for a currency.',
    example: null,
  });

/** The fields of a report's currency; none if costs are in dollars only. */
export function presentCurrency(conversion: ReportCurrency | null): {
  currency?: string;
  without_rate?: DaysWithoutRate | null;
} {
  return conversion ? { currency: conversion.currency, without_rate: conversion.withoutRate } : {};
}

/** The field `cost_converted`; no field without a conversion. `dollars` is null for an unknown cost. */
export function presentConverted(
  cost: ConvertedCost | undefined,
  dollars: string | null,
): { cost_converted?: number | null } {
  if (cost === undefined) return {};
  const text = shownConverted(cost, dollars);
  return { cost_converted: text === null ? null : Number(text) };
}

/** The cost as exact decimal text; null if the cost is unknown, or if one of its days has no rate. */
export function shownConverted(cost: ConvertedCost | undefined, dollars: string | null): string | null {
  return cost === undefined || dollars === null ? null : convertedText(cost);
}
