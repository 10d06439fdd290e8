import { Injectable } from '@nestjs/common';
import { newId } from '#core';
import { countRows, LONG_READ_MS, OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';
import { DecisionRecorder } from '../records/decision-recorder.js';
import { DIGEST_BYTES, RecordPiece, SIZE_DIGITS, type RecordChunk } from './record-piece.js';

/** From when to when. */
export interface TimeRange {
  readonly from: Date;
  /** The last millisecond of it. */
  readonly to: Date;
}

/** A recorded decision, and how large what it says is, in bytes. */
export interface SizedRecord {
  readonly id: string;
  readonly bytes: number;
}

/** Records of a piece at most; of those that bring their requests along, fewer. */
const PIECE = { digests: 1_500, whole: 500 };
/** Records of the first piece, when nothing is known of their size. */
const FIRST_PIECE = 100;
/** So much is digested for a piece: PostgreSQL takes some tenths of a second for it. */
const PIECE_BYTES = 16 * 1024 * 1024;
/** A larger request is not brought along: it is read alone, should nobody know what comes of it. */
const SMALL_BYTES = 1_200;
/** So much of requests is read at a time, unless a single one is larger. */
const READ_BYTES = 2 * 1024 * 1024;
/** Small texts are collected with what is young; of large ones, each is a mapping of its own that stays for long. */
const RECORDS_PER_TEXT = 100;
const ZEROS = new Uint8Array(10);
const BOUND = { timeoutMs: LONG_READ_MS };

// Ids are UUIDs of version 7, so a range of time is one of ids, and the key is their order.
const IN_RANGE = `from ${SCHEMA}.decisions where org_id = $1 and id >= $2::uuid and id < $3::uuid`;

/** All that decides what comes out, as `readRequest` reads it. */
const REQUEST = 'jsonb_build_array(user_id, user_email, provider, model, sample_rate, attributes)::text';

// Few texts for each piece, of ids and digests: most requests have come before but for their ids, and taking all of them
// apart into columns would cost the process many times the work and the memory of judging them. Half of SHA-256 is
// enough: nobody finds two requests that agree in 128 bits of it.
const DIGEST = `encode(substring(sha256(convert_to(request, 'UTF8')) for ${DIGEST_BYTES}), 'hex')`;
const BYTES = `lpad(to_hex(octet_length(request)), ${SIZE_DIGITS}, '0')`;
const SMALL = `case when octet_length(request) <= ${SMALL_BYTES} then request else '' end`;

const NEWEST_FIRST = {
  digests: newestFirst('', ''),
  whole: newestFirst(`, ${SMALL} as small`, `, string_agg(small, E'\\n' order by id desc) as requests`),
};

const REQUESTS = `select id, ${REQUEST} as request from ${SCHEMA}.decisions where org_id = $1 and id = any($2::uuid[])`;

/** What a piece brings besides ids: digests, or what is small of the requests as well. */
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
    const values = [orgId, firstId(range.from), idBehind(range.to)];
    return this.database.snapshot(orgId, em => countRows(sqlOf(em), `select 1 ${IN_RANGE}`, values), BOUND);
  }

  /**
   * All of them in pieces, the newest first. Each is read in a transaction of its own, while the one before is looked
   * at; what is recorded meanwhile is beyond the range. `form` says before each whether it is to bring requests.
   */
  async *read(orgId: string, range: TimeRange, form: () => PieceForm): AsyncGenerator<RecordPiece> {
    const from = firstId(range.from);
    let next: PieceRead | undefined = this.readPiece(orgId, from, idBehind(range.to), form(), FIRST_PIECE);
    while (next) {
      const records: RecordPiece = await next.piece;
      const { size, bytes } = records;
      const isLast: boolean = size < next.limit;
      const limit = Math.max(1, Math.floor((size * PIECE_BYTES) / Math.max(1, bytes)));
      next = isLast ? undefined : this.readPiece(orgId, from, records.idAt(size - 1), form(), limit);
      if (size > 0) yield records;
    }
  }

  /**
   * What decisions say, as `readRequest` reads it, by id: as many at a time as are small enough together. Those that are
   * not kept any more are missing.
   */
  async *requestsOf(orgId: string, records: readonly SizedRecord[]): AsyncGenerator<Map<string, string>> {
    for (const group of inGroups(records, READ_BYTES)) {
      const ids = plainArray(group, ({ id }) => id);
      const rows = await this.database.snapshot(
        orgId,
        em => sqlOf(em).query<{ id: string; request: string }>(REQUESTS, [orgId, ids]),
        BOUND,
      );
      yield new Map(rows.map(({ id, request }) => [id, request]));
    }
  }

  private readPiece(orgId: string, from: string, before: string, form: PieceForm, most: number): PieceRead {
    const limit = Math.min(most, PIECE[form]);
    const piece = this.database.snapshot(
      orgId,
      async em => new RecordPiece(await sqlOf(em).query<RecordChunk>(NEWEST_FIRST[form], [orgId, from, before, limit])),
      BOUND,
    );
    // Nobody may be left to hear of a failure.
    piece.catch(() => undefined);
    return { limit, piece };
  }
}

interface PieceRead {
  readonly limit: number;
  readonly piece: Promise<RecordPiece>;
}

/** `offset 0` keeps what is large from being carried through the sorts: it is digested where it is read. */
function newestFirst(column: string, text: string): string {
  return `
select string_agg(head, '' order by id desc) as heads ${text}
from (
  select *, (row_number() over (order by id desc) - 1) / ${RECORDS_PER_TEXT} as nth
  from (
    select id, id || ${DIGEST} || ${BYTES} as head ${column}
    from (select id, ${REQUEST} as request ${IN_RANGE} order by id desc limit $4) record
    offset 0) digested) piece
group by nth order by nth`;
}

function firstId(moment: Date): string {
  return newId(moment, ZEROS);
}

function idBehind(moment: Date): string {
  return firstId(new Date(moment.getTime() + 1));
}

/** Puts neighbours into groups of at most so many bytes together; what is larger is a group of its own. */
export function* inGroups<Item extends { readonly bytes: number }>(
  items: readonly Item[],
  bytesMax: number,
): Generator<Item[]> {
  let group: Item[] = [];
  let sum = 0;
  for (const item of items) {
    if (group.length > 0 && sum + item.bytes > bytesMax) {
      yield group;
      group = [];
      sum = 0;
    }
    group.push(item);
    sum += item.bytes;
  }
  if (group.length > 0) yield group;
}
