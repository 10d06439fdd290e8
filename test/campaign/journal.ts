// This file imports nothing, because the checker, which reads the journals of the campaign, shares no other file with
// the campaign.
import { appendFileSync, readFileSync } from 'node:fs';

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** An operation of a client. Times are milliseconds since 1970 by the monotonic clock of the campaign's process. */
export interface Operation {
  readonly op: number;
  /** The kind of operation, such as `decide`. */
  readonly what: string;
  /** The replica that received the request. */
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
  /** The affected replica or receiver; `database` for all of them. */
  readonly at: string;
  readonly begun: number;
  /** When everything worked again: the process answers, or the network is connected. */
  readonly ended: number;
  readonly detail?: string;
}

/** A POST to a receiver. */
export interface Post {
  readonly receiver: string;
  readonly event: string;
  readonly at: number;
  readonly body: string;
  readonly signature: string;
  /** The receiver's answer. */
  readonly answered: 'ok' | 'error' | 'reset';
}

/** A file of JSON lines. `write` returns after the line is in the file, so a crash of this process loses no line. */
export class JournalFile {
  constructor(readonly path: string) {
    appendFileSync(path, '');
  }

  write(line: object): void {
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }
}

/** Milliseconds since 1970 that never decrease. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** The operations of a journal. Each has one line before its call, and one after it. */
export function readOperations(path: string): Operation[] {
  const operations = new Map<number, Operation>();
  for (const line of readLines<Operation>(path)) operations.set(line.op, { ...operations.get(line.op), ...line });
  return [...operations.values()];
}

/** The lines of a journal as they were written. */
export function readLines<Line>(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // The campaign wrote this file itself, so its lines are not validated.
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as Line);
}
