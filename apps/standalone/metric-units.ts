import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';

/**
 * Unit suffixes of metric names in Prometheus and OpenMetrics. Units in braces are only annotations, and have no
 * suffix.
 */
const UNITS: ReadonlyMap<string, string> = new Map([
  ['s', 'seconds'],
  ['By', 'bytes'],
  ['1', 'ratio'],
]);

/** The same metrics with their units in the names, as Prometheus recommends. */
export function withUnits(resource: ResourceMetrics): ResourceMetrics {
  return {
    ...resource,
    scopeMetrics: resource.scopeMetrics.map(scope => ({ ...scope, metrics: scope.metrics.map(named) })),
  };
}

function named(metric: MetricData): MetricData {
  const { name } = metric.descriptor;
  const unit = UNITS.get(metric.descriptor.unit) ?? '';
  return { ...metric, descriptor: { ...metric.descriptor, unit, name: unit === '' ? name : `${name}.${unit}` } };
}
