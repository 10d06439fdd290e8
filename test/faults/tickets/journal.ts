import type { PlatformWithPeople, PlatformTicket } from './platforms/platform-with-people.js';

/** The state of a ticket, before or after a change. */
export type TicketView = Omit<PlatformTicket, 'id' | 'texts'>;

/** A change of a ticket. Lists of entries have the order in which the platform made the changes. */
export interface Entry {
  readonly by: 'people' | 'service';
  readonly at: number;
  /** The state before the change; undefined for a new ticket. */
  readonly before?: TicketView;
  readonly after: TicketView;
  /** The texts that the change added. */
  readonly texts: readonly string[];
  /** Number of earlier entries when the service had last read the ticket before its request. */
  readonly seen: number;
  /** Number of earlier entries when the service sent the request. */
  readonly sent: number;
  /**
   * Number of earlier entries when the service sent the first request for the same change whose result it did not
   * learn.
   */
  readonly doubted?: number;
  /** Set if the platform handled the request late: before or after the service repeated it. */
  readonly late?: 'before the retry' | 'after the retry';
  /** When the service first learned of the change: by a read, by a report, or by the answer to its own request. */
  readonly knownAt?: number;
  /** Whether people made the change while a request of the service was under way. */
  readonly isDuring?: boolean;
}

/** A request that changes something. */
export interface Letter {
  /** The ticket; undefined for a new one. */
  readonly id: string | undefined;
  /** A fingerprint of the request. It is equal for an attempt and its repetitions. */
  readonly print: string;
  readonly seen: number;
  readonly sent: number;
  readonly doubted?: number;
}

/** Equal requests within this time are repetitions. Later ones are new requests. */
const RETRIED_WITHIN_MS = 2 * 3_600_000;

/** Records the changes of all tickets of a platform in their order, and who made them. */
export class Journal {
  /** Entries by the platform's id of the ticket. */
  readonly entries = new Map<string, Entry[]>();
  /** Times of requests without a result, by the id of the ticket. For searches, by the key in the search. */
  readonly troubles = new Map<string, number[]>();
  private readonly seen = new Map<string, number>();
  private readonly known = new Map<string, number>();
  private readonly doubts = new Map<string, { readonly sent: number; readonly at: number }>();

  constructor(
    private readonly platform: Pick<PlatformWithPeople, 'ticket' | 'newest'>,
    private readonly now: () => Date,
  ) {}

  /** The service reads the ticket, and thereby knows its current state. */
  read(id: string): void {
    const { length } = this.of(id);
    this.seen.set(id, length);
    this.learn(id, length);
  }

  /** The number of changes of a ticket. */
  count(id: string): number {
    return this.of(id).length;
  }

  /** The service learns of the first `count` changes of a ticket. */
  learn(id: string, count: number): void {
    const known = this.known.get(id) ?? 0;
    if (count <= known) return;
    const knownAt = this.now().getTime();
    const isNew = (n: number): boolean => n >= known && n < count;
    const entries = [...this.of(id)];
    for (const [n, entry] of entries.entries()) if (isNew(n)) entries[n] = Object.assign({ knownAt }, entry);
    this.entries.set(id, entries);
    this.known.set(id, count);
  }

  /** The service sends a request. */
  send(id: string | undefined, print: string): Letter {
    const [seen, sent] = id === undefined ? [0, 0] : [this.seen.get(id) ?? 0, this.of(id).length];
    const doubt = this.doubts.get(print) ?? this.doubts.get(`change of ${id}`);
    const isRetry = doubt !== undefined && this.now().getTime() - doubt.at < RETRIED_WITHIN_MS;
    return { id, print, seen, sent, ...(isRetry && { doubted: doubt.sent }) };
  }

  /** The service does not learn the result of a request that changes something. */
  doubt({ id, print, sent }: Letter): void {
    const at = this.now().getTime();
    // A change consists of several requests. The service repeats the whole change before another change of the ticket
    // begins.
    for (const name of [print, ...(id === undefined ? [] : [`change of ${id}`])]) {
      const before = this.doubts.get(name);
      if (!before || at - before.at >= RETRIED_WITHIN_MS) this.doubts.set(name, { sent, at });
    }
  }

  /** The service has learned the result of a request. @param id the changed or new ticket */
  answer({ print }: Letter, id: string | undefined): void {
    this.doubts.delete(print);
    this.doubts.delete(`change of ${id}`);
    if (id !== undefined) this.learn(id, this.count(id));
  }

  /** A request about these tickets or keys had no result. */
  trouble(names: readonly string[]): void {
    for (const name of names) {
      this.troubles.set(name, [...(this.troubles.get(name) ?? []), this.now().getTime()]);
    }
  }

  /** The platform handles a request. Returns the id of the changed or new ticket. */
  carryOut(letter: Letter, perform: () => void, late?: Entry['late']): string | undefined {
    const { id, seen, sent, doubted } = letter;
    const facts = { seen, sent, ...(doubted !== undefined && { doubted }), ...(late && { late }) };
    if (id !== undefined) {
      this.change(id, perform, { by: 'service', ...facts });
      return id;
    }
    const before = this.platform.newest()?.id;
    perform();
    const newest = this.platform.newest();
    if (!newest || newest.id === before) return undefined;
    this.add(newest.id, { by: 'service', ...facts }, undefined, newest);
    return newest.id;
  }

  /** The platform created the ticket late, after the last search before the retry. */
  repeatLate(id: string): void {
    const [created, ...others] = this.of(id);
    if (created) this.entries.set(id, [{ ...created, late: 'after the retry' }, ...others]);
  }

  /** People change a ticket. */
  people<Result>(id: string, perform: () => Result, isDuring: boolean): Result {
    const sent = this.of(id).length;
    return this.change(id, perform, { by: 'people', seen: sent, sent, ...(isDuring && { isDuring }) });
  }

  private change<Result>(id: string, perform: () => Result, facts: Facts): Result {
    const before = this.platform.ticket(id);
    const result = perform();
    const after = this.platform.ticket(id);
    if (after && isChanged(before, after)) this.add(id, facts, before, after);
    return result;
  }

  private add(id: string, facts: Facts, before: PlatformTicket | undefined, after: PlatformTicket): void {
    const texts = after.texts.slice(before?.texts.length ?? 0).map(({ text }) => text);
    const views = { ...(before && { before: viewOf(before) }), after: viewOf(after) };
    this.entries.set(id, [...this.of(id), { ...facts, at: this.now().getTime(), ...views, texts }]);
  }

  private of(id: string): readonly Entry[] {
    return this.entries.get(id) ?? [];
  }
}

type Facts = Pick<Entry, 'by' | 'seen' | 'sent' | 'doubted' | 'late' | 'isDuring'>;

function isChanged(before: PlatformTicket | undefined, after: PlatformTicket): boolean {
  if (!before || before.texts.length !== after.texts.length) return true;
  return JSON.stringify(viewOf(before)) !== JSON.stringify(viewOf(after));
}

function viewOf({ name, key, status, title, isOver, isFinal, priority }: PlatformTicket): TicketView {
  return { name, key, status, title, isOver, isFinal, priority };
}
