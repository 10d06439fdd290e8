import { metrics, type Attributes, type Counter, type MeterProvider } from '@opentelemetry/api';

/** Collects the counts of a metric. A count is the text `outcome` or `outcome reason`. */
export class Counted {
  private readonly seen: { name: string; attributes: Attributes }[] = [];

  /** Counts until {@link stop}. Ignores counters that were created before. */
  start(): this {
    const silent = metrics.getMeter('silent');
    const provider: MeterProvider = {
      getMeter: () =>
        Object.assign(Object.create(silent), {
          createCounter: (name: string): Counter => ({
            add: (_by, attributes = {}) => void this.seen.push({ name, attributes }),
          }),
        }),
    };
    metrics.setGlobalMeterProvider(provider);
    return this;
  }

  stop(): void {
    metrics.disable();
  }

  /** The counts since the last call. */
  take(name: string): string[] {
    const taken = this.seen.filter(entry => entry.name === name);
    this.seen.length = 0;
    return taken.map(({ attributes }) =>
      ['governance.outcome', 'governance.reason']
        .map(key => attributes[key])
        .filter(part => typeof part === 'string')
        .join(' '),
    );
  }
}
