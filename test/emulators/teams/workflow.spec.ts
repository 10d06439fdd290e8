import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { ask, type VendorAnswer } from '../vendor-client.js';
import { describeVendorFaults } from '../vendor-fault.rules.js';
import { startTeamsWorkflow, TEAMS_HOST, type TeamsWorkflow } from './workflow.js';

const platforms = platformAccess();
let workflow: TeamsWorkflow;
beforeEach(async () => {
  workflow = await startTeamsWorkflow({ authority: platforms.authority });
});
afterEach(() => workflow.close());

const CARD = { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text: 'Hello' }] };
const cardOf = (card: JsonObject): JsonObject => ({
  type: 'message',
  attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
});

function send(json: JsonObject = cardOf(CARD), change: (url: URL) => void = () => undefined): Promise<VendorAnswer> {
  const url = new URL(workflow.webhookUrl.replace(`https://${TEAMS_HOST}`, workflow.origin));
  change(url);
  return ask(platforms.egress, url.href, { json });
}
const codeOf = ({ status, json }: VendorAnswer): unknown[] => [status, Object(json).error?.code];

describe('the trigger of a workflow', () => {
  it('answers 202 without a body and posts the card', async () => {
    const { status, text } = await send();
    expect([status, text, workflow.runs]).toEqual([202, '', [{ status: 'Succeeded', error: null, card: CARD }]]);
  });

  it.each<[string, JsonObject, string]>([
    ['has no attachments', { text: 'Hello' }, 'foreach'],
    ['is larger than 28 KB', cardOf({ ...CARD, fallbackText: 'x'.repeat(28 * 1024) }), 'too large'],
    ['has buttons that need a bot', cardOf({ ...CARD, actions: [{ type: 'Action.Submit' }] }), 'Action.Submit'],
  ])('answers 202 also to a message that %s, and its run fails without notice', async (_name, message, error) => {
    expect((await send(message)).status).toBe(202);
    expect(workflow.runs).toEqual([{ status: 'Failed', error: expect.stringContaining(error), card: null }]);
  });

  it('refuses a wrong signature, and a workflow that is disabled, deleted or retired', async () => {
    expect(codeOf(await send(undefined, url => url.searchParams.set('sig', 'x')))).toEqual([
      401,
      'DirectApiAuthorizationRequired',
    ]);
    workflow.conditions.state = 'disabled';
    expect(codeOf(await send())).toEqual([400, 'WorkflowTriggerIsNotEnabled']);
    workflow.conditions.state = 'deleted';
    expect(codeOf(await send())).toEqual([404, 'WorkflowNotFound']);
    workflow.conditions.state = 'retired';
    expect(codeOf(await send())).toEqual([410, 'Gone']);
    expect(workflow.runs).toEqual([]);
  });

  it('throttles requests above the limit per second', async () => {
    Object.assign(workflow, { now: () => new Date(0) });
    workflow.conditions.requestsPerSecond = 1;
    await send();
    const { status, headers } = await send();
    expect([status, headers?.['retry-after']]).toEqual([429, '2']);
  });

  describeVendorFaults({
    platform: () => workflow,
    create: () => send(),
    count: () => workflow.runs.length,
    success: 202,
    isBare: true,
  });
});
