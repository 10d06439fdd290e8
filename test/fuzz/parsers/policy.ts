import fc from 'fast-check';
import {
  BUILT_IN_REGISTRY,
  compilePolicies,
  decide,
  examine,
  validateConditions,
  validateModel,
  type Conditions,
  type DecidablePolicy,
} from '../../../libs/policy/decide/index.js';
import { compileModelPattern } from '../../../libs/policy/decide/model-pattern.js';
import { parseDecision, parseDecisionBatch } from '../../../libs/policy/decisions/parse-decision.js';
import { CreatePolicyDto } from '../../../libs/policy/policies/policy.dto.js';
import { readPolicyBody } from '../../../libs/policy/policies/policy-body.js';
import { readSimulationBody } from '../../../libs/policy/simulation/simulation-body.js';
import { readWebhookBody, RegisterWebhookDto } from '../../../libs/webhooks/http/webhook.dto.js';
import { readTarget } from '../../../libs/egress/addresses/target-url.js';
import { parseWireEventId } from '../../../libs/outbox/events/wire-event-id.js';
import { urlFault } from '../../../libs/webhooks/registrations/webhook-rules.js';
import { anyJson, fields, sentence, text } from '../json.js';
import type { FuzzedParser } from '../parser.js';

const ID = '0199c2a8-6b1e-4d10-8c52-1f0a7e9d4b33';
const CONDITIONS = [
  { department: { not_in: ['Finance'] }, role: { in: ['admin', 'lead'] } },
  { email: { ends_with: '@x.example' }, 'attributes.level': { gt: 1, lte: 5.5 }, name: { starts_with: 'A' } },
  { 'attributes.constructor': { exists: true }, status: { eq: null }, provider: { not_eq: 'openai' } },
];
const POLICY = { name: 'P', action: 'block', model: 'gpt-4*', severity: 'high', enabled: true, description: 'd' };
const POLICIES = CONDITIONS.map(conditions => ({ ...POLICY, conditions }));
const DECISION = {
  user_id: ID,
  model: 'gpt-4o',
  provider: 'openai',
  attributes: { level: 3, constructor: 'x', flag: true, none: null },
  estimated_input_tokens: 10,
  idempotency_key: 'k',
};
const attribute = fc.constantFrom(
  'department',
  'role',
  'email_domain',
  'attributes.a',
  'attributes.toString',
  '__proto__',
);
const operator = fc.constantFrom('in', 'not_in', 'eq', 'not_eq', 'starts_with', 'exists', 'gt', 'constructor');
const conditions = fc.dictionary(attribute, fc.dictionary(operator, anyJson, { maxKeys: 3 }), { maxKeys: 3 });
const policy = fields({
  name: text,
  action: fc.constantFrom('allow', 'block', 'constructor'),
  model: text,
  conditions,
});
const decision = fields({
  user_id: fc.constant(ID),
  user_email: fc.emailAddress(),
  model: text,
  provider: text,
  attributes: fc.dictionary(text, anyJson),
  max_output_tokens: fc.double(),
});

function tryOut(given: unknown): void {
  if (validateConditions(given).length > 0) return;
  // The cast is safe, because the conditions are validated above.
  const tried: DecidablePolicy = {
    id: ID,
    name: 'P',
    model: null,
    action: 'block',
    enabled: true,
    version: 1,
    conditions: given as Conditions,
  };
  const subject = { department: 'R', role: 'admin', email: 'ada@x.example', attributes: { level: 3, a: 'toString' } };
  const request = { model: 'gpt-4o', provider: 'openai' };
  decide(compilePolicies([tried]), subject, request);
  examine(tried, subject, request, BUILT_IN_REGISTRY);
}

/** Policies, decisions, simulations and webhooks. */
export const POLICY_PARSERS: FuzzedParser[] = [
  { kind: 'json', name: 'policy conditions', share: 2, seeds: CONDITIONS, grammar: conditions, read: tryOut },
  {
    kind: 'json',
    name: 'body of a policy',
    seeds: POLICIES,
    grammar: policy,
    read: body => readPolicyBody(CreatePolicyDto, body, BUILT_IN_REGISTRY),
  },
  {
    kind: 'json',
    name: 'body of a simulation',
    seeds: POLICIES.map(each => ({ policy: each, days: 7, policy_id: ID })),
    grammar: fields({ policy, days: fc.integer(), policy_id: fc.constant(ID) }),
    read: body => readSimulationBody(body, BUILT_IN_REGISTRY),
  },
  {
    kind: 'json',
    name: 'decision',
    share: 2,
    seeds: [DECISION, { ...DECISION, user_email: 'ada@x.example', device_id: 'd' }],
    grammar: decision,
    read: parseDecision,
  },
  {
    kind: 'json',
    name: 'batch of decisions',
    seeds: [{ requests: [DECISION, DECISION] }],
    grammar: fc.array(decision, { maxLength: 4 }).map(requests => ({ requests })),
    read: parseDecisionBatch,
  },
  {
    kind: 'text',
    name: 'model of a policy',
    seeds: ['gpt-4*', '*a*a*a*a*a*b', 'o1', '**'],
    grammar: sentence('a', '*', 'ab', '**', 'gpt'),
    read: model => validateModel(model).length > 0 || compileModelPattern(model)(`${'a'.repeat(5_000)}b`),
  },
  {
    kind: 'json',
    name: 'body of a webhook',
    seeds: [{ url: 'https://h.example/x', events: ['policy_violation'], description: 'd', enabled: true }],
    grammar: fields({ url: fc.webUrl(), events: fc.array(text), description: text }),
    read: body => readWebhookBody(RegisterWebhookDto, body),
  },
  {
    kind: 'text',
    name: 'URL to call',
    seeds: [
      'https://hooks.example.com/a?b=c#d',
      'https://user:pw@[::1]:443/',
      'https://xn--bcher-kva.example',
      'https://0x7f.1/',
    ],
    grammar: sentence('https://', 'a', '.', 'example', ':', '443', '/', '@', '[::1]', '%00', '127.0.0.1', '\\', '?'),
    read: url => [urlFault(url), readTarget(url)],
  },
  {
    kind: 'text',
    name: 'event id',
    seeds: ['evt_0199c2a86b1e4d108c521f0a7e9d4b33', 'evt_test_0199c2a86b1e4d108c521f0a7e9d4b33'],
    read: parseWireEventId,
  },
];
