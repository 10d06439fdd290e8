import type { ImportedLine } from './user-importer.js';

/** Room for the counts beside the lines. */
const COUNTS_BYTES = 256;

/**
 * The lines that an answer reports, within a limit in bytes: all of them, or where they do not fit, the refused ones, the
 * first first. Keeps no more than that in memory.
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

  /** What the answer holds; `lines_omitted` only where lines are left out. */
  get shown(): { lines: ImportedLine[]; lines_omitted?: number } {
    if (!this.all.isFull) return { lines: this.all.lines };
    const { lines } = this.refused;
    return { lines, lines_omitted: this.count - lines.length };
  }
}

/** Lines up to a limit in bytes; full with the first that does not fit. */
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
