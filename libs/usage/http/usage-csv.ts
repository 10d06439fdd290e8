import { Readable } from 'node:stream';
import type { StreamableFile } from '@nestjs/common';
import { CsvTable, streamedAnswer } from '#access';
import type { UsageSummary } from '../report/usage-report.service.js';
import { SUMMARY_COLUMNS, SUMMARY_CURRENCY } from './usage-summary.dto.js';

const TABLE = new CsvTable(SUMMARY_COLUMNS);
const CONVERTED_TABLE = new CsvTable([...SUMMARY_COLUMNS, ...SUMMARY_CURRENCY]);

/**
 * Sends a report as a CSV download. The first chunk is read before the response starts, so that an early failure
 * becomes an error response.
 */
export async function csvFile(pieces: AsyncGenerator<UsageSummary[]>, currency?: string): Promise<StreamableFile> {
  const table = currency === undefined ? TABLE : CONVERTED_TABLE;
  const first = await pieces.next();
  return streamedAnswer(Readable.from(lines(table, first.done ? [] : first.value, pieces), { objectMode: false }), {
    type: 'text/csv; charset=utf-8; header=present',
    disposition: 'attachment; filename="usage.csv"',
  });
}

async function* lines(
  table: CsvTable<UsageSummary>,
  first: UsageSummary[],
  rest: AsyncGenerator<UsageSummary[]>,
): AsyncGenerator<string> {
  yield table.header() + table.rows(first);
  for await (const piece of rest) {
    if (piece.length > 0) yield table.rows(piece);
  }
}
