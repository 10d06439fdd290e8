import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';

/** Units as Prometheus and OpenMetrics spell them at the end of a name. Those in braces only explain, and are left out. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ['s', 'seconds'],
  ['By', 'bytes'],
  ['1', 'ratio'],
]);

/** The same metrics with their units in their names, as the conventions of Prometheus ask for. */
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
