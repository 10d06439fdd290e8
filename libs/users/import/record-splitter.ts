/** A record of a CSV file: its cells, or the reason why it cannot be read. */
export interface CsvRecord {
  /** Number of the record's first line in the file, counted from 1. */
  readonly line: number;
  /** The cells without surrounding white space. Empty if the record cannot be read. */
  readonly cells: readonly string[];
  readonly fault?: string;
}

/** Maximum number of values per record; users have about 60 fields. */
const CELLS_MAX = 1_000;

/** Maximum length of a value, in UTF-16 units. */
const CELL_LENGTH_MAX = 64 * 1024;

const FAULTS = {
  closing: 'has a quote inside a quoted value; double it',
  opening: 'has a quote inside a value; quote the whole value, and double the quote',
  unclosed: 'opens a quote that is never closed, so that nothing from here on can be read',
  cells: `has more than ${CELLS_MAX} values`,
  length: `has a value of more than ${CELL_LENGTH_MAX} characters`,
} as const;

const QUOTE = 0x22;
const NEWLINE = 0x0a;

/**
 * State of the parser. `closing`: after a quote in a quoted value. The next character decides whether the quote ends
 * the value, or is the first of two quotes that stand for one.
 */
type State = 'start' | 'plain' | 'quoted' | 'closing';

/**
 * Splits CSV into records (RFC 4180, with `\n` at the end of lines). The text may come in chunks of any size. The time
 * is linear in the length of the text. Memory is bounded: of each record, only the first fault and the values within
 * the limits are kept.
 */
export class RecordSplitter {
  private readonly delimiter: number;
  private state: State = 'start';
  private cells: string[] = [];
  private cell = '';
  private fault: string | undefined;
  private line = 1;
  private firstLine = 1;

  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** Returns the records that a chunk completes. Skips records without any value. */
  *read(piece: string): Generator<CsvRecord> {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      if (this.state === 'quoted') {
        if (unit === NEWLINE) this.line++;
        if (unit !== QUOTE) continue;
        this.keep(piece, from, at);
        this.state = 'closing';
      } else if (unit === QUOTE) {
        // Of two quotes that stand for one, the second belongs to the value.
        from = this.state === 'closing' ? at : at + 1;
        if (this.state === 'plain') this.note(FAULTS.opening);
        else this.state = 'quoted';
      } else if (unit === NEWLINE || unit === this.delimiter) {
        if (this.state === 'plain') this.keep(piece, from, at);
        from = at + 1;
        if (unit === this.delimiter) this.endCell();
        else {
          this.line++;
          yield* this.endRecord();
        }
      } else if (this.state === 'closing') {
        this.note(FAULTS.closing);
        this.state = 'quoted';
      } else if (this.state === 'start') {
        from = at;
        this.state = 'plain';
      }
    }
    if (this.state === 'plain' || this.state === 'quoted') this.keep(piece, from, piece.length);
  }

  /** The last record, which ends with the text. */
  *end(): Generator<CsvRecord> {
    if (this.state === 'quoted') this.fault = FAULTS.unclosed;
    yield* this.endRecord();
  }

  private keep(piece: string, from: number, to: number): void {
    if (from >= to || this.fault !== undefined) return;
    if (this.cell.length + to - from > CELL_LENGTH_MAX) this.note(FAULTS.length);
    else this.cell += piece.slice(from, to);
  }

  private note(fault: string): void {
    this.fault ??= fault;
    this.cell = '';
    this.cells = [];
  }

  private endCell(): void {
    if (this.cells.length === CELLS_MAX) this.note(FAULTS.cells);
    if (this.fault === undefined) this.cells.push(this.cell.trim());
    this.cell = '';
    this.state = 'start';
  }

  private *endRecord(): Generator<CsvRecord> {
    this.endCell();
    const { cells, fault, firstLine } = this;
    this.cells = [];
    this.fault = undefined;
    this.firstLine = this.line;
    if (fault !== undefined) yield { line: firstLine, cells: [], fault };
    else if (cells.some(cell => cell !== '')) yield { line: firstLine, cells };
  }
}
