import { findingOf, HOUR_MS, isTroubled, toldIn } from './evidence.js';
import type { Finding, GivenUp, OurIncident, Subject, Told, World } from './evidence.js';
import type { Entry } from './journal.js';

/** Tolerance in comparisons, because some platforms store times in whole seconds. */
const SECOND_MS = 1_000;
/** Number of times that the service sends a comment if the answers are lost. */
const COMMENT_SENDS = 3;

/**
 * Checks that each incident has one ticket, that texts of the ticket report the incident, and that the ticket follows
 * its status.
 */
export function ofIncident(world: World, incident: OurIncident): Finding[] {
  const [our, ...others] = world.ofIncident.get(incident.id) ?? [];
  const about = incident.id;
  if (others.length > 0) return [{ rule: 'two tickets for an incident', about, details: JSON.stringify(others) }];
  // An uncertain ticket waits for a person, and the service says so. Another rule checks why it is uncertain.
  if (our?.sync_state === 'uncertain') return [];
  const subject = world.subjects.get(our?.external_ticket_id ?? '');
  if (!our || !subject) return [{ rule: 'lost ticket', about, details: JSON.stringify([incident, our]) }];
  const told = subject.ticket.texts.map(({ text, at }) => ({ ...toldIn(text, world), at }));
  const ofThis = told.filter(each => each.incident === incident.id);
  const isNewest = subject.incidents.at(-1)?.id === incident.id;
  return [
    ...hastyTexts(subject, ofThis),
    ...(isNewest ? endOf(subject, incident) : []),
    ...(world.hasTexts
      ? [...resolutionOf(world, subject, incident, ofThis), ...untold(world, subject, incident, ofThis)]
      : []),
  ];
}

type TimedText = Told & { readonly at: number };

/**
 * Finds tickets with more than one text about occurrences within an hour. Ignores texts with a changed severity, and
 * texts that the platform added late.
 */
function hastyTexts(subject: Subject, texts: readonly TimedText[]): Finding[] {
  const late = new Set(subject.entries.filter(entry => entry.late).flatMap(entry => entry.texts));
  const news = texts.filter(({ kind, text }) => kind !== 'resolve' && /Seen /.test(text) && !late.has(text));
  const isHasty = news.some((next, n) => {
    const before = news[n - 1];
    return before?.severity === next.severity && next.at - (before?.at ?? 0) < HOUR_MS - SECOND_MS;
  });
  return isHasty ? [findingOf('hasty text', subject, news.map(({ text }) => text).join('; '))] : [];
}

/** Checks that the ticket is open or ended as its newest incident and the changes by people require. */
function endOf(subject: Subject, incident: OurIncident): Finding[] {
  const { ticket, entries } = subject;
  const last = entries.findLast(({ before, after }) => before?.isOver !== after.isOver);
  // A request that the platform handled late may have reverted the last change. To the service, it looks like a change
  // by people.
  if (last?.late) return [];
  const isTheirs = last?.by === 'people';
  const since = (news: number): boolean => last !== undefined && (last.isDuring ? last.at >= news : last.at > news);
  if (incident.status === 'resolved') {
    const resolvedAt = Math.max(Date.parse(incident.last_seen_at), Date.parse(incident.resolved_at ?? '') || 0);
    if (ticket.isOver || (isTheirs && (since(resolvedAt) || isTakenForOver(entries, resolvedAt)))) return [];
    return [findingOf('lost resolution', subject, incident.id)];
  }
  if (!ticket.isOver || ticket.isFinal || (isTheirs && since(Date.parse(incident.last_seen_at)))) return [];
  return [findingOf('lost reopening', subject, incident.id)];
}

/** Checks that a ticket that was open when its incident was resolved has exactly one text about the resolution. */
function resolutionOf(world: World, subject: Subject, incident: OurIncident, texts: readonly TimedText[]): Finding[] {
  const keys = new Set(
    texts.filter(({ kind }) => kind === 'resolve').map(({ text }) => text.slice(text.indexOf('Reference'))),
  );
  if (keys.size > 1) return [findingOf('two texts of a resolution', subject, incident.id)];
  if (keys.size === 1 || !isTakenForOpen(world, subject, incident)) return [];
  return [findingOf('lost text of a resolution', subject, incident.id)];
}

