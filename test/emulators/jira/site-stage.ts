import { afterEach, beforeEach } from '@jest/globals';
import { newId } from '#core';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startSite, type Site, type SiteOptions } from './site.js';
import { attemptCreate } from '../../../libs/itsm/adapter/attempt-create.js';
import type { CreateOutcome } from '../../../libs/itsm/adapter/create-outcome.js';
import type { TicketDraft } from '../../../libs/itsm/adapter/ticket-draft.js';
import { EgressAdapterHttp } from '../../../libs/itsm/delivery/egress-adapter-http.js';
import { JiraAdapter } from '../../../libs/itsm/adapters/jira/jira.adapter.js';
import type { JiraContext, JiraSettings } from '../../../libs/itsm/adapters/jira/jira-settings.js';

/** The link of the incident in drafts. */
export const LINK = 'https://governance.example.com/incidents/0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';

/** A draft with a unique key. */
export function draftOf(more: Partial<TicketDraft> = {}): TicketDraft {
  const severity = more.severity ?? 'high';
  return {
    key: newId(),
    title: '[Acme Gateway] policy_violation: ada@example.com used gpt-4o',
    severity,
    labels: ['acme-gateway', 'ai-policy', severity],
    payload: { user: 'ada@example.com', model: 'gpt-4o', provider: 'openai', policy: { name: 'No “drafts”' } },
    link: LINK,
    ...more,
  };
}

/** The adapter and the clock of each test, and the site that the test starts. */
export class SiteStage {
  site!: Site;
  adapter!: JiraAdapter;
  clock!: ManualClock;
  readonly #platforms = platformAccess();

  /** Registers the hooks of a test file. */
  constructor() {
    beforeEach(() => {
      this.adapter = new JiraAdapter();
      this.clock = new ManualClock();
    });
    afterEach(() => this.site.close());
  }

  readonly begin = async (options: Partial<SiteOptions> = {}): Promise<void> => {
    this.site = await startSite({ authority: this.#platforms.authority, ...options });
  };

  readonly contextOf = (more: Partial<JiraContext> = {}, maxTimeoutMs?: number): JiraContext => {
    const settings = more.settings ?? this.site.settings;
    const http = new EgressAdapterHttp(this.#platforms.egress, this.adapter.origins(settings), maxTimeoutMs);
    return { settings, secrets: this.site.account, clock: this.clock, http, ...more };
  };

  readonly create = (draft = draftOf(), context = this.contextOf()): Promise<CreateOutcome> =>
    attemptCreate(this.adapter, context, this.adapter.render(draft, context.settings), draft.key);

  readonly settingsWith = (more: Partial<JiraSettings>): JiraSettings => ({ ...this.site.settings, ...more });
}
