import { ConflictError, RateLimitedError, UnavailableError, within } from '#core';

/** Maximum number of simulations that one process runs at the same time. */
export const SIMULATIONS_MAX = 2;

const RETRY_AFTER_SECONDS = 10;
/** Maximum wait of an organization for a slot, in milliseconds. */
const WAIT_MS = 20_000;

/** The organization already runs a simulation. */
export class SimulationUnderWayError extends ConflictError {
  constructor() {
    super('A simulation of your organization is already running; wait until it ends, or close its connection.');
  }
}

/**
 * Limits simulations to one per organization and a few per process, because they share the CPU with decisions. Waiting
 * organizations are served in FIFO order. An organization that simulates repeatedly therefore cannot block others.
 */
export class SimulationSlots {
  /** Organizations with a running or waiting simulation. */
  private readonly present = new Map<string, AbortController>();
  private readonly line = new Set<() => void>();
  private free = SIMULATIONS_MAX;
  private isClosed = false;

  constructor(private readonly waitMs = WAIT_MS) {}

  /**
   * Runs a simulation as soon as the organization gets a slot. Its signal aborts together with the caller's signal, or
   * when the process stops.
   * @throws SimulationUnderWayError
   * @throws RateLimitedError if the organization does not get a slot in time
   * @throws UnavailableError if the process is stopping
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

  /** Aborts running and waiting simulations, and refuses new ones. */
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
      // If the slot was assigned at this moment, it is passed to the next organization.
      if (!this.line.delete(begin)) this.pass();
      throw error;
    }
  }

  /** Passes the slot to the next waiting organization, or frees it. */
  private pass(): void {
    for (const begin of this.line) {
      this.line.delete(begin);
      return begin();
    }
    this.free++;
  }
}

/** Rejects with the signal's reason. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = (): void => reject(signal.reason instanceof Error ? signal.reason : stopping());
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
}

function tooMany(): RateLimitedError {
  return new RateLimitedError(
    `${SIMULATIONS_MAX} simulations of other organizations are running, and the queue is full; try again in a moment.`,
    RETRY_AFTER_SECONDS,
  );
}

function stopping(): UnavailableError {
  return new UnavailableError('This process is stopping; try again in a moment.');
}
