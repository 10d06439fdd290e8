import { isOutage } from '../database-fault.js';
import { retryingConflicts } from '../retrying-conflicts.js';
import type { PendingItem } from './pending-item.js';
import type { GroupCommitTerms } from './terms.js';

/** An item was withdrawn while its group was being written. No item of the group was written. */
export class WithdrawnError extends Error {}

/**
 * Writes a group, and repeats this after conflicts with other transactions. Records which items are in doubt.
 * @throws WithdrawnError if `seal` found a withdrawn item
 * @throws any error of `commit`
 */
export function commitGroup<Item, Outcome>(
  terms: GroupCommitTerms<Item, Outcome>,
  key: string,
  group: readonly PendingItem<Item, Outcome>[],
  isRepeat: boolean,
): Promise<readonly Outcome[]> {
  const items = group.map(({ item }) => item);
  const attempt = {
    isRepeat,
    isAwaited: group.some(({ isAwaited }) => isAwaited),
    seal: () => {
      if (group.some(({ isWithdrawn }) => isWithdrawn)) throw new WithdrawnError();
      for (const pending of group) pending.commits();
    },
  };
  return retryingConflicts(async () => {
    try {
      return await terms.commit(key, items, attempt);
    } catch (error) {
      for (const pending of group) pending.rollsBack(isOutage(error));
      throw error;
    }
  });
}
