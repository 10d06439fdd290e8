import type { Comparison, ComparedOutcome } from './comparison.js';
import { DigestCache } from './digest-cache.js';
import { DIGEST_WORDS, type RecordPiece } from './record-piece.js';
import { readRequest } from './recorded-request.js';

/** The outcome of a recorded request, and the keys for its counts. */
export interface JudgedRequest {
  readonly outcome: ComparedOutcome;
  /** Number of decisions that the record represents. */
  readonly weight: number;
  /**
   * Keys for which the request is counted. Undefined if the draft neither matches the request nor changes its outcome.
   */
  readonly keys: RequestKeys | undefined;
}

/** The keys for which a request is counted. */
export interface RequestKeys {
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly department: string | null;
  readonly model: string;
}

/**
 * Maximum number of cached outcomes. They take two megabytes, and additional memory for requests that the draft
 * matches: at most twenty megabytes.
 */
const KEPT = 65_536;

/**
 * Evaluates recorded requests. People repeat the same requests, so the outcomes of the last tens of thousands of
 * distinct requests are cached. The outcome depends only on the request.
 */
export class JudgedRequests {
  /** Number of recent lookups, and number of lookups that missed the cache. */
  private asked = 0;
  private missed = 0;
  private readonly digest = new Int32Array(DIGEST_WORDS);
  private readonly known: DigestCache<JudgedRequest>;
  /**
   * The results for the most frequent case: the draft does not change the outcome, and the request is counted for no
   * key.
   */
  private readonly unmet = new Map<ComparedOutcome, JudgedRequest>();

  constructor(
    private readonly comparison: Comparison,
    kept = KEPT,
  ) {
    this.known = new DigestCache(kept);
  }

  /** The cached result of the request at a position; undefined if it is not cached. */
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
   * Evaluates the request at a position and caches the result.
   * @param text the request in the format that {@link readRequest} parses
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
