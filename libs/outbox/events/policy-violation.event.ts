import { SEVERITIES } from '#core';
import { describeEvent } from './event-description.js';
import * as f from './event-fields.js';

export const POLICY_VIOLATION = describeEvent('policy_violation', 'A policy fired with the action alert or block.', {
  alert_id: f.uuid('0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21', 'The alert that this violation raised or repeated.'),
  severity: f.choice(SEVERITIES, 'high', 'How serious it is.'),
  // Never null, so that a receiver can group events by this field.
  user_id: f.text(
    '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
    'The user who asked. For a person whom the organization does not know, the id or else the e-mail address that the request named.',
  ),
  policy_id: f.uuid('0199c2a8-6f42-7c18-a0d3-92e4b7c61f05', 'The policy that fired.'),
  provider: f.text('openai', 'The LLM provider that the request named.'),
  model: f.text('gpt-4o', 'The model that the request named.'),
  details: f.record(
    {
      policy_name: 'Large models are for Research',
      policy_version: 3,
      policy_action: 'block',
      action: 'block',
      decision_id: '0199c2a8-7eff-7c60-8a1d-3b9f5e02d714',
      user_email: 'ada@example.com',
      user_name: 'Ada Lovelace',
      department: 'Sales',
      matched_conditions: [{ attribute: 'department', operator: 'not_in', operand: ['Research'], value: 'Sales' }],
    },
    'What helps to judge it, such as the name of the policy and the department of the user.',
  ),
});

/** `data` of `policy_violation`. */
export type PolicyViolationData = typeof POLICY_VIOLATION.example;
