import type { Comparison, ComparedOutcome } from './comparison.js';
import { DigestCache } from './digest-cache.js';
import { DIGEST_WORDS, type RecordPiece } from './record-piece.js';
import { readRequest } from './recorded-request.js';

/** The outcome of a recorded request, and the keys that it is counted under. */
export interface JudgedRequest {
  readonly outcome: ComparedOutcome;
  /** Number of decisions that the record represents. */
  readonly weight: number;
  /**
   * Keys under which the request is counted. Undefined if the draft neither matches the request nor changes its
   * outcome.
   */
  readonly keys: RequestKeys | undefined;
}

/** The keys that a request is counted under. */
export interface RequestKeys {
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly department: string | null;
  readonly model: string;
}

/** Takes two megabytes, plus memory for each request that the draft matches: twenty at most. */
const KEPT = 65_536;

/**
 * Evaluates recorded requests. People repeat the same requests, so the outcomes of the last tens of thousands of
 * distinct requests are cached. The outcome depends on the request only.
 */
export class JudgedRequests {
  /** Number of recent lookups, and number of those that missed the cache. */
  private asked = 0;
  private missed = 0;
  private readonly digest = new Int32Array(DIGEST_WORDS);
  private readonly known: DigestCache<JudgedRequest>;
  /** The most frequent outcomes: unchanged by the draft and counted under no key. */
  private readonly unmet = new Map<ComparedOutcome, JudgedRequest>();

  constructor(
    private readonly comparison: Comparison,
    kept = KEPT,
  ) {
    this.known = new DigestCache(kept);
  }

  /** The cached outcome of the request at a position, if any. */
  find(records: RecordPiece, place: number): JudgedRequest | undefined {
    records.readDigest(place, this.digest);
    const known = this.known.find(this.digest);
    this.asked++;
    if (!known) this.missed++;
    return known;
  }

  /** Whether most lookups since the last call missed the cache. */
  areMostlyNew(): boolean {
    const areNew = this.missed * 2 > this.asked;
    this.asked = 0;
    this.missed = 0;
    return areNew;
  }

  /**
   * Evaluates the request at a position, given in the form that {@link readRequest} reads, and caches the outcome.
   */
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
