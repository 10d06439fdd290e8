const NAMES = new Map([
  ['servicenow', 'ServiceNow'],
  ['jira', 'Jira'],
  ['jira_data_center', 'Jira Data Center'],
  ['gitlab', 'GitLab'],
  ['azure_devops', 'Azure DevOps'],
  ['pagerduty', 'PagerDuty'],
]);

/** The name of a ticket platform; the kind itself for an adapter of the installation. */
export function platformName(kind: string): string {
  return NAMES.get(kind) ?? kind;
}
