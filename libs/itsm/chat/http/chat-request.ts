import { TextBody, type HttpRequest } from '#access';
import { UnavailableError } from '#core';
import type { ChatRequest } from '../chat-command-adapter.port.js';

/** A request. The host may have kept the exact bytes of its body. */
export type RawHttpRequest = HttpRequest & { rawBody?: Buffer };

/**
 * The request in the form that chat adapters read.
 * @throws UnavailableError if a body parser of the host has consumed the signed bytes
 */
export function chatRequest(http: RawHttpRequest, body: unknown): ChatRequest {
  return { headers: http.headers, body: rawBodyOf(http, body) };
}

/** The exact bytes that the platform has signed, even if the host has parsed the body. */
function rawBodyOf(http: { rawBody?: Buffer }, body: unknown): Buffer {
  if (http.rawBody) return http.rawBody;
  if (body instanceof TextBody) return Buffer.from(body.text);
  if (body === undefined) return Buffer.alloc(0);
  throw new UnavailableError(
    'A body parser of the host consumed the form, so the signed bytes are gone; register that parser after ' +
      'NestFactory.create.',
  );
}
