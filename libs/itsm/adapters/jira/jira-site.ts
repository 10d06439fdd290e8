import * as form from '../../adapter/form.js';
import type { Clock, Json, JsonObject } from '#core';
import type { AdapterHttp } from '../../adapter/adapter-http.js';

/** Settings that the connectors of all editions of Jira share. */
export interface JiraProjectSettings {
  /** Address of Jira, as people open it. */
  readonly instance_url: string;
  readonly project_key: string;
  /** Name or id of the issue type. */
  readonly issue_type: string;
  /** Name or id of the priority for each severity. */
  readonly priorities?: form.Priorities;
  /** Additional fields of each issue, by field id, in the format of the REST API. */
  readonly fields?: JsonObject;
}

/** A Jira site with an account, for the code that all editions share. */
export interface JiraSite {
  readonly settings: JiraProjectSettings;
  readonly http: AdapterHttp;
  readonly clock: Clock;
  /** Base URL of the API: `https://acme.atlassian.net/rest/api/3`. */
  readonly api: string;
  /**
   * Base URL of pages for people, below which `/browse/…` is: `https://acme.atlassian.net`. Undefined if it is unknown.
   */
  readonly pages: string | undefined;
  /** Value of the `authorization` header. */
  readonly authorization: string;
  /** Names of the properties that contain the lists in answers with create metadata. */
  readonly lists: { readonly types: 'issueTypes' | 'values'; readonly fields: 'fields' | 'values' };
  /** Converts a text to the format of comments. */
  readonly toComment: (text: string) => Json;
  /** Sentences for the operator that differ between editions. */
  readonly words: {
    /** Sentence about refused credentials. */
    readonly signIn: string;
    /** Sentence that is added if a project is hidden or missing. Empty, or begins with a space. */
    readonly hiddenProject: string;
  };
}

/** Schemas of the project settings that all editions share. */
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

/** Address of an issue for people. Undefined if it is unknown; the reference to the issue is stored all the same. */
export function browseUrl({ pages }: JiraSite, issueKey: string): string | undefined {
  return pages !== undefined && issueKey.isWellFormed() ? `${pages}/browse/${encodeURIComponent(issueKey)}` : undefined;
}
