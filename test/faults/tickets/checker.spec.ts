import { describe, expect, it } from '@jest/globals';
import { differences } from './checker.js';
import type { Rule } from './evidence.js';
import { HOUR_MS, MINUTE_MS, Story, type Case } from './story.js';

const RESOLVED = { status: 'done', isOver: true };
const DECLINED = { status: 'declined', isOver: true, isFinal: true };
const REOPENED = { status: 'started', isOver: false, isFinal: false };

/** A month with every kind of event, in which the service keeps every promise. */
class Month extends Story {
  readonly open1 = this.open('open');
  readonly resolved = this.open('resolved');
  readonly again = this.open('again');
  readonly declined = this.open('declined');
  readonly prioritized = this.open('prioritized');
  readonly edited = this.open('edited');
  readonly moved = this.open('moved');
  readonly worse = this.open('worse');
  readonly reopened = this.open('reopened');
  readonly followed = this.open('followed');
  readonly following: Case;

  constructor() {
    super();
    this.people(this.declined, DECLINED);
    this.people(this.prioritized, { priority: '4' });
    this.people(this.edited, { title: 'Incident of Ada' });
    this.people(this.moved, { name: 'E-1' });
    this.moved.our.external_ticket_id = 'E-1';
    this.people(this.again, RESOLVED);
    this.pass(HOUR_MS);
    for (const { incident } of [this.open1, this.resolved, this.again, this.declined]) this.occur(incident);
    this.pass(MINUTE_MS);
    this.tell(this.open1, 'comment');
    this.tell(this.again, 'reopen');
    this.worse.incident.severity = 'critical';
    this.tell(this.worse, 'priority', { priority: '1' });
    this.pass(2 * HOUR_MS);
    for (const one of [this.resolved, this.reopened, this.followed]) {
      this.resolve(one.incident);
      this.tell(one, 'resolve');
    }
    this.pass(HOUR_MS);
    this.people(this.reopened, REOPENED);
    this.pass(HOUR_MS);
    this.following = this.follow(this.followed, 'followed');
    this.tell(this.following, 'reopen');
    this.followed.our.status = 'open';
    this.pass(HOUR_MS);
  }
}

/** A month of a platform that shows only whether a ticket is open. */
class MonthOfPages extends Story {
  readonly page = this.open('page');
  readonly ended = this.open('ended');

  constructor() {
    super(false);
    this.people(this.ended, RESOLVED);
    this.pass(HOUR_MS);
    this.occur(this.ended.incident);
    this.tell(this.ended, 'reopen');
    this.pass(HOUR_MS);
  }
}

/** The findings of one rule, or of all rules. */
function found(story: Story, wanted?: Rule): string[] {
  const all = differences(story.evidence());
  return all.flatMap(({ rule, about, details }) => {
    if (wanted === undefined) return [`${rule}: ${about}: ${details}`];
    return rule === wanted ? [rule] : [];
  });
}

/** One fault of the service for each rule. */
const FAULTS: Record<Rule, (month: Month, pages: MonthOfPages) => void> = {
  'lost ticket': month => void month.happen('lost', 'high'),
  'two tickets for an incident': month => {
    const { our } = month.open1;
    month.tickets.push({ ...our, id: month.newId() });
  },
  'waits without a cause': ({ declined }) => void (declined.our.sync_state = 'uncertain'),
  'duplicate ticket': month => void month.create(month.open1.our.id),
  'unnamed duplicate': month => void lateDuplicate(month, month.open('twice')),
  'unknown ticket': month => void month.create(month.newId()),
  'double text': ({ resolved: { there } }) => void there.texts.push(...there.texts.slice(-1)),
  'hasty text': month => hastyText(month, month.again),
  'wrong status': ({ resolved }) => void (resolved.our.status = 'open'),
  'wrong priority': ({ worse }) => void (worse.there.priority = '2'),
  'lost resolution': month => month.resolve(month.open1.incident),
  'lost reopening': month => {
    month.people(month.open1, RESOLVED);
    month.pass(HOUR_MS);
    month.occur(month.open1.incident);
  },
  'lost occurrences': ({ open1 }) => void open1.there.texts.splice(-1),
  'lost text of a resolution': ({ resolved }) => void resolved.there.texts.splice(-1),
  'two texts of a resolution': month => void month.tell(month.resolved, 'resolve'),
  'reopened without news': month => {
    month.people(month.open1, RESOLVED);
    month.tell(month.open1, 'reopen');
  },
  'reopened a declined ticket': month => void month.tell(month.declined, 'reopen'),
  'resolved without a cause': month => void month.tell(month.open1, 'priority', RESOLVED),
  'resolved against people': month => {
    reopenedAfterItsIncident(month);
    month.tell(month.open1, 'resolve');
  },
  'overridden priority': month => void month.tell(month.prioritized, 'priority', { priority: '2' }),
  'overridden status': month => void month.tell(month.reopened, 'comment', { status: 'new' }),
  'overridden title': month => void month.tell(month.edited, 'comment', { title: 'Incident' }),
  'moved back': month => {
    const moved = month.tell(month.moved, 'comment', { name: 'T-0' });
    month.moved.our.external_ticket_id = 'T-0';
    return moved;
  },
  'lowered priority': month => void month.tell(month.open1, 'priority', { priority: '3' }),
  'double page': (_month, pages) => {
    pages.people(pages.page, RESOLVED);
    pages.tell(pages.page, 'reopen');
  },
};

