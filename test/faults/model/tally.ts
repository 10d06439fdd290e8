/** What histories must come across: a test that agrees because nothing happens is worth nothing. */
const EVENTS = [
  'delivered',
  'failed',
  'cancelled',
  'manual attempt',
  'recovery attempt',
  'signed with two secrets',
  'outcome lost',
  'worker died before the request',
  'given up after interruptions',
  'answered late',
  'answered too late',
] as const;

export type TalliedEvent = (typeof EVENTS)[number];

/** Counts what histories have come across. */
export class Tally {
  readonly #counts = new Map<TalliedEvent, number>(EVENTS.map(event => [event, 0]));

  count(event: TalliedEvent): void {
    this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1);
  }

  /** What has not come up so often. */
  rarerThan(count: number): string[] {
    return [...this.#counts].filter(([, counted]) => counted < count).map(([event, n]) => `${event}: ${n} times`);
  }
}
