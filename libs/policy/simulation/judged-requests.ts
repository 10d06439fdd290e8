import type { Comparison, ComparedOutcome } from './comparison.js';
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

/** As many as are kept twice over: a few megabytes. */
const KEPT = 20_000;

/**
 * Judges recorded requests. The same people ask for the same models again and again, so what came out of the last tens
 * of thousands of different requests is kept: nothing but the request decides it.
 */
export class JudgedRequests {
  /** How many requests were asked for of late, and how many of them had not been judged before. */
  private asked = 0;
  private missed = 0;
  private recent = new Map<string, JudgedRequest>();
  private older = new Map<string, JudgedRequest>();

  constructor(
    private readonly comparison: Comparison,
    private readonly kept = KEPT,
  ) {}

  /** What came out of a request that was judged lately, by its digest. */
  find(digest: string): JudgedRequest | undefined {
    const known = this.recent.get(digest) ?? this.older.get(digest);
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

  /** Judges a request, given as {@link readRequest} reads it, that nobody asks for again. */
  judgeOnce(text: string): JudgedRequest {
    return judge(text, this.comparison);
  }

  /** Judges a request, given as {@link readRequest} reads it, and keeps what came out. */
  judge(digest: string, text: string): JudgedRequest {
    const judged = judge(text, this.comparison);
    if (this.recent.size >= this.kept) {
      this.older = this.recent;
      this.recent = new Map();
    }
    // A copy: what was cut out of a long text keeps all of it in memory.
    this.recent.set(Buffer.from(digest).toString(), judged);
    return judged;
  }
}

function judge(text: string, comparison: Comparison): JudgedRequest {
  const asked = readRequest(text);
  const { input, weight, userId, userEmail, department } = asked;
  const outcome = comparison.outcome(asked);
  const isMet = outcome.isMatched || outcome.before !== outcome.after;
  return { outcome, weight, keys: isMet ? { userId, userEmail, department, model: input.model } : undefined };
}
