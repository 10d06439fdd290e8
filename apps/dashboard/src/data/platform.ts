const NAMES = new Map([
  ['servicenow', 'ServiceNow'],
  ['jira', 'Jira'],
  ['jira_data_center', 'Jira Data Center'],
  ['gitlab', 'GitLab'],
  ['azure_devops', 'Azure DevOps'],
  ['pagerduty', 'PagerDuty'],
]);

/** The name of a ticket platform. For an adapter that the installation added, its kind. */
export function platformName(kind: string): string {
  return NAMES.get(kind) ?? kind;
}
