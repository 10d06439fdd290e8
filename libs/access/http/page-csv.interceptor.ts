import { Readable } from 'node:stream';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { MAX_PAGE_LIMIT, type Page } from '#core';
import { acceptsCsv, CsvTable, type CsvValue } from '../csv/index.js';
import { routeOf, varyBy, type HttpRequest, type HttpResponse } from '../request/http-request.js';
import { AnswerWriter, streamedAnswer } from './answer-writer.js';

/** Metadata key of the class of a list's items. */
export const PAGE_ITEM = Symbol('governance.page-item');

/** Most rows of a list as CSV. */
export const PAGE_CSV_ROWS_MAX = 100_000;

type ReadPage = () => Promise<Page<object>>;

/** Answers a list as CSV where the request prefers it: reads page after page with the same filters and order. */
@Injectable()
export class PageCsvInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly answers: AnswerWriter,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest & { query?: object }>();
    const response = http.getResponse<HttpResponse>();
    varyBy(response, 'Accept');
    if (!acceptsCsv(request.headers.accept)) return next.handle();
    const table = tableOf(this.reflector.get<Type<unknown>>(PAGE_ITEM, context.getHandler()));
    const query = request.query ?? {};
    Object.assign(query, { cursor: undefined, limit: MAX_PAGE_LIMIT });
    // Each subscription runs the handler again, with the query as it is then.
    const read: ReadPage = () => lastValueFrom<Page<object>>(next.handle());
    // The first page is read before the response starts, so that an early failure becomes an error response.
    const first = await read();
    const lines = linesOf(table, first, cursor => {
      Object.assign(query, { cursor });
      return read();
    });
    const file = streamedAnswer(Readable.from(lines, { objectMode: false }), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: `attachment; filename="${nameOf(request)}.csv"`,
    });
    insteadOfBody(response, () => this.answers.write(response, file));
    return of(undefined);
  }
}

async function* linesOf(
  table: CsvTable<object>,
  first: Page<object>,
  readAfter: (cursor: string) => Promise<Page<object>>,
): AsyncGenerator<string> {
  yield table.header() + table.rows(first.items);
  let page = first;
  let rows = first.items.length;
  while (page.next_cursor !== null && rows < PAGE_CSV_ROWS_MAX) {
    page = await readAfter(page.next_cursor);
    rows += page.items.length;
    if (page.items.length > 0) yield table.rows(page.items);
  }
}

/**
 * Lets `write` answer when Nest would send the handler's result. The interceptors of the host, which run in between,
 * cannot put the stream into an object. An error is sent as it is.
 */
function insteadOfBody(response: HttpResponse, write: () => void): void {
  for (const name of ['send', 'json'] as const) {
    const original: unknown = Reflect.get(response, name);
    if (typeof original !== 'function') continue;
    Reflect.set(response, name, (body: unknown): unknown => {
      Reflect.deleteProperty(response, 'send');
      Reflect.deleteProperty(response, 'json');
      if (Number(Reflect.get(response, 'statusCode')) >= 400) return Reflect.apply(original, response, [body]);
      write();
      return response;
    });
  }
}

/** The line of column names of a list as CSV. */
export function headerOf(item: Type<unknown>): string {
  return tableOf(item).header();
}

/** One column for each documented field, in its order. */
function tableOf(item: Type<unknown>): CsvTable<object> {
  // Swagger notes the documented properties as `:name`.
  const noted = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, item.prototype) as string[];
  const fields = noted.map(name => name.slice(1));
  return new CsvTable(fields.map(field => ({ header: field, value: row => cellOf(Reflect.get(row, field)) })));
}

function cellOf(value: unknown): CsvValue {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'number') return value;
  // As in the JSON form, but an instant without quotes.
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}

/** The last part of the path that is no parameter, such as `policies`. */
function nameOf(request: HttpRequest): string {
  const parts = (routeOf(request) ?? '').split('/').filter(part => /^[a-z-]+$/.test(part));
  return parts.at(-1) ?? 'list';
}
