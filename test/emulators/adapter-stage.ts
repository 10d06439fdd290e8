import { newId, SystemClock, type Clock } from '#core';
import { EgressClient } from '#egress';
import type { AdapterContext, CreateOutcome, ItsmAdapter, TicketDraft } from '#itsm';
import { attemptCreate } from '../../libs/itsm/adapter/attempt-create.js';
import { EgressAdapterHttp } from '../../libs/itsm/delivery/egress-adapter-http.js';
import { makeAuthority, trustInThisProcess, type Authority } from '../support/certificates.js';

/** The setup that adapters need to call emulators over HTTPS in one process. */
export interface AdapterStage {
  readonly authority: Authority;
  contextOf<Settings extends object, Secrets extends object>(
    adapter: ItsmAdapter<Settings, Secrets>,
    settings: Settings,
    secrets: Secrets,
    clock?: Clock,
  ): AdapterContext<Settings, Secrets>;
  close(): Promise<void>;
}

export async function adapterStage(): Promise<AdapterStage> {
  const authority = await makeAuthority();
  const distrust = trustInThisProcess(authority.caPem);
  const egress = new EgressClient({ allow: ['127.0.0.0/8'] });
  return {
    authority,
    contextOf: (adapter, settings, secrets, clock = new SystemClock()) => {
      return { settings, secrets, clock, http: new EgressAdapterHttp(egress, adapter.origins(settings)) };
    },
    close: async () => {
      await egress.close();
      distrust();
    },
  };
}

/** A draft with a unique key. */
export function fieldDraft(more: Partial<TicketDraft> = {}): TicketDraft {
  return {
    key: newId(),
    title: '[Acme Gateway] policy_violation: ada@example.com used gpt-4o',
    severity: 'critical',
    labels: ['acme-gateway', 'ai-policy', 'critical'],
    payload: { user: 'ada@example.com', model: 'gpt-4o' },
    link: null,
    ...more,
  };
}

/** Renders the draft and makes one attempt to create the ticket. */
export function createBy<Settings extends object, Secrets extends object>(
  adapter: ItsmAdapter<Settings, Secrets>,
  context: AdapterContext<Settings, Secrets>,
  draft: TicketDraft,
): Promise<CreateOutcome> {
  return attemptCreate(adapter, context, adapter.render(draft, context.settings), draft.key);
}
