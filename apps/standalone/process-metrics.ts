import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/** Measures memory, CPU time and event loop delay of this process. Returns a function that stops the measurement. */
export function watchProcess(meter: Meter): () => void {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  meter
    .createObservableGauge('process.memory.usage', { description: 'Physical memory in use', unit: 'By' })
    .addCallback(result => result.observe(process.memoryUsage.rss()));
  meter
    .createObservableGauge('v8js.memory.heap.used', { description: 'JavaScript heap in use', unit: 'By' })
    .addCallback(result => result.observe(process.memoryUsage().heapUsed));
  meter
    .createObservableCounter('process.cpu.time', { description: 'Processor time used, by mode', unit: 's' })
    .addCallback(result => {
      const { user, system } = process.cpuUsage();
      result.observe(user / MICROSECONDS, { 'cpu.mode': 'user' });
      result.observe(system / MICROSECONDS, { 'cpu.mode': 'system' });
    });
  meter
    .createObservableGauge('nodejs.eventloop.delay.p99', {
      description: 'Delay of the event loop that 99 % of samples stayed below, since the last reading',
      unit: 's',
    })
    .addCallback(result => {
      result.observe(delays.percentile(99) / NANOSECONDS);
      delays.reset();
    });
  return () => delays.disable();
}
