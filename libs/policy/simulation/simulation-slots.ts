import { ConflictError, RateLimitedError, UnavailableError } from '#core';

/** Simulations that one process runs at the same time. */
export const SIMULATIONS_MAX = 2;

const RETRY_AFTER_SECONDS = 10;

/** The organization has a simulation that has not ended. */
export class SimulationUnderWayError extends ConflictError {
  constructor() {
    super('A simulation of your organization is running; wait for it to end, or close its connection.');
  }
}

/** Who may simulate: one per organization, and a few at once, because decisions are to be made beside them. */
export class SimulationSlots {
  private readonly running = new Map<string, AbortController>();
  private isClosed = false;

  /**
   * Runs a simulation. Its signal is aborted where the caller's is, and where the process stops.
   * @throws SimulationUnderWayError
   * @throws RateLimitedError where the process has as many as it may have
   * @throws UnavailableError where the process is stopping
   */
  async run<T>(orgId: string, given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.isClosed) throw stopping();
    if (this.running.has(orgId)) throw new SimulationUnderWayError();
    if (this.running.size >= SIMULATIONS_MAX) {
      throw new RateLimitedError(
        `${SIMULATIONS_MAX} simulations of other organizations are running; try again in a moment.`,
        RETRY_AFTER_SECONDS,
      );
    }
    const controller = new AbortController();
    this.running.set(orgId, controller);
    try {
      return await work(given ? AbortSignal.any([given, controller.signal]) : controller.signal);
    } finally {
      this.running.delete(orgId);
    }
  }

  /** Ends what is running; nothing begins afterwards. */
  close(): void {
    this.isClosed = true;
    for (const controller of this.running.values()) controller.abort(stopping());
  }
}

function stopping(): UnavailableError {
  return new UnavailableError('This process is stopping; ask again in a moment.');
}
