import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import type {
  AdapterContext,
  Check,
  CreateOutcome,
  InboundUpdate,
  RenderedTicket,
  TicketDraft,
  TicketRef,
} from '#itsm';
import {
  AcmeDeskAdapter,
  type AcmeDeskSecrets,
  type AcmeDeskSettings,
} from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { acmeDeskGround } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.contract.js';
import { itsmAdapterContract, type ItsmAdapterGround } from './index.js';

type Context = AdapterContext<AcmeDeskSettings, AcmeDeskSecrets>;
type Ground = ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets>;

async function failuresOf(Adapter: new () => AcmeDeskAdapter, more: Partial<Ground> = {}): Promise<string[]> {
  const cases = itsmAdapterContract(() => ({ ...acmeDeskGround(() => new Adapter()), ...more }));
  const failures: string[] = [];
  for (const { title, run } of cases) {
    await run().catch(() => failures.push(title));
  }
  return failures;
}

describe('the contract of ticket adapters', () => {
  it('is passed by one that keeps it', async () => {
    expect(await failuresOf(AcmeDeskAdapter)).toEqual([]);
  });
});
