import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

const STATUSES = {
  400: 'The body or a header cannot be used; the message names it.',
  401: 'The token is missing, unknown, malformed, expired or revoked.',
  402: 'A budget has no room for the request.',
  403: 'A policy refuses the request, an approval is missing (`approval_required`), or the token lacks a scope.',
  404: 'There is no such provider in your organization, or no such path.',
  413: 'The body is larger than 10 MiB.',
  415: 'The content type is not one that the provider reads.',
  429: 'Too many requests, here or at the provider.',
  502: 'The provider cannot be reached, or has answered with what cannot be read.',
  503: 'This service cannot decide at present.',
  504: 'The provider has not answered in time.',
} as const;

const EXAMPLE = {
  error: {
    message: 'The budget "Sales" has no room for this request.',
    type: 'insufficient_quota',
    param: null,
    code: 'budget_exceeded',
  },
};

const SCHEMA = {
  type: 'object',
  description: 'The error object of the provider’s API: OpenAI’s, or Anthropic’s, which also has `type`.',
  required: ['error'],
  additionalProperties: true,
  properties: {
    error: {
      type: 'object',
      required: ['type', 'message'],
      additionalProperties: true,
      properties: { type: { type: 'string' }, message: { type: 'string' } },
    },
  },
};

/**
 * Documents refusals in the provider's error format. Place it above the decorators that document this package's format.
 */
export function RefusesAsProvider(): MethodDecorator {
  return applyDecorators(
    ...Object.entries(STATUSES).map(([status, description]) =>
      ApiResponse({
        status: Number(status),
        description,
        content: { 'application/json': { schema: SCHEMA, example: EXAMPLE } },
      }),
    ),
  );
}
