import { SEVERITIES, type JsonObject, type Severity } from '#core';
import { describeEvent, freeField, textField, uuidField } from './event-description.js';

/** `data` of `policy_violation`. */
export interface PolicyViolationData {
  alert_id: string;
  severity: Severity;
  /**
   * Always a text: the id of the user; where the organization does not know the person, the id or else the e-mail
   * address that the request named. So a receiver can group by it without asking for null.
   */
  user_id: string;
  policy_id: string;
  provider: string;
  model: string;
  details: JsonObject;
}

export const POLICY_VIOLATION = describeEvent<PolicyViolationData>(
  'policy_violation',
  'A policy fired with the action alert or block.',
  {
    alert_id: '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21',
    severity: 'high',
    user_id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
    policy_id: '0199c2a8-6f42-7c18-a0d3-92e4b7c61f05',
    provider: 'openai',
    model: 'gpt-4o',
    details: {
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
  },
  {
    alert_id: uuidField('The alert that this violation raised or repeated.'),
    severity: { ...textField('How serious it is.'), enum: SEVERITIES },
    user_id: textField(
      'The user who asked. For a person whom the organization does not know, the id or else the e-mail address that the request named.',
    ),
    policy_id: uuidField('The policy that fired.'),
    provider: textField('The LLM provider that the request named.'),
    model: textField('The model that the request named.'),
    details: freeField('What helps to judge it, such as the name of the policy and the department of the user.'),
  },
);
