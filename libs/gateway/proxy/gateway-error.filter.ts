import { Catch } from '@nestjs/common';
import { ErrorFilter, type ErrorAnswer, type HttpRequest } from '#access';
import { refusalAnswer, type WireKind } from '#wire';

/** Answers errors of the gateway in the error object of the provider whose SDK is calling. */
@Catch()
export class GatewayErrorFilter extends ErrorFilter {
  protected override formed({ status, body }: ErrorAnswer, request: HttpRequest): ErrorAnswer {
    const { error, message } = textsOf(body);
    const answer = refusalAnswer(wireSpokenBy(request), { status, code: error, message });
    // Internal errors are temporary, and rate limits send `Retry-After`, so SDKs may retry both.
    const isFinal = status < 500 && status !== 429;
    const headers: Record<string, string> = isFinal ? { 'x-should-retry': 'false' } : {};
    // Created by refusalAnswer above.
    return { status: answer.status, body: JSON.parse(answer.body) as object, headers };
  }
}

/** The wire format of the caller, guessed from the request, because errors may occur before the provider is known. */
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
