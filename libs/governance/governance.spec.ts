import { describe, expect, it } from '@jest/globals';
import type { OrganizationService } from '#access';
import type { DecisionInput, DecisionService } from '#policy';
import { UsageIngestion, type UsageEventInput } from '#usage';
import { Governance } from './governance.js';

const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';

// The arguments that the facade passes to the services after it has checked them.
const seen: unknown[] = [];
const note = (_orgId: string, given: unknown) => Promise.resolve(seen.push(given) && ({} as never));
const decisions = { decide: note } as unknown as DecisionService;
const usage = { record: note } as unknown as UsageIngestion;
const governance = new Governance({} as OrganizationService, decisions, usage);

/** A class of the host for requests, instead of a plain object. */
class RequestDto implements DecisionInput {
  user_email = 'ada@example.com';
  provider = 'openai';
  model = 'gpt-4o';

  label(): string {
    return this.model;
  }
}

/** A class of the host for events, instead of a plain object. */
class EventDto implements UsageEventInput {
  id = 'one';
  user_email = 'ada@example.com';
  provider = 'openai';
  model = 'gpt-4o';
  occurred_at = '2026-11-20T13:00:00Z';
  usage = { prompt_tokens: 1, completion_tokens: 2 };
}

// If a misspelled field compiles, its `@ts-expect-error` makes the type check fail.
describe('the types of the facade', () => {
  it('decide refuses a misspelt field when it compiles and when it runs', async () => {
    const misspelt = governance.decide(ORG, {
      user_id: ORG,
      provider: 'openai',
      model: 'm',
      // @ts-expect-error -- the field is `user_email`
      user_mail: 'ada@example.com',
    });
    await expect(misspelt).rejects.toThrow('user_mail: is not a field of this request');
    // @ts-expect-error -- the model is missing
    await expect(governance.decide(ORG, { user_id: ORG, provider: 'openai' })).rejects.toThrow('model: is required');
    // @ts-expect-error -- tokens are a number
    const text = governance.decide(ORG, { user_id: ORG, provider: 'openai', model: 'm', max_output_tokens: '5' });
    await expect(text).rejects.toThrow('max_output_tokens: must be a whole number');
    // @ts-expect-error -- the option is `em`
    const outside = governance.decide(ORG, { user_id: ORG, provider: 'openai', model: 'm' }, { entityManager: {} });
    await expect(outside).rejects.toThrow('options.entityManager: is unknown');
  });

  it('recordUsage refuses a misspelt field when it compiles', async () => {
    const event = { id: 'a', user_id: ORG, provider: 'openai', model: 'm', occurred_at: '2026-11-20T13:00:00Z' };
    // @ts-expect-error -- the field is `input_tokens`
    await governance.recordUsage(ORG, [{ ...event, input_token: 1 }]);
    // @ts-expect-error -- the time is missing
    await governance.recordUsage(ORG, [{ id: 'a', user_id: ORG, provider: 'p', model: 'm' }]);
    // @ts-expect-error -- the option is `em`
    await expect(governance.recordUsage(ORG, [event], { emm: {} })).rejects.toThrow('options.emm: is unknown');
  });

  it('ensureOrganization refuses a misspelt field when it compiles and when it runs', async () => {
    // @ts-expect-error -- the field is `time_zone`
    const misspelt = governance.ensureOrganization({ id: ORG, name: 'Acme', timeZone: 'UTC' });
    await expect(misspelt).rejects.toThrow('timeZone: is not a field of an organization');
  });

  it('accept instances of classes', async () => {
    seen.length = 0;
    const [request, event] = [new RequestDto(), new EventDto()];
    await governance.decide(ORG, request);
    await governance.recordUsage(ORG, [event]);
    expect(seen).toEqual([request, [event]]);
  });
});
