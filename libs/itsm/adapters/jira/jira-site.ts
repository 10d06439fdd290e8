import * as form from '../../adapter/form.js';
import type { Clock, Json, JsonObject } from '#core';
import type { AdapterHttp } from '../../adapter/adapter-http.js';

/** What connectors to every edition of Jira are set up with. */
export interface JiraProjectSettings {
  /** The address that people open. */
  readonly instance_url: string;
  readonly project_key: string;
  /** Name or id. */
  readonly issue_type: string;
  /** Name or id of the priority by severity. */
  readonly priorities?: form.Priorities;
  /** Further fields of each issue, by id, in the form that the REST API takes. */
  readonly fields?: JsonObject;
}

/** An edition of Jira with an account, as the code that all editions share asks it. */
export interface JiraSite {
  readonly settings: JiraProjectSettings;
  readonly http: AdapterHttp;
  readonly clock: Clock;
  /** In front of paths: `https://acme.atlassian.net/rest/api/3`. */
  readonly api: string;
  /** In front of `/browse/…`: `https://acme.atlassian.net`; undefined where that cannot be said. */
  readonly pages: string | undefined;
  /** Value of the header by which the account signs in. */
  readonly authorization: string;
  /** How answers call the lists of create metadata. */
  readonly lists: { readonly types: 'issueTypes' | 'values'; readonly fields: 'fields' | 'values' };
  /** A text as comments take it. */
  readonly toComment: (text: string) => Json;
  /** Sentences for the operator. */
  readonly words: {
    /** The credentials are refused. */
    readonly signIn: string;
    /** Added where a project is hidden or does not exist. Empty, or begins with a blank. */
    readonly hiddenProject: string;
  };
}

/** Schemas of the settings that name a project, for every edition. */
export const PROJECT_SETTINGS = {
  project_key: {
    type: 'string',
    title: 'Project key',
    description: 'The project key, such as SEC.',
    maxLength: 255,
    pattern: '^[A-Z][A-Z0-9_]*$',
  },
  issue_type: {
    type: 'string',
    title: 'Issue type',
    description: 'Name of the issue type in the project, such as Bug or Task, or its id.',
    minLength: 1,
    maxLength: 255,
    pattern: '\\S',
  },
  priorities: form.priorities(
    'The priority of each severity, by its English name or id, such as P1 or 5. ' +
      'Defaults: Highest, High, Medium and Low.',
  ),
  fields: form.fields({
    description:
      'Values of further fields as JSON, by their ids and in the form of Jira’s REST API, such as ' +
      '{"customfield_10050": {"value": "Security"}, "components": [{"id": "10000"}]}. Use it for fields that the ' +
      'project requires.',
    reserved: ['project', 'issuetype', 'summary', 'description', 'labels', 'priority'],
  }),
} satisfies JsonObject;

/** Where a person sees an issue; undefined where that cannot be said: an issue that is there is never lost for its link. */
export function browseUrl({ pages }: JiraSite, issueKey: string): string | undefined {
  return pages !== undefined && issueKey.isWellFormed() ? `${pages}/browse/${encodeURIComponent(issueKey)}` : undefined;
}
