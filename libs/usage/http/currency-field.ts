import { CheckedField, type FieldOptions } from '#access';

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The code of a currency other than the US dollar. */
export function CurrencyField(options: FieldOptions): PropertyDecorator {
  return CheckedField({ ...options, example: 'EUR' }, { type: String, pattern: '^[A-Z]{3}$' }, value => {
    if (value === 'USD') return 'must be another currency than USD, in which all costs are';
    const isCode = typeof value === 'string' && CURRENCIES.has(value);
    return isCode ? undefined : 'must be an ISO 4217 code in capital letters, such as EUR';
  });
}

/** Options of the field `currency` of a report. */
export const REPORT_CURRENCY: FieldOptions = {
  optional: true,
  description:
    'Adds `cost_converted`: the cost in this currency, by the exchange rate of each day. A day without a rate has that ' +
    'of the last day before it. See `PUT /v1/exchange-rates`.',
};
