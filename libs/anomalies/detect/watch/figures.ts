/** Watched metrics, for people and for organizations. */
export const METRICS = ['requests', 'tokens', 'cost_usd'] as const;

/** A watched metric: requests, prompt plus answer tokens, or US dollars. */
export type Metric = (typeof METRICS)[number];

/** One value for each metric. */
export type OfEach<T> = Readonly<Record<Metric, T>>;

/** Creates an object with one value for each metric. */
export function ofEach<T>(make: (metric: Metric) => T): OfEach<T> {
  return { requests: make('requests'), tokens: make('tokens'), cost_usd: make('cost_usd') };
}
