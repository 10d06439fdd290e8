import {
  applyDecorators,
  Controller,
  createParamDecorator,
  Injectable,
  Param,
  SetMetadata,
  UseFilters,
  UseGuards,
  UsePipes,
  VERSION_NEUTRAL,
  type ExecutionContext,
  type PipeTransform,
} from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiExtension,
  ApiExtraModels,
  ApiParam,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type ErrorCode, type FieldError, isUuid, NotFoundError } from '#core';
import type { Actor } from '../principals/principal.js';
import type { Scope } from '../principals/scopes.js';
import { AccessGuard } from './access.guard.js';
import { actorOf } from './actor.js';
import { BodyGuard } from './body.guard.js';
import { ErrorBodyDto } from './error-body.dto.js';
import { ErrorFilter } from './error.filter.js';
import { GOVERNANCE_ROUTE } from './governance-route.js';
import type { HttpRequest } from '../request/http-request.js';
import { InputPipe } from './input.pipe.js';
import {
  CONDITIONAL_SCOPES_EXTENSION,
  FURTHER_SCOPES,
  FURTHER_SCOPES_EXTENSION,
  lackOf,
  OPEN_ROUTE,
  REQUIRED_SCOPES,
  SCOPES_EXTENSION,
  UNLIMITED,
  type ConditionalScopes,
} from './route-metadata.js';
import { visitorOf, type Visitor } from './visitor.js';

/**
 * A controller with this library's guards, pipe and error filter. They apply to this controller only, not to the whole
 * application of the host.
 */
export function GovernanceController(path: string, tag: string): ClassDecorator {
  return applyDecorators(
    // The paths contain the version, so the host's versioning must not apply.
    Controller({ path, version: VERSION_NEUTRAL }),
    SetMetadata(GOVERNANCE_ROUTE, true),
    UseFilters(ErrorFilter),
    // The body is read only after the access check.
    UseGuards(AccessGuard, BodyGuard),
    UsePipes(InputPipe),
    ApiTags(tag),
  );
}

type ResponseHeaders = NonNullable<Parameters<typeof ApiResponse>[0]['headers']>;

/** Documents the header of answers with a secret. */
export const NO_STORE = {
  'Cache-Control': { description: 'Always `no-store`.', schema: { type: 'string' } },
} as const satisfies ResponseHeaders;

const AUTHENTICATE: ResponseHeaders = {
  'WWW-Authenticate': { description: 'Always `Bearer`.', schema: { type: 'string' } },
};
const WAIT: ResponseHeaders = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
};
const LIMITED: ResponseHeaders = {
  ...WAIT,
  RateLimit: { description: 'Requests left and seconds until the window ends.', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'Requests per window and its seconds.', schema: { type: 'string' } },
};

const TOO_MANY_FAILURES = 'Too many sign-ins from this address have failed.';
const FAILURES_EXAMPLE =
  'More than 300 sign-ins from your address have failed in a minute; check the access token and wait 1 second.';

const ERRORS = {
  400: 'A field is missing or a value is invalid; `details` names it.',
  401: 'The enrollment token or key proof is unknown, already used, invalid or expired.',
  403: 'Requests from this address or page are not allowed.',
  404: 'There is no such resource in your organization.',
  409: 'The current state does not allow this change.',
  413: 'The body is larger than this endpoint accepts.',
  415: 'The content type is not one that this endpoint reads.',
} as const;

type RefusalStatus = keyof typeof ERRORS;

/** Documents additional error responses of a route. Each is a status, or a status with an example of the message. */
export function Refuses(...refusals: (RefusalStatus | readonly [RefusalStatus, string])[]): MethodDecorator {
  return applyDecorators(
    ...refusals.map(refusal => {
      const [status, message] = typeof refusal === 'number' ? [refusal] : refusal;
      return errorResponse(status, ERRORS[status], { message, ...(status === 401 ? { headers: AUTHENTICATE } : {}) });
    }),
  );
}

/**
 * Requires one of these scopes. `unlimited` exempts the route from the request limit of management endpoints; use it
 * for the request path of gateways.
 */
