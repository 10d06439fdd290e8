import { Readable } from 'node:stream';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { MAX_PAGE_LIMIT, type Page } from '#core';
import { acceptsCsv, CsvTable, type CsvValue } from '../csv/index.js';
import { routeOf, varyBy, type HttpRequest, type HttpResponse } from '../request/http-request.js';
import { actorOf } from './actor.js';
import { AnswerWriter, streamedAnswer } from './answer-writer.js';
import { LONG_CSV_ROWS, LongCsvs } from './long-csvs.js';

/** Metadata key of the class of a list's items. */
export const PAGE_ITEM = Symbol('governance.page-item');

type ReadPage = () => Promise<Page<object>>;

/**
 * Responds with a list as CSV if the request prefers CSV. Reads page after page with the same filters and order, to the
 * end of the list. If a page fails, the connection is broken, so that the client does not take the partial list for a
 * complete one.
 */
@Injectable()
export class PageCsvInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly answers: AnswerWriter,
    private readonly long: LongCsvs,
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
    // Each subscription runs the handler again with the current query.
    const read: ReadPage = () => lastValueFrom<Page<object>>(next.handle());
    // Reads the first page before the response starts. An error in this page can then still become an error response.
    const first = await read();
    const lines = linesOf(table, first, cursor => {
      Object.assign(query, { cursor });
      return read();
    });
    const content = Readable.from(lines, { objectMode: false });
    if ((first.total_count ?? 0) > LONG_CSV_ROWS) this.long.add(actorOf(request).orgId, content);
    const file = streamedAnswer(content, {
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
  while (page.next_cursor !== null) {
    page = await readAfter(page.next_cursor);
    if (page.items.length > 0) yield table.rows(page.items);
  }
}

/**
 * Lets `write` send the response instead of Nest. Otherwise interceptors of the host could wrap the stream into an
 * object. Errors are passed on.
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

/** The CSV header of a list. */
export function headerOf(item: Type<unknown>): string {
  return tableOf(item).header();
}

/** One column for each documented field, in declaration order. */
function tableOf(item: Type<unknown>): CsvTable<object> {
  // Swagger stores the names of documented properties as `:name`.
  const noted = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, item.prototype) as string[];
  const fields = noted.map(name => name.slice(1));
  return new CsvTable(fields.map(field => ({ header: field, value: row => cellOf(Reflect.get(row, field)) })));
}

function cellOf(value: unknown): CsvValue {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'number') return value;
  // Values are written as in JSON, but times without quotes.
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}

/** The last path segment that is not a parameter, such as `policies`. */
function nameOf(request: HttpRequest): string {
  const parts = (routeOf(request) ?? '').split('/').filter(part => /^[a-z-]+$/.test(part));
  return parts.at(-1) ?? 'list';
}
