import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refuses } from '../../../support/itsm/platform-faults.js';
import { until } from '../../../support/webhooks.js';
import { makeDue } from '../tickets.support.js';
import { startPlatforms, type Kind, type Platforms } from './platforms.support.js';

let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
});

afterAll(() => platforms?.close());

const MANDATORY = 'Data Policy Exception: The following fields are mandatory: Caller';
const RULE = "Operation against file 'incident' was aborted by Business Rule 'No robots'";

interface Refusal {
  readonly what: string;
  readonly kind: Kind;
  readonly settings?: object;
  /** The answer that the ServiceNow emulator is told to give. The Jira emulator refuses such settings by itself. */
  readonly says?: string;
  readonly code: string;
  /** A part of the message, or the name of a field. */
  readonly names: RegExp;
  readonly fields: string[] | null;
}

const REFUSALS: Refusal[] = [
  {
    ...{ what: 'a required custom field', kind: 'jira', settings: { project_key: 'PICKY' } },
    ...{ code: 'field', names: /Team/, fields: ['customfield_10050'] },
  },
  {
    ...{ what: 'an unknown project', kind: 'jira', settings: { project_key: 'NOWHERE' } },
    ...{ code: 'config', names: /NOWHERE/, fields: ['project'] },
  },
  {
    ...{ what: 'an unknown issue type', kind: 'jira', settings: { issue_type: 'Epic Fail' } },
    ...{ code: 'config', names: /Epic Fail/, fields: ['issuetype'] },
  },
  {
    ...{ what: 'a mandatory field', kind: 'servicenow', says: MANDATORY },
    ...{ code: 'field', names: /Caller/, fields: ['Caller'] },
  },
  {
    ...{ what: 'a business rule that aborts', kind: 'servicenow', says: RULE },
    ...{ code: 'forbidden', names: /No robots/, fields: null },
  },
];

describe('a ticket that the platform refuses because of its content', () => {
  it.each(REFUSALS)('$kind: is rejected for $what and not retried, and the refusal is stored', async refusal => {
    const { kind, settings, says, code, names, fields } = refusal;
    const { app } = platforms;
    const stage = await platforms.desk(kind, settings);
    const { platform, violate, settled, tickets, orgId } = stage;
    if (says !== undefined) {
      platform.meets(refuses(403, { error: { message: 'Operation Failed', detail: says }, status: 'failure' }));
    }
    await violate();
    const [ticket] = await settled('rejected');
    // One refusal may be the ticket's fault. Three in a row are the connector's fault.
    const refused = code === 'field' ? 3 : 1;
    for (let at = 2; at <= refused; at++) {
      await violate(undefined, { model: `first-${at}` });
      await settled('rejected', at);
    }
    expect(ticket).toMatchObject({ error_code: code, error: expect.stringMatching(names), next_attempt_at: null });
    expect(ticket.error_fields === null ? null : Object.keys(ticket.error_fields)).toEqual(fields);
    const calls = platform.endpoint.received.length;
    await Promise.all(Array.from({ length: 15 }, (_, at) => violate(undefined, { model: `m-${at}` })));
    const haveWaited = async () => {
      const waiting = (await tickets('&sync_state=pending')).map(({ next_attempt_at: next }) => next);
      return waiting.length === 15 && waiting.every(next => next !== null && Date.parse(next) > Date.now() + 500);
    };
    await until(haveWaited);
    app.clock.advance(299_000);
    await makeDue(app, orgId);
    await until(haveWaited);
    expect(platform.endpoint.received.length).toBe(calls);
    // After five minutes, the connector tries one of the tickets.
    app.clock.advance(1_001);
    await makeDue(app, orgId);
    await settled('rejected', refused + 1);
    expect((await tickets('&sync_state=pending')).length).toBe(14);
    expect(platform.there()).toEqual([]);
    if (kind === 'jira') expect([platform.posts().length, platforms.jira.emulator.issues.burntNumbers]).toEqual([0, 0]);
    else expect(platform.posts()).toHaveLength(refused + 1);
  });
});
