import { BEHAVIOURS, type Behaviour } from '../../support/endpoint-behaviours.js';
import { toBehaviour, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import type { Chance } from '../processes/chance.js';

/** How often what happens to requests, as shares of all. */
export interface Shares {
  /** The platform does it, and the connection ends without an answer. */
  readonly lost: number;
  /** The connection ends, and the platform does it later: when time passes. */
  readonly late: number;
  /** The worker loses its lease between request and outcome, as when its process is killed. */
  readonly killed: number;
  /** 429 and 503. */
  readonly refused: number;
}

/** Trouble on the way to a platform. */
export class Trouble {
  readonly counts = { lost: 0, late: 0, killed: 0, refused: 0, requests: 0, lateCreates: 0, lateTexts: 0 };
  private readonly later: (() => void)[] = [];
  private isOn = true;

  /** @param kill ends the worker of a ticket, by its key or by the platform's id of it */
  constructor(
    endpoint: PlatformEndpoint,
    private readonly chance: Chance,
    private readonly shares: Shares,
    private readonly kill: (ticket: string) => Promise<void>,
  ) {
    endpoint.intercept((request, perform) => {
      this.counts.requests += 1;
      if (!this.isOn) return undefined;
      const isWrite = request.method !== 'GET' && !request.url.pathname.endsWith('/jql');
      const act = () => toBehaviour(perform());
      return this.choose(isWrite, request.url.pathname, ticketIn(request), act);
    });
  }

  /** What comes late comes now. */
  catchUp(): void {
    for (const perform of this.later.splice(0)) perform();
  }

  /** From now on all is well. */
  end(): void {
    this.isOn = false;
    this.catchUp();
  }

  private choose(isWrite: boolean, path: string, ticket: string, perform: () => Behaviour): Behaviour | undefined {
    const dice = this.chance.next();
    const { lost, late, killed, refused } = this.shares;
    if (dice < lost) {
      this.counts.lost += 1;
      perform();
      return BEHAVIOURS.reset;
    }
    if (dice < lost + late && isWrite) {
      this.counts.late += 1;
      if (/\/(issue|incident)$/.test(path)) this.counts.lateCreates += 1;
      else this.counts.lateTexts += 1;
      this.later.push(() => void perform());
      return BEHAVIOURS.reset;
    }
    if (dice < lost + late + killed && isWrite) {
      this.counts.killed += 1;
      perform();
      // Whoever is dead asks nothing more.
      return { act: exchange => void this.kill(ticket).then(() => exchange.reset()) };
    }
    if (dice < lost + late + killed + refused) {
      this.counts.refused += 1;
      return toBehaviour({ status: this.chance.below(2) === 0 ? 429 : 503, json: { errorMessages: ['Busy'] } });
    }
    return undefined;
  }
}

/** The ticket that a request is about: the key of one that is created, or the platform's id. */
function ticketIn({ url, json }: PlatformRequest): string {
  const text = JSON.stringify(json ?? null);
  const key = /"correlation_id":"([^"]+)"/.exec(text)?.[1] ?? /"value":\{"key":"([^"]+)"/.exec(text)?.[1];
  return key ?? /\/(?:issue|incident)\/([^/]+)/.exec(url.pathname)?.[1] ?? '';
}
