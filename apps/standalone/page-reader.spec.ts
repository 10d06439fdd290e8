import type { Meter } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PageReader } from './page-reader.js';

describe('PageReader', () => {
  let reader: PageReader;
  let provider: MeterProvider;
  let meter: Meter;
  let isAway: boolean;

  beforeEach(() => {
    reader = new PageReader();
    provider = new MeterProvider({ readers: [reader] });
    meter = provider.getMeter('test');
    isAway = false;
    const gauge = meter.createObservableGauge('gauge');
    const observe = async (): Promise<number> => {
      if (isAway) throw new Error('The database is away.');
      return 7;
    };
    meter.addBatchObservableCallback(async result => result.observe(gauge, await observe(), { queue: 'a' }), [gauge]);
    meter.createCounter('counter').add(2);
  });
  afterEach(() => provider.shutdown());

  /** The series on the metrics page, with their values. */
  async function read(): Promise<string[]> {
    const { resourceMetrics } = await reader.collect();
    const page = new PrometheusSerializer('', false, undefined, true, true).serialize(resourceMetrics);
    return page.split('\n').filter(line => /^(gauge|counter)/.test(line));
  }

  const GAUGE = 'gauge{queue="a"} 7';
  const COUNTER = 'counter_total 2';

  it('leaves a gauge out while it cannot be read, and keeps counters', async () => {
    expect(await read()).toEqual([GAUGE, COUNTER]);
    expect(await read()).toEqual([GAUGE, COUNTER]);
    isAway = true;
    expect(await read()).toEqual([COUNTER]);
    isAway = false;
    expect(await read()).toEqual([GAUGE, COUNTER]);
  });

  it('gives all metrics to each of two concurrent readers', async () => {
    expect(await Promise.all([read(), read()])).toEqual([
      [GAUGE, COUNTER],
      [GAUGE, COUNTER],
    ]);
  });
});
