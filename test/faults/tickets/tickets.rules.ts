import { findingOf, keyOf, SEVERITIES, type Finding, type Subject, type World } from './evidence.js';
import type { Entry } from './journal.js';
import type { PlatformTicket } from './platforms/platform-with-people.js';

/** Maximum number of creates for a ticket: the first attempt, and two repetitions after lost answers. */
const CREATES_MAX = 3;
/** Time from a repeated create to the last search for a duplicate. */
const LAST_LOOK_MS = 300_000;
/**
 * Number of failed requests after which the service may give up a search. It does so after 24 hours. Because days pass
 * in one step here, two failures are enough.
 */
const FAILURES = 2;

/**
 * Checks that each ticket exists only once, except after a create that the platform handled later than the retry. The
 * service must name each duplicate.
 */
export function ofAllTickets(world: World): Finding[] {
  const ofKey = Map.groupBy(world.there, ({ key }) => key);
  return [...waiting(world), ...[...ofKey].flatMap(([key, same]) => ofOneKey(world, key, same))];
}

function waiting({ tickets, troubles }: World): Finding[] {
  return tickets.flatMap(({ id, sync_state, error }) => {
    const failures = (troubles.get(id) ?? []).length + (troubles.get(`key${id.replaceAll('-', '')}`) ?? []).length;
    if (sync_state !== 'uncertain' || failures >= FAILURES) return [];
    return [{ rule: 'waits without a cause', about: id, details: `${error}, after ${failures} failures` }];
  });
}

function ofOneKey(world: World, key: string, same: readonly PlatformTicket[]): Finding[] {
  const ours = world.tickets.find(({ id }) => key === id || key === `key${id.replaceAll('-', '')}`);
  const names = same.map(({ name }) => name).join(', ');
  if (!ours) return [{ rule: 'unknown ticket', about: names, details: `no ticket has the key ${key}` }];
  const first = (id: string): Entry | undefined => world.entries.get(id)?.[0];
  const late = same.filter(({ id }) => first(id)?.late === 'after the retry').length;
  if (same.length > Math.min(1 + late, CREATES_MAX)) {
    const creates = same.map(({ id }) => JSON.stringify(first(id))).join('\n    ');
    return [
      { rule: 'duplicate ticket', about: names, details: `${late} creates came after their retry\n    ${creates}` },
    ];
  }
  if (same.length === 1 || ours.sync_state === 'uncertain') return [];
  // The last search comes after the last create that was not handled late.
  const last = Math.max(...same.map(({ id }) => (first(id)?.late ? 0 : (first(id)?.at ?? 0))));
  const unnamed = same.filter(({ id, name }) => {
    const all = [name, ...(world.entries.get(id) ?? []).map(({ after }) => after.name)];
    const isNamed = all.some(each => ours.external_ticket_id === each || ours.degraded.join(' ').includes(each));
    return !isNamed && (first(id)?.at ?? 0) <= last + LAST_LOOK_MS;
  });
  const failures = (world.troubles.get(key) ?? []).length;
  if (unnamed.length === 0 || failures >= FAILURES) return [];
  return [{ rule: 'unnamed duplicate', about: names, details: JSON.stringify(ours) }];
}

/** Checks that the platform's ticket equals the service's record, and what its incidents require. */
export function ofTicket(world: World, subject: Subject): Finding[] {
  return [...texts(subject), ...priority(world, subject), ...status(subject)];
}

function texts(subject: Subject): Finding[] {
  const ofKey = Map.groupBy(subject.ticket.texts, ({ text }) => keyOf(text));
  return [...ofKey].flatMap(([key, same]) => {
    const late = subject.entries.filter(
      entry => entry.late === 'after the retry' && entry.texts.some(text => keyOf(text) === key),
    ).length;
    if (same.length <= 1 + late) return [];
    return [findingOf('double text', subject, `${same.length} texts with the key ${key}, ${late} after their retry`)];
  });
}

/**
 * Checks that the ticket has the priority of the worst open incident, or of an even worse incident that was resolved.
 * If all incidents are resolved, any priority is accepted: it is not raised later, even if people reopen the ticket.
 */
function priority({ platform: { priorities } }: World, subject: Subject): Finding[] {
  const { ticket, incidents, entries } = subject;
  const isTheirs = entries.some(({ by, before, after }) => by === 'people' && before?.priority !== after.priority);
  if (ticket.isOver || isTheirs) return [];
  const open = incidents.filter(incident => incident.status !== 'resolved');
  const least = SEVERITIES.findIndex(severity => open.some(incident => incident.severity === severity));
  const severities = SEVERITIES.filter(
    (severity, at) => at === least || (at < least && incidents.some(incident => incident.severity === severity)),
  );
  const allowed = severities.flatMap(severity => priorities[severity] ?? []);
  if (allowed.length === 0 || allowed.includes(ticket.priority)) return [];
  return [findingOf('wrong priority', subject, `${ticket.priority}, not ${allowed.join(' or ')}`)];
}

function status(subject: Subject): Finding[] {
  const { ticket, ours } = subject;
  return ours.flatMap(({ id, status: said }) => {
    if ((said === 'resolved' || said === 'closed') === ticket.isOver) return [];
    return [findingOf('wrong status', subject, `ticket ${id} says ${said}; it is over: ${ticket.isOver}`)];
  });
}
