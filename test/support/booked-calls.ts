import { RefusedError, type CallRequest, type CallUsage, type OpenCall, type OpenOptions } from '#calls';

type Decision = NonNullable<OpenCall['decision']>;

/** The outcome of one call. */
export interface BookedCall {
  readonly orgId: string;
  readonly request: CallRequest;
  readonly options: OpenOptions | undefined;
  covered: number;
  settled: CallUsage | undefined;
  released: boolean;
}

/** Opens calls and records their outcomes in memory instead of a database. */
export class BookedCalls {
  readonly calls: BookedCall[] = [];
  /** The error for every call. */
  refusal: Error | undefined;
  private readonly waiting = new Set<() => void>();

  /** The call that was opened last. */
  get last(): BookedCall {
    const call = this.calls.at(-1);
    if (!call) throw new Error('No call was opened');
    return call;
  }

  /** The number of calls that were neither settled nor released. */
  get unended(): number {
    return this.calls.filter(call => !call.settled && !call.released).length;
  }

  async open(orgId: string, request: CallRequest, options?: OpenOptions): Promise<OpenCall> {
    if (this.refusal) throw this.refusal;
    const call: BookedCall = { orgId, request, options, covered: 0, settled: undefined, released: false };
    this.calls.push(call);
    const end = (change: Partial<BookedCall>): void => {
      if (!call.settled && !call.released) Object.assign(call, change);
      for (const wake of this.waiting) wake();
    };
    return {
      decision: decision({ id: `decision-${this.calls.length}` }),
      cover: tokens => {
        if (tokens <= call.covered) return undefined;
        call.covered = tokens;
        return Promise.resolve();
      },
      settle: async usage => end({ settled: usage }),
      release: async () => end({ released: true }),
      extend: async () => undefined,
    };
  }

  /** Resolves once every call has ended. */
  async idle(): Promise<void> {
    while (this.unended > 0) {
      await new Promise<void>(done => {
        this.waiting.add(done);
      });
    }
  }
}

/** A decision that allows, with the given fields changed. */
function decision(change: Partial<Decision>): Decision {
  const allowed: Decision = {
    ...{ id: 'decision-0', action: 'allow', allowed: true, reason: 'no_policy_matched', policies: [] },
    evaluated_at: '2026-11-20T12:00:00Z',
  };
  return { ...allowed, ...change };
}

/** The error that governance throws if a budget is used up. */
export function overBudget(): RefusedError {
  const budgets = [{ id: 'budget-1', name: 'Team' }];
  return new RefusedError(decision({ action: 'block', allowed: false, reason: 'budget_exceeded', budgets }));
}
