import { Injectable } from '@nestjs/common';
import { newId } from '#core';
import { countRows, LONG_READ_MS, OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';
import { DecisionRecorder } from '../records/decision-recorder.js';
import { DIGEST_BYTES, RecordPiece, SIZE_DIGITS, type RecordChunk } from './record-piece.js';

/** The time range of a scan. */
export interface TimeRange {
  readonly from: Date;
  /** The last millisecond of the range. */
  readonly to: Date;
}

/** A recorded decision, and the size of its request in bytes. */
export interface SizedRecord {
  readonly id: string;
  readonly bytes: number;
}

/** Maximum number of records in a chunk. A chunk that contains requests has fewer. */
const PIECE = { digests: 1_500, whole: 500 };
/** Number of records in the first chunk, because the size of requests is still unknown. */
const FIRST_PIECE = 100;
/** Maximum number of bytes for which a chunk computes digests. PostgreSQL needs some tenths of a second for it. */
const PIECE_BYTES = 16 * 1024 * 1024;
/**
 * Maximum size of a request in a chunk, in bytes. Larger requests are read separately if their outcome is not cached.
 */
const SMALL_BYTES = 1_200;
/** Maximum number of bytes of requests in one read. A single larger request is read alone. */
const READ_BYTES = 2 * 1024 * 1024;
/**
 * Number of records in one string. The garbage collector frees small strings together with the young generation. Large
 * strings get their own memory mapping and live long.
 */
const RECORDS_PER_TEXT = 100;
const ZEROS = new Uint8Array(10);
const BOUND = { timeoutMs: LONG_READ_MS };

// Ids are UUIDs version 7. A time range is therefore a range of ids, and the primary key is ordered by time.
const IN_RANGE = `from ${SCHEMA}.decisions where org_id = $1 and id >= $2::uuid and id < $3::uuid`;

/** All columns that determine the outcome, in the format that `readRequest` parses. */
const REQUEST = 'jsonb_build_array(user_id, user_email, provider, model, sample_rate, attributes)::text';

// A chunk consists of a few strings with ids and digests. Most requests differ from earlier ones only in their ids.
// Parsing all columns would need many times the work and memory of the evaluation. Half of SHA-256 is enough, because a
// collision of 128 bits is infeasible.
const DIGEST = `encode(substring(sha256(convert_to(request, 'UTF8')) for ${DIGEST_BYTES}), 'hex')`;
const BYTES = `lpad(to_hex(octet_length(request)), ${SIZE_DIGITS}, '0')`;
const SMALL = `case when octet_length(request) <= ${SMALL_BYTES} then request else '' end`;

const NEWEST_FIRST = {
  digests: newestFirst('', ''),
  whole: newestFirst(`, ${SMALL} as small`, `, string_agg(small, E'\\n' order by id desc) as requests`),
};

const REQUESTS = `select id, ${REQUEST} as request from ${SCHEMA}.decisions where org_id = $1 and id = any($2::uuid[])`;

/** Content of a chunk in addition to ids: only digests, or also the requests that are small. */
export type PieceForm = keyof typeof PIECE;

/** Streams the recorded decisions of a time range. Read-only. */
@Injectable()
export class DecisionScan {
  constructor(
    private readonly database: OrgDatabase,
    private readonly recorder: DecisionRecorder,
  ) {}

  /**
   * The number of decisions: exact up to 10,000, an estimate above that. First writes the queued records of this
   * process.
   */
  async estimate(orgId: string, range: TimeRange): Promise<number> {
    await this.recorder.settle();
    const values = [orgId, firstId(range.from), idBehind(range.to)];
    return this.database.snapshot(orgId, em => countRows(sqlOf(em), `select 1 ${IN_RANGE}`, values), BOUND);
  }

  /**
   * Returns all decisions in chunks, the newest first. Each chunk is read in its own transaction, while the previous
   * chunk is evaluated. Decisions that are recorded in the meantime are outside the range. `form` is called before each
   * chunk and determines its content.
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
   * The requests of decisions by id, in the format that `readRequest` parses, in groups of limited size. Deleted
   * decisions are omitted.
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
    // Prevents an unhandled rejection if the consumer stops before it awaits the chunk.
    piece.catch(() => undefined);
    return { limit, piece };
  }
}

interface PieceRead {
  readonly limit: number;
  readonly piece: Promise<RecordPiece>;
}

/**
 * `offset 0` is an optimization fence: digests of large values are computed when the values are read, so that the sorts
 * need not carry the values.
 */
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

/** Forms groups of adjacent items up to a total number of bytes. A larger item forms its own group. */
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
