import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { readInput, type HttpRequest } from '#access';

/** A query or body without fields. Each field sent is reported as an error. */
export class NothingDto {}

/** An optional empty body, for a route without input. Unlike `@Body()`, the API reference does not show it. */
export const NoBody = createParamDecorator((_: unknown, context: ExecutionContext): NothingDto => {
  return readInput(NothingDto, context.switchToHttp().getRequest<HttpRequest>().body ?? {}, 'body');
});
