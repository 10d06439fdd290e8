import { newChance, sleep, type Chance } from '../../faults/processes/chance.js';
import { now, type JournalFile, type Json } from '../journal.js';
import type { Replica } from '../testbed/replicas.js';

/** Longer than any answer without a fault. A slower answer counts as lost. */
const TIMEOUT_MS = 15_000;

/** A request, and its journal entry. */
export interface Request {
  /** The kind of operation in the journal. */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: object;
  /** The content that is written to the journal instead of the body. */
  readonly asked?: object;
  /** Default: the administrator's token. */
  readonly token?: string;
  /** Selects the part of the answer for the journal. Default: the whole answer. */
  readonly keep?: (answer: Answer) => object;
}

/** A completely received answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, if it is JSON. */
  readonly body: Record<string, unknown>;
  readonly text: string;
}

/** The data that all clients share. */
export interface Surroundings {
  readonly replicas: readonly Replica[];
  readonly journal: JournalFile;
  readonly adminToken: string;
  /** Aborted when the clients must stop. */
  readonly over: AbortSignal;
}

let operations = 0;

/**
 * Sends requests to random replicas. Writes each request to the journal before sending it, and its answer afterwards.
 */
export class Caller {
  readonly chance: Chance;

  constructor(
    readonly surroundings: Surroundings,
    seed: number,
  ) {
    this.chance = newChance(seed);
  }

  get isOver(): boolean {
    return this.surroundings.over.aborted;
  }

  /** Sends a request once. Undefined if the answer was lost. */
  async send(request: Request): Promise<Answer | undefined> {
    const replica = await this.anyReplica();
    if (!replica?.url) return undefined;
    const op = ++operations;
    const { journal, adminToken } = this.surroundings;
    const { what, method, path, body, token = adminToken } = request;
    const asked = (request.asked ?? body ?? { path }) as Json;
    journal.write({ op, what, replica: replica.name, begun: now(), asked });
    try {
      const response = await fetch(replica.url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      const answer = { status: response.status, headers: response.headers, body: parsed(text), text };
      const kept = request.keep?.(answer) ?? answer.body;
      // Failed requests keep the text of their answer, because the rules need it.
      const said = answer.status < 400 ? kept : { ...kept, said: text.slice(0, 300) };
      journal.write({ op, ended: now(), status: answer.status, answer: said });
      return answer;
    } catch {
      journal.write({ op, lost: now() });
      return undefined;
    }
  }

  /** Repeats a request until the answer is not 503, or the campaign is over. */
  async insist(request: Request): Promise<Answer | undefined> {
    while (!this.isOver) {
      const answer = await this.send(request);
      if (answer && answer.status !== 503 && answer.status !== 429) return answer;
      await this.pause(100);
    }
    return undefined;
  }

  /** Waits for about this long. */
  pause(milliseconds: number): Promise<void> {
    return sleep(milliseconds * (0.5 + this.chance.next()));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.chance.below(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  private async anyReplica(): Promise<Replica | undefined> {
    for (;;) {
      const up = this.surroundings.replicas.filter(({ url }) => url !== undefined);
      if (up.length > 0) return this.pick(up);
      if (this.isOver) return undefined;
      await sleep(50);
    }
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
