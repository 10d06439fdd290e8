import { BadRequestError, TimeSlice } from '#core';
import { RecordSplitter, type CsvRecord } from './record-splitter.js';

/** Chunks of a file or body: bytes in UTF-8, or text. */
export type CsvSource = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const DELIMITERS = [',', ';', '\t'];
const FIRST_HALF = /[\r\uD800-\uDBFF]$/;
/** Number of characters after which the parser yields to the event loop. */
const PIECE = 64 * 1024;

/**
 * Reads a CSV file record by record, never as a whole. Yields to the event loop between slices. The separator is the
 * comma, semicolon or tab, whichever is most frequent in the first line. Accepts all line endings, and skips a byte
 * order mark and empty lines. Returns unreadable records at their position.
 * @throws BadRequestError if the file is not UTF-8
 */
export async function* csvRecords(source: CsvSource): AsyncGenerator<CsvRecord> {
  const text = normalLines(source);
  const head = await firstLine(text);
  const splitter = new RecordSplitter(delimiterOf(head.slice(0, PIECE)));
  const slice = new TimeSlice();
  for await (const piece of beginningWith(head, text)) {
    for (let at = 0; at < piece.length; at += PIECE) {
      await slice.next();
      for (const record of splitter.read(piece.slice(at, at + PIECE))) {
        yield record;
        await slice.next();
      }
    }
  }
  yield* splitter.end();
}

/** Normalizes line endings to `\n`. */
async function* normalLines(source: CsvSource): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let kept = '';
  for await (const piece of source) {
    const text = kept + (typeof piece === 'string' ? piece : decode(decoder, piece));
    // A line ending or character that the chunk cuts is kept until the next chunk.
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

/** Collects text until it contains the complete first line, or is very long. */
async function firstLine(text: AsyncGenerator<string, undefined>): Promise<string> {
  let head = '';
  while (head.length < PIECE && !head.trimStart().includes('\n')) {
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
