import { BEHAVIOURS, type Behaviour } from '../../support/endpoint-behaviours.js';
import { toBehaviour, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import type { Chance } from '../processes/chance.js';
import type { LivedPlatform } from './lived/lived-platform.js';

/** Probabilities of faults, as shares of all requests. */
export interface Shares {
  /** The platform handles the request, and the connection closes without an answer. */
  readonly lost: number;
  /** The connection closes, and the platform handles the request later, when time advances. */
  readonly late: number;
  /** The platform handles the request, and the worker is killed before the answer. For writing requests only. */
  readonly killed: number;
  /** 429 and 503. */
  readonly refused: number;
}

/** Network faults before a platform. */
export class Trouble {
  readonly counts = { lost: 0, late: 0, killed: 0, refused: 0, requests: 0, lateCreates: 0, lateTexts: 0 };
  private readonly later: (() => void)[] = [];
  private isOn = true;

  /** @param kill kills the worker that has sent a request */
  constructor(
    private readonly platform: LivedPlatform,
    private readonly chance: Chance,
    private readonly shares: Shares,
    private readonly kill: () => Promise<void>,
  ) {
    platform.endpoint.intercept((request, perform) => {
      this.counts.requests += 1;
      return this.isOn ? this.choose(request, () => toBehaviour(perform())) : undefined;
    });
  }

  /** Delivers the delayed requests now. */
  catchUp(): void {
    for (const perform of this.later.splice(0)) perform();
  }

  /** Ends all faults. */
  end(): void {
    this.isOn = false;
    this.catchUp();
  }

  private choose(request: PlatformRequest, perform: () => Behaviour): Behaviour | undefined {
    const isWrite = this.platform.writes(request);
    const dice = this.chance.next();
    const { lost, late, killed, refused } = this.shares;
    if (dice < lost) {
      this.counts.lost += 1;
      perform();
      return BEHAVIOURS.reset;
    }
    if (dice < lost + late && isWrite) {
      this.counts.late += 1;
      if (this.platform.creates(request)) this.counts.lateCreates += 1;
      else this.counts.lateTexts += 1;
      this.later.push(() => void perform());
      return BEHAVIOURS.reset;
    }
    if (dice < lost + late + killed && isWrite) {
      this.counts.killed += 1;
      perform();
      // A killed worker sends no request any more.
      return { act: exchange => void this.kill().then(() => exchange.reset()) };
    }
    if (dice < lost + late + killed + refused) {
      this.counts.refused += 1;
      return toBehaviour({ status: this.chance.below(2) === 0 ? 429 : 503, json: { errorMessages: ['Busy'] } });
    }
    return undefined;
  }
}
