import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { BadRequestError } from '#core';

/** A record of a CSV file: its cells, or why it cannot be read. */
export interface CsvRecord {
  /** Line of the file on which it begins, from 1 on. */
  readonly line: number;
  /** Without blanks around them; none where the record cannot be read. */
  readonly cells: readonly string[];
  readonly fault?: string;
}

/** A file or body in pieces: bytes in UTF-8, or text. */
export type CsvSource = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const DELIMITERS = [',', ';', '\t'];
const FIRST_HALF = /[\r\uD800-\uDBFF]$/;

const FAULTS: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE: 'has a quote inside a quoted value; double it',
  INVALID_OPENING_QUOTE: 'has a quote inside a value; quote the whole value, and double the quote',
  CSV_QUOTE_NOT_CLOSED: 'opens a quote that is never closed, so that nothing from here on can be read',
};

/**
 * Reads a CSV file record by record, never as a whole. Commas, semicolons or tabs separate, whichever the first line has
 * most of; lines end as on any system; a byte order mark and empty lines are passed over. Records that cannot be read
 * come in their place.
 * @throws BadRequestError for what is not UTF-8
 */
export async function* csvRecords(source: CsvSource): AsyncGenerator<CsvRecord> {
  const text = normalLines(source);
  const head = await firstLine(text);
  // The parser goes through a piece of the file at once; here is what it says of records that are not taken yet.
  const places: { line: number; unreadBefore: CsvRecord[] }[] = [];
  let unread: CsvRecord[] = [];
  let lastLine = 0;
  const parser = parse({
    delimiter: delimiterOf(head),
    record_delimiter: '\n',
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip(error) {
      if (error) noteFault(unread, lastLine + 1, error);
      return undefined;
    },
    on_record(cells: string[], { lines }): string[] | null {
      lastLine = lines;
      const trimmed = cells.map(cell => cell.trim());
      if (trimmed.every(cell => cell === '')) return null;
      const line = lines - cells.reduce((sum, cell) => sum + breaksIn(cell), 0);
      places.push({ line, unreadBefore: unread });
      unread = [];
      return trimmed;
    },
  });
  // A failure anywhere ends the parser, whose iteration then throws it.
  pipeline(Readable.from(beginningWith(head, text)), parser, () => undefined);
  for await (const cells of parser as AsyncIterable<string[]>) {
    const { line, unreadBefore } = places.shift() ?? { line: lastLine, unreadBefore: [] };
    yield* unreadBefore;
    yield { line, cells };
  }
  yield* unread;
}

/** One record may have several faults; that of its first line is enough. */
function noteFault(unread: CsvRecord[], firstUnread: number, error: CsvError): void {
  const seen: unknown = Reflect.get(error, 'lines');
  const at = typeof seen === 'number' ? seen : firstUnread;
  if (unread.some(({ line }) => line === at)) return;
  const line = unread.length === 0 ? firstUnread : at;
  unread.push({ line, cells: [], fault: FAULTS[error.code] ?? `cannot be read: ${error.message}` });
}

/** The text with `\n` at the end of lines. */
async function* normalLines(source: CsvSource): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let kept = '';
  for await (const piece of source) {
    const text = kept + (typeof piece === 'string' ? piece : decode(decoder, piece));
    // What may be the first half of a line's end, or is that of a character, waits for the other.
    kept = FIRST_HALF.exec(text)?.[0] ?? '';
    yield text.slice(0, text.length - kept.length).replaceAll(/\r\n?/g, '\n');
  }
  yield kept.replace('\r', '\n') + decode(decoder);
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw new BadRequestError('The file is not in UTF-8; save it as "CSV UTF-8".');
  }
}

/** As much of a text as it takes to have its first line. */
async function firstLine(text: AsyncGenerator<string, undefined>): Promise<string> {
  let head = '';
  while (!head.trimStart().includes('\n')) {
    const { value } = await text.next();
    if (value === undefined) break;
    head += value;
  }
  return head.replace(/^\uFEFF/, '');
}

async function* beginningWith(head: string, text: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head;
  yield* text;
}

function delimiterOf(head: string): string {
  const line = head.trimStart().split('\n', 1)[0] ?? '';
  const counts = DELIMITERS.map(delimiter => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function breaksIn(cell: string): number {
  return cell.split('\n').length - 1;
}