export function Requires(scopes: Scope | readonly Scope[], options: { unlimited?: boolean } = {}): MethodDecorator {
  const needed = typeof scopes === 'string' ? [scopes] : [...scopes];
  const decorators = [
    SetMetadata(REQUIRED_SCOPES, needed),
    ApiExtension(SCOPES_EXTENSION, needed),
    SetMetadata(UNLIMITED, options.unlimited === true),
    ApiBearerAuth(),
    ApiExtraModels(ErrorBodyDto),
    errorResponse(401, 'The credential is missing, unknown, malformed, expired or revoked.', { headers: AUTHENTICATE }),
    errorResponse(403, 'The credential lacks the scope for this.', { message: lackOf(needed) }),
    errorResponse(503, 'The database cannot be reached for now.'),
  ];
  decorators.push(
    options.unlimited
      ? errorResponse(429, TOO_MANY_FAILURES, { message: FAILURES_EXAMPLE, headers: WAIT })
      : errorResponse(429, `Too many requests with this credential, or: ${TOO_MANY_FAILURES}`, { headers: LIMITED }),
  );
  return applyDecorators(...decorators);
}

/** Requires these scopes in addition to {@link Requires}, because the response contains data that they protect. */
export function AlsoNeeds(...scopes: readonly Scope[]): MethodDecorator {
  return applyDecorators(SetMetadata(FURTHER_SCOPES, scopes), ApiExtension(FURTHER_SCOPES_EXTENSION, scopes));
}

/** Documents scopes that only some requests need, in addition to {@link Requires}. The service checks them. */
export function SometimesNeeds(...conditions: readonly ConditionalScopes[]): MethodDecorator {
  return ApiExtension(CONDITIONAL_SCOPES_EXTENSION, conditions);
}

/**
 * A route without a bearer credential. The handler checks a credential in the path or body. Requests are limited per
 * client address. There is no actor: inject {@link CurrentVisitor} instead.
 */
export function Open(): MethodDecorator {
  return applyDecorators(
    SetMetadata(OPEN_ROUTE, true),
    ApiExtraModels(ErrorBodyDto),
    errorResponse(429, 'Too many requests from this address.', { headers: LIMITED }),
    errorResponse(503, 'The database cannot be reached for now.'),
  );
}

/** Example of each error answer. */
const EXAMPLES: Record<number, { error: ErrorCode; message: string; details?: FieldError[] }> = {
  400: {
    error: 'bad_request',
    message: 'name: is required',
    details: [{ field: 'name', message: 'is required' }],
  },
  401: {
    error: 'unauthorized',
    message: 'The access token is missing, invalid or expired; send Authorization: Bearer <token>.',
  },
  403: { error: 'forbidden', message: lackOf(['policies:write']) },
  404: { error: 'not_found', message: 'There is no such resource.' },
  409: { error: 'conflict', message: 'The present state does not allow this change.' },
  413: { error: 'payload_too_large', message: 'The body may be at most 1 MiB; split it.' },
  415: { error: 'unsupported_media_type', message: 'Send content-type: application/json.' },
  429: { error: 'rate_limited', message: 'More than 600 requests in 60 seconds; wait 12 seconds.' },
  503: { error: 'unavailable', message: 'The database cannot be reached; try again shortly.' },
};

function errorResponse(
  status: number,
  description: string,
  { message, headers = {} }: { message?: string | undefined; headers?: ResponseHeaders } = {},
) {
  const example = EXAMPLES[status];
  return ApiResponse({
    status,
    description,
    headers: { 'X-Request-Id': { description: 'Id of this request.', schema: { type: 'string' } }, ...headers },
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(ErrorBodyDto) },
        example: {
          ...example,
          ...(message === undefined ? {} : { message }),
          request_id: '0f0b7f0e-9a3b-4c59-9b25-6a3b9f2f6f9e',
        },
      },
    },
  });
}

@Injectable()
class ResourceIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    // A malformed id gets 404, like an unknown one.
    if (!isUuid(value)) throw new NotFoundError('There is no such resource.');
    return value.toLowerCase();
  }
}

/** The UUID in the path. Other values get 404. */
export function ResourceId(name = 'id'): ParameterDecorator {
  const read = Param(name, ResourceIdPipe);
  const document = ApiParam({
    name,
    description: 'Id of the resource, a UUID. Other values get 404.',
    schema: { type: 'string', format: 'uuid', example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33' },
  });
  return (target, method, index) => {
    read(target, method, index);
    const descriptor = method === undefined ? undefined : Object.getOwnPropertyDescriptor(target, method);
    if (method !== undefined && descriptor) document(target, method, descriptor);
  };
}

/** The actor that the guard accepted, with its client address. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  return actorOf(context.switchToHttp().getRequest<HttpRequest>());
});

/** The origin of a request to a route that is declared with {@link Open}. */
export const CurrentVisitor = createParamDecorator((_: unknown, context: ExecutionContext): Visitor => {
  return visitorOf(context.switchToHttp().getRequest<HttpRequest>());
});
