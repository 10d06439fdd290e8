import { describe, expect, it } from '@jest/globals';
import { asText } from '#itsm';
import { COLUMN_TABLES, GROUP_TABLE } from '../../libs/itsm/adapters/servicenow/account-rights.js';
import { BASIC_AUTHENTICATION_ROLE, TABLE_ROLES } from '../../libs/itsm/adapters/servicenow/account-rights.js';
import { ServiceNowAdapter } from '../../libs/itsm/adapters/servicenow/servicenow.adapter.js';
import { ITSM_RULES } from '../../libs/itsm/itsm.options.js';
import { readPage } from './markdown.js';

/** The text of a page below a heading, up to the next heading. */
function section(page: string, heading: string): string {
  const [, text] = readPage(page).split(`\n${heading}\n`);
  if (text === undefined) throw new Error(`${page} has no heading “${heading}”.`);
  return text.split(/\n#{1,6} /)[0] ?? '';
}

/** Code in a text that is the name of a role or of a table of ServiceNow. */
function names(text: string): Set<string> {
  const tables = new Set(TABLE_ROLES.keys());
  const code = [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
  return new Set(code.filter(word => /^(sn_|snc_|sys_)[a-z_.]+$|^itil$/.test(word) && !tables.has(word)));
}

function rolesFor(table: string): string[] {
  const { read, write, both } = TABLE_ROLES.get(table) ?? { read: '', write: '', both: '' };
  return [read, write, both];
}

describe('the set-up of an account', () => {
  it('in ServiceNow needs the roles and tables that the adapter names, and no others', () => {
    const text = section('docs/tickets.md', '### The account in ServiceNow');
    expect(names(text)).toEqual(new Set([...rolesFor('incident'), BASIC_AUTHENTICATION_ROLE, GROUP_TABLE]));
  });

  it('in ServiceNow for security incidents needs the roles that the adapter names, and no others', () => {
    const text = section('docs/tickets.md', '### Security incidents in ServiceNow');
    expect(names(text)).toEqual(new Set(rolesFor('sn_si_incident')));
  });

  it('in ServiceNow with further fields needs the tables in which the adapter looks for their names', () => {
    const text = section('docs/tickets.md', '### Fields that your platform requires');
    expect(names(text)).toEqual(new Set(Object.values(COLUMN_TABLES)));
  });
});

describe('the business rule of ServiceNow', () => {
  it('runs for the incidents of this service only: it filters by the text that the adapter sets', () => {
    const draft = { key: 'k', title: 't', severity: 'high', labels: [], payload: {}, link: null } as const;
    const { body } = new ServiceNowAdapter().render(draft, { instance_url: 'https://example.service-now.com' });
    const text = section('docs/ticket-updates.md', '## ServiceNow').replaceAll(/\s+/g, ' ');
    expect(text).toContain(`_Correlation display_ is \`${asText(body['correlation_display'])}\``);
  });
});

describe('the poll of the platform', () => {
  // test/e2e/itsm/automation-quota.spec.ts shows what happens without reports, and reconcile.spec.ts the default.
  it('is recommended where rules of Jira Automation have a quota, by an option that exists', () => {
    const page = 'docs/ticket-updates.md';
    const rule = section(page, '## Jira Automation').replaceAll(/\s+/g, ' ');
    expect(rule).toMatch(/monthly quota .*\[platform asked\]\(#ask-the-platform\), which is off by default/);
    const [, option = ''] = /option `itsm\.(\w+)`/.exec(section(page, '## Ask the platform')) ?? [];
    expect(Object.keys(ITSM_RULES)).toContain(option);
    expect(option).toBe('reconcileMinutes');
  });
});
