import { applyDecorators, SetMetadata, UseInterceptors, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '#core';
import { LONG_CSV_ROWS, LONG_CSVS_MAX } from './long-csvs.js';
import { headerOf, PAGE_ITEM, PageCsvInterceptor } from './page-csv.interceptor.js';
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

/** Documents a paged list (interface specification, section 2.5), and adds CSV responses. */
export function ApiPage(item: Type<unknown>): MethodDecorator {
  return applyDecorators(
    SetMetadata(PAGE_ITEM, item),
    UseInterceptors(PageCsvInterceptor),
    ApiExtraModels(item),
    ApiOkResponse({
      description:
        'One page. With `Accept: text/csv`, the whole list as a table; `cursor` and `limit` do not apply to it. ' +
        `At most ${LONG_CSVS_MAX} files of more than ${LONG_CSV_ROWS.toLocaleString('en')} rows are sent at a time.`,
      content: {
        'application/json': { schema: pageSchema(item) },
        'text/csv': { schema: { type: 'string' }, example: headerOf(item) },
      },
    }),
  );
}

type PageSchema = NonNullable<Extract<Parameters<typeof ApiOkResponse>[0], { schema: unknown }>['schema']>;

function pageSchema(item: Type<unknown>): PageSchema {
  return {
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
  };
}
