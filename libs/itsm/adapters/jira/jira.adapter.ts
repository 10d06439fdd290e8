import { Injectable } from '@nestjs/common';
import type { TicketRef } from '../../adapter/create-outcome.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import { describeIssue } from './adf.js';
import { findIssues } from './find-issue.js';
import { renderIssue } from './jira-issue.js';
import {
  apiBaseOf,
  cloudSite,
  JIRA_SECRETS,
  JIRA_SETTINGS,
  type JiraContext,
  type JiraSecrets,
  type JiraSettings,
} from './jira-settings.js';
import { JiraSiteAdapter } from './jira-site.adapter.js';
import type { JiraSite } from './jira-site.js';

/** Issues in Jira Cloud, by its REST API, version 3 (https://developer.atlassian.com/cloud/jira/platform/rest/v3). */
@Injectable()
export class JiraAdapter extends JiraSiteAdapter<JiraSettings, JiraSecrets> {
  readonly kind = 'jira';
  readonly title = 'Jira Cloud';
  readonly settingsSchema = JIRA_SETTINGS;
  readonly secretsSchema = JIRA_SECRETS;

  override origins(settings: JiraSettings): readonly string[] {
    return [new URL(apiBaseOf(settings)).origin];
  }

  override render(draft: TicketDraft, settings: JiraSettings): RenderedTicket {
    const { adf, text } = describeIssue(draft);
    return renderIssue(draft, settings, { sent: adf, text });
  }

  protected override search(context: JiraContext, key: string): Promise<TicketRef[]> {
    return findIssues(this.siteOf(context), key);
  }

  protected override siteOf(context: JiraContext): JiraSite {
    return cloudSite(context);
  }
}
