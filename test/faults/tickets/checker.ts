import type { Deed, LivedPlatform, PlatformTicket } from './lived/lived-platform.js';

/** A ticket in the service's API. */
export interface OurTicket {
  id: string;
  incident_id: string;
  external_ticket_id: string | null;
  sync_state: string;
  status: string | null;
  follows: string | null;
  degraded: string[];
  error: string | null;
  change_error: string | null;
  updated_at: string;
}

/** An incident in the service's API. */
export interface OurIncident {
  id: string;
  severity: string;
  status: string;
  occurrences: number;
  model: string;
  last_seen_at: string;
  resolved_at: string | null;
}

/** The last change of a ticket by people, and whether they set its priority. */
export interface PeoplesWill {
  deed: Deed;
  at: number;
  isPriorityTheirs: boolean;
  /** How often people resolved it. */
  ends: number;
}

/** All observations of one platform. */
export interface Evidence {
  readonly platform: LivedPlatform;
  readonly tickets: readonly OurTicket[];
  readonly incidents: readonly OurIncident[];
  /** By the platform's id. */
  readonly will: ReadonlyMap<string, PeoplesWill>;
  /** Creates and texts that took effect after their retry. */
  readonly late: { readonly creates: number; readonly texts: number };
}

const HOUR_MS = 3_600_000;
const SEVERITIES = ['critical', 'high', 'medium', 'low'];

/** Compares the platform with the service and with the events. Returns every difference as a sentence. */
export function differences(evidence: Evidence): string[] {
  const { platform } = evidence;
  const there = platform.tickets();
  const byName = new Map(there.map(ticket => [ticket.name, ticket]));
  const ticketOf = new Map(evidence.tickets.map(our => [our.incident_id, byName.get(our.external_ticket_id ?? '')]));
  const newestOf = new Map<PlatformTicket | undefined, string>();
  // Ids grow with time.
  for (const { id } of evidence.incidents.toSorted((a, b) => a.id.localeCompare(b.id)))
    newestOf.set(ticketOf.get(id), id);
  const ours = {
    ofName: Map.groupBy(evidence.tickets, ({ external_ticket_id }) => external_ticket_id),
    ofIncident: Map.groupBy(evidence.tickets, ({ incident_id }) => incident_id),
  };
  const world = { ...evidence, there, byName, newestOf, ours };
  const found = [
    ...duplicates(world),
    ...there.flatMap(ticket => ofTicket(world, ticket)),
    ...evidence.incidents.flatMap(incident => ofIncident(world, incident)),
  ];
  // A reopen request that takes effect after a resolve request reverts it. It cannot be distinguished from a change by
  // people.
  const undone = found.filter(what => what.includes(UNDONE));
  const { creates, texts } = evidence.late;
  const rest = undone.length > creates + texts ? found : found.filter(what => !what.includes(UNDONE));
  return rest.map(what => `${platform.kind}: ${what}`);
}

const UNDONE = 'is open, though resolved is';

interface World extends Evidence {
  readonly there: readonly PlatformTicket[];
  readonly byName: ReadonlyMap<string, PlatformTicket>;
  /** The newest incident of a ticket. */
  readonly newestOf: ReadonlyMap<PlatformTicket | undefined, string>;
  readonly ours: {
    readonly ofName: ReadonlyMap<string | null, readonly OurTicket[]>;
    readonly ofIncident: ReadonlyMap<string, readonly OurTicket[]>;
  };
}

/** No ticket exists twice, except for late creates, and the service knows every existing ticket. */
function duplicates({ there, tickets, late }: World): string[] {
  const keys = there.map(({ key }) => key);
  const twice = keys.length - new Set(keys).size;
  const named = new Set(tickets.map(({ external_ticket_id }) => external_ticket_id));
  const degraded = tickets.flatMap(ticket => ticket.degraded).join(' ');
  const unknown = there.filter(({ name }) => !named.has(name) && !degraded.includes(name));
  // Days pass in one step here. A search that fails then is given up after 24 hours.
  const waiting = tickets.filter(({ sync_state }) => sync_state === 'uncertain').length;
  return [
    ...(waiting > Math.ceil(tickets.length / 100) ? [`${waiting} tickets wait for a person`] : []),
    ...(twice > late.creates ? [`${twice} tickets are there twice, and ${late.creates} creates came late`] : []),
    ...(unknown.length > late.creates ? [`unknown: ${unknown.map(({ name }) => name).join(', ')}`] : []),
  ];
}

