import { findingOf, SEVERITIES, toldIn, type Finding, type Subject, type World } from './evidence.js';
import type { Entry } from './journal.js';

/** The past of a ticket, up to an entry. */
interface Past {
  /** Index of the last entry that ended the ticket, and of the last entry by which people reopened it. */
  ended: number;
  reopenedByPeople: number;
  prioritizedByPeople: number;
  /** Index of the last entry in which people set the status. */
  statusByPeople: number;
  /**
   * Index of the last entry by which the service reopened the ticket, and of the last entry by which it resolved the
   * ticket.
   */
  reopened: number;
  resolved: number;
  /** Index of the last text with news of a kind. */
  news: { reopen: number; resolve: number };
  /** Occurrences that texts have mentioned, by incident. */
  readonly told: Map<string, { occurrences: number; severity: string | undefined }>;
  /** Incidents whose resolution a text has mentioned. */
  readonly resolutions: Set<string>;
}

/** Checks that the service respects what people did, and that each reopening and resolution has its own cause. */
export function ofHistory(world: World, subject: Subject): Finding[] {
  const past: Past = {
    ...{ ended: -1, reopenedByPeople: -1, prioritizedByPeople: -1, statusByPeople: -1, reopened: -1, resolved: -1 },
    ...{ news: { reopen: -1, resolve: -1 }, told: new Map(), resolutions: new Set() },
  };
  const [first] = subject.incidents;
  if (first) past.told.set(first.id, { occurrences: 1, severity: undefined });
  return subject.entries.flatMap((entry, at) => {
    readTexts(world, past, entry, at);
    const found = entry.by === 'service' && entry.before ? ofEntry(world, subject, past, at) : [];
    note(past, entry, at);
    return found;
  });
}

/**
 * A text has news if it mentions more occurrences than all earlier texts, a new incident, or the end of an incident.
 * The new incident may have a separate ticket: this is the case if people declined this ticket before the service knew
 * that it was reopened.
 */
function readTexts(world: World, past: Past, { texts }: Entry, at: number): void {
  for (const { kind, incident, occurrences, severity } of texts.map(text => toldIn(text, world))) {
    if (incident === undefined) continue;
    const before = past.told.get(incident);
    const isMore = !before || occurrences > before.occurrences;
    const isWorse = before?.severity !== undefined && rank(severity) < rank(before.severity);
    if (kind === 'reopen' && (isMore || isWorse)) past.news.reopen = at;
    if (kind === 'resolve' && !past.resolutions.has(incident)) {
      past.news.resolve = at;
      past.resolutions.add(incident);
    }
    past.told.set(incident, { occurrences: Math.max(occurrences, before?.occurrences ?? 1), severity });
  }
}

function note(past: Past, { by, before, after }: Entry, at: number): void {
  const wasOver = before?.isOver === true;
  const isTheirs = by === 'people';
  if (!wasOver && after.isOver) {
    past.ended = at;
    if (!isTheirs) past.resolved = at;
  }
  if (wasOver && !after.isOver) {
    if (isTheirs) past.reopenedByPeople = at;
    else past.reopened = at;
  }
  if (isTheirs && before && before.status !== after.status) past.statusByPeople = at;
  if (isTheirs && before && before.priority !== after.priority) past.prioritizedByPeople = at;
}

function ofEntry(world: World, subject: Subject, past: Past, at: number): Finding[] {
  const entry = subject.entries[at];
  const { before, after, seen } = entry ?? {};
  if (!entry || !before || !after || seen === undefined) return [];
  const found: Finding[] = [];
  const say = (rule: Finding['rule']): void => void found.push(findingOf(rule, subject, `entry ${at}`));
  if (before.isFinal && !after.isFinal && past.ended < seen) say('reopened a declined ticket');
  else if (before.isOver && !after.isOver && !mayReopen(world, subject, past, entry)) {
    say(world.hasTexts ? 'reopened without news' : 'double page');
  }
  if (!before.isOver && after.isOver) {
    const cause = causeOfResolution(world, subject, past, entry);
    const isRepeated = isRepeatedStatus(entry) && past.resolved >= entry.doubted;
    if (cause === undefined && !isRepeated) say('resolved without a cause');
    else if (cause !== undefined && isAgainstPeople(subject, past, entry, cause)) say('resolved against people');
  }
  if (before.isOver === after.isOver && before.status !== after.status && !isUnknown(past.statusByPeople, entry)) {
    say('overridden status');
  }
  if (before.title !== after.title) say('overridden title');
  if (before.name !== after.name) say('moved back');
  if (before.priority !== after.priority) {
    if (past.prioritizedByPeople !== -1 && past.prioritizedByPeople < seen) say('overridden priority');
    else if (past.prioritizedByPeople === -1 && isLower(world, entry)) say('lowered priority');
  }
  return found;
}

