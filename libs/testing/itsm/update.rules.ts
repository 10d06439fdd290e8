import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { changesOf, CHANGE_KINDS } from '#itsm';
import { changeOf, textsIn } from './drafts.js';
import { admitsRefusals, attempt, groundOf, keepsWhole, makes, prepare, refusalsOf } from './failing-changes.js';
import { statusOf, survives, ticketOn, updated } from './failing-changes.js';
import { isShownAsItIs, MARKUP } from './markup.js';
import { UNREADABLE } from './scripted-adapter-http.js';
import type { Stage } from './stage.js';

type Rule = (stage: Stage) => Promise<void>;

const NO_UPDATE = 'the adapter has no `update`';

/** Rules for changes of existing tickets. The rules do not apply to an adapter without `update`. */
export const UPDATE_RULES: Record<string, Rule> = {
  'declares only changes that it makes': async stage => {
    const { adapter } = stage;
    const { changes } = adapter.capabilities;
    if (changes === undefined) return stage.skip('the adapter does not declare `changes`');
    ok(adapter.update !== undefined, 'an adapter with `changes` has `update`');
    const known = changes.filter(kind => CHANGE_KINDS.includes(kind));
    ok(
      known.length > 0 && known.length === changes.length,
      `some of ${CHANGE_KINDS.join(', ')}: ${changes.join(', ')}`,
    );
  },
  'adds the text of a change to the ticket, every line of it, and its key': async stage => {
    if (!makes(stage, 'comment')) return stage.skip('the adapter adds no texts');
    for (const kind of changesOf(stage.adapter).filter(each => each !== 'priority')) {
      const ref = await ticketOn(stage);
      await prepare(stage, ref, kind);
      const change = changeOf(kind);
      await updated(stage, ref, change, kind);
      const text = (await groundOf(stage).texts(ref)).find(each => each.includes(change.key)) ?? '';
      for (const line of change.text.split('\n')) ok(text.includes(line), `${kind}: ${line} is in ${text}`);
    }
  },
  'adds texts so that the platform shows them unchanged and without markup': async stage => {
    if (!makes(stage, 'comment')) return stage.skip('the adapter adds no texts');
    const ref = await ticketOn(stage);
    const { key, ...change } = changeOf('comment');
    const before = stage.asked.length;
    await updated(stage, ref, { ...change, key, text: `${MARKUP}\nReference: ${key}` }, 'markup');
    const sent = stage.asked.slice(before).flatMap(({ json = null, form = {} }) => textsIn([json, form]));
    const texts = sent.filter(text => text.includes(key) || text.includes('onerror'));
    isShownAsItIs(stage.ground.shows ?? 'html', texts, 'the text of a change');
  },
  'resolves and reopens a ticket, and raises its priority': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    const { severity } = stage.ground;
    const ref = await ticketOn(stage);
    if (makes(stage, 'resolve')) {
      await updated(stage, ref, changeOf('resolve'), 'an open ticket');
      equal(await statusOf(stage, ref), 'resolved');
    }
    if (makes(stage, 'reopen')) {
      await prepare(stage, ref, 'reopen');
      await updated(stage, ref, changeOf('reopen'), 'a resolved ticket');
      ok(['open', 'in_progress'].includes((await statusOf(stage, ref)) ?? ''), 'it is open again');
    }
    if (!makes(stage, 'priority')) return;
    await updated(stage, ref, changeOf('priority'), 'a ticket of severity high');
    deepEqual(await groundOf(stage).priority(ref), severity.expected.critical);
  },
  'makes a change once, whichever of its answers is lost, however often it is repeated': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    for (const kind of changesOf(stage.adapter)) {
      for (const trouble of ['lost', 429, 503, 'a refused connection'] as const) await survives(stage, kind, trouble);
    }
  },
  'makes a change once if the answer to it cannot be read': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    for (const kind of changesOf(stage.adapter)) {
      for (const answer of UNREADABLE) await survives(stage, kind, answer);
    }
  },
  'reports a change as repeatable only if no part of it was made': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    for (const kind of changesOf(stage.adapter)) await keepsWhole(stage, kind);
  },
  'does not change a ticket that is already in the requested status': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    const [open, over] = [await ticketOn(stage), await ticketOn(stage)];
    if (makes(stage, 'reopen')) {
      await updated(stage, open, changeOf('reopen'), 'an open ticket');
      equal(await statusOf(stage, open), 'open');
    }
    if (!makes(stage, 'resolve')) return;
    await stage.ground.status?.move(over, groundOf(stage).resolved);
    await updated(stage, over, changeOf('resolve'), 'a resolved ticket');
    equal(await statusOf(stage, over), 'resolved');
  },
  'does not change a priority that people chose': async stage => {
    if (!makes(stage, 'priority')) return stage.skip('the adapter changes no priorities');
    const ref = await ticketOn(stage);
    const ground = groundOf(stage);
    ok(ground.prioritize !== undefined, 'an adapter that changes priorities needs `prioritize` in its ground');
    await ground.prioritize(ref, 'low');
    const before = await ground.priority(ref);
    await updated(stage, ref, changeOf('priority'), 'a ticket whose priority people lowered');
    deepEqual(await ground.priority(ref), before);
  },
  'does not reopen what people declined': async stage => {
    if (!makes(stage, 'reopen')) return stage.skip('the adapter reopens no tickets');
    // If the adapter cannot read the status of a ticket, the service decides whether to reopen it.
    if (!stage.adapter.status) return stage.skip('the adapter has no `status`');
    const ref = await ticketOn(stage);
    const ground = groundOf(stage);
    ok(ground.decline !== undefined, 'an adapter with `status` needs `decline` in its ground');
    if (ground.decline === 'none') return stage.skip('the platform has no ending that means “declined”');
    await ground.decline(ref);
    const before = await statusOf(stage, ref);
    const outcome = await attempt(stage, ref, changeOf('reopen'));
    ok(outcome.kind === 'refused' && outcome.code === 'declined', JSON.stringify(outcome));
    equal(await statusOf(stage, ref), before, 'it stays as it is');
  },
  'never reports a failure as a made change or as a deleted ticket': async stage => {
    if (!stage.adapter.update) return stage.skip(NO_UPDATE);
    for (const kind of changesOf(stage.adapter)) {
      const ref = await ticketOn(stage);
      await prepare(stage, ref, kind);
      for (const answer of refusalsOf(stage)) {
        stage.meets('all', answer);
        const outcome = await attempt(stage, ref, changeOf(kind));
        notEqual(outcome.kind, 'updated', `${kind}: ${JSON.stringify(answer)}`);
        notEqual(outcome.kind, 'gone', `${kind}: ${JSON.stringify(answer)}`);
      }
      stage.recovers();
      await admitsRefusals(stage, kind);
    }
  },
};
