import { ConflictError, RateLimitedError, UnavailableError, within } from '#core';

/** Simulations that one process runs at the same time. */
export const SIMULATIONS_MAX = 2;

const RETRY_AFTER_SECONDS = 10;
/** So long an organization waits for its turn. */
const WAIT_MS = 20_000;

/** The organization has a simulation that has not ended. */
export class SimulationUnderWayError extends ConflictError {
  constructor() {
    super('A simulation of your organization is running; wait for it to end, or close its connection.');
  }
}

/**
 * Who may simulate: one per organization, and a few at once, because decisions are to be made beside them. Organizations
 * take turns in the order in which they asked: one that simulates again and again stands behind the others each time.
 */
export class SimulationSlots {
  /** Those that run, and those that wait for their turn. */
  private readonly present = new Map<string, AbortController>();
  private readonly line = new Set<() => void>();
  private free = SIMULATIONS_MAX;
  private isClosed = false;

  constructor(private readonly waitMs = WAIT_MS) {}

  /**
   * Runs a simulation when it is the organization's turn. Its signal is aborted where the caller's is, and where the
   * process stops.
   * @throws SimulationUnderWayError
   * @throws RateLimitedError where the turn does not come in time
   * @throws UnavailableError where the process is stopping
   */
  async run<T>(orgId: string, given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.isClosed) throw stopping();
    if (this.present.has(orgId)) throw new SimulationUnderWayError();
    const controller = new AbortController();
    const signal = given ? AbortSignal.any([given, controller.signal]) : controller.signal;
    this.present.set(orgId, controller);
    try {
      await this.turn(signal);
      try {
        signal.throwIfAborted();
        return await work(signal);
      } finally {
        this.pass();
      }
    } finally {
      this.present.delete(orgId);
    }
  }

  /** Ends what is running or waits; nothing begins afterwards. */
  close(): void {
    this.isClosed = true;
    for (const controller of this.present.values()) controller.abort(stopping());
  }

  private async turn(signal: AbortSignal): Promise<void> {
    if (this.free > 0) return void this.free--;
    let begin = (): void => undefined;
    const called = new Promise<void>(resolve => this.line.add((begin = resolve)));
    try {
      await within(this.waitMs, Promise.race([called, aborted(signal)]), tooMany);
    } catch (error) {
      // The turn may have come just now.
      if (!this.line.delete(begin)) this.pass();
      throw error;
    }
  }

  /** The next in line has the turn, or it is free. */
  private pass(): void {
    for (const begin of this.line) {
      this.line.delete(begin);
      return begin();
    }
    this.free++;
  }
}

/** Rejects with what the signal is aborted with. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = (): void => reject(signal.reason instanceof Error ? signal.reason : stopping());
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
}

function tooMany(): RateLimitedError {
  return new RateLimitedError(
    `${SIMULATIONS_MAX} simulations of other organizations are running, and others wait; try again in a moment.`,
    RETRY_AFTER_SECONDS,
  );
}

function stopping(): UnavailableError {
  return new UnavailableError('This process is stopping; ask again in a moment.');
}
