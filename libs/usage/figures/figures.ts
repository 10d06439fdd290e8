/** What a figure reads of one usage event. */
export interface CountedUse {
  readonly requests: number;
  readonly tokens: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly reasoning_tokens: number;
  };
  /** Null picodollars: the model has no known price. */
  readonly cost: { readonly picodollars: bigint | null };
}

interface FigureNames {
  /** In code. */
  readonly name: string;
  /** Column of every rollup, and of events where `event` is given; the metric of a series. */
  readonly column: string;
  /** Field of reports and header of their CSV columns. */
  readonly field: string;
  /** Header in the FOCUS export, which begins with `x_`. Without it, the export leaves the figure out. */
  readonly focus?: string;
  /** What the figure counts, for the API reference. */
  readonly description: string;
  readonly example: number;
  /** False: a series cannot show it. */
  readonly isMetric?: false;
}

/** A figure that counts. */
export interface CountFigure extends FigureNames {
  readonly unit: 'requests' | 'tokens';
  /** What one event adds: a whole number whose sums over 8,000 events stay below 2⁵³. */
  readonly of: (use: CountedUse) => number;
  /** Its column of the events themselves. `usual`: the value that most events have. */
  readonly event?: { readonly type: 'bigint' | 'integer'; readonly usual?: number };
}

/** A figure in US dollars, exact to the picodollar. */
export interface MoneyFigure extends FigureNames {
  readonly unit: 'usd';
  /** What one event adds, in picodollars; null adds nothing. */
  readonly of: (use: CountedUse) => bigint | null;
  readonly event?: { readonly type: 'numeric' };
}

/**
 * Every figure of usage, in the order of reports. It makes the columns of events and rollups, the sums, the queries,
 * the fields of reports and their CSV. A new one is a line here and a migration that adds its column to the rollups.
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
      'US dollars: the number nearest to the exact decimal sum; null where there were requests and none of them has a known price.',
    example: 0.244325,
  },
  {
    name: 'cacheReadTokens',
    column: 'cache_read_tokens',
    field: 'cache_read_tokens',
    unit: 'tokens',
    of: ({ tokens }) => tokens.cache_read_tokens,
    event: { type: 'bigint', usual: 0 },
    description: 'Input tokens that were read from a cache.',
    example: 20_000,
  },
  {
    name: 'cacheWriteTokens',
    column: 'cache_write_tokens',
    field: 'cache_write_tokens',
    unit: 'tokens',
    of: ({ tokens }) => tokens.cache_write_tokens,
    event: { type: 'bigint', usual: 0 },
    description: 'Input tokens that were written to a cache.',
    example: 1_500,
  },
  {
    name: 'reasoningTokens',
    column: 'reasoning_tokens',
    field: 'reasoning_tokens',
    unit: 'tokens',
    of: ({ tokens }) => tokens.reasoning_tokens,
    event: { type: 'bigint', usual: 0 },
    description: 'Output tokens that were spent on reasoning.',
    example: 3_300,
  },
  {
    name: 'unpricedRequests',
    column: 'unpriced_requests',
    field: 'unpriced_requests',
    unit: 'requests',
    of: ({ cost, requests }) => (cost.picodollars === null ? requests : 0),
    focus: 'x_UnpricedRequests',
    description: 'Requests whose model has no known price: they add nothing to the cost.',
    example: 0,
    isMetric: false,
  },
] as const satisfies readonly (CountFigure | MoneyFigure)[];
