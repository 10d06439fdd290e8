/** The data of a usage event from which figures are computed. */
export interface CountedUse {
  readonly requests: number;
  readonly tokens: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly reasoning_tokens: number;
  };
  /** Null if the model has no known price. */
  readonly cost: { readonly picodollars: bigint | null; readonly listPicodollars?: bigint | undefined };
}

interface FigureNames {
  /** Name of the figure in code. */
  readonly name: string;
  /**
   * Name of the figure's column in every rollup, and in the events table if `event` is set. Also the name of the metric
   * of a series.
   */
  readonly column: string;
  /** Name of the field in reports, and of the column in their CSV form. */
  readonly field: string;
  /** Name of the column in the FOCUS export, which begins with `x_`. Without a name, the export omits the figure. */
  readonly focus?: string;
  /** Description for the API reference. */
  readonly description: string;
  readonly example: number;
  /** False if a series cannot use the figure as its metric. */
  readonly isMetric?: false;
}

/** A figure that is a count. */
export interface CountFigure extends FigureNames {
  readonly unit: 'requests' | 'tokens';
  /** Returns the value of one event: a whole number. The sum over 8,000 events must stay below 2⁵³. */
  readonly of: (use: CountedUse) => number;
  /** The figure's column in the events table. `usual`: the value of most events. */
  readonly event?: { readonly type: 'bigint' | 'integer'; readonly usual?: number };
}

/** A figure in US dollars, exact to the picodollar. */
export interface MoneyFigure extends FigureNames {
  readonly unit: 'usd';
  /** Returns the value of one event in picodollars. Null adds nothing to the sum. */
  readonly of: (use: CountedUse) => bigint | null;
  readonly event?: { readonly type: 'numeric' };
}

/**
 * All figures of usage, in the order of reports. This table defines the figures' columns in events and rollups, the
 * sums, the queries, and the fields of JSON and CSV reports. To add a figure, add a line here and a migration that adds
 * its column to the rollups.
 */
export const FIGURES = [
  {
    name: 'requests',
    column: 'requests',
    field: 'total_requests',
    unit: 'requests',
    of: use => use.requests,
    event: { type: 'integer', usual: 1 },
    description: 'Requests.',
    example: 42,
  },
  {
    name: 'inputTokens',
    column: 'input_tokens',
    field: 'total_input_tokens',
    unit: 'tokens',
    of: ({ tokens }) => tokens.input_tokens,
    event: { type: 'bigint' },
    focus: 'x_InputTokens',
    description: 'Input tokens, cached ones included.',
    example: 61_250,
  },
  {
    name: 'outputTokens',
    column: 'output_tokens',
    field: 'total_output_tokens',
    unit: 'tokens',
    of: ({ tokens }) => tokens.output_tokens,
    event: { type: 'bigint' },
    focus: 'x_OutputTokens',
    description: 'Output tokens, reasoning included.',
    example: 9_120,
  },
  {
    name: 'picodollars',
    column: 'cost_usd',
    field: 'estimated_cost_usd',
    unit: 'usd',
    of: ({ cost }) => cost.picodollars,
    event: { type: 'numeric' },
    description:
      'US dollars: the number nearest to the exact decimal sum; null if there were requests and none of them has a known price.',
    example: 0.244325,
  },
  {
    name: 'cacheReadTokens',
    column: 'cache_read_tokens',
    field: 'cache_read_tokens',
    unit: 'tokens',
    of: ({ tokens }) => tokens.cache_read_tokens,
    event: { type: 'bigint', usual: 0 },
    description: 'Input tokens read from a cache.',
    example: 20_000,
  },
  {
    name: 'cacheWriteTokens',
    column: 'cache_write_tokens',
    field: 'cache_write_tokens',
    unit: 'tokens',
    of: ({ tokens }) => tokens.cache_write_tokens,
    event: { type: 'bigint', usual: 0 },
    description: 'Input tokens written to a cache.',
    example: 1_500,
  },
  {
    name: 'reasoningTokens',
    column: 'reasoning_tokens',
    field: 'reasoning_tokens',
    unit: 'tokens',
    of: ({ tokens }) => tokens.reasoning_tokens,
    event: { type: 'bigint', usual: 0 },
    description: 'Output tokens used for reasoning.',
    example: 3_300,
  },
  {
    name: 'unpricedRequests',
    column: 'unpriced_requests',
    field: 'unpriced_requests',
    unit: 'requests',
    of: ({ cost, requests }) => (cost.picodollars === null ? requests : 0),
    focus: 'x_UnpricedRequests',
    description: 'Requests whose model has no known price. They add nothing to the cost.',
    example: 0,
    isMetric: false,
  },
  {
    name: 'listPicodollars',
    column: 'list_cost_usd',
    field: 'list_cost_usd',
    unit: 'usd',
    of: ({ cost }) => cost.listPicodollars ?? cost.picodollars,
    description: 'The cost before contract discounts, in US dollars.',
    example: 0.27925,
  },
] as const satisfies readonly (CountFigure | MoneyFigure)[];
