import { decimalToPico } from '../prices/index.js';

/** What is added up of usage; money in picodollars. All exact. */
export interface Figures {
  readonly requests: bigint;
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly cacheReadTokens: bigint;
  readonly cacheWriteTokens: bigint;
  readonly reasoningTokens: bigint;
  readonly picodollars: bigint;
  /** Requests whose model had no known price: they add nothing to the cost. */
  readonly unpricedRequests: bigint;
}

/** The figures by their columns. */
export const FIGURES = [
  { column: 'requests', name: 'requests' },
  { column: 'input_tokens', name: 'inputTokens' },
  { column: 'output_tokens', name: 'outputTokens' },
  { column: 'cache_read_tokens', name: 'cacheReadTokens' },
  { column: 'cache_write_tokens', name: 'cacheWriteTokens' },
  { column: 'reasoning_tokens', name: 'reasoningTokens' },
  { column: 'cost_usd', name: 'picodollars' },
  { column: 'unpriced_requests', name: 'unpricedRequests' },
] as const satisfies readonly { column: string; name: keyof Figures }[];

/** Figures as PostgreSQL answers them. */
export type FigureTexts = Record<(typeof FIGURES)[number]['column'], string>;

/** Nothing used. */
export const NO_FIGURES: Figures = {
  requests: 0n,
  inputTokens: 0n,
  outputTokens: 0n,
  cacheReadTokens: 0n,
  cacheWriteTokens: 0n,
  reasoningTokens: 0n,
  picodollars: 0n,
  unpricedRequests: 0n,
};

/** Figures from what PostgreSQL answers. */
export function figuresOf(row: FigureTexts): Figures {
  return {
    requests: BigInt(row.requests),
    inputTokens: BigInt(row.input_tokens),
    outputTokens: BigInt(row.output_tokens),
    cacheReadTokens: BigInt(row.cache_read_tokens),
    cacheWriteTokens: BigInt(row.cache_write_tokens),
    reasoningTokens: BigInt(row.reasoning_tokens),
    picodollars: decimalToPico(row.cost_usd),
    unpricedRequests: BigInt(row.unpriced_requests),
  };
}

/** One set of figures and another, each multiplied by `sign`. */
export function added(one: Figures, other: Figures, sign: 1n | -1n = 1n): Figures {
  const sum = { ...one };
  for (const { name } of FIGURES) Reflect.set(sum, name, one[name] + sign * other[name]);
  return sum;
}

/** What a series shows. */
export interface Metric {
  /** The largest groups come first by it. */
  readonly sql: string;
  readonly isMoney: boolean;
  value(figures: Figures): bigint;
}

const count = (name: Exclude<keyof Figures, 'picodollars'>, sql: string): Metric => ({
  sql,
  isMoney: false,
  value: figures => figures[name],
});

const COST: Metric = { sql: 'cost_usd', isMoney: true, value: figures => figures.picodollars };

/** What a series can show, by name. */
export const METRICS = {
  requests: count('requests', 'requests'),
  tokens: {
    sql: '(input_tokens + output_tokens)',
    isMoney: false,
    value: (figures: Figures) => figures.inputTokens + figures.outputTokens,
  },
  input_tokens: count('inputTokens', 'input_tokens'),
  output_tokens: count('outputTokens', 'output_tokens'),
  cache_read_tokens: count('cacheReadTokens', 'cache_read_tokens'),
  cache_write_tokens: count('cacheWriteTokens', 'cache_write_tokens'),
  reasoning_tokens: count('reasoningTokens', 'reasoning_tokens'),
  cost_usd: COST,
  cost: COST,
} as const satisfies Record<string, Metric>;

/** One thing that a series can show. */
export type MetricName = keyof typeof METRICS;
