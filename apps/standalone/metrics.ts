import type { IncomingMessage, ServerResponse } from 'node:http';
import { metrics } from '@opentelemetry/api';

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** What the server mounts: a clock around every request, and the page that Prometheus reads. */
export interface Metrics {
  timeRequests: Handler;
  page: Handler;
  stop(): Promise<void>;
}

// Seconds, as the semantic conventions for http.server.request.duration advise.
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Sets up OpenTelemetry with a page for Prometheus. Must run before the module is made, or its instruments stay silent. */
export async function startMetrics(): Promise<Metrics> {
  const { MeterProvider, PrometheusExporter } = await loadSdk();
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  metrics.setGlobalMeterProvider(provider);
  const duration = provider.getMeter('nest-llm-governance').createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests',
    unit: 's',
    advice: { explicitBucketBoundaries: BUCKETS },
  });
  return {
    timeRequests(request, response, next) {
      const begun = performance.now();
      response.once('finish', () =>
        duration.record((performance.now() - begun) / 1_000, {
          'http.request.method': request.method ?? '',
          'http.response.status_code': response.statusCode,
          'http.route': routeOf(request),
        }),
      );
      next();
    },
    page: (request, response) => exporter.getMetricsRequestHandler(request, response),
    async stop() {
      metrics.disable();
      await provider.shutdown();
    },
  };
}

async function loadSdk(): Promise<{
  MeterProvider: typeof import('@opentelemetry/sdk-metrics').MeterProvider;
  PrometheusExporter: typeof import('@opentelemetry/exporter-prometheus').PrometheusExporter;
}> {
  try {
    const [{ MeterProvider }, { PrometheusExporter }] = await Promise.all([
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/exporter-prometheus'),
    ]);
    return { MeterProvider, PrometheusExporter };
  } catch (error) {
    throw new Error(
      'GOVERNANCE_METRICS needs two packages: npm install @opentelemetry/sdk-metrics @opentelemetry/exporter-prometheus',
      { cause: error },
    );
  }
}

/** The route's pattern, never the address itself: ids in labels would make as many series as there are ids. */
function routeOf(request: IncomingMessage): string {
  const route: unknown = Reflect.get(request, 'route');
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : undefined;
  return typeof path === 'string' ? path : '';
}
