import { deepEqual, equal, fail, ok } from 'node:assert/strict';
import { Clock, type Json } from '#core';
import {
  AdapterHttp,
  AdapterHttpError,
  attemptCreate,
  RedactedHttp,
  type AdapterContext,
  type AdapterRequest,
  type AdapterResponse,
  type CreateOutcome,
  type ItsmAdapter,
  type RenderedTicket,
  type TicketDraft,
  type TicketRef,
} from '#itsm';
import type { Interference, ItsmAdapterGround, Trouble } from './ground.js';
import { responseOf, type PlatformAnswer } from './scripted-adapter-http.js';

/** The time of every case. */
export const NOW = new Date('2026-11-20T10:00:00.000Z');

class StoppedClock extends Clock {
  now(): Date {
    return new Date(NOW);
  }
}

type Asked = 'creates' | 'others' | 'all';

/**
 * The state of one rule's run: what the author of the adapter supplies ({@link ItsmAdapterGround}), the requests to the
 * platform, and the simulated failure.
 */
export class Stage<Settings extends object = object, Secrets extends object = object> {
  /** All requests that the adapter has sent, in order, including those that did not arrive. */
  readonly asked: AdapterRequest[] = [];
  readonly adapter: ItsmAdapter<Settings, Secrets>;
  /** The platform's last answer to a create. */
  createdAnswer: AdapterResponse | undefined;
  /** The reason why the rule does not apply to the adapter. Undefined if the rule was checked. */
  skipped: string | undefined;
  private trouble: Interference = () => undefined;
  private unreachable: Asked | undefined;
  /** Number of create requests that were answered with 401. */
  private unauthorized = 0;
  /** Index of the request that the platform refuses, counted from the first request of the run. */
  private refusedAt: number | undefined;

  constructor(readonly ground: ItsmAdapterGround<Settings, Secrets, Json>) {
    this.adapter = ground.newAdapter();
    ground.interfere?.(request => this.trouble(request));
  }

  get context(): AdapterContext<Settings, Secrets> {
    const { settings, secrets } = this.ground;
    const watched = new WatchedHttp(request => this.pass(request));
    // As in production, errors are redacted.
    const http = RedactedHttp.of(this.adapter, watched, secrets);
    return { settings, secrets, clock: new StoppedClock(), http };
  }

  /** Called by a rule that does not apply. */
  skip(reason: string): void {
    this.skipped = reason;
  }

  /** From now on, requests of this kind fail in this way. */
  meets(which: Asked, trouble: Trouble | PlatformAnswer): void {
    this.unreachable = undefined;
    const full: Trouble = 'kind' in trouble ? trouble : { kind: 'answer', answer: trouble };
    this.trouble = request => (this.is(which, request) ? full : undefined);
  }

  /**
   * Lets only the n-th request from now on fail.
   * @returns a function that returns the number of requests since this call
   */
  meetsAt(n: number, trouble: Trouble | PlatformAnswer | 'refused'): () => number {
    const before = this.asked.length;
    const count = (): number => this.asked.length - before;
    const full: Trouble | undefined =
      trouble === 'refused' ? undefined : 'kind' in trouble ? trouble : { kind: 'answer', answer: trouble };
    this.unreachable = undefined;
    this.refusedAt = trouble === 'refused' ? before + n : undefined;
    this.trouble = () => (count() === n ? full : undefined);
    return count;
  }

  /** From now on, the platform refuses the connections of requests of this kind. */
  refusesConnections(which: Asked): void {
    this.unreachable = which;
  }

  /** From now on, all requests succeed. */
  recovers(): void {
    this.unreachable = undefined;
    this.refusedAt = undefined;
    this.trouble = () => undefined;
  }

  /** One attempt. Errors of the adapter are handled as in production. */
  attempt(draft: TicketDraft, adapter = this.adapter): Promise<CreateOutcome> {
    return attemptCreate(adapter, this.context, this.render(draft, adapter), draft.key);
  }

  /** Creates a ticket, and asserts that the adapter sent exactly one create. */
  async created(draft: TicketDraft, adapter = this.adapter): Promise<TicketRef> {
    const before = this.creating.length;
    const outcome = await this.attempt(draft, adapter);
    if (outcome.kind !== 'created') fail(`the ticket was not created: ${outcome.kind}: ${outcome.message}`);
    equal(this.creating.length - before, 1, 'one request creates');
    return outcome.ref;
  }

