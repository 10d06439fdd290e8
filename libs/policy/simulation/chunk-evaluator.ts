import type { DecisionScan, PieceForm } from './decision-scan.js';
import type { JudgedRequest, JudgedRequests } from './judged-requests.js';
import { RECORDS_PER_LOOK, type TimeSlices } from './time-slices.js';
import type { RecordPiece } from './record-piece.js';

/** Evaluates the records of one organization, chunk by chunk. */
export class ChunkEvaluator {
  constructor(
    private readonly orgId: string,
    private readonly decisions: Pick<DecisionScan, 'requestsOf'>,
    private readonly requests: JudgedRequests,
    private readonly slices: Pick<TimeSlices, 'isDue' | 'yieldNow'>,
  ) {}

  /**
   * The form in which the next chunk is read. If most requests are not cached, the chunk contains the requests, because
   * digests alone would not help.
   */
  readonly form = (): PieceForm => (this.requests.areMostlyNew() ? 'whole' : 'digests');

  /** The outcome of each record, by position. Undefined if the record was deleted in the meantime. */
  async judge(records: RecordPiece): Promise<(JudgedRequest | undefined)[]> {
    const judged: (JudgedRequest | undefined)[] = [];
    const unread = new Map<string, number>();
    for (let at = 0; at < records.size; at++) {
      if (at % RECORDS_PER_LOOK === 0 && this.slices.isDue) await this.slices.yieldNow();
      const known = this.requests.find(records, at) ?? this.judgeAt(records, at);
      judged.push(known);
      if (!known) unread.set(records.digestAt(at), at);
    }
    if (unread.size === 0) return judged;
    const read = await this.judgeUnread(records, unread);
    return judged.map((known, at) => known ?? read.get(records.digestAt(at)));
  }

  private judgeAt(records: RecordPiece, at: number): JudgedRequest | undefined {
    const text = records.requestAt(at);
    return text === undefined ? undefined : this.requests.judge(records, at, text);
  }

  /**
   * Reads and evaluates the requests that the chunk does not contain.
   * @param unread positions of these requests, by digest
   */
  private async judgeUnread(
    records: RecordPiece,
    unread: ReadonlyMap<string, number>,
  ): Promise<Map<string, JudgedRequest>> {
    const judged = new Map<string, JudgedRequest>();
    const places = new Map<string, number>();
    for (const at of unread.values()) places.set(records.idAt(at), at);
    const wanted = Array.from(places, ([id, at]) => ({ id, bytes: records.bytesAt(at) }));
    for await (const texts of this.decisions.requestsOf(this.orgId, wanted)) {
      for (const [id, text] of texts) {
        if (this.slices.isDue) await this.slices.yieldNow();
        const at = places.get(id);
        if (at !== undefined) judged.set(records.digestAt(at), this.requests.judge(records, at, text));
      }
    }
    return judged;
  }
}
