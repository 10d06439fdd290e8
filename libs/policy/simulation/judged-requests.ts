import type { Comparison, ComparedOutcome } from './comparison.js';
import { DigestCache } from './digest-cache.js';
import { DIGEST_WORDS, type RecordPiece } from './record-piece.js';
import { readRequest } from './recorded-request.js';

/** What came out of a recorded request, and what it is counted under. */
export interface JudgedRequest {
  readonly outcome: ComparedOutcome;
  /** How many decisions it stands for. */
  readonly weight: number;
  /** Undefined where the draft neither matches it nor changes anything: then it is counted under nothing. */
  readonly keys: RequestKeys | undefined;
}

/** What a request is counted under. */
export interface RequestKeys {
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly department: string | null;
  readonly model: string;
}

/** Two megabytes, and some more for each that the draft meets: twenty at most. */
const KEPT = 65_536;

/**
 * Judges recorded requests. The same people ask for the same models again and again, so what came out of the last tens
 * of thousands of different requests is kept: nothing but the request decides it.
 */
export class JudgedRequests {
  /** How many requests were asked for of late, and how many of them had not been judged before. */
  private asked = 0;
  private missed = 0;
  private readonly digest = new Int32Array(DIGEST_WORDS);
  private readonly known: DigestCache<JudgedRequest>;
  /** What most come to: counted once, under nothing. */
  private readonly unmet = new Map<ComparedOutcome, JudgedRequest>();

  constructor(
    private readonly comparison: Comparison,
    kept = KEPT,
  ) {
    this.known = new DigestCache(kept);
  }

  /** What came out of the request at a place, if it was judged lately. */
  find(records: RecordPiece, place: number): JudgedRequest | undefined {
    records.readDigest(place, this.digest);
    const known = this.known.find(this.digest);
    this.asked++;
    if (!known) this.missed++;
    return known;
  }

  /** Whether most of the requests that were asked for since the last time had not been judged before. */
  areMostlyNew(): boolean {
    const areNew = this.missed * 2 > this.asked;
    this.asked = 0;
    this.missed = 0;
    return areNew;
  }

  /** Judges the request at a place, given as {@link readRequest} reads it, and keeps what came out. */
  judge(records: RecordPiece, place: number, text: string): JudgedRequest {
    const judged = this.judgeText(text);
    records.readDigest(place, this.digest);
    this.known.keep(this.digest, judged);
    return judged;
  }

  private judgeText(text: string): JudgedRequest {
    const asked = readRequest(text);
    const { input, weight, userId, userEmail, department } = asked;
    const outcome = this.comparison.outcome(asked);
    if (outcome.isMatched || outcome.before !== outcome.after) {
      return { outcome, weight, keys: { userId, userEmail, department, model: input.model } };
    }
    if (weight !== 1) return { outcome, weight, keys: undefined };
    const same = this.unmet.get(outcome) ?? { outcome, weight, keys: undefined };
    this.unmet.set(outcome, same);
    return same;
  }
}