/** Lets people end the ticket before its incident is resolved, and reopen it afterwards. */
function reopenedAfterItsIncident(month: Month): void {
  month.people(month.open1, RESOLVED);
  month.pass(MINUTE_MS);
  month.resolve(month.open1.incident);
  month.pass(MINUTE_MS);
  month.people(month.open1, REOPENED);
  month.pass(MINUTE_MS);
}

function lateDuplicate(month: Month, { our }: Case): string {
  return month.create(our.id, 'high', 'after the retry').created.name;
}

function hastyText(month: Month, one: Case): void {
  for (let n = 0; n < 2; n++) {
    month.pass(40 * MINUTE_MS);
    month.occur(one.incident);
    month.tell(one, 'comment');
  }
}

/**
 * Differences that a rule accepts because of a recorded fact. Each function runs twice: with the fact about the ticket
 * of the fault, which excuses it, and with the same fact about another ticket, which does not.
 */
const EXCUSES: readonly [what: string, rule: Rule, play: (month: Month, fault: Case, excused: Case) => void][] = [
  [
    'a second ticket, if its create came after the retry',
    'duplicate ticket',
    (month, fault, excused) => {
      const name = lateDuplicate(month, excused);
      Object.assign(excused.our, { degraded: [`The ticket exists twice: ${name}`] });
      if (fault !== excused) month.create(fault.our.id);
    },
  ],
  [
    'a ticket that waits for a person, if searches for it failed',
    'waits without a cause',
    (month, fault, excused) => {
      for (let n = 0; n < 2; n++) month.journal.trouble([excused.our.id]);
      fault.our.sync_state = 'uncertain';
    },
  ],
  [
    'a text that is there twice, if the platform handled one after the retry',
    'double text',
    (month, fault, excused) => {
      month.pass(HOUR_MS);
      for (const one of new Set([fault, excused])) {
        month.occur(one.incident);
        const key = month.newId();
        const letter = month.tell(one, 'comment', {}, key);
        const late = one === excused ? 'after the retry' : undefined;
        month.write(one, 'comment', {}, letter, key, late);
      }
    },
  ],
  [
    'a reopening of what people ended during the request',
    'reopened without news',
    (month, fault, excused) => {
      for (const one of new Set([fault, excused])) {
        if (one === excused) month.journal.read(one.there.id);
        const before = month.journal.send(one.there.id, 'reopen');
        month.people(one, RESOLVED, { isDuring: true });
        if (one !== excused) month.journal.read(one.there.id);
        const letter = one === excused ? before : month.journal.send(one.there.id, 'reopen');
        month.write(one, 'priority', REOPENED, letter);
      }
    },
  ],
  [
    'a resolution of what people ended and reopened, if nobody reported the end',
    'resolved against people',
    (month, fault, excused) => {
      for (const one of new Set([fault, excused])) {
        month.resolve(one.incident);
        month.pass(MINUTE_MS);
        month.people(one, RESOLVED, { isReported: one !== excused });
        month.pass(MINUTE_MS);
        month.people(one, REOPENED);
        month.pass(MINUTE_MS);
        month.tell(one, 'resolve');
      }
    },
  ],
  [
    'a priority that people chose during the request',
    'overridden priority',
    (month, fault, excused) => {
      for (const one of new Set([fault, excused])) {
        one.incident.severity = 'critical';
        month.journal.read(one.there.id);
        const before = month.journal.send(one.there.id, 'priority');
        month.people(one, { priority: '4' }, { isDuring: true });
        month.journal.read(one.there.id);
        const letter = one === excused ? before : month.journal.send(one.there.id, 'priority');
        month.write(one, 'priority', { priority: '1' }, letter);
      }
    },
  ],
  [
    'occurrences without a text, if three comments had no answer and the service says so',
    'lost occurrences',
    (month, fault, excused) => {
      month.pass(HOUR_MS);
      for (const one of new Set([fault, excused])) month.occur(one.incident);
      month.giveUp(excused);
      if (excused !== fault) month.tell(excused, 'comment');
    },
  ],
  [
    'an open ticket of a resolved incident, if nobody reported that people had reopened it',
    'lost resolution',
    (month, fault, excused) => {
      month.pass(HOUR_MS);
      for (const one of new Set([fault, excused])) {
        month.people(one, RESOLVED);
        month.people(one, REOPENED, { isReported: one !== excused });
      }
      month.pass(MINUTE_MS);
      month.resolve(fault.incident);
    },
  ],
  [
    'an open ticket of a resolved incident, if a late request reopened what the service knew to be ended',
    'lost text of a resolution',
    (month, fault, excused) => {
      month.pass(HOUR_MS);
      for (const one of new Set([fault, excused])) {
        month.journal.read(one.there.id);
        const letter = month.journal.send(one.there.id, 'reopen');
        month.people(one, DECLINED);
        month.pass(MINUTE_MS);
        month.write(one, 'priority', REOPENED, letter, month.newId(), one === excused ? 'before the retry' : undefined);
      }
      month.resolve(fault.incident);
    },
  ],
];

