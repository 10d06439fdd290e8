import { TextBody, type HttpRequest } from '#access';
import { UnavailableError } from '#core';
import type { ChatRequest } from '../chat-command-adapter.port.js';

/** A request whose bytes the host may have kept. */
export type RawHttpRequest = HttpRequest & { rawBody?: Buffer };

/** The request as chat adapters read it. @throws UnavailableError if a parser of the host consumed the signed bytes */
export function chatRequest(http: RawHttpRequest, body: unknown): ChatRequest {
  return { headers: http.headers, body: rawBodyOf(http, body) };
}

/** Byte for byte what was signed, also where the host has parsed it. */
function rawBodyOf(http: { rawBody?: Buffer }, body: unknown): Buffer {
  if (http.rawBody) return http.rawBody;
  if (body instanceof TextBody) return Buffer.from(body.text);
  if (body === undefined) return Buffer.alloc(0);
  throw new UnavailableError(
    'A body parser of the host consumed the form, so the signed bytes are gone; register that parser after ' +
      'NestFactory.create.',
  );
}
