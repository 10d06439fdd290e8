/** Number of tasks that may be claimed for each key now. Keys that are not in the map get the default. */
export type Allowances = Map<string, number>;

/** The slots of a queue. */
export interface SlotPlan {
  /** Number of slots of the process. */
  total: number;
  /** Number of slots of a key whose other side responds. */
  perKey: number;
}

interface KeyState {
  /** Start times of running attempts by attempt, the oldest first. */
  readonly running: Map<object, number>;
  /** Maximum number of concurrent attempts. It grows by one with each response, up to `perKey`. */
  window: number;
  timedOut: boolean;
  /** Whether the other side has responded before. If not, no tasks are claimed in advance. */
  hasAnswered: boolean;
  /** Average duration until a response, in milliseconds. */
  latency: number;
  idleSince: number;
}

/** Number of slots of a new key. It grows by one with each response. */
const FIRST_WINDOW = 2;
/** A key hangs if its oldest attempt takes longer than this many milliseconds plus four times the average duration. */
const STALLED_MS = 500;
const STALLED_LATENCIES = 4;
/** Weight of the newest duration in the average. */
const NEWEST = 0.2;
/**
 * Intended wait of a claimed task for its slot, in milliseconds. While it waits, the task does not see most changes. If
 * the process crashes, the task waits until its lease expires.
 */
const AHEAD_FOR_MS = 30;
/**
 * If responses for a key take longer than this on average, no tasks are claimed in advance. Such a task might wait as
 * long as a whole response takes.
 */
const AHEAD_UP_TO_MS = 500;
/** A key that was idle for this many milliseconds starts again with the initial number of slots. */
const FORGET_MS = 30_000;
/** The same for a key that timed out. It is longer, because the next attempt of such a key may be minutes away. */
const FORGET_TIMED_OUT_MS = 900_000;

/**
 * Distributes the slots of a queue among its keys, so that a key that hangs does not delay others. A key that timed out
 * or hangs gets one slot. All such keys together get at most half of the slots. If the queue has a single slot, they
 * may use it.
 */
export class Slots {
  /** Number of tasks that may be claimed for a key that {@link allowances} does not list. */
  readonly others: number;
  private readonly keys = new Map<string, KeyState>();
  private runningCount = 0;

  constructor(
    private readonly plan: SlotPlan,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.others = Math.min(FIRST_WINDOW, plan.perKey);
  }

  /** Number of free slots. */
  get free(): number {
    return this.plan.total - this.runningCount;
  }

  /** Number of used slots. */
  get running(): number {
    return this.runningCount;
  }

  /** Number of attempts of a key that may start now. */
  freeOf(key: string): number {
    const state = this.keys.get(key);
    const window = !state ? this.others : this.isSlow(key) ? 1 : Math.min(state.window, this.share);
    return Math.max(0, Math.min(this.free, window - (state?.running.size ?? 0)));
  }

  /** Whether the key has timed out or hangs. */
  isSlow(key: string): boolean {
    const state = this.keys.get(key);
    return state !== undefined && isSlow(state, this.now());
  }

  /**
   * Number of tasks that may be claimed for each key, if it differs from {@link others}. A key whose other side
   * responds gets `ahead` times its concurrent attempts, so that the next tasks are ready in time. `waitingOf` returns
   * the number of tasks of a key that already wait.
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

  /**
   * Takes a slot. Call the returned function to free it. Its argument states whether the other side responded in time.
   */
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
   * Number of slots that one key may use now: all slots of a key if no other key uses slots, and fewer the more slots
   * are used. Without this limit, a few keys that start to hang at the same time would occupy every slot until their
   * attempts time out.
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

/** How many times the slots of a key can be filled within the intended wait, including the current time. */
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