function ofTicket({ ours: { ofName }, incidents, will, late, platform }: World, ticket: PlatformTicket): string[] {
  const { name } = ticket;
  const ours = ofName.get(name) ?? [];
  if (ours.length === 0) return [];
  const about = incidents.filter(({ id }) => ours.some(({ incident_id }) => incident_id === id));
  const found: string[] = [];
  // Each of our texts ends in a key.
  const keys = ticket.texts.map(({ text }) => /Reference: (\S+)/.exec(text)?.[1] ?? '');
  const twice = keys.length - new Set(keys).size;
  if (twice > late.texts) found.push(`${name}: ${twice} texts are there twice`);
  const ends = will.get(ticket.id)?.ends ?? 0;
  const reopened = ticket.texts.filter(({ text }) => text.includes('It happened again')).length;
  if (reopened > ends + about.length - 1 + late.texts) {
    found.push(`${name}: reopened ${reopened} times for ${about.length} incidents and ${ends} ends by people`);
  }
  const allowed = prioritiesOf(platform, about);
  const hasTheirs = will.get(ticket.id)?.isPriorityTheirs ?? false;
  if (allowed.length > 0 && !ticket.isFinal && !ticket.isOver && !hasTheirs && !allowed.includes(ticket.priority)) {
    const all = history(ticket, about, ours, will);
    found.push(`${name}: priority ${ticket.priority}, not ${allowed.join(' or ')}: ${all}`);
  }
  for (const { status, id, sync_state } of ours) {
    const isOver = status === 'resolved' || status === 'closed';
    if (isOver !== ticket.isOver)
      found.push(`${name}: ticket ${id} says ${status} (${sync_state}); it is over: ${ticket.isOver}`);
  }
  return found;
}

/** The data of a ticket: its incidents, the service's view, the changes by people, and its texts. */
function history(
  { id, texts }: PlatformTicket,
  about: readonly OurIncident[],
  ours: readonly OurTicket[],
  will: Evidence['will'],
): string {
  return [
    ...about.map(incident => JSON.stringify(incident)),
    ...ours.map(our => JSON.stringify(our)),
    JSON.stringify(will.get(id) ?? null),
    ...texts.map(({ text, at }) => `${new Date(at).toISOString()} ${text}`),
  ].join('; ');
}

/**
 * The allowed priorities of a ticket: that of the worst open incident, or of a worse one that was resolved. None if all
 * incidents are resolved: a priority that was not raised by then does not change, even if people reopen the ticket.
 */
function prioritiesOf({ priorities }: LivedPlatform, about: readonly OurIncident[]): string[] {
  const open = about.filter(({ status }) => status !== 'resolved');
  const least = SEVERITIES.findIndex(severity => open.some(incident => incident.severity === severity));
  const severities = SEVERITIES.filter(
    (severity, at) => at === least || (at < least && about.some(incident => incident.severity === severity)),
  );
  return severities.flatMap(severity => priorities[severity] ?? []);
}

function ofIncident(world: World, incident: OurIncident): string[] {
  const { byName, newestOf, will, late, platform } = world;
  const ours = world.ours.ofIncident.get(incident.id) ?? [];
  if (ours.length !== 1) return [`incident ${incident.id} has ${ours.length} tickets`];
  const [our] = ours;
  // Such a ticket waits for a person, as the service says. Another check limits their number.
  if (our?.sync_state === 'uncertain') return [];
  const ticket = byName.get(our?.external_ticket_id ?? '');
  if (!our || !ticket) return [`incident ${incident.id}: ${our?.sync_state} ${our?.error ?? ''}`];
  const found: string[] = [];
  const about = ticket.texts.filter(({ text }) => text.includes(incident.id));
  const comments = about.filter(({ text }) => text.startsWith('Seen ') || /\)\nSeen /.test(text));
  for (const [n, { at }] of comments.entries()) {
    // Times of the instance are whole seconds.
    if (n > 0 && at - (comments[n - 1]?.at ?? 0) < HOUR_MS - 1_000 && late.texts === 0) {
      found.push(`${ticket.name}: two comments within an hour about ${incident.id}`);
    }
  }
  const resolves = about.filter(({ text }) => text.includes('The incident was resolved')).length;
  if (resolves > 1 + late.texts) found.push(`${ticket.name}: told ${resolves} times that ${incident.id} was resolved`);
  if (newestOf.get(ticket) !== incident.id) return found;
  const peoples = will.get(ticket.id);
  const newsAt = Math.max(Date.parse(incident.last_seen_at), Date.parse(incident.resolved_at ?? '') || 0);
  const isTheirs = peoples !== undefined && peoples.at > newsAt;
  if (incident.status === 'resolved') {
    if (!ticket.isOver && !isTheirs) found.push(`${ticket.name} ${UNDONE} ${incident.id} ${our.change_error ?? ''}`);
    return found;
  }
  if (ticket.isFinal || (ticket.isOver && isTheirs)) return found;
  if (ticket.isOver) found.push(`${ticket.name} is over; ${incident.id} happened again ${our.change_error ?? ''}`);
  if (Object.keys(platform.priorities).length === 0) return found;
  const told = Math.max(0, ...about.map(({ text }) => Number(/Seen (\d+) times/.exec(text)?.[1] ?? 1)));
  if (incident.occurrences > 1 && told < incident.occurrences) {
    const named = world.ours.ofName.get(ticket.name) ?? [];
    const seen = world.incidents.filter(({ id }) => named.some(({ incident_id }) => incident_id === id));
    found.push(
      `${ticket.name} tells of ${told} occurrences of ${incident.id}; there are ${incident.occurrences}: ` +
        history(ticket, seen, named, will),
    );
  }
  return found;
}
