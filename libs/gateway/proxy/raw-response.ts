import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { HttpResponse } from '#access';

/** The part of Fastify's reply that this file uses. */
interface Reply {
  readonly raw: ServerResponse;
  hijack(): unknown;
  getHeaders(): OutgoingHttpHeaders;
}

/** Node's own response inside a response of Express or Fastify. */
export function rawResponseOf(response: HttpResponse): ServerResponse {
  return isReply(response) ? response.raw : nodeResponse(response);
}

/** Declares to Fastify that this code writes the response. Keeps the headers that were set on Fastify's reply. */
export function takeOver(response: HttpResponse): void {
  if (!isReply(response)) return;
  response.hijack();
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value !== undefined) response.raw.setHeader(name, value);
  }
}

function isReply(response: unknown): response is Reply {
  return typeof response === 'object' && response !== null && 'hijack' in response && 'raw' in response;
}

function nodeResponse(response: HttpResponse): ServerResponse {
  if ('setHeader' in response) return response;
  throw new TypeError('The gateway runs on Express and Fastify only.');
}
