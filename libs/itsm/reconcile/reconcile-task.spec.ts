import { describe, expect, it } from '@jest/globals';
import { isUuid } from '#core';
import { reconcileTask } from './reconcile-task.js';

describe('the reconciliation task of a connector', () => {
  it('is one per connector, with a UUID that is not the connector’s own', () => {
    const id = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
    const [first, again, other] = [id, id.toUpperCase(), id.replace('0199', '0299')].map(reconcileTask);
    expect([isUuid(first?.id), first?.id === id, first?.id]).toEqual([true, false, again?.id]);
    expect(other?.id).not.toBe(first?.id);
  });
});
