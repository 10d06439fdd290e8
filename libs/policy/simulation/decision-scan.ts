import { Injectable } from '@nestjs/common';
import { newId } from '#core';
import { countRows, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { DecisionRecorder } from '../decisions/decision-recorder.js';

/** A recorded decision, as far as it is judged again. */
export interface DecisionRecord {
  readonly id: string;
  readonly user_id: string | null;
  readonly user_email: string | null;
  readonly provider: string;
  readonly model: string;
  /** JSON text. */
  readonly attributes: string;
  /** The share of such decisions that is recorded: this one stands for 1 / sample_rate. */
  readonly sample_rate: number;
}

/** From when to when. */
export interface TimeRange {
  readonly from: Date;
  /** The last millisecond of it. */
  readonly to: Date;
}

const CHUNK = 2_000;
const ZEROS = new Uint8Array(10);

// Ids are UUIDs of version 7, so a range of time is one of ids, and the key is their order.
const IN_RANGE = `from ${SCHEMA}.decisions where org_id = $1 and id >= $2::uuid and id < $3::uuid`;

const NEWEST_FIRST = `
select id, user_id, user_email, provider, model, attributes::text as attributes, sample_rate ${IN_RANGE}
order by id desc limit ${CHUNK}`;

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
  async *read(orgId: string, range: TimeRange): AsyncGenerator<DecisionRecord[]> {
    const from = firstId(range.from);
    const readBefore = (id: string): Promise<DecisionRecord[]> => {
      const rows = this.database.snapshot(orgId, em =>
        sqlOf(em).query<DecisionRecord>(NEWEST_FIRST, [orgId, from, id]),
      );
      // Nobody may be left to hear of a failure.
      rows.catch(() => undefined);
      return rows;
    };
    let next: Promise<DecisionRecord[]> | undefined = readBefore(idBehind(range.to));
    while (next) {
      const rows: DecisionRecord[] = await next;
      const last = rows.at(-1);
      next = last && rows.length === CHUNK ? readBefore(last.id) : undefined;
      if (last) yield rows;
    }
  }
}

function firstId(moment: Date): string {
  return newId(moment, ZEROS);
}

function idBehind(moment: Date): string {
  return firstId(new Date(moment.getTime() + 1));
}
