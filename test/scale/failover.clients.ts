import { randomUUID } from 'node:crypto';
import { sleep } from '../faults/processes/chance.js';

/** Pause between two requests of a client. */
const PAUSE_MS = 50;
const TIMEOUT_MS = 30_000;
const CALL = { provider: 'openai', model: 'gpt-4o' };

/** A request that was answered with 200. Times are those of `performance.now()`. */
export interface Answered {
  /** Id of the event or the decision. */
  readonly id: string;
  readonly begun: number;
  readonly ended: number;
}

/** The targets of the clients' requests, and their credentials. */
export interface Target {
  readonly urls: readonly string[];
  readonly token: string;
  readonly userId: string;
}

/** An answer of the API. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Sends a request to one of the replicas. */
export async function ask(
  { urls, token }: Omit<Target, 'userId'>,
  turn: number,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${urls[turn % urls.length]}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  // Every answer of the API is an object.
  return { status: response.status, body: JSON.parse(await response.text()) as Record<string, unknown> };
}

/**
 * Clients that report usage, request decisions and read, each alternating between the replicas, until they are stopped.
 */
export class Clients {
  /** Events whose report was acknowledged. */
  readonly events: Answered[] = [];
  readonly decisions: Answered[] = [];
  /** Number of answers other than 200, by request. */
  readonly others = new Map<string, number>();
  /** Ids of all events that were sent. */
  readonly sent = new Set<string>();
  private readonly over = new AbortController();
  private readonly running: Promise<unknown>;

  constructor(
    private readonly target: Target,
    counts: { reporters: number; deciders: number; readers: number },
  ) {
    const many = (count: number, client: (n: number) => Promise<void>): Promise<void>[] =>
      Array.from({ length: count }, (_, n) => client(n));
    this.running = Promise.all([
      ...many(counts.reporters, n => this.report(n)),
      ...many(counts.deciders, n => this.decide(n)),
      ...many(counts.readers, n => this.read(n)),
    ]);
  }

  /**
   * Stops the clients after their current requests.
   * @throws the first failure that is not an answer of the API
   */
  async end(): Promise<void> {
    this.over.abort();
    await this.running;
  }

  /** Reports events. Sends an event that is not acknowledged again, with the same id. */
  private async report(first: number): Promise<void> {
    let event = this.newEvent();
    await this.work(first, 'usage', async turn => {
      const begun = performance.now();
      const answer = await ask(this.target, turn, '/v1/usage/events', { events: [event] });
      if (answer.status === 200) {
        this.events.push({ id: event.id, begun, ended: performance.now() });
        event = this.newEvent();
      }
      return answer;
    });
  }

  private async decide(first: number): Promise<void> {
    await this.work(first, 'decision', async turn => {
      const begun = performance.now();
      const answer = await ask(this.target, turn, '/v1/decisions', { ...CALL, user_id: this.target.userId });
      const ended = performance.now();
      if (answer.status === 200) this.decisions.push({ id: String(answer.body['id']), begun, ended });
      return answer;
    });
  }

  private async read(first: number): Promise<void> {
    await this.work(first, 'report', turn => ask(this.target, turn, '/v1/usage'));
  }

  private async work(first: number, what: string, once: (turn: number) => Promise<Answer>): Promise<void> {
    for (let turn = first; !this.over.signal.aborted; turn++) {
      const { status } = await once(turn);
      const name = `${what} ${status}`;
      if (status !== 200) this.others.set(name, (this.others.get(name) ?? 0) + 1);
      await sleep(PAUSE_MS);
    }
  }

  private newEvent(): { id: string } & Record<string, unknown> {
    const id = randomUUID();
    this.sent.add(id);
    const tokens = { input_tokens: 10, output_tokens: 1 };
    return { ...CALL, ...tokens, id, user_id: this.target.userId, occurred_at: new Date().toISOString() };
  }
}
