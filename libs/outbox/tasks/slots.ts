/** How many tasks each key may be given now. Keys that are not listed get the default. */
export type Allowances = Map<string, number>;

/** The slots of a queue. */
export interface SlotPlan {
  /** Slots of the process. */
  total: number;
  /** Slots of a key that answers. */
  perKey: number;
}

interface KeyState {
  /** Start times of the running attempts, the oldest first. */
  readonly running: Map<object, number>;
  /** Maximum number of concurrent attempts. Each answer adds one, up to `perKey`. */
  window: number;
  timedOut: boolean;
  /** Before the first answer, no tasks are claimed in advance. */
  hasAnswered: boolean;
  /** Average duration of an answer, in milliseconds. */
  latency: number;
  idleSince: number;
}

/** Slots of a new key. Each answer adds one. */
const FIRST_WINDOW = 2;
/** A key hangs if its oldest attempt takes longer than this plus four times its average. */
const STALLED_MS = 500;
const STALLED_LATENCIES = 4;
/** Weight of the newest answer in the average. */
const NEWEST = 0.2;
/**
 * Target of how long a claimed task waits for its slot. Meanwhile, it does not see most changes, and if the process
 * crashes, it waits until its lease expires.
 */
const AHEAD_FOR_MS = 30;
/** Keys with slower answers get no tasks in advance, because a task might wait for the duration of a whole answer. */
const AHEAD_UP_TO_MS = 500;
/** A key that was idle this long starts again with the first slots. */
const FORGET_MS = 30_000;
/** The same idle time for a key that timed out, which is longer because its next attempt may be minutes away. */
const FORGET_TIMED_OUT_MS = 900_000;

/**
 * Shares the slots of a queue among its keys, so that a key that hangs delays no other. A key that timed out or hangs
 * gets one slot, and all such keys together at most half of the slots (one, if there is only one).
 */
export class Slots {
  /** Number of tasks for a key that {@link allowances} does not list. */
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

  /** How many attempts of a key may start now. */
  freeOf(key: string): number {
    const state = this.keys.get(key);
    const window = !state ? this.others : this.isSlow(key) ? 1 : Math.min(state.window, this.share);
    return Math.max(0, Math.min(this.free, window - (state?.running.size ?? 0)));
  }

  /** Whether the key timed out or hangs. */
  isSlow(key: string): boolean {
    const state = this.keys.get(key);
    return state !== undefined && isSlow(state, this.now());
  }

  /**
   * How many tasks may be claimed for each key, if this differs from {@link others}. A key that answers gets `ahead`
   * times its concurrent attempts, so that the next tasks are ready. `waitingOf` returns how many tasks of a key
   * already wait.
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

  /** Takes a slot. Call the result to free it, with whether the other side answered in time. */
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
   * How many slots one key may use: all of its own if it is alone, fewer the more slots are used. Otherwise,
   * {@link SlotPlan.total} ÷ {@link SlotPlan.perKey} keys that begin to hang together would use every slot until their
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

/** How many times the slots of a key can be filled within the target wait, including now. */
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
