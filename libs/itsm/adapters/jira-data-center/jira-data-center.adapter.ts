import { Injectable } from '@nestjs/common';
import type { TicketRef } from '../../adapter/create-outcome.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import { renderIssue } from '../jira/jira-issue.js';
import { JiraSiteAdapter } from '../jira/jira-site.adapter.js';
import type { JiraProjectSettings, JiraSite } from '../jira/jira-site.js';
import {
  dataCenterSite,
  SECRETS_SCHEMA,
  SETTINGS_SCHEMA,
  type DataCenterContext,
  type DataCenterSecrets,
} from './data-center-settings.js';
import { searchIssues } from './search-issues.js';
import { describeInWiki } from './wiki.js';

/**
 * Issues in Jira Data Center, version 8.4 and later, by its REST API, version 2
 * (https://developer.atlassian.com/server/jira/platform/rest/).
 */
@Injectable()
export class JiraDataCenterAdapter extends JiraSiteAdapter<JiraProjectSettings, DataCenterSecrets> {
  readonly kind = 'jira_data_center';
  readonly title = 'Jira Data Center';
  readonly settingsSchema = SETTINGS_SCHEMA;
  readonly secretsSchema = SECRETS_SCHEMA;

  override origins({ instance_url }: JiraProjectSettings): readonly string[] {
    return [new URL(instance_url).origin];
  }

  override render(draft: TicketDraft, settings: JiraProjectSettings): RenderedTicket {
    return renderIssue(draft, settings, describeInWiki(draft));
  }

  protected override search(context: DataCenterContext, key: string): Promise<TicketRef[]> {
    return searchIssues(this.siteOf(context), key);
  }

  protected override siteOf(context: DataCenterContext): JiraSite {
    return dataCenterSite(context);
  }
}
