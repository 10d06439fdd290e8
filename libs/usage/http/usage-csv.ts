import { Readable } from 'node:stream';
import type { StreamableFile } from '@nestjs/common';
import { streamedAnswer } from '#access';
import { CsvTable } from '../csv/index.js';
import type { UsageSummary } from '../report/usage-report.service.js';
import { SUMMARY_COLUMNS } from './usage-summary.dto.js';

const TABLE = new CsvTable(SUMMARY_COLUMNS);

/**
 * Sends a report as a CSV download. The first chunk is read before the response starts, so that an early failure
 * becomes an error response.
 */
export async function csvFile(pieces: AsyncGenerator<UsageSummary[]>): Promise<StreamableFile> {
  const first = await pieces.next();
  return streamedAnswer(Readable.from(lines(first.done ? [] : first.value, pieces), { objectMode: false }), {
    type: 'text/csv; charset=utf-8; header=present',
    disposition: 'attachment; filename="usage.csv"',
  });
}

async function* lines(first: UsageSummary[], rest: AsyncGenerator<UsageSummary[]>): AsyncGenerator<string> {
  yield TABLE.header() + TABLE.rows(first);
  for await (const piece of rest) {
    if (piece.length > 0) yield TABLE.rows(piece);
  }
}
