import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Environment } from './environment.js';
import { routeOf } from './route-of.js';

/** The handlers that the server mounts if traces are enabled. */
export interface Traces {
  /**
   * Middleware that creates a span per request. If the request has a `traceparent`, the span is a child of the span in
   * it.
   */
  traceRequests: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  /** Sends the remaining spans and stops tracing. */
  stop(): Promise<void>;
}

const SWITCHES = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_TRACES_EXPORTER'];

/** Whether the standard variables of OpenTelemetry enable traces. */
export function asksForTraces(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || environment['OTEL_TRACES_EXPORTER'] === 'none') {
    return false;
  }
  return SWITCHES.some(name => environment[name]?.trim());
}

/**
 * Starts OpenTelemetry, which reads its standard variables itself. Call this function before the module is created.
 * @throws Error that names the missing package
 */
export async function startTraces(): Promise<Traces> {
  const { NodeSDK, telemetryResource } = await loadSdk();
  const sdk = new NodeSDK({
    resource: telemetryResource(),
    autoDetectResources: false,
    // Metrics and logs are not sent: metrics have their own page, and logs are written to the output.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const tracer = trace.getTracer('nest-llm-governance');
  return {
    traceRequests(request, response, next) {
      const { method = '' } = request;
      const caller = propagation.extract(context.active(), request.headers);
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, caller);
      response.once('close', () => {
        const [route, status] = [routeOf(request), response.statusCode];
        if (route !== '') span.updateName(`${method} ${route}`);
        span.setAttributes({
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'governance.request_id': String(response.getHeader('X-Request-Id') ?? ''),
        });
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      context.with(trace.setSpan(caller, span), next);
    },
    async stop() {
      await sdk.shutdown();
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}

async function loadSdk(): Promise<{
  NodeSDK: typeof import('@opentelemetry/sdk-node').NodeSDK;
  telemetryResource: typeof import('./telemetry-resource.js').telemetryResource;
}> {
  try {
    const [{ NodeSDK }, { telemetryResource }] = await Promise.all([
      import('@opentelemetry/sdk-node'),
      import('./telemetry-resource.js'),
    ]);
    return { NodeSDK, telemetryResource };
  } catch (error) {
    throw new Error('Traces need two packages: npm install @opentelemetry/sdk-node @opentelemetry/resources', {
      cause: error,
    });
  }
}
