import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newDataDir, startStandalone, type StandaloneProcess } from '../support/standalone-process.js';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
}

interface Export {
  resourceSpans: {
    resource: { attributes: Span['attributes'] };
    scopeSpans: { spans: Span[] }[];
  }[];
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const SERVER_KIND = 2;

const dataDir = newDataDir();
const exports: Export[] = [];
let receiver: Server;
let app: StandaloneProcess;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      exports.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  app = await startStandalone({
    GOVERNANCE_DATA_DIR: dataDir,
    GOVERNANCE_METRICS: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
});

afterAll(async () => {
  if (app && !app.hasEnded()) await app.end('SIGKILL');
  receiver?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function valuesOf(attributes: Span['attributes']): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

describe('traces of the app', () => {
  it('continue the trace of the caller down to PostgreSQL, and are all sent before the process ends', async () => {
    const answer = await fetch(`${app.url}/v1/users?department=Secret`, {
      headers: { authorization: `Bearer ${app.token}`, traceparent: `00-${TRACE}-${CALLER}-01` },
    });
    expect(answer.status).toBe(200);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toMatch(/^target_info\{.*service_name="nest-llm-governance"/m);
    expect((await app.end('SIGTERM')).code).toBe(0);

    const all = exports.flatMap(({ resourceSpans }) => resourceSpans);
    expect(valuesOf(all[0]?.resource.attributes ?? [])).toMatchObject({ 'service.name': 'nest-llm-governance' });
    const spans = all.flatMap(({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans));
    const ours = spans.filter(span => span.traceId === TRACE);
    const request = ours.find(span => span.kind === SERVER_KIND);
    expect(request).toMatchObject({ name: 'GET /v1/users', parentSpanId: CALLER });
    expect(valuesOf(request?.attributes ?? [])).toMatchObject({
      'http.route': '/v1/users',
      'http.response.status_code': 200,
      'governance.request_id': answer.headers.get('x-request-id'),
    });
    expect(ours.filter(span => span.parentSpanId === request?.spanId).map(span => span.name)).toContain(
      'governance.snapshot',
    );
    expect(JSON.stringify(exports)).not.toContain('Secret');
  });
});
