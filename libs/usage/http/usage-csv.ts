import { Readable } from 'node:stream';
import { AnswerStream } from '#access';
import { CsvTable } from '../csv/index.js';
import type { UsageSummary } from '../report/usage-report.service.js';
import { SUMMARY_COLUMNS } from './usage-summary.dto.js';

const TABLE = new CsvTable(SUMMARY_COLUMNS);

/** A report as a CSV download. The first piece is read before the answer begins, so that what fails at once is an error. */
export async function csvFile(pieces: AsyncGenerator<UsageSummary[]>): Promise<AnswerStream> {
  const first = await pieces.next();
  const file = new AnswerStream(Readable.from(lines(first.done ? [] : first.value, pieces), { objectMode: false }), {
    type: 'text/csv; charset=utf-8; header=present',
    disposition: 'attachment; filename="usage.csv"',
  });
  // What fails halfway must break the connection: a short file would pass for a whole one.
  return file.setErrorHandler((_error, response) => {
    const destroy: unknown = Reflect.get(response, 'destroy');
    if (typeof destroy === 'function') Reflect.apply(destroy, response, []);
    else response.end();
  });
}

async function* lines(first: UsageSummary[], rest: AsyncGenerator<UsageSummary[]>): AsyncGenerator<string> {
  yield TABLE.header() + TABLE.rows(first);
  for await (const piece of rest) {
    if (piece.length > 0) yield TABLE.rows(piece);
  }
}
