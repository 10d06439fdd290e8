import fc from 'fast-check';
import { AnswerReader, readWireRequest, wireRouteOf, type WireRoute } from '#wire';
import { anyJson, fields, mustBeJson, sentence, text } from '../json.js';
import type { FuzzedParser } from '../parser.js';

const ROUTES = [
  ...['chat/completions', 'completions', 'responses', 'embeddings'].map(path =>
    wireRouteOf('openai', 'POST', `/v1/${path}`),
  ),
  wireRouteOf('anthropic', 'POST', '/v1/messages'),
].filter((route): route is WireRoute => route !== undefined);

const STREAMS = [
  'data: {"id":"chatcmpl-1","model":"m","choices":[{"index":0,"delta":{"content":"Hello"}}],"usage":null}\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}\r\n\r\ndata: [DONE]\r\n\r\n',
  'event: response.completed\ndata: {"type":"response.completed","response":{"id":"r","usage":{"output_tokens":3}}}\n\n',
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":3}}}\r\r: ping\n\n',
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
];
const PLAIN = [
  '{"id":"x","choices":[{"message":{"content":"a\\"b","tool_calls":[{"function":{"arguments":"{}"}}]}}],"usage":{}}',
  '{"error":{"message":"no","code":404},"usage":{"input_tokens":1,"output_tokens":-1}}',
];

/** Reads an answer in both formats, in two pieces. */
function readAnswer(answer: string): void {
  const bytes = Buffer.from(answer);
  const half = bytes.length >> 1;
  for (const route of ROUTES) {
    for (const contentType of ['text/event-stream', 'application/json']) {
      const reader = new AnswerReader(route, { status: 200, contentType, hidesUsageChunk: true });
      reader.push(bytes.subarray(0, half));
      reader.push(bytes.subarray(half));
      reader.end();
    }
  }
}

/** Requests to providers, and their answers. */
export const WIRE_PARSERS: FuzzedParser[] = [
  {
    kind: 'json',
    name: 'request to a provider',
    seeds: [
      { model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }], stream: true, n: 2 },
      { model: 'm', input: [[1, 2], 'text'], instructions: 'x', max_output_tokens: 7, tools: [{ name: 'x' }] },
    ],
    grammar: fields({ model: text, messages: anyJson, prompt: anyJson, stream: fc.boolean(), stream_options: anyJson }),
    read: body => ROUTES.forEach(route => mustBeJson(readWireRequest(route, body))),
  },
  {
    kind: 'text',
    name: "provider's answer",
    seeds: [...STREAMS, ...PLAIN, STREAMS.join('')],
    grammar: sentence('data: ', 'event: ', '{', '}', '[', ']', '"', '\\', ',', ':', '\n', '\r', '"usage"', '"choices"'),
    read: readAnswer,
  },
];
