import {
  HttpException,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { APIError as OpenAiError } from 'openai';
import { catchError, type Observable } from 'rxjs';

/** Converts refusals of governance to answers with their status and reason. All other errors are answered as before. */
@Injectable()
export class RefusalInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError((error: unknown) => {
        throw refusalOf(error) ?? error;
      }),
    );
  }
}

function refusalOf(error: unknown): HttpException | undefined {
  if (!(error instanceof OpenAiError || error instanceof AnthropicError)) return undefined;
  // Only refusals of governance have this header. Errors of the provider, such as a wrong key, lack it and do not
  // concern the person.
  if (!error.headers?.has('x-governance-decision-id')) return undefined;
  // OpenAI's SDK puts the status before the message. Anthropic's SDK puts the whole body into the message.
  const reason = 'apiMessage' in error ? error.apiMessage : error.message.replace(/^\d+ /, '');
  return new HttpException(reason ?? '', error.status ?? 500);
}
