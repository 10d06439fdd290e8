import { COUNTS, MONEY, recordOf, type Figure, type Figures } from '../figures/index.js';

/** The metrics of a series. */
export interface Metric {
  /** A report orders its groups by this metric, the largest first. */
  readonly sql: string;
  readonly isMoney: boolean;
  value(figures: Figures): bigint;
}

type Shown = Exclude<Figure, { isMetric: false }>;

/** One metric of a series. */
export type MetricName = Shown['column'] | 'tokens' | 'cost';

const metricOf = ({ column, name, unit }: Figure): Metric => ({
  sql: column,
  isMoney: unit === 'usd',
  value: figures => figures[name],
});

const { requests, ...OTHERS } = recordOf(
  COUNTS.filter(figure => !('isMetric' in figure)),
  figure => [figure.column, metricOf(figure)],
);
const MONIES = recordOf(MONEY, figure => [figure.column, metricOf(figure)]);

/** The metrics by name. */
export const METRICS: Readonly<Record<MetricName, Metric>> = {
  requests,
  tokens: {
    sql: '(input_tokens + output_tokens)',
    isMoney: false,
    value: figures => figures.inputTokens + figures.outputTokens,
  },
  ...OTHERS,
  ...MONIES,
  cost: MONIES.cost_usd,
};
