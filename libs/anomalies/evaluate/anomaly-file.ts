import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { AnomalyFileError, Cells } from './cells.js';

const SHAPES = {
  series: ['file', 'timestamp', 'value'],
  people: ['person', 'date', 'hour', 'count'],
} as const;

/** `series`: regular series of values. `people`: counts of people by date and hour. */
export type AnomalyFileKind = keyof typeof SHAPES;

/** A file with a known header. More columns are allowed and ignored. */
export interface AnomalyFile {
  readonly kind: AnomalyFileKind;
  readonly rows: AsyncIterable<Cells>;
}

/**
 * Reads the header and returns the kind of the file.
 * @throws AnomalyFileError naming the known headers
 */
export async function openAnomalyFile(bytes: AsyncIterable<Uint8Array>): Promise<AnomalyFile> {
  const lines = recordsOf(bytes);
  const first = await lines.next();
  const header = first.done ? [] : first.value.record.map(name => name.trim());
  const kind = kindOf(header);
  const known: readonly string[] = SHAPES[kind];
  const columns = [...header.entries()].filter(([, name]) => known.includes(name));
  async function* rows(): AsyncGenerator<Cells> {
    for await (const { record, line } of lines) {
      if (record.length !== header.length) {
        throw new AnomalyFileError(`line ${line}: has ${record.length} columns; the header has ${header.length}`);
      }
      yield new Cells(line, Object.fromEntries(columns.map(([index, name]) => [name, record[index] ?? ''])));
    }
  }
  return { kind, rows: rows() };
}

function kindOf(header: readonly string[]): AnomalyFileKind {
  for (const [kind, columns] of Object.entries(SHAPES)) {
    if (columns.every(column => header.includes(column))) return kind as AnomalyFileKind;
  }
  const given = header.length === 0 ? 'the file is empty' : `the header is "${header.join(',')}"`;
  const wanted = Object.values(SHAPES).map(columns => `"${columns.join(',')}"`);
  throw new AnomalyFileError(`${given}; write ${wanted.join(' or ')} as its first line`);
}

async function* recordsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<{ record: string[]; line: number }> {
  const parser = parse({ bom: true, skip_empty_lines: true, relax_column_count: true, info: true });
  // A failure of the source stream ends the parser. The iteration over the parser then throws the error.
  pipeline(Readable.from(bytes), parser, () => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      yield { record, line: info.lines };
    }
  } catch (error) {
    throw error instanceof CsvError ? new AnomalyFileError(`the file is not CSV: ${error.message}`) : error;
  }
}
