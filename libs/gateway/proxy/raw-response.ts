import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { HttpResponse } from '#access';

/** The part of Fastify's reply that is used here. */
interface Reply {
  readonly raw: ServerResponse;
  hijack(): unknown;
  getHeaders(): OutgoingHttpHeaders;
}

/** Node's own response under a response of Express or Fastify. */
export function rawResponseOf(response: HttpResponse): ServerResponse {
  return isReply(response) ? response.raw : nodeResponse(response);
}

/** Tells Fastify that this code writes the answer, and keeps the headers that were set on its reply. */
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
