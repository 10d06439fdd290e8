import { worldOf, type Evidence, type Finding } from './evidence.js';
import { ofHistory } from './history.rules.js';
import { ofIncident } from './incidents.rules.js';
import { ofAllTickets, ofTicket } from './tickets.rules.js';

/**
 * Compares the platform with the service, with the events and with what people did. Each exception follows from a
 * recorded fact of the same ticket: a request that the platform handled late, one without a result, or a change by
 * people that the service could not know.
 */
export function differences(evidence: Evidence): Finding[] {
  const world = worldOf(evidence);
  const subjects = [...world.subjects.values()];
  return [
    ...ofAllTickets(world),
    ...subjects.flatMap(subject => ofTicket(world, subject)),
    ...subjects.flatMap(subject => ofHistory(world, subject)),
    ...world.incidents.flatMap(incident => ofIncident(world, incident)),
  ];
}
