import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import type { Row } from './row-template.js';

/** A CSV file with a header line, plain or gzip. */
export class TableFile {
  constructor(readonly path: string) {}

  /**
   * Streams the rows, so that the file is never in memory as a whole.
   * @throws Error naming the line that is not valid CSV
   */
  async *rows(): AsyncGenerator<Row> {
    const parser = parse({ columns: true, bom: true, skip_empty_lines: true, trim: true });
    const file = createReadStream(this.path);
    // A failure of any stream ends the parser, and the iteration of the parser throws the error.
    const done = (): void => undefined;
    if (this.path.endsWith('.gz')) pipeline(file, createGunzip(), parser, done);
    else pipeline(file, parser, done);
    yield* parser as AsyncIterable<Row>;
  }

  /** Names of the columns. */
  async columns(): Promise<string[]> {
    for await (const row of this.rows()) return Object.keys(row);
    throw new Error(`${this.path} has no rows`);
  }

  /** SHA-256 of the unchanged file, in hexadecimal. */
  async digest(): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(this.path)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  }
}
