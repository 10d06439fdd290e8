import {
  applyDecorators,
  Controller,
  Header,
  SetMetadata,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
  type Type,
} from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiHeader,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { AccessGuard, BodyGuard, GOVERNANCE_ROUTE, ReadsBody, Requires } from '#access';
import type { ScimType } from '../protocol/scim-error.js';
import { ERROR_URN } from '../protocol/urns.js';
import { ScimErrorDto } from './scim.dto.js';
import { SCIM_TYPE, ScimErrorFilter } from './scim-error.filter.js';

/** A controller under `/scim/v2`, with the usual access checks, and error bodies in SCIM's format. */
export function ScimController(path?: string): ClassDecorator {
  return applyDecorators(
    // The version is part of our paths, so the versioning of a host must not apply.
    Controller({ path: path === undefined ? 'scim/v2' : `scim/v2/${path}`, version: VERSION_NEUTRAL }),
    SetMetadata(GOVERNANCE_ROUTE, true),
    UseFilters(ScimErrorFilter),
    UseGuards(AccessGuard, BodyGuard),
    ApiTags('SCIM'),
  );
}

type Refusal = [description: string, detail: string, scimType?: ScimType];

const REFUSALS: Record<number, Refusal> = {
  400: ['The request is invalid; `scimType` names the fault.', 'The filter lacks ) at character 12.', 'invalidFilter'],
  401: [
    'The credential is missing or invalid.',
    'The access token is missing, invalid or expired; send Authorization: Bearer <token>.',
  ],
  403: ['The credential lacks the required scope.', 'This needs the scope scim:write.'],
  404: ['There is no such resource.', 'There is no user with this id in your organization.'],
  409: [
    'The name or address belongs to another resource.',
    'userName belongs to another user of your organization (case makes no difference).',
    'uniqueness',
  ],
  412: [
    'The resource has changed since the version in If-Match.',
    'The resource has changed since the version in If-Match; read it again.',
  ],
  413: ['The body is too large.', 'The body may be at most 1 MiB; split it.'],
  415: ['The content type is not SCIM.', `Send content-type: application/json or ${SCIM_TYPE}.`],
  429: ['Too many requests with this credential.', 'More than 600 requests in 60 seconds; wait 12 seconds.'],
  503: ['The database cannot be reached at present.', 'The database cannot be reached; try again shortly.'],
};

const EVERYWHERE = [401, 403, 429, 503] as const;

/** A SCIM route: declares its scope, its media type, and its additional error responses. */
export function ScimRoute(...refusals: (400 | 404 | 409 | 412)[]): MethodDecorator {
  return applyDecorators(
    Header('Content-Type', SCIM_TYPE),
    Requires('scim:write'),
    ApiExtraModels(ScimErrorDto),
    // Must be applied after `Requires`, which describes the same errors as JSON. The later description replaces the
    // earlier one.
    ...[...EVERYWHERE, ...refusals].map(refusal),
  );
}

function refusal(status: number): MethodDecorator {
  const [description, detail, scimType] = REFUSALS[status] ?? ['', ''];
  const example = { schemas: [ERROR_URN], status: String(status), ...(scimType ? { scimType } : {}), detail };
  return ApiResponse({
    status,
    description,
    content: { [SCIM_TYPE]: { schema: { $ref: getSchemaPath(ScimErrorDto) }, example } },
  });
}

/** A SCIM body, with SCIM's content type or that of plain JSON. */
export function ScimBody(type: Type<unknown>): MethodDecorator {
  return applyDecorators(
    ReadsBody({ jsonTypes: [SCIM_TYPE] }),
    ApiConsumes(SCIM_TYPE, 'application/json'),
    ApiBody({ type }),
    ...[413, 415].map(refusal),
  );
}

/** A successful response with a resource. */
export function ScimAnswer(status: number, type: Type<unknown>, description: string): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(type),
    ApiResponse({ status, description, content: { [SCIM_TYPE]: { schema: { $ref: getSchemaPath(type) } } } }),
  );
}

const TEXT = { type: 'string' } as const;
const NUMBER = { type: 'integer' } as const;

const QUERIES = {
  filter: [TEXT, 'A filter of RFC 7644, such as `userName eq "ada@example.com"`.'],
  startIndex: [NUMBER, 'Position of the first result, starting at 1. Default: 1.'],
  count: [NUMBER, 'Results per page. Default: 100, at most 200.'],
  attributes: [TEXT, 'Only these attributes, separated by commas.'],
  excludedAttributes: [TEXT, 'All attributes except these.'],
} as const;

function queries(...names: (keyof typeof QUERIES)[]): MethodDecorator {
  return applyDecorators(
    ...names.map(name => {
      const [schema, description] = QUERIES[name];
      return ApiQuery({ name, required: false, schema, description });
    }),
  );
}

/** Query parameters that select the attributes of a response. */
export function ScimProjection(): MethodDecorator {
  return queries('attributes', 'excludedAttributes');
}

/** Query parameters of lists. */
export function ScimQuery(): MethodDecorator {
  return applyDecorators(queries('filter', 'startIndex', 'count'), ScimProjection());
}

/** The id in the path, and the request headers for versions. */
export function ScimId({ ifMatch = false, ifNoneMatch = false } = {}): MethodDecorator {
  const versions = [
    ...(ifMatch ? [['if-match', 'Applies the change only to this version; otherwise 412.'] as const] : []),
    ...(ifNoneMatch ? [['if-none-match', 'Answers 304 if the resource still has this version.'] as const] : []),
  ];
  return applyDecorators(
    ApiParam({
      name: 'id',
      description: 'Id that this server assigned.',
      schema: { type: 'string', format: 'uuid', example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33' },
    }),
    ...versions.map(([name, description]) => ApiHeader({ name, required: false, description, schema: TEXT })),
  );
}