/** Whether the ticket was open when the incident was resolved, and stayed connected until a text could be added. */
function isTakenForOpen(world: World, subject: Subject, incident: OurIncident): boolean {
  if (incident.status !== 'resolved') return false;
  const resolvedAt = Date.parse(incident.resolved_at ?? '');
  const { ticket, entries, incidents } = subject;
  // Changes at the same time are in this order: changes by people, the resolution of the incident, and the service's
  // resolution of the ticket.
  const isAnswer = ({ by, at, after }: Entry): boolean => by === 'service' && at === resolvedAt && after.isOver;
  const before = entries.findLast(entry => entry.at <= resolvedAt && !isAnswer(entry));
  if (!before || before.after.isOver || isTakenForOver(entries, resolvedAt)) return false;
  const hasEnded = entries.some(({ by, at, after }) => by === 'people' && after.isOver && isWithin(at, resolvedAt));
  // A newer incident takes the ticket over, with its own texts.
  const newer = incidents.find(({ id, first_seen_at }) => id > incident.id && Date.parse(first_seen_at) >= resolvedAt);
  const newerAt = Date.parse(newer?.first_seen_at ?? '');
  const isReplaced = newerAt <= resolvedAt + SECOND_MS || (newer && isTroubled(world, ticket.id, resolvedAt, newerAt));
  return !hasEnded && isReplaced !== true;
}

/**
 * Whether the service took a reopened ticket for ended, because no report about the reopening had arrived, or because the
 * platform had handled a request late. In this case, it has nothing to end.
 */
function isTakenForOver(entries: readonly Entry[], time: number): boolean {
  const known = entries.findLast(({ knownAt }) => knownAt !== undefined && knownAt <= time);
  const last = entries.findLast(({ at, before, after }) => at <= time && before?.isOver !== after.isOver);
  const isUnknown = last !== undefined && (last.by === 'people' || last.late !== undefined);
  return known?.after.isOver === true && isUnknown && !last.after.isOver;
}

function isWithin(at: number, from: number): boolean {
  return at >= from && at <= from + HOUR_MS;
}

/** Checks that texts of the ticket report all occurrences, except those after people ended the ticket. */
function untold(world: World, subject: Subject, incident: OurIncident, texts: readonly TimedText[]): Finding[] {
  const told = Math.max(1, givenUpIn(world, subject, incident, texts), ...texts.map(({ occurrences }) => occurrences));
  const required = requiredOf(world, subject, incident, texts);
  if (told >= required) return [];
  return [findingOf('lost occurrences', subject, `${told} of ${required} of ${incident.id}`)];
}

/**
 * The occurrences in the last comment that the service gave up, if three requests had no answer since the text before it.
 * A killed worker loses all requests under way, but the service learns only from a request of its own that it has no
 * answer. Zero if there is no such comment.
 */
function givenUpIn(
  { troubles, givenUp, kills }: World,
  { ticket }: Subject,
  { id, first_seen_at }: OurIncident,
  texts: readonly TimedText[],
): number {
  const own = troubles.get(ticket.id) ?? [];
  const all = givenUp.get(id) ?? [];
  const isUnanswered = ({ at }: GivenUp): boolean => {
    const before = [...texts, ...all].map(each => each.at).filter(time => time < at);
    const from = Math.max(Date.parse(first_seen_at), ...before);
    const count = (times: readonly number[]): number => times.filter(time => time >= from && time <= at).length;
    return count(own) > 0 && count(own) + count(kills) >= COMMENT_SENDS;
  };
  return Math.max(0, ...all.filter(isUnanswered).map(({ occurrences }) => occurrences));
}

function requiredOf(world: World, subject: Subject, incident: OurIncident, texts: readonly TimedText[]): number {
  const { ticket, incidents, entries } = subject;
  const isNewest = incidents.at(-1)?.id === incident.id;
  if (texts.some(({ kind }) => kind === 'resolve')) return incident.occurrences;
  if (isNewest && incident.status !== 'resolved' && !ticket.isOver) return incident.occurrences;
  if (incident.status === 'resolved' && isTakenForOpen(world, subject, incident)) return incident.occurrences;
  const end = lastEnd(entries, incident);
  if (!end || isTroubled(world, ticket.id, end.at - 2 * HOUR_MS, end.at)) return 0;
  const [from, to] = [Date.parse(incident.first_seen_at), Date.parse(incident.last_seen_at)];
  const times = (world.occurrences.get(incident.model) ?? []).filter(at => at >= from && at <= to);
  // The service sends at most one comment an hour, so occurrences of the last hour before the end may be missing.
  return incident.occurrences - times.filter(at => at > end.at - HOUR_MS).length;
}

/** The last entry by which somebody ended the ticket while the incident was its newest one. */
function lastEnd(entries: readonly Entry[], { first_seen_at, resolved_at }: OurIncident): Entry | undefined {
  const [from, to] = [Date.parse(first_seen_at), resolved_at === null ? Infinity : Date.parse(resolved_at)];
  return entries.findLast(
    ({ at, before, after }) => at >= from && at <= to && after.isOver && before?.isOver === false,
  );
}
