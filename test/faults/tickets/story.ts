import type { Severity } from '#core';
import { changeText } from '../../../libs/itsm/decide/change-text.js';
import type { ChangeKind } from '../../../libs/itsm/adapter/ticket-change.js';
import type { Evidence, GivenUp, OurIncident, OurTicket } from './evidence.js';
import { Journal, type Letter } from './journal.js';
import type { PlatformTicket } from './platforms/platform-with-people.js';

/** A ticket that a test can change. */
export type Written<T> = { -readonly [Key in keyof T]: T[Key] };
export type WrittenTicket = Written<Omit<PlatformTicket, 'texts'>> & { texts: { text: string; at: number }[] };

/** An incident with its ticket in the service and on the platform. */
export interface Case {
  readonly incident: Written<OurIncident>;
  readonly our: Written<OurTicket>;
  readonly there: WrittenTicket;
}

const START = Date.parse('2026-11-02T08:00:00Z');
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const PRIORITIES = { critical: '1', high: '2', medium: '3', low: '4' };

/** Evidence of a month without a database: the test says what the service, the platform and people do. */
export class Story {
  readonly tickets: Written<OurTicket>[] = [];
  readonly incidents: Written<OurIncident>[] = [];
  readonly there: WrittenTicket[] = [];
  readonly occurrences = new Map<string, number[]>();
  readonly givenUp = new Map<string, GivenUp[]>();
  readonly journal: Journal;
  private now = START;
  private ids = 0;

  /** @param hasTexts whether the platform shows texts and priorities */
  constructor(private readonly hasTexts = true) {
    const platform = {
      ticket: (id: string) => this.shown(this.there.find(each => each.id === id)),
      newest: () => this.shown(this.there.at(-1)),
    };
    this.journal = new Journal(platform, () => new Date(this.now));
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
  }

  /** Adds an incident, and the ticket that the service creates for it. */
  open(model: string, severity: Severity = 'high'): Case {
    const incident = this.happen(model, severity);
    const id = this.newId();
    const { created } = this.create(id, severity);
    return { incident, our: this.own(id, incident, created.name), there: created };
  }

  /** Adds a later incident to an existing ticket. */
  follow({ our, there }: Case, model: string): Case {
    const incident = this.happen(model, 'high');
    const next = this.own(this.newId(), incident, there.name);
    next.follows = our.id;
    return { incident, our: next, there };
  }

  /** Adds an incident without a ticket. */
  happen(model: string, severity: Severity): Written<OurIncident> {
    const at = this.time();
    const incident = {
      ...{ id: this.newId(), severity, status: 'open', occurrences: 0, model, first_seen_at: at, last_seen_at: at },
      resolved_at: null,
    };
    this.incidents.push(incident);
    this.occur(incident);
    return incident;
  }

  /** The service creates a ticket. */
  create(key: string, severity: Severity = 'high', late?: 'before the retry' | 'after the retry'): Created {
    const n = this.there.length + 1;
    const priority = this.hasTexts ? PRIORITIES[severity] : '';
    const state = { key, status: 'new', title: 'Incident', isOver: false, isFinal: false, priority, texts: [] };
    const letter = this.journal.send(undefined, `create ${key}`);
    const id = this.journal.carryOut(letter, () => this.there.push({ id: `${n}`, name: `T-${n}`, ...state }), late);
    const created = this.there.at(-1);
    if (late === undefined) this.journal.answer(letter, id);
    if (!created || created.id !== id) throw new Error('nothing was created');
    return { letter, created };
  }

  occur(incident: Written<OurIncident>): void {
    incident.occurrences += 1;
    incident.last_seen_at = this.time();
    this.occurrences.set(incident.model, [...(this.occurrences.get(incident.model) ?? []), this.now]);
  }

  resolve(incident: Written<OurIncident>): void {
    Object.assign(incident, { status: 'resolved', resolved_at: this.time() });
  }

  /** The service reads the ticket, and then changes it. */
  tell(one: Case, kind: ChangeKind, change: Partial<WrittenTicket> = {}, key = this.newId()): Letter {
    this.journal.read(one.there.id);
    return this.write(one, kind, change, this.journal.send(one.there.id, `${kind} ${key}`), key);
  }

  /** The service changes the ticket by a request that was sent before. */
  write(
    { there, incident, our }: Case,
    kind: ChangeKind,
    change: Partial<WrittenTicket>,
    letter: Letter,
    key = this.newId(),
    late?: 'before the retry' | 'after the retry',
  ): Letter {
    const { occurrences, severity, last_seen_at: last } = incident;
    const matter = { kind, key, occurrences, severity: severityOf(severity), lastSeenAt: new Date(last) };
    const text = changeText({ ...matter, resolution: null, link: `https://governance.example/i/${incident.id}` });
    this.journal.carryOut(
      letter,
      () => {
        Object.assign(there, STATES[kind], change);
        if (this.hasTexts && text !== '') there.texts.push({ text, at: this.now });
      },
      late,
    );
    if (late === undefined) this.journal.answer(letter, there.id);
    our.status = there.isOver ? 'resolved' : 'open';
    return letter;
  }

  /** People change the ticket. The platform reports the change, unless `isReported` is false. */
  people(
    { there, our }: Case,
    change: Partial<WrittenTicket>,
    { isDuring = false, isReported = true }: { isDuring?: boolean; isReported?: boolean } = {},
  ): void {
    this.journal.people(there.id, () => Object.assign(there, change), isDuring);
    if (isReported) this.journal.learn(there.id, this.journal.count(there.id));
    our.status = there.isOver ? 'resolved' : 'open';
  }

  /** The service sends a comment, gets no answer to its requests, and does not repeat it. */
  giveUp({ there, incident, our }: Case, requests = 3): void {
    for (let n = 0; n < requests; n++) this.journal.trouble([there.id]);
    const { id, occurrences } = incident;
    this.givenUp.set(id, [...(this.givenUp.get(id) ?? []), { at: this.now, occurrences }]);
    our.change_error = 'The platform did not answer.';
  }

  evidence(): Evidence {
    const { tickets, incidents, occurrences, givenUp } = this;
    const { entries, troubles } = this.journal;
    const priorities = this.hasTexts ? PRIORITIES : {};
    const platform = { kind: 'story', priorities, tickets: () => this.there };
    return { platform, tickets, incidents, occurrences, entries, troubles, givenUp, kills: [] };
  }

  newId(): string {
    return `00000000-0000-7000-8000-${String(++this.ids).padStart(12, '0')}`;
  }

  private own(id: string, { id: incident_id }: OurIncident, name: string): Written<OurTicket> {
    const our = {
      ...{ id, incident_id, external_ticket_id: name, sync_state: 'created', status: 'open', follows: null },
      ...{ degraded: [], error: null, change_error: null, updated_at: this.time() },
    };
    this.tickets.push(our);
    return our;
  }

  private time(): string {
    return new Date(this.now).toISOString();
  }

  /** Returns a copy of the ticket, because the journal keeps its state before and after a change. */
  private shown(ticket: WrittenTicket | undefined): PlatformTicket | undefined {
    return ticket && { ...ticket, texts: [...ticket.texts] };
  }
}

interface Created {
  readonly letter: Letter;
  readonly created: WrittenTicket;
}

const STATES: Partial<Record<ChangeKind, Partial<WrittenTicket>>> = {
  resolve: { status: 'done', isOver: true },
  reopen: { status: 'new', isOver: false, isFinal: false },
};

function severityOf(name: string): Severity {
  if (name === 'critical' || name === 'high' || name === 'medium' || name === 'low') return name;
  throw new Error(`no severity: ${name}`);
}