  /** Asserts the outcome of an attempt, with at most one create. */
  async ends<Kind extends CreateOutcome['kind']>(
    kind: Kind,
    draft: TicketDraft,
    why: string,
  ): Promise<Extract<CreateOutcome, { kind: Kind }>> {
    const [before, refused] = [this.creating.length, this.unauthorized];
    const outcome = await this.attempt(draft);
    equal(outcome.kind, kind, `${why}: ${JSON.stringify(outcome)}`);
    // If the platform refused a create because of an expired token, it created nothing, and the adapter may repeat the
    // create.
    const again = Math.min(1, Math.max(0, this.unauthorized - refused));
    ok(this.creating.length - before <= 1 + again, `${why}: at most one request creates`);
    // The assertion above has compared the kind.
    return outcome as Extract<CreateOutcome, { kind: Kind }>;
  }

  /**
   * Asserts that a search for the key finds exactly these tickets within the platform's delay. If the platform has no
   * search, asserts that the adapter finds nothing.
   */
  async found(key: string, there: readonly TicketRef[], adapter = this.adapter): Promise<void> {
    const expected = adapter.capabilities.findByKey === 'none' ? [] : there;
    const end = performance.now() + (this.ground.foundWithinMs ?? 0);
    for (;;) {
      const refs = await adapter.findByKey(this.context, key);
      if (refs.length === expected.length || performance.now() > end) {
        deepEqual(refs.map(nameOf), expected.map(nameOf), `found by ${JSON.stringify(key)}`);
        return;
      }
      await new Promise(done => setTimeout(done, 50));
    }
  }

  render(draft: TicketDraft, adapter = this.adapter): RenderedTicket<Json> {
    return adapter.render(draft, this.ground.settings);
  }

  get creating(): AdapterRequest[] {
    return this.asked.filter(request => this.ground.creates(request));
  }

  /** The body of the last create request. */
  get sent(): Json {
    return this.creating.at(-1)?.json ?? fail('a create sends JSON');
  }

  get secretValues(): string[] {
    return Object.values(this.ground.secrets).filter(value => typeof value === 'string' && value.length >= 6);
  }

  private is(which: Asked, request: AdapterRequest): boolean {
    return which === 'all' || this.ground.creates(request) === (which === 'creates');
  }

  private async pass(request: AdapterRequest): Promise<AdapterResponse> {
    this.asked.push(request);
    // Yields to the event loop, as a real network does. Otherwise an adapter that loops would block all timers.
    await new Promise(done => setImmediate(done));
    const isCut = this.unreachable !== undefined && this.is(this.unreachable, request);
    if (isCut || this.asked.length === this.refusedAt) {
      throw new AdapterHttpError('not_sent', 'The endpoint refused the connection.');
    }
    const trouble = this.ground.interfere ? undefined : this.trouble(request);
    if (trouble?.kind === 'answer') return this.seen(request, responseOf(trouble.answer));
    const answer = this.seen(request, await this.ground.http.request(request));
    if (this.ground.creates(request)) this.createdAnswer = answer;
    if (trouble === undefined) return answer;
    if (trouble.kind === 'done, but answer') return responseOf(trouble.answer);
    throw new AdapterHttpError('sent', 'The endpoint closed the connection before it answered.');
  }

  private seen(request: AdapterRequest, answer: AdapterResponse): AdapterResponse {
    if (answer.status === 401 && this.ground.creates(request)) this.unauthorized += 1;
    return answer;
  }
}

class WatchedHttp extends AdapterHttp {
  constructor(private readonly pass: (request: AdapterRequest) => Promise<AdapterResponse>) {
    super();
  }

  override request(request: AdapterRequest): Promise<AdapterResponse> {
    return this.pass(request);
  }
}

/** Text that identifies a ticket. Two tickets are the same if both ids are equal. */
function nameOf({ externalTicketId, platformId }: TicketRef): string {
  return `${externalTicketId} ${platformId ?? ''}`;
}

/**
 * The simulated failure of one request. If it is an answer, the platform executes the request and then sends that
 * answer.
 */
export type SimulatedFailure = 'lost' | 429 | 503 | 'a refused connection' | PlatformAnswer;

export function met(failure: SimulatedFailure): Trouble | PlatformAnswer | 'refused' {
  if (failure === 'a refused connection') return 'refused';
  if (failure === 'lost') return { kind: 'done, but cut' };
  return typeof failure === 'number' ? { status: failure } : { kind: 'done, but answer', answer: failure };
}
