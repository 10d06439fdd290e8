// Stands alone: the checker reads what the campaign has written here, and shares nothing else with it.
import { appendFileSync, readFileSync } from 'node:fs';

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What a client did. Times are milliseconds since 1970 by the monotonic clock of the campaign's process. */
export interface Operation {
  readonly op: number;
  /** The kind of operation, such as `decide`. */
  readonly what: string;
  /** The replica that was asked. */
  readonly replica: string;
  readonly begun: number;
  /** The body of the request, or the part of it that the checker needs. */
  readonly asked: Json;
  /** Missing if the answer was lost. */
  readonly ended?: number;
  readonly status?: number;
  readonly answer?: Json;
}

/** A fault, or another event of the timeline. */
export interface Incident {
  readonly fault: string;
  /** The replica or receiver concerned; `database` for all of them. */
  readonly at: string;
  readonly begun: number;
  /** When everything worked again: the process answers, or the network carries. */
  readonly ended: number;
  readonly detail?: string;
}

/** A POST that a receiver got. */
export interface Post {
  readonly receiver: string;
  readonly event: string;
  readonly at: number;
  readonly body: string;
  readonly signature: string;
  /** What the receiver answered. */
  readonly answered: 'ok' | 'error' | 'reset';
}

/** A file of JSON lines. A line is in the file when `write` returns, so that the end of this process loses none. */
export class JournalFile {
  constructor(readonly path: string) {
    appendFileSync(path, '');
  }

  write(line: object): void {
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }
}

/** Milliseconds since 1970 that never go back. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** The operations of a journal: each is written once before its call, and once after it. */
export function readOperations(path: string): Operation[] {
  const operations = new Map<number, Operation>();
  for (const line of readLines<Operation>(path)) operations.set(line.op, { ...operations.get(line.op), ...line });
  return [...operations.values()];
}

/** The lines of a journal, as they were written. */
export function readLines<Line>(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // Written by the campaign itself.
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as Line);
}
