import { Injectable } from '@nestjs/common';
import { newId } from '#core';
import { countRows, OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';
import { DecisionRecorder } from '../decisions/decision-recorder.js';
import { DIGEST_BYTES, DigestPiece, WholePiece, type RecordPiece } from './record-piece.js';

/** From when to when. */
export interface TimeRange {
  readonly from: Date;
  /** The last millisecond of it. */
  readonly to: Date;
}

/** Records of a piece; of those that bring their requests along, which may be large, fewer. */
const PIECE = { digests: 1_500, whole: 500 };
const ZEROS = new Uint8Array(10);

// Ids are UUIDs of version 7, so a range of time is one of ids, and the key is their order.
const IN_RANGE = `from ${SCHEMA}.decisions where org_id = $1 and id >= $2::uuid and id < $3::uuid`;

/** All that decides what comes out, as `readRequest` reads it. */
const REQUEST = 'jsonb_build_array(user_id, user_email, provider, model, sample_rate, attributes)::text';

// A text for each piece, of ids and digests: most requests have come before but for their ids, and taking all of them
// apart into columns would cost the process many times the work and the memory of judging them. Half of SHA-256 is
// enough: nobody finds two requests that agree in 128 bits of it.
const DIGEST = `encode(substring(sha256(convert_to(${REQUEST}, 'UTF8')) for ${DIGEST_BYTES}), 'hex')`;

const NEWEST_FIRST = {
  digests: newestFirst(`id || ${DIGEST}`, '', PIECE.digests),
  whole: newestFirst(`id || ${REQUEST}`, '\\n', PIECE.whole),
};

const REQUESTS = `select id, ${REQUEST} as request from ${SCHEMA}.decisions where org_id = $1 and id = any($2::uuid[])`;

/** What a piece brings besides ids. */
export type PieceForm = keyof typeof PIECE;

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
   * at; what is recorded meanwhile is beyond the range. `form` says before each whether it is to bring digests or whole
   * requests.
   */
  async *read(orgId: string, range: TimeRange, form: () => PieceForm): AsyncGenerator<RecordPiece> {
    const from = firstId(range.from);
    let next: PieceRead | undefined = this.readPiece(orgId, from, idBehind(range.to), form());
    while (next) {
      const records: RecordPiece = await next.piece;
      const size: number = records.size;
      next = size === PIECE[next.form] ? this.readPiece(orgId, from, records.idAt(size - 1), form()) : undefined;
      if (size > 0) yield records;
    }
  }

  /** What decisions say, as `readRequest` reads it, by id; those that are not kept any more are missing. */
  async requestsOf(orgId: string, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.snapshot(orgId, em =>
      sqlOf(em).query<{ id: string; request: string }>(REQUESTS, [orgId, plainArray(ids, id => id)]),
    );
    return new Map(rows.map(({ id, request }) => [id, request]));
  }

  private readPiece(orgId: string, from: string, before: string, form: PieceForm): PieceRead {
    const piece = this.database.snapshot(orgId, async em => {
      const [row] = await sqlOf(em).query<{ records: string | null }>(NEWEST_FIRST[form], [orgId, from, before]);
      const text = row?.records ?? '';
      return form === 'digests' ? new DigestPiece(text) : new WholePiece(text);
    });
    // Nobody may be left to hear of a failure.
    piece.catch(() => undefined);
    return { form, piece };
  }
}

interface PieceRead {
  readonly form: PieceForm;
  readonly piece: Promise<RecordPiece>;
}

function newestFirst(record: string, between: string, limit: number): string {
  return `
select string_agg(${record}, E'${between}' order by id desc) as records
from (select id, user_id, user_email, provider, model, sample_rate, attributes ${IN_RANGE}
  order by id desc limit ${limit}) piece`;
}

function firstId(moment: Date): string {
  return newId(moment, ZEROS);
}

function idBehind(moment: Date): string {
  return firstId(new Date(moment.getTime() + 1));
}
