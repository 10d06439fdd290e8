import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { HttpRequest } from '../request/http-request.js';

/**
 * Accepts an access token in the header `x-api-key` as a bearer credential. Anthropic's SDK and LiteLLM send the token
 * in this header.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<HttpRequest>();
    const key = headers['x-api-key'];
    if (headers.authorization === undefined && typeof key === 'string') headers.authorization = `Bearer ${key}`;
    return true;
  }
}
