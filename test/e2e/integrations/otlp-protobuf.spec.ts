import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { PbfWriter } from 'pbf';
import { decodeRequest } from '../../../libs/integrations/otlp/otlp-protobuf.js';
import { startTestApp, type Call, type TestApp } from '../../support/test-app.js';

const TRACES = '/v1/integrations/otlp/v1/traces';
const START_S = Date.parse('2026-11-20T11:30:00Z') / 1_000;
const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const MIB = 1024 * 1024;

/** A request in protobuf, written by OpenTelemetry's own exporter. */
function encoded(user: string, spanId = 'b'.repeat(16)): Uint8Array {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.response.model': 'gpt-4o',
    'gen_ai.usage.input_tokens': 1_250,
    'gen_ai.usage.output_tokens': 310,
    'user.email': user,
    temperature: 0.5,
    tools: ['a', 'b'],
  };
  const scope = { name: 'openai', version: '1.0' };
  const span = {
    ...{ name: 'chat gpt-4o', kind: 2, attributes, resource: { attributes: { 'service.name': 'chat' } } },
    spanContext: () => ({ traceId: 'a'.repeat(32), spanId, traceFlags: 1 }),
    ...{ startTime: [START_S, 0], endTime: [START_S + 2, 5_000], duration: [2, 5_000], ended: true },
    ...{ status: { code: 0 }, links: [], events: [], instrumentationScope: scope },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
  // The fields of a span that the serializer reads, without the rest of the SDK.
  const bytes = ProtobufTraceSerializer.serializeRequest([span] as unknown as Parameters<
    typeof ProtobufTraceSerializer.serializeRequest
  >[0]);
  if (!bytes) throw new Error('The serializer wrote nothing.');
  return bytes;
}

describe('OTLP in protobuf', () => {
  let app: TestApp;
  let call: Call;
  let url: string;
  let token: string;

  beforeAll(async () => {
    app = await startTestApp();
    app.clock.set(new Date('2026-11-20T12:00:00Z'));
    url = app.url + TRACES;
  });
  afterAll(() => app?.close());
  beforeEach(async () => {
    ({ call, token } = await app.addOrganization());
    await call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' });
  });

  const send = (body: Uint8Array, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, { method: 'POST', body, headers: { ...PROTOBUF, authorization: `Bearer ${token}`, ...headers } });

  it.each([
    ['plain', (bytes: Uint8Array) => bytes, {}],
    ['compressed', (bytes: Uint8Array) => gzipSync(bytes), { 'content-encoding': 'gzip' }],
  ])('becomes usage if it is %s, and is answered in protobuf', async (_, pack, headers) => {
    const answer = await send(pack(encoded('ada@example.com')), headers);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-protobuf']);
    const response = ProtobufTraceSerializer.deserializeResponse(new Uint8Array(await answer.arrayBuffer()));
    expect(response.partialSuccess).toBeFalsy();
    const stored = await call('GET', `/v1/usage/events/otlp:${'a'.repeat(32)}:${'b'.repeat(16)}`);
    expect(stored.body).toMatchObject({
      ...{ provider: 'openai', model: 'gpt-4o', input_tokens: 1_250, output_tokens: 310 },
      ...{ occurred_at: '2026-11-20T11:30:00.000Z', metadata: { service: 'chat' } },
    });
  });

  it('names the rejected parts in its partial success', async () => {
    const answer = await send(encoded('nobody@example.com'));
    const response = ProtobufTraceSerializer.deserializeResponse(new Uint8Array(await answer.arrayBuffer()));
    expect(response.partialSuccess?.errorMessage).toMatch(/^span 0: user_email names no user/);
    expect(Number(response.partialSuccess?.rejectedSpans)).toBe(1);
  });

  it('may be compressed JSON', async () => {
    const json = gzipSync(JSON.stringify({ resourceSpans: [] }));
    const answer = await send(json, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
  });

  it('is refused if it is not protobuf, not gzip, in another encoding, or too large when decompressed', async () => {
    const whole = encoded('ada@example.com');
    expect((await send(whole.subarray(0, whole.length - 3))).status).toBe(400);
    expect((await send(new Uint8Array([1, 2, 3]))).status).toBe(400);
    expect((await send(whole, { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await send(whole, { 'content-encoding': 'br' })).status).toBe(415);
    expect((await send(gzipSync(Buffer.alloc(11 * MIB)), { 'content-encoding': 'gzip' })).status).toBe(413);
    expect((await send(Buffer.from('{}'), { 'content-type': 'application/grpc' })).status).toBe(415);
    expect((await call('GET', '/v1/usage')).body.items).toEqual([]);
  });

  it('may be compressed only on this route', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await fetch(`${app.url}/v1/policies`, {
      ...{ method: 'POST', body: gzipSync('{}'), headers: { ...headers, authorization: `Bearer ${token}` } },
    });
    expect(answer.status).toBe(415);
  });
});

describe('the decoder of OTLP', () => {
  it('refuses every truncated request, and terminates on any bytes', () => {
    const whole = encoded('ada@example.com');
    for (let length = 1; length < whole.length; length++) {
      expect(() => decodeRequest('traces', whole.subarray(0, length))).toThrow('not valid protobuf');
    }
    let state = 7;
    for (let round = 0; round < 20_000; round++) {
      const bytes = Uint8Array.from(whole);
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      bytes[state % bytes.length] = (state >> 8) % 256;
      try {
        decodeRequest('traces', bytes);
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringContaining('not valid protobuf') });
      }
    }
  });

  it('reads log records and data points by their field numbers', () => {
    const attribute = (writer: PbfWriter, tag: number, key: string, value: number): void =>
      writer.writeMessage(
        tag,
        (_, pair) => {
          pair.writeStringField(1, key);
          pair.writeMessage(2, (__, any) => any.writeVarintField(3, value), undefined);
        },
        undefined,
      );
    const request = (write: (item: PbfWriter) => void): Uint8Array => {
      const writer = new PbfWriter();
      const nested = (outer: PbfWriter, tags: readonly number[]): void => {
        const [tag = 0, ...rest] = tags;
        outer.writeMessage(tag, (_, inner) => (rest.length > 0 ? nested(inner, rest) : write(inner)), undefined);
      };
      nested(writer, [1, 2, 2]);
      return writer.finish();
    };
    const log = request(record => {
      record.writeFixed64Field(1, 1_795_165_143_000);
      record.writeMessage(5, (_, any) => any.writeStringField(1, 'claude_code.api_request'), undefined);
      attribute(record, 6, 'output_tokens', 310);
    });
    expect(decodeRequest('logs', log)).toEqual({
      resourceLogs: [
        {
          scopeLogs: [
            {
              logRecords: [
                {
                  timeUnixNano: 1_795_165_143_000,
                  body: { stringValue: 'claude_code.api_request' },
                  attributes: [{ key: 'output_tokens', value: { intValue: 310 } }],
                },
              ],
            },
          ],
        },
      ],
    });
    const metric = request(item => {
      item.writeStringField(1, 'claude_code.token.usage');
      item.writeMessage(
        7,
        (_, sum) => {
          sum.writeMessage(1, (__, point) => point.writeSFixed64Field(6, 42), undefined);
          sum.writeVarintField(2, 1);
        },
        undefined,
      );
    });
    expect(JSON.stringify(decodeRequest('metrics', metric))).toContain(
      '{"name":"claude_code.token.usage","sum":{"dataPoints":[{"asInt":42}],"aggregationTemporality":1}}',
    );
  });
});
