import type { ImportedLine } from './user-importer.js';

/** Bytes reserved for the counts that the response contains besides the lines. */
const COUNTS_BYTES = 256;

/**
 * The lines of the report, limited to a number of bytes. Contains all lines if they fit, otherwise the first refused
 * lines. Keeps no other lines in memory.
 */
export class ImportReport {
  private readonly all: LineList;
  private readonly refused: LineList;
  private count = 0;

  constructor(maxBytes: number) {
    this.all = new LineList(maxBytes - COUNTS_BYTES);
    this.refused = new LineList(maxBytes - COUNTS_BYTES);
  }

  add(line: ImportedLine): void {
    this.count++;
    if (this.all.isFull && this.refused.isFull) return;
    const bytes = Buffer.byteLength(JSON.stringify(line)) + 1;
    this.all.add(line, bytes);
    if (line.outcome === 'refused') this.refused.add(line, bytes);
  }

  /** The lines for the response. `lines_omitted` is present only if lines are omitted. */
  get shown(): { lines: ImportedLine[]; lines_omitted?: number } {
    if (!this.all.isFull) return { lines: this.all.lines };
    const { lines } = this.refused;
    return { lines, lines_omitted: this.count - lines.length };
  }
}

/** Collects lines up to a limit in bytes. The list is full once a line does not fit. */
class LineList {
  lines: ImportedLine[] = [];
  isFull = false;

  constructor(private bytesLeft: number) {}

  add(line: ImportedLine, bytes: number): void {
    this.isFull ||= bytes > this.bytesLeft;
    if (this.isFull) return;
    this.bytesLeft -= bytes;
    this.lines.push(line);
  }
}
