import { isStorableText, SEVERITIES, type FieldError } from '#core';
import {
  POLICY_ACTIONS,
  validateConditions,
  validateModel,
  type Conditions,
  type OperatorRegistry,
  type PolicyAction,
  type Severity,
} from '../decide/index.js';
import { isLongerThan } from '../text-length.js';

/** Maximum length of a policy's name, in Unicode code points, as PostgreSQL counts characters. */
export const POLICY_NAME_MAX = 255;

/** Maximum length of a policy's description, in Unicode code points. */
export const POLICY_DESCRIPTION_MAX = 65_536;

export { SEVERITIES } from '#core';

/**
 * The fields of a policy that can be edited. A missing field keeps its value in an update, and gets its default in a
 * creation.
 */
export interface PolicyDraft {
  /** 1 to 255 characters (code points), not only white space. */
  name: string;
  /** Free text; null for no description. Default: null. */
  description?: string | null;
  /** A model name, a pattern with `*`, or null for all models. Default: null. */
  model?: string | null;
  action: PolicyAction;
  /** Conditions of the policy. Default: `{}`, which matches every person. */
  conditions?: Conditions;
  /** Whether the policy is in force. Default: true. */
  enabled?: boolean;
  /**
   * Severity of the policy's violations. Null for the default of the action: `high` for block, `medium` for alert.
   * Default: null.
   */
  severity?: Severity | null;
}

/** All editable fields of a policy, as stored. */
export type PolicyContent = Required<PolicyDraft>;

/** The error in a name, or undefined. */
export function nameFault(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'must be a text';
  if (name.trim() === '') return 'must not be empty or blank';
  if (!isStorableText(name)) return 'must not contain NUL or half of a surrogate pair';
  return isLongerThan(name, POLICY_NAME_MAX) ? `must be at most ${POLICY_NAME_MAX} characters` : undefined;
}

/** The error in a description, or undefined. */
export function descriptionFault(description: unknown): string | undefined {
  if (description === null) return undefined;
  if (typeof description !== 'string') return 'must be a text or null';
  if (!isStorableText(description)) return 'must not contain NUL or half of a surrogate pair';
  return isLongerThan(description, POLICY_DESCRIPTION_MAX)
    ? `must be at most ${POLICY_DESCRIPTION_MAX} characters`
    : undefined;
}

/** The error in a model, or undefined. */
export function modelFault(model: unknown): string | undefined {
  return validateModel(model)[0]?.message;
}

/** All errors in the supplied fields. Also protects calls that do not use HTTP, and so skip its validation. */
export function draftFaults(draft: Partial<PolicyDraft>, operators: OperatorRegistry): FieldError[] {
  const faults: FieldError[] = [];
  const check = (field: keyof PolicyDraft, message: string | undefined) => {
    if (draft[field] !== undefined && message !== undefined) faults.push({ field, message });
  };
  check('name', nameFault(draft.name));
  check('description', descriptionFault(draft.description));
  check('model', modelFault(draft.model));
  check('action', oneOf(POLICY_ACTIONS, draft.action));
  check('enabled', typeof draft.enabled === 'boolean' ? undefined : 'must be true or false');
  check('severity', draft.severity === null ? undefined : oneOf(SEVERITIES, draft.severity));
  if (draft.conditions !== undefined) faults.push(...validateConditions(draft.conditions, operators));
  return faults;
}

function oneOf(values: readonly string[], value: unknown): string | undefined {
  return typeof value === 'string' && values.includes(value) ? undefined : `must be one of: ${values.join(', ')}`;
}
