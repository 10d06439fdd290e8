import type { CsvColumn } from '#access';
import { FIGURES, type FigureTexts } from '../figures/index.js';

/** The version of the FinOps Open Cost and Usage Specification that exports follow. */
export const FOCUS_VERSION = '1.2';

/**
 * Cost of one model of one provider on one UTC day, for one department, project and set of tags. Figures are exact
 * decimal texts.
 */
export interface FocusRow extends FigureTexts {
  readonly org_id: string;
  readonly organization: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly next_day: string;
  readonly month: string;
  readonly next_month: string;
  readonly provider: string;
  readonly model: string;
  readonly department: string | null;
  readonly project: string | null;
  /** JSON object. */
  readonly tags: string | null;
  readonly tokens: string;
  /** Units of the report's currency per US dollar on the day; null on a day without a rate. */
  readonly rate: string | null;
  readonly converted_cost: string | null;
  readonly converted_list_cost: string | null;
}

const text = (header: string, value: (row: FocusRow) => string | null): CsvColumn<FocusRow> => ({ header, value });
const figure = (header: string, value: (row: FocusRow) => string): CsvColumn<FocusRow> => ({
  header,
  value,
  numeric: true,
});
const midnight = (day: string): string => `${day}T00:00:00Z`;
const cost = (row: FocusRow): string => row.cost_usd;

const COLUMNS: readonly CsvColumn<FocusRow>[] = [
  figure('BilledCost', cost),
  text('BillingAccountId', row => row.org_id),
  text('BillingAccountName', row => row.organization),
  text('BillingCurrency', () => 'USD'),
  text('BillingPeriodEnd', row => midnight(row.next_month)),
  text('BillingPeriodStart', row => midnight(row.month)),
  text('ChargeCategory', () => 'Usage'),
  text('ChargeClass', () => null),
  text('ChargeDescription', row => describe(row)),
  text('ChargePeriodEnd', row => midnight(row.next_day)),
  text('ChargePeriodStart', row => midnight(row.day)),
  figure('ConsumedQuantity', row => row.tokens),
  text('ConsumedUnit', () => 'Tokens'),
  figure('ContractedCost', cost),
  figure('EffectiveCost', cost),
  text('InvoiceIssuerName', row => row.provider),
  figure('ListCost', row => row.list_cost_usd),
  figure('PricingQuantity', row => row.requests),
  text('PricingUnit', () => 'Requests'),
  text('ProviderName', row => row.provider),
  text('PublisherName', row => row.provider),
  text('ServiceCategory', () => 'AI and Machine Learning'),
  text('ServiceName', row => row.model),
  text('ServiceSubcategory', () => 'Generative AI'),
  text('Tags', row => row.tags),
  text('x_Department', row => row.department),
  text('x_Project', row => row.project),
];

const FIGURE_COLUMNS = FIGURES.flatMap(each => ('focus' in each ? [figure(each.focus, row => row[each.column])] : []));

/**
 * All mandatory columns of FOCUS 1.2, the applicable optional columns, and custom columns, which begin with `x_`.
 * Ordered by name.
 */
export const FOCUS_COLUMNS = [...COLUMNS, ...FIGURE_COLUMNS].sort((a, b) => (a.header < b.header ? -1 : 1));

/**
 * The columns of an export with an additional currency. The cells of that currency are empty on days without a rate.
 */
export function focusColumnsIn(currency: string): readonly CsvColumn<FocusRow>[] {
  return [
    ...FOCUS_COLUMNS,
    text('x_ConvertedCurrency', () => currency),
    { header: 'x_ConvertedEffectiveCost', value: row => row.converted_cost, numeric: true },
    { header: 'x_ConvertedListCost', value: row => row.converted_list_cost, numeric: true },
    { header: 'x_ExchangeRate', value: row => row.rate, numeric: true },
  ];
}

/**
 * FOCUS cannot express unknown costs, so the description of a row says how many of its requests have no known price.
 */
function describe({ model, requests, unpriced_requests: unpriced }: FocusRow): string {
  const known = `${requests} requests to ${model}`;
  return unpriced === '0' ? known : `${known}, of which ${unpriced} have no known price and add nothing to the cost`;
}
