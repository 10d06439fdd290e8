import { Catch } from '@nestjs/common';
import { ErrorFilter, type ErrorAnswer, type HttpRequest } from '#access';
import { refusalAnswer, type WireKind } from '#wire';

/** Sends errors of the gateway in the error format of the provider whose SDK is calling. */
@Catch()
export class GatewayErrorFilter extends ErrorFilter {
  protected override formed({ status, body }: ErrorAnswer, request: HttpRequest): ErrorAnswer {
    const { error, message } = textsOf(body);
    const answer = refusalAnswer(wireSpokenBy(request), { status, code: error, message });
    // SDKs may retry internal errors, because they are temporary, and rate limits, because those contain `Retry-After`.
    // All other errors are final.
    const isFinal = status < 500 && status !== 429;
    const headers: Record<string, string> = isFinal ? { 'x-should-retry': 'false' } : {};
    // `refusalAnswer` above has created this text, so its type is known.
    return { status: answer.status, body: JSON.parse(answer.body) as object, headers };
  }
}

/**
 * The wire format of the caller. It is derived from the request, because errors may occur before the provider is known.
 */
function wireSpokenBy({ headers, url = '' }: HttpRequest): WireKind {
  const isAnthropic = headers['anthropic-version'] !== undefined || /\/v1\/messages(?:[/?]|$)/.test(url);
  return isAnthropic ? 'anthropic' : 'openai';
}

function textsOf(body: object): { error: string; message: string } {
  return {
    error: 'error' in body ? String(body.error) : 'internal',
    message: 'message' in body ? String(body.message) : 'The request was refused.',
  };
}