/** Lost comments that were not given up after three requests without an answer. */
const LOST_COMMENTS: readonly [what: string, play: (month: Month, one: Case) => void][] = [
  ['that was given up after two requests', (month, one) => month.giveUp(one, 2)],
  [
    'whose requests without an answer came before the last text',
    (month, one) => {
      for (let n = 0; n < 3; n++) month.journal.trouble([one.there.id]);
      month.pass(MINUTE_MS);
      month.tell(one, 'comment');
      month.pass(2 * HOUR_MS);
      month.occur(one.incident);
      month.giveUp(one, 0);
    },
  ],
  [
    'after one that was given up',
    (month, one) => {
      month.giveUp(one);
      month.pass(2 * HOUR_MS);
      month.occur(one.incident);
    },
  ],
  [
    'that the service does not report as given up',
    (month, { there, our }) => {
      for (let n = 0; n < 3; n++) month.journal.trouble([there.id]);
      our.change_error = 'The platform did not answer.';
    },
  ],
];

describe('the checker of a month of tickets', () => {
  it('finds nothing if every promise was kept', () => {
    expect(found(new Month())).toEqual([]);
    expect(found(new MonthOfPages())).toEqual([]);
  });

  it.each(Object.keys(FAULTS).filter(isRule))('finds: %s', rule => {
    const [month, pages] = [new Month(), new MonthOfPages()];
    FAULTS[rule](month, pages);
    expect([...found(month, rule), ...found(pages, rule)]).toEqual([rule]);
  });

  it.each(EXCUSES)('accepts %s', (_what, _rule, play) => {
    const month = new Month();
    play(month, month.open1, month.open1);
    expect(found(month)).toEqual([]);
  });

  it.each(LOST_COMMENTS)('finds a missing comment %s', (_what, play) => {
    const month = new Month();
    month.pass(HOUR_MS);
    month.occur(month.open1.incident);
    play(month, month.open1);
    expect(found(month)).toEqual([expect.stringMatching(/^lost occurrences: /)]);
  });

  it.each(EXCUSES)('does not accept for another ticket: %s', (_what, rule, play) => {
    const month = new Month();
    play(month, month.open1, month.worse);
    expect(found(month, rule)).toEqual([rule]);
  });
});

function isRule(name: string): name is Rule {
  return name in FAULTS;
}