/**
 * Whether a reopening by the service has a cause. The cause is a separate text about new occurrences or a new incident.
 * On a platform without texts, it is an occurrence after the end of the ticket. A request may also undo the end if the
 * platform handled it late, or if the service sent it before it could know of the end.
 */
function mayReopen({ hasTexts, occurrences }: World, subject: Subject, past: Past, entry: Entry): boolean {
  const end = subject.entries[past.ended];
  if (!end) return false;
  if (end.by === 'people' ? past.ended >= entry.seen : entry.late && past.ended >= entry.sent) return true;
  if (isRepeatedStatus(entry) && past.ended >= entry.doubted) return true;
  if (hasTexts) return past.news.reopen > past.reopened;
  const models = new Set(subject.incidents.map(({ model }) => model));
  return [...models].some(model => (occurrences.get(model) ?? []).some(at => at > end.at && at <= entry.at));
}

/**
 * The service resolves a ticket because its incident was resolved. Returns the time when that happened, or undefined if
 * no incident was.
 */
function causeOfResolution({ hasTexts }: World, { incidents }: Subject, past: Past, { at }: Entry): number | undefined {
  if (hasTexts && past.news.resolve <= past.resolved) return undefined;
  const times = incidents.flatMap(({ resolved_at }) => (resolved_at === null ? [] : Date.parse(resolved_at)));
  const before = times.filter(time => time <= at);
  return before.length === 0 ? undefined : Math.max(...before);
}

/** Whether people had reopened the ticket after its incident was resolved, and the service could know this. */
function isAgainstPeople({ entries }: Subject, past: Past, entry: Entry, cause: number): boolean {
  const reopening = entries[past.reopenedByPeople];
  if (reopening === undefined || reopening.at <= cause || isUnknown(past.reopenedByPeople, entry)) return false;
  return isKnownAsReopening(entries, past.reopenedByPeople);
}

/**
 * Whether the service learned that the ticket was over before it learned that the ticket is open again. Otherwise it
 * knows only an open ticket. Platforms answer the current status, so such a ticket looks as if it had stayed open.
 */
function isKnownAsReopening(entries: readonly Entry[], reopening: number): boolean {
  const end = entries.slice(0, reopening).findLast(({ before, after }) => before?.isOver !== true && after.isOver);
  return end?.knownAt !== undefined && end.knownAt < (entries[reopening]?.knownAt ?? Infinity);
}

/**
 * Whether the service could not know of a change: it was made after the service had last read the ticket, or after it
 * first sent this request.
 */
function isUnknown(change: number, entry: Entry): boolean {
  return change >= entry.seen || (isRepeatedStatus(entry) && change >= entry.doubted);
}

/**
 * A change of status without a text is a separate request. If its answer is lost, the service cannot know whether the
 * change was not made or was undone by people. It repeats the request in both cases.
 */
function isRepeatedStatus(entry: Entry): entry is Entry & { readonly doubted: number } {
  return entry.doubted !== undefined && entry.texts.length === 0;
}

function isLower({ platform: { priorities } }: World, { before, after, late }: Entry): boolean {
  const order = SEVERITIES.map(severity => priorities[severity]);
  return late === undefined && order.indexOf(after.priority) > order.indexOf(before?.priority);
}

function rank(severity: string | undefined): number {
  return SEVERITIES.indexOf(severity ?? '');
}
