import { BEHAVIOURS, type Behaviour } from '../../support/endpoint-behaviours.js';
import { toBehaviour, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import type { Chance } from '../processes/chance.js';
import type { Journal, Letter } from './journal.js';
import type { PlatformWithPeople } from './platforms/platform-with-people.js';

/** Probabilities of faults, as shares of all requests. */
export interface Shares {
  /** The platform handles the request, and the connection closes without an answer. */
  readonly lost: number;
  /** The connection closes, and the platform handles the request later, when time advances. For writing requests only. */
  readonly late: number;
  /** The platform handles the request, and the worker is killed before the answer. For writing requests only. */
  readonly killed: number;
  /** The platform answers 429 or 503. */
  readonly refused: number;
  /** People change the ticket between the service's read and its write. */
  readonly met: number;
}

/** What faults do outside of the platform. */
export interface Others {
  /** Kills the worker that has sent a request. */
  kill(): Promise<void>;
  /** Lets people change a ticket. */
  meet(id: string): void;
  /** The time of the platform. */
  now(): Date;
}

type Fault = 'lost' | 'late' | 'killed' | 'refused';
/** A planned fault. A number means a late request: how many times the time advances before the platform handles it. */
type Planned = number | 'killed' | 'lost';

interface LateLetter {
  readonly letter: Letter;
  readonly perform: () => void;
  /** Number of advances of the time before the platform handles the request. */
  left: number;
  isRepeated: boolean;
}

/** The share of requests without a known result after which people change the ticket before the retry. */
const SHARE_BETWEEN = 0.3;
/** Maximum number of advances of the time before the platform handles a late request. */
const LATEST = 5;
const FIRST_CHANGES: readonly Planned[] = [0, 1, 'killed', 'lost', 1, 0];
/** The first create is handled after three advances, because the service repeats a create after three searches. */
const FIRST_CREATES: readonly Planned[] = [3, 'lost', 0];
const KEYS = /key[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Network faults before a platform. */
export class Trouble {
  readonly counts = {
    lost: 0,
    late: 0,
    killed: 0,
    refused: 0,
    requests: 0,
    landedBefore: 0,
    landedAfter: 0,
    createdTwice: 0,
  };
  private readonly later: LateLetter[] = [];
  /**
   * Create requests that the platform handled late, by ticket id. An entry is removed once the service searches for the
   * ticket or repeats the create.
   */
  private readonly unsearched = new Map<string, { readonly print: string; readonly key: string }>();
  /** Planned faults of the first changes and creates, so that no kind of fault is missing in a short run. */
  private readonly first = { change: [...FIRST_CHANGES], create: [...FIRST_CREATES] };
  private isOn = true;

  constructor(
    private readonly platform: PlatformWithPeople,
    private readonly journal: Journal,
    private readonly chance: Chance,
    private readonly shares: Shares,
    private readonly others: Others,
  ) {
    platform.endpoint.intercept((request, perform) => {
      this.counts.requests += 1;
      return this.platform.writes(request) ? this.onWrite(request, perform) : this.onRead(request, perform);
    });
  }

  /** Lets the platform handle late requests: either those that are due, or all. */
  catchUp(all = false): void {
    for (const late of this.later.splice(0)) {
      if (!all && late.left-- > 0) this.later.push(late);
      else this.land(late);
    }
  }

  /** Ends all faults. */
  end(): void {
    this.isOn = false;
    this.catchUp(true);
  }

  private land({ letter, perform, isRepeated }: LateLetter): void {
    this.counts[isRepeated ? 'landedAfter' : 'landedBefore'] += 1;
    const id = this.journal.carryOut(letter, perform, isRepeated ? 'after the retry' : 'before the retry');
    if (letter.id !== undefined || id === undefined) return;
    if (isRepeated) this.counts.createdTwice += 1;
    else this.unsearched.set(id, { print: letter.print, key: this.platform.ticket(id)?.key ?? '' });
  }

  /**
   * The service repeats a create although the platform has handled the first one late. The service could not know: it
   * has not searched since then, because another failure after its last search delayed the repetition.
   */
  private repeatUnsearched({ print }: Letter): void {
    for (const [id, late] of this.unsearched) {
      if (late.print !== print) continue;
      this.unsearched.delete(id);
      this.counts.createdTwice += 1;
      this.journal.repeatLate(id);
    }
  }

  private search(names: readonly string[]): void {
    for (const [id, { key }] of this.unsearched) if (names.includes(key)) this.unsearched.delete(id);
  }

  /** The service repeats a request. Marks late requests with the same fingerprint as repeated. */
  private repeat({ print }: Letter): void {
    for (const late of this.later) late.isRepeated ||= late.letter.print === print;
  }

  private onRead(request: PlatformRequest, perform: () => PlatformAnswerOf): Behaviour {
    const id = this.platform.idOf(request);
    const fault = this.isOn ? this.faultOf(['lost', 'refused']) : undefined;
    if (fault === undefined) {
      if (id === undefined) this.search(namesIn(request, id));
      else this.journal.read(id);
      return this.answer(perform());
    }
    this.journal.trouble(namesIn(request, id));
    return fault === 'lost' ? BEHAVIOURS.reset : this.refuse();
  }

  private onWrite(request: PlatformRequest, perform: () => PlatformAnswerOf): Behaviour | undefined {
    const id = this.platform.idOf(request);
    const letter = this.journal.send(id, printOf(request));
    const planned = this.isOn ? this.first[this.platform.creates(request) ? 'create' : 'change'].shift() : undefined;
    const fault = this.isOn ? this.writeFault(planned) : undefined;
    if (fault !== undefined) this.journal.trouble(namesIn(request, id));
    // Also counts a request that is refused below as a repetition, because the service does not search again before it
    // repeats a refused request.
    this.repeat(letter);
    this.repeatUnsearched(letter);
    if (fault === 'refused') return this.refuse();
    if (fault === 'late') {
      this.counts.late += 1;
      const left = typeof planned === 'number' ? planned : this.chance.below(LATEST + 1);
      this.later.push({ letter, perform: () => void perform(), left, isRepeated: false });
      return this.leaveInDoubt(letter, id, BEHAVIOURS.reset);
    }
    if (this.isOn && id !== undefined && this.chance.next() < this.shares.met) this.others.meet(id);
    let answer: Behaviour | undefined;
    const changed = this.journal.carryOut(letter, () => (answer = this.answer(perform())));
    if (fault === undefined) {
      this.journal.answer(letter, changed);
      return answer;
    }
    this.counts[fault] += 1;
    if (fault === 'lost') return this.leaveInDoubt(letter, changed, BEHAVIOURS.reset);
    // Kills the worker before it gets an answer, so that it sends no further request.
    const die: Behaviour = { act: exchange => void this.others.kill().then(() => exchange.reset()) };
    return this.leaveInDoubt(letter, changed, die);
  }

  private writeFault(planned: Planned | undefined): Fault | undefined {
    if (planned !== undefined) return typeof planned === 'number' ? 'late' : planned;
    return this.faultOf(['lost', 'late', 'killed', 'refused']);
  }

  /** Leaves the service without a result. People may change the ticket before the service repeats its request. */
  private leaveInDoubt(letter: Letter, id: string | undefined, then: Behaviour): Behaviour {
    this.journal.doubt(letter);
    if (id !== undefined && this.chance.next() < SHARE_BETWEEN) this.others.meet(id);
    return then;
  }

  /** Adds the date of the platform's clock, as platforms do. */
  private answer({ headers, ...said }: PlatformAnswerOf): Behaviour {
    return toBehaviour({ ...said, headers: { date: this.others.now().toUTCString(), ...headers } });
  }

  private faultOf(faults: readonly Fault[]): Fault | undefined {
    let dice = this.chance.next();
    return faults.find(fault => (dice -= this.shares[fault]) < 0);
  }

  private refuse(): Behaviour {
    this.counts.refused += 1;
    return toBehaviour({ status: this.chance.below(2) === 0 ? 429 : 503, json: { errorMessages: ['Busy'] } });
  }
}

type PlatformAnswerOf = Parameters<typeof toBehaviour>[0];

/**
 * Identifies a request and its repetitions. A request with a text is identified by the key in the text. All other
 * requests are equal when they are repeated.
 */
function printOf({ method, url, body }: PlatformRequest): string {
  const text = body.toString('utf8').replaceAll('\\', '');
  const key = /Reference: (key\w+|[0-9a-f-]{36})/.exec(text)?.[1];
  return `${method} ${url.pathname} ${key ?? text}`;
}

/** The id of the request's ticket. For a search, the keys in the search. */
function namesIn({ url, body }: PlatformRequest, id: string | undefined): string[] {
  if (id !== undefined) return [id];
  return [...new Set(`${decodeURIComponent(url.search)} ${body.toString('utf8')}`.match(KEYS))];
}
