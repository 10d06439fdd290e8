import type { IncomingMessage, ServerResponse } from 'node:http';
import { metrics } from '@opentelemetry/api';
import { withUnits } from './metric-units.js';
import { watchProcess } from './process-metrics.js';
import { routeOf } from './route-of.js';

type Handler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** The handlers that the server mounts: one measures the duration of requests, the other is the page for Prometheus. */
export interface Metrics {
  timeRequests: Handler;
  page: Handler;
  stop(): Promise<void>;
}

// Bounds in seconds, as the semantic convention of http.server.request.duration recommends.
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Sets up OpenTelemetry with a page for Prometheus. Call it before the module is created. Instruments that were created
 * earlier record nothing.
 */
export async function startMetrics(): Promise<Metrics> {
  const { MeterProvider, PageReader, PrometheusSerializer, telemetryResource } = await loadSdk();
  const reader = new PageReader();
  const provider = new MeterProvider({ readers: [reader], resource: telemetryResource() });
  metrics.setGlobalMeterProvider(provider);
  const meter = provider.getMeter('nest-llm-governance');
  const endWatch = watchProcess(meter);
  const serializer = new PrometheusSerializer();
  const duration = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests',
    unit: 's',
    advice: { explicitBucketBoundaries: BUCKETS },
  });
  const writePage = async (response: ServerResponse, next: (error: unknown) => void): Promise<void> => {
    try {
      // Values that cannot be read at the moment, for example during an outage of the database, are missing on the
      // page.
      const { resourceMetrics } = await reader.collect();
      response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
      response.end(serializer.serialize(withUnits(resourceMetrics)));
    } catch (error) {
      next(error);
    }
  };
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
    page: (_request, response, next) => void writePage(response, next),
    async stop() {
      metrics.disable();
      endWatch();
      await provider.shutdown();
    },
  };
}

async function loadSdk(): Promise<{
  MeterProvider: typeof import('@opentelemetry/sdk-metrics').MeterProvider;
  PageReader: typeof import('./page-reader.js').PageReader;
  PrometheusSerializer: typeof import('@opentelemetry/exporter-prometheus').PrometheusSerializer;
  telemetryResource: typeof import('./telemetry-resource.js').telemetryResource;
}> {
  try {
    const [{ MeterProvider }, { PrometheusSerializer }, { PageReader }, { telemetryResource }] = await Promise.all([
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/exporter-prometheus'),
      import('./page-reader.js'),
      import('./telemetry-resource.js'),
    ]);
    return { MeterProvider, PageReader, PrometheusSerializer, telemetryResource };
  } catch (error) {
    throw new Error(
      'GOVERNANCE_METRICS needs three packages: npm install @opentelemetry/sdk-metrics @opentelemetry/exporter-prometheus @opentelemetry/resources',
      { cause: error },
    );
  }
}
