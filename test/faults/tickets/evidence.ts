import type { Entry } from './journal.js';
import type { PlatformWithPeople, PlatformTicket } from './platforms/platform-with-people.js';

/** A ticket in the service's API. */
export interface OurTicket {
  readonly id: string;
  readonly incident_id: string;
  readonly external_ticket_id: string | null;
  readonly sync_state: string;
  readonly status: string | null;
  readonly follows: string | null;
  readonly degraded: readonly string[];
  readonly error: string | null;
  readonly change_error: string | null;
  readonly updated_at: string;
}

/** An incident in the service's API. */
export interface OurIncident {
  readonly id: string;
  readonly severity: string;
  readonly status: string;
  readonly occurrences: number;
  readonly model: string;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
  readonly resolved_at: string | null;
}

/** A comment that the service does not repeat, because no request for it had an answer, as its timeline says. */
export interface GivenUp {
  readonly at: number;
  readonly occurrences: number;
}

/** All observations of one platform. */
export interface Evidence {
  readonly platform: Pick<PlatformWithPeople, 'kind' | 'priorities'> & { tickets(): readonly PlatformTicket[] };
  readonly tickets: readonly OurTicket[];
  readonly incidents: readonly OurIncident[];
  /** The changes of each ticket, by the platform's id. */
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
  /** Times of requests without a result, by the platform's id of the ticket. For searches, by the key in the search. */
  readonly troubles: ReadonlyMap<string, readonly number[]>;
  /** By incident. */
  readonly givenUp: ReadonlyMap<string, readonly GivenUp[]>;
  /** When workers were killed, with all requests that were under way. */
  readonly kills: readonly number[];
  /** Times of occurrences, by model. */
  readonly occurrences: ReadonlyMap<string, readonly number[]>;
}

/** The rules of the checker. Each is a promise of the documentation. */
export type Rule =
  | 'lost ticket'
  | 'two tickets for an incident'
  | 'waits without a cause'
  | 'duplicate ticket'
  | 'unnamed duplicate'
  | 'unknown ticket'
  | 'double text'
  | 'hasty text'
  | 'wrong status'
  | 'wrong priority'
  | 'lost resolution'
  | 'lost reopening'
  | 'lost occurrences'
  | 'lost text of a resolution'
  | 'two texts of a resolution'
  | 'reopened without news'
  | 'reopened a declined ticket'
  | 'resolved without a cause'
  | 'resolved against people'
  | 'overridden priority'
  | 'overridden status'
  | 'overridden title'
  | 'moved back'
  | 'lowered priority'
  | 'double page';

/** A difference between what the documentation promises and what happened. */
export interface Finding {
  readonly rule: Rule;
  /** The ticket on the platform, or the incident. */
  readonly about: string;
  /** The details, for a person who looks for the cause. */
  readonly details: string;
}

/** A ticket of the platform, with its incidents, records and changes. */
export interface Subject {
  readonly ticket: PlatformTicket;
  readonly entries: readonly Entry[];
  readonly ours: readonly OurTicket[];
  /** Oldest first. */
  readonly incidents: readonly OurIncident[];
}

/** The evidence, with the tickets by name and by incident. */
export interface World extends Evidence {
  readonly there: readonly PlatformTicket[];
  /** The tickets that the service knows, by their current names. */
  readonly subjects: ReadonlyMap<string, Subject>;
  readonly ofIncident: ReadonlyMap<string, readonly OurTicket[]>;
  readonly incidentIds: ReadonlySet<string>;
  /** Whether the platform shows texts. */
  readonly hasTexts: boolean;
}

export const HOUR_MS = 3_600_000;
const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
export const SEVERITIES = ['critical', 'high', 'medium', 'low'];

export function worldOf(evidence: Evidence): World {
  const there = evidence.platform.tickets();
  const incidents = new Map(evidence.incidents.map(incident => [incident.id, incident]));
  const ofName = Map.groupBy(evidence.tickets, ({ external_ticket_id }) => external_ticket_id);
  const subjects = new Map<string, Subject>();
  for (const ticket of there) {
    const ours = ofName.get(ticket.name) ?? [];
    const about = ours.flatMap(({ incident_id }) => incidents.get(incident_id) ?? []);
    // Ids grow with time.
    const sorted = about.toSorted((a, b) => a.id.localeCompare(b.id));
    if (ours.length > 0) {
      subjects.set(ticket.name, { ticket, ours, incidents: sorted, entries: evidence.entries.get(ticket.id) ?? [] });
    }
  }
  const ofIncident = Map.groupBy(evidence.tickets, ({ incident_id }) => incident_id);
  const hasTexts = Object.keys(evidence.platform.priorities).length > 0;
  return { ...evidence, there, subjects, ofIncident, incidentIds: new Set(incidents.keys()), hasTexts };
}

/** A finding about a ticket of the platform, with the facts about the ticket. */
export function findingOf(rule: Rule, { ticket, incidents, ours, entries }: Subject, what: string): Finding {
  const parts = [
    what,
    ...incidents.map(incident => JSON.stringify(incident)),
    ...ours.map(({ id, sync_state, status, change_error, degraded }) =>
      JSON.stringify({ id, sync_state, status, change_error, degraded }),
    ),
    ...entries.map(({ at, ...entry }, n) => `${n} ${new Date(at).toISOString()} ${JSON.stringify(entry)}`),
  ];
  return { rule, about: ticket.name, details: parts.join('\n    ') };
}

/** The incident that a text mentions, and the number of occurrences in the text. */
export interface Told {
  readonly text: string;
  readonly kind: 'comment' | 'reopen' | 'resolve';
  readonly incident: string | undefined;
  readonly occurrences: number;
  readonly severity: string | undefined;
}

export function toldIn(text: string, { incidentIds }: World): Told {
  const kind = text.includes('It happened again')
    ? 'reopen'
    : text.includes('The incident was resolved')
      ? 'resolve'
      : 'comment';
  return {
    ...{ text, kind },
    incident: text.match(IDS)?.find(id => incidentIds.has(id)),
    occurrences: Number(/Seen (\d+) times/.exec(text)?.[1] ?? 1),
    severity: /Severity: (\w+)/.exec(text)?.[1],
  };
}

/** The key at the end of a text of the service. */
export function keyOf(text: string): string {
  return /Reference: (\S+)/.exec(text)?.[1] ?? '';
}

/** Whether any request about a ticket between two times had no result. */
export function isTroubled({ troubles }: Evidence, id: string, from: number, to: number): boolean {
  return (troubles.get(id) ?? []).some(at => at >= from && at <= to);
}
