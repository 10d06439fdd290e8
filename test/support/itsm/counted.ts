import { metrics, type Attributes, type Counter, type MeterProvider } from '@opentelemetry/api';

/** What was counted under a name, as `outcome` or `outcome reason`. */
export class Counted {
  private readonly seen: { name: string; attributes: Attributes }[] = [];

  /** Counts from now on, until {@link stop}. Counters that were made before are not heard. */
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

  /** What was counted since it was last asked. */
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
