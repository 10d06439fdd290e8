import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { GovernanceMemory, GovernanceTestingModule } from 'nest-llm-governance/testing';
import { Completions } from './completions.js';
import { CompletionsModule } from './completions.module.js';
import { ORGANIZATION } from './session.principals.js';
import { Staff } from './staff.js';

const ADA = { id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33', email: 'ada@example.com', department: 'Sales' };

@Module({
  imports: [CompletionsModule, GovernanceTestingModule.forRoot({ organizations: [ORGANIZATION], people: [ADA] })],
})
class TestModule {}

describe('Completions', () => {
  let app: INestApplicationContext;
  let governance: GovernanceMemory;

  beforeEach(async () => {
    app = await NestFactory.createApplicationContext(TestModule, { logger: false });
    governance = app.get(GovernanceMemory);
  });

  afterEach(() => app.close());

  const complete = () =>
    app.get(Completions).complete(ORGANIZATION, ADA.email, async () => {
      return { id: 'call-1', text: 'Hello', usage: { prompt_tokens: 1_200, completion_tokens: 300 } };
    });

  it('reports the usage of a call for its decision, at the price of the model', async () => {
    expect(await complete()).toBe('Hello');

    const [decision] = governance.recordedOf('decision');
    expect(governance.recordedOf('usage')).toEqual([
      expect.objectContaining({
        userId: ADA.id,
        inputTokens: 1_200,
        outputTokens: 300,
        decisionId: decision?.decision.id,
        // 1,200 tokens at $2.50 per million, and 300 tokens at $10 per million, cost $0.006.
        price: { picodollars: 6_000_000_000n, source: 'genai-prices' },
      }),
    ]);
  });

  it('makes no call if a policy blocks it', async () => {
    governance.setPolicies([
      { name: 'Large models are for Research', action: 'block', conditions: { department: { not_in: ['Research'] } } },
    ]);
    await expect(complete()).rejects.toThrow('policy');
    expect(governance.recorded.map(({ kind }) => kind)).toEqual(['decision', 'incident']);
  });

  it('makes no call if the budget is used up', async () => {
    governance.block('budget_exceeded');
    await expect(complete()).rejects.toThrow('budget_exceeded');
    expect(governance.recordedOf('usage')).toEqual([]);
  });

  it('notifies people of a violation', async () => {
    await governance.emit('policy_violation', {
      alert_id: '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21',
      severity: 'high',
      user_id: ADA.id,
      policy_id: '0199c2a8-6f42-7c18-a0d3-92e4b7c61f05',
      provider: 'openai',
      model: 'gpt-4o',
      details: {},
    });
    expect(app.get(Staff).inboxOf(ADA.id)).toEqual(['A policy fired on gpt-4o, severity high.']);
  });
});
