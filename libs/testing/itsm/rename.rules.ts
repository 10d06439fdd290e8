import { equal, fail, notEqual, ok } from 'node:assert/strict';
import { changesOf, type TicketRef } from '#itsm';
import { changeOf } from './drafts.js';
import { attempt, prepare, ticketOn } from './failing-changes.js';
import type { Stage } from './stage.js';

type Rule = (stage: Stage) => Promise<void>;

const NO_RENAMES = 'the name of a ticket never changes on the platform';

/**
 * Rules for tickets that people move to another project, which gives them another name. The service stores the new name,
 * because people and reports use it.
 */
export const RENAME_RULES: Record<string, Rule> = {
  'reports the new name of a ticket that people moved, and reads the ticket by both names': async stage => {
    const { adapter, context } = stage;
    if (!adapter.status) return stage.skip('the adapter has no `status`');
    if (isNever(stage)) return stage.skip(NO_RENAMES);
    const ref = await ticketOn(stage);
    const now = await renamed(stage, ref);
    const state = await adapter.status(context, ref);
    equal(state?.status, 'open', 'by its former name');
    isNamed(state?.movedTo, now, 'movedTo');
    const read = await adapter.status(context, now);
    equal(read?.status, 'open', 'by its new name');
    equal(read?.movedTo?.externalTicketId ?? now.externalTicketId, now.externalTicketId, 'it was moved once');
  },
  'changes a ticket that people moved, and returns its new name': async stage => {
    if (!stage.adapter.update) return stage.skip('the adapter has no `update`');
    if (isNever(stage)) return stage.skip(NO_RENAMES);
    for (const kind of changesOf(stage.adapter)) {
      const ref = await ticketOn(stage);
      await prepare(stage, ref, kind);
      const now = await renamed(stage, ref);
      const outcome = await attempt(stage, ref, changeOf(kind));
      if (outcome.kind !== 'updated') fail(`${kind}: ${JSON.stringify(outcome)}`);
      isNamed(outcome.ref, now, `ref of the outcome, ${kind}`);
    }
  },
};

function isNever({ ground }: Stage): boolean {
  ok(ground.rename !== undefined, 'an adapter with `status` or `update` needs `rename` in its ground');
  return ground.rename === 'none';
}

async function renamed({ ground: { rename } }: Stage, ref: TicketRef): Promise<TicketRef> {
  if (typeof rename !== 'function') fail('the ground has no `rename`');
  const now = await rename(ref);
  notEqual(now.externalTicketId, ref.externalTicketId, '`rename` in the ground gives the ticket another name');
  return now;
}

function isNamed(given: TicketRef | undefined, { externalTicketId, platformId }: TicketRef, what: string): void {
  equal(given?.externalTicketId, externalTicketId, `${what} has the new name`);
  equal(given?.platformId, platformId, `${what} has the id of the platform`);
}
