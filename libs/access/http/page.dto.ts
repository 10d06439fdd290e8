import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '#core';
import { IntegerField, TextField } from './field.decorators.js';

/** Query of every list endpoint. */
export class PageQueryDto {
  @TextField({ max: 2048, optional: true, description: 'next_cursor of the previous page; omit for the first.' })
  cursor?: string;

  @IntegerField({ min: 1, max: MAX_PAGE_LIMIT, optional: true, default: DEFAULT_PAGE_LIMIT, description: 'Page size.' })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value,
  )
  limit?: number;
}

/** Documents a page of items (interface specification, section 2.5). */
export function ApiPage(item: Type<unknown>): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(item),
    ApiOkResponse({
      description: 'One page.',
      schema: {
        type: 'object',
        required: ['items', 'next_cursor', 'has_more'],
        properties: {
          items: { type: 'array', items: { $ref: getSchemaPath(item) } },
          next_cursor: {
            type: 'string',
            nullable: true,
            description: 'Opaque; null on the last page.',
            example: null,
          },
          has_more: { type: 'boolean', example: false },
          total_count: { type: 'integer', description: 'Exact up to 10,000, an estimate beyond.', example: 1 },
        },
      },
    }),
  );
}
