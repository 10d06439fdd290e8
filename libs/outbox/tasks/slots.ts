/** How many tasks a key may be given now, for those keys that may not be given what every other may. */
export type Allowances = Map<string, number>;

/** How a queue's slots are shared out. */
export interface SlotPlan {
  /** Slots of the process. */
  total: number;
  /** Slots of a key that answers. */
  perKey: number;
}

interface KeyState {
  /** When each attempt under way was begun, the oldest first. */
  readonly running: Map<object, number>;
  /** How many at once: grows with each answer, from the first to all. */
  window: number;
  timedOut: boolean;
  /** Nothing is taken ahead for a key before its first answer. */
  hasAnswered: boolean;
  /** What an answer usually takes, in milliseconds. */
  latency: number;
  idleSince: number;
}

/** Slots of a new key. Each answer adds one. */
const FIRST_WINDOW = 2;
/** A key whose oldest attempt takes longer than this and four times what it usually takes is as good as hanging. */
const STALLED_MS = 500;
const STALLED_LATENCIES = 4;
/** Weight of the newest answer in what answers usually take. */
const NEWEST = 0.2;
/**
 * What is at hand for a key waits about so long at most: it knows nothing of what has changed since, unless it is told,
 * and when the process dies it waits for its lease to run out.
 */
const AHEAD_FOR_MS = 30;
/** A key whose answers take as long is given nothing ahead: even one task might wait for as long as an answer takes. */
const AHEAD_UP_TO_MS = 500;
/** A key that had nothing to do for so long starts again with the first slots. */
const FORGET_MS = 30_000;
/** One that timed out, too, but later: its next attempt may be minutes away. */
const FORGET_TIMED_OUT_MS = 900_000;

/**
 * Shares a queue's slots among its keys, so that a key whose outside hangs holds up itself alone. A key that timed out
 * or keeps an attempt waiting gets one slot at a time, and all such keys together at most half of all slots (one, where
 * there is only one).
 */
export class Slots {
  /** What a key may take that {@link allowances} does not name. */
  readonly others: number;
  private readonly keys = new Map<string, KeyState>();
  private runningCount = 0;

  constructor(
    private readonly plan: SlotPlan,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.others = Math.min(FIRST_WINDOW, plan.perKey);
  }

  /** Slots that nobody holds. */
  get free(): number {
    return this.plan.total - this.runningCount;
  }

  /** Slots that are held. */
  get running(): number {
    return this.runningCount;
  }

  /** How many attempts of a key may be begun now. */
  freeOf(key: string): number {
    const state = this.keys.get(key);
    const window = !state ? this.others : this.isSlow(key) ? 1 : Math.min(state.window, this.share);
    return Math.max(0, Math.min(this.free, window - (state?.running.size ?? 0)));
  }

  /** Whether the key's outside timed out, or keeps an attempt waiting for too long. */
  isSlow(key: string): boolean {
    const state = this.keys.get(key);
    return state !== undefined && isSlow(state, this.now());
  }

  /**
   * How many tasks the keys may be given that may not be given {@link others}. A key that answers is given `ahead` times
   * what it may have under way, so that the next ones are at hand; `waitingOf` says how many it has been given already.
   */
  allowances(ahead: number, waitingOf: (key: string) => number): Allowances {
    const now = this.now();
    const slow = new Set<string>();
    let heldBySlow = 0;
    for (const [key, state] of this.keys) {
      if (isForgettable(state, now)) {
        this.keys.delete(key);
        continue;
      }
      if (!isSlow(state, now)) continue;
      slow.add(key);
      heldBySlow += state.running.size;
    }
    let freeForSlow = Math.max(1, Math.floor(this.plan.total / 2)) - heldBySlow;
    const allowances = new Map<string, number>();
    for (const [key, state] of this.keys) {
      const taken = state.running.size + waitingOf(key);
      const isSlowKey = slow.has(key);
      const most = isSlowKey
        ? Math.min(1, taken + Math.max(0, freeForSlow))
        : Math.ceil(Math.min(state.window, this.share) * Math.min(ahead, roundsAhead(state)));
      const free = Math.max(0, most - taken);
      if (isSlowKey) freeForSlow -= free;
      if (free !== this.others) allowances.set(key, free);
    }
    return allowances;
  }

  /** Takes a slot; the returned function gives it back and says whether the outside answered in time. */
  take(key: string): (answered: boolean) => void {
    const state = this.stateOf(key);
    const attempt = {};
    const begun = this.now();
    state.running.set(attempt, begun);
    this.runningCount++;
    return answered => {
      if (!state.running.delete(attempt)) return;
      this.runningCount--;
      state.timedOut = !answered;
      state.hasAnswered = answered;
      state.window = answered ? Math.min(state.window + 1, this.plan.perKey) : this.others;
      state.idleSince = this.now();
      const weight = state.latency === 0 ? 1 : NEWEST;
      if (answered) state.latency += (state.idleSince - begun - state.latency) * weight;
    };
  }

  /**
   * What a key may hold of what is left: all of its slots when it is alone, fewer the more keys hold some. Of keys that
   * begin to hang together none is known to be slow yet; as many as {@link SlotPlan.total} ÷ {@link SlotPlan.perKey} of
   * them would hold every slot until their attempts time out.
   */
  private get share(): number {
    const { total, perKey } = this.plan;
    return Math.max(1, Math.floor((this.free * perKey) / Math.max(1, total - perKey)));
  }

  private stateOf(key: string): KeyState {
    const known = this.keys.get(key);
    if (known) return known;
    const state: KeyState = {
      running: new Map(),
      window: this.others,
      timedOut: false,
      hasAnswered: false,
      latency: 0,
      idleSince: this.now(),
    };
    this.keys.set(key, state);
    return state;
  }
}

/** How often the slots of a key can be filled with what is at hand, the first time now. */
function roundsAhead({ hasAnswered, latency }: KeyState): number {
  return hasAnswered && latency < AHEAD_UP_TO_MS ? 1 + AHEAD_FOR_MS / latency : 1;
}

function isForgettable({ running, idleSince, timedOut }: KeyState, now: number): boolean {
  return running.size === 0 && now - idleSince > (timedOut ? FORGET_TIMED_OUT_MS : FORGET_MS);
}

function isSlow({ running, timedOut, latency }: KeyState, now: number): boolean {
  if (timedOut) return true;
  const [oldest] = running.values();
  return oldest !== undefined && now - oldest > STALLED_MS + STALLED_LATENCIES * latency;
}
