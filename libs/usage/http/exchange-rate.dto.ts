import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, dtoOf, f, IgnoresReadOnly, PageQueryDto, presenterOf } from '#access';
import type { ExchangeRate, RateTerms } from '../currency/exchange-rate.entity.js';
import { picoToDecimalString, usdToPico } from '../prices/index.js';
import { CurrencyField } from './currency-field.js';
import { DayField } from './usage-query.dto.js';

const MAX_RATE = 1_000_000_000;
const MAX_PARTS = BigInt(MAX_RATE) * 10n ** 12n;

/** An exchange rate in a request body. Currency and date identify the entry. */
@IgnoresReadOnly('id', 'org_id', 'created_at', 'updated_at')
@ApiSchema({ name: 'GovernancePutExchangeRateDto' })
export class PutExchangeRateDto {
  @CurrencyField({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @DayField({ description: 'Day from which the rate counts, until that of the next rate.' })
  date!: string;

  @CheckedField(
    { description: 'Units of the currency per US dollar. A string is taken exactly.', example: '0.8612' },
    { oneOf: [{ type: 'string' }, { type: 'number', minimum: 0, maximum: MAX_RATE }] },
    value => {
      const parts = typeof value === 'number' || typeof value === 'string' ? usdToPico(value) : undefined;
      const isRate = parts !== undefined && parts > 0n && parts <= MAX_PARTS;
      return isRate ? undefined : `must be above 0 and at most ${MAX_RATE}, with at most 12 decimals`;
    },
  )
  rate!: string | number;
}

/** Filters of the list of exchange rates. */
export class ExchangeRateQueryDto extends PageQueryDto {
  @CurrencyField({ optional: true, description: 'Only rates of this currency.' })
  currency?: string;

  @DayField({ optional: true, description: 'Only the rate in force on this day, of each currency.' })
  date?: string;
}

/** An exchange rate of the organization. */
@ApiSchema({ name: 'GovernanceExchangeRateResponseDto' })
export class ExchangeRateResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-8d10-7c3e-9a41-3f5d8e2b7c62'),
  org_id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  currency: f.text('EUR'),
  date: f.day('2026-11-20'),
  rate: f.text('0.861200000000', 'Units of the currency per US dollar: exact decimal text.'),
  created_at: f.instant('2026-11-20T08:00:00.000Z'),
  updated_at: f.instant('2026-11-20T08:00:00.000Z'),
}) {}

/** The rate in a request body. */
export function rateOf({ currency, date, rate }: PutExchangeRateDto): RateTerms {
  return { currency, day: date, rate: picoToDecimalString(usdToPico(rate) ?? 0n) };
}

/** A rate on the wire. */
export const presentRate = presenterOf(ExchangeRateResponseDto, (rate: ExchangeRate) => ({ date: rate.day }));
