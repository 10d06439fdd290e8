import { Injectable } from '@nestjs/common';
import { newId } from '#core';
import { countRows, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { DecisionRecorder } from '../decisions/decision-recorder.js';

/** From when to when. */
export interface TimeRange {
  readonly from: Date;
  /** The last millisecond of it. */
  readonly to: Date;
}

/** Some records, as one text: a line for each, the id in front and behind it what `readRequest` reads. */
export type RecordLines = string;

/** Length of the id in front of each line. */
export const ID_LENGTH = 36;

const PIECE = 2_000;
const ZEROS = new Uint8Array(10);

// Ids are UUIDs of version 7, so a range of time is one of ids, and the key is their order.
const IN_RANGE = `from ${SCHEMA}.decisions where org_id = $1 and id >= $2::uuid and id < $3::uuid`;

// One text for a piece: most lines have been seen before but for their ids, and taking each apart into columns would
// cost the process several times the work and the memory of judging it. JSON text has no line break of its own.
const NEWEST_FIRST = `
select string_agg(id || jsonb_build_array(user_id, user_email, provider, model, sample_rate, attributes)::text,
  E'\\n' order by id desc) as lines, count(*)::integer as count
from (select id, user_id, user_email, provider, model, sample_rate, attributes ${IN_RANGE}
  order by id desc limit ${PIECE}) piece`;

interface Piece {
  lines: RecordLines | null;
  count: number;
}

/** Reads the recorded decisions of a time, as a stream and without writing anything. */
@Injectable()
export class DecisionScan {
  constructor(
    private readonly database: OrgDatabase,
    private readonly recorder: DecisionRecorder,
  ) {}

  /** About how many there are: exact up to 10,000. Those that this process has made are recorded by then. */
  async estimate(orgId: string, range: TimeRange): Promise<number> {
    await this.recorder.settle();
    return this.database.snapshot(orgId, em =>
      countRows(sqlOf(em), `select 1 ${IN_RANGE}`, [orgId, firstId(range.from), idBehind(range.to)]),
    );
  }

  /**
   * All of them in pieces, the newest first. Each is read in a transaction of its own, while the one before is looked
   * at; what is recorded meanwhile is beyond the range.
   */
  async *read(orgId: string, range: TimeRange): AsyncGenerator<RecordLines> {
    const from = firstId(range.from);
    let next: Promise<Piece> | undefined = this.readPiece(orgId, from, idBehind(range.to));
    while (next) {
      const { lines, count }: Piece = await next;
      next = lines !== null && count === PIECE ? this.readPiece(orgId, from, lastIdOf(lines)) : undefined;
      if (lines !== null) yield lines;
    }
  }

  private readPiece(orgId: string, from: string, before: string): Promise<Piece> {
    const piece = this.database.snapshot(orgId, async em => {
      const [row] = await sqlOf(em).query<Piece>(NEWEST_FIRST, [orgId, from, before]);
      return row ?? { lines: null, count: 0 };
    });
    // Nobody may be left to hear of a failure.
    piece.catch(() => undefined);
    return piece;
  }
}

function lastIdOf(lines: RecordLines): string {
  const at = lines.lastIndexOf('\n') + 1;
  return lines.slice(at, at + ID_LENGTH);
}

function firstId(moment: Date): string {
  return newId(moment, ZEROS);
}

function idBehind(moment: Date): string {
  return firstId(new Date(moment.getTime() + 1));
}
