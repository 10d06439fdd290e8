import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  Inject,
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { from, lastValueFrom, Observable } from 'rxjs';
import { hostException, type HttpRequest } from '#access';
import { BadRequestError, isUuid } from '#core';
import { usageOfAnswer } from '../answer-usage.js';
import type { CallRequest, OpenCall } from '../call.js';
import { CALLS_OPTIONS, type CallsOptions } from '../calls.options.js';
import { GovernedCalls } from '../governed-calls.js';
import { meterStream, type MeterOptions } from '../metered-stream.js';
import type { GovernedRoute, OfRequest } from './governed-route.js';
import { observed } from './observed.js';
import { rememberDecision } from './governed-request.js';

/** Metadata key of governed routes. */
export const GOVERNED_ROUTE = Symbol('governance.governed-route');

/** Key with which Nest marks handlers of server-sent events. */
const SSE = '__sse__';

interface GovernedExchange {
  readonly route: GovernedRoute;
  readonly call: OpenCall;
  readonly signal: AbortSignal;
}

/** Governs the handlers that `@Governed` marks. */
@Injectable()
export class GovernedInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly calls: GovernedCalls,
    @Inject(CALLS_OPTIONS) private readonly options: CallsOptions,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    const route = this.reflector.getAllAndOverride<GovernedRoute>(GOVERNED_ROUTE, [
      context.getHandler(),
      context.getClass(),
    ]);
    const call = await this.open(route, request);
    rememberDecision(request, call.decision);
    const exchange = { route, call, signal: signalOf(http.getResponse<ServerResponse & { raw?: ServerResponse }>()) };
    if (Reflect.getMetadata(SSE, context.getHandler()) === true)
      return from(metered(exchange, observed(next.handle())));
    let result: unknown;
    try {
      result = await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      await call.release();
      throw error;
    }
    return from([await this.pass(exchange, result, request)]);
  }

  private async open(route: GovernedRoute, request: HttpRequest): Promise<OpenCall> {
    try {
      const orgId = route.org?.(request) ?? this.options.organizationId;
      if (!isUuid(orgId)) {
        throw new Error('@Governed: give `org`, or the option `calls.organizationId`: the UUID of the organization.');
      }
      const { onUnavailable } = route;
      return await this.calls.open(orgId, callOf(route, request), onUnavailable ? { onUnavailable } : {});
    } catch (error) {
      throw hostException(error, request);
    }
  }

  private async pass(exchange: GovernedExchange, result: unknown, request: HttpRequest): Promise<unknown> {
    if (result instanceof StreamableFile) {
      return new StreamableFile(
        Readable.from(metered(exchange, result.getStream()), { objectMode: false }),
        result.options,
      );
    }
    if (result instanceof Readable) return Readable.from(metered(exchange, result));
    if (isIterable(result)) return metered(exchange, result);
    const { call, route } = exchange;
    try {
      await this.calls.settleBy(call, () => (route.usageOf ?? usageOfAnswer)(result));
    } catch (error) {
      throw hostException(error, request);
    }
    return result;
  }
}

function callOf({ provider, model, user, more }: GovernedRoute, request: HttpRequest): CallRequest {
  const name: unknown = user(request);
  if (typeof name !== 'string' || name === '') {
    throw BadRequestError.field('user', 'is not known of this request; sign in');
  }
  return {
    ...more?.(request),
    ...(isUuid(name) ? { user_id: name } : { user_email: name }),
    provider: valueOf(provider, request),
    model: valueOf(model, request),
  };
}

function valueOf(given: string | OfRequest<string>, request: HttpRequest): string {
  return typeof given === 'string' ? given : given(request);
}

function metered<Chunk>(
  { route, call, signal }: GovernedExchange,
  chunks: AsyncIterable<Chunk>,
): AsyncIterableIterator<Chunk> {
  const { usageOf, textOf, onAbort } = route;
  return meterStream(call, chunks, { usageOf, textOf, onAbort, signal } satisfies MeterOptions<unknown>);
}

/** A signal that aborts if the client disconnects before the end of the response. */
function signalOf(response: ServerResponse & { raw?: ServerResponse }): AbortSignal {
  const aborting = new AbortController();
  const raw = response.raw ?? response;
  raw.once('close', () => {
    if (!raw.writableFinished) aborting.abort(new Error('The client left before the answer had ended.'));
  });
  return aborting.signal;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
