import type { DeviceStatus, DirectoryUser } from '#core';
import {
  decide,
  type DecidablePolicy,
  type DecisionRequest,
  type DecisionSubject,
  type PolicyAction,
  type PolicyMatch,
  PolicyViolation,
} from '../decide/index.js';
import { granteeOf, type GrantIndex } from '../decide/grants.js';
import { refuseBroken, type PolicySnapshot } from '../policies/policy-snapshot.js';
import type { PolicyOptions } from '../policy.options.js';
import type { DecisionInput, DecisionReason } from '../records/decision.js';

/** The outcome of a request and its consequences. */
export interface Judgement {
  readonly action: PolicyAction;
  readonly reason: DecisionReason;
  readonly matches: readonly PolicyMatch[];
  /** The matches that are violations, in the order of all matches. */
  readonly violations: readonly PolicyViolation[];
  /** The person, with the attributes that were compared. */
  readonly subject: DecisionSubject;
  /** Status of the device in the request; undefined if the request contains no device. */
  readonly deviceStatus?: DeviceStatus | undefined;
  /** The policy that requires an approval that is missing. */
  readonly approvalPolicy?: DecidablePolicy;
  /** The policies that were evaluated. */
  readonly snapshot: PolicySnapshot;
}

const NO_MATCHES: readonly PolicyMatch[] = [];
const NO_VIOLATIONS: readonly PolicyViolation[] = [];

/**
 * Evaluates one request: first the person's status, then the option for unknown people, then the policies. Grants are
 * applied later by `withGrants`. Pure.
 * @throws PolicyNotCompilableError if a policy that cannot be evaluated may concern the request
 */
export function judge(
  snapshot: PolicySnapshot,
  user: DirectoryUser | undefined,
  input: DecisionInput,
  { unknownUser = 'block' }: PolicyOptions,
  deviceStatus?: DeviceStatus,
): Judgement {
  const subject = subjectOf(user, input);
  const unjudged = { subject, deviceStatus, snapshot };
  if (!user && unknownUser === 'block') return blocked('unknown_user', unjudged);
  if (user?.status === 'suspended') return blocked('user_suspended', unjudged);
  // A host's directory may use other statuses. Only the status `active` has access.
  if (user && user.status !== 'active') return blocked('user_inactive', unjudged);
  const { model, provider, project, tags } = input;
  // Most requests contain no device and are used unchanged.
  const request: DecisionRequest =
    deviceStatus === undefined ? input : { model, provider, deviceStatus, project, tags };
  const verdict = decide(snapshot.compiled, subject, request);
  const matches = refuseBroken(snapshot, verdict.matches);
  return {
    action: matches === verdict.matches ? verdict.action : 'block',
    reason: matches.length > 0 ? 'policy' : 'no_policy_matched',
    matches,
    violations: matches === verdict.matches ? verdict.violations : matches.filter(isViolation),
    subject,
    deviceStatus,
    snapshot,
  };
}

/**
 * Values of the directory override values of the request. Otherwise a caller could evade a policy by claiming another
 * department.
 */
function subjectOf(
  user: DirectoryUser | undefined,
  { user_id, user_email, attributes }: DecisionInput,
): DecisionSubject {
  if (!user) return { id: user_id, email: user_email, attributes };
  if (!attributes) return user;
  const { id, email, name, department, role, status } = user;
  return { id, email, name, department, role, status, attributes: { ...attributes, ...user.attributes } };
}

/** A block without a policy, for example because the user is unknown. */
export function blocked(
  reason: DecisionReason,
  { subject, deviceStatus, snapshot }: Pick<Judgement, 'subject' | 'deviceStatus' | 'snapshot'>,
): Judgement {
  const nothing = { matches: NO_MATCHES, violations: NO_VIOLATIONS };
  return { action: 'block', reason, ...nothing, subject, deviceStatus, snapshot };
}

function isViolation(match: PolicyMatch): match is PolicyViolation {
  return match instanceof PolicyViolation;
}

/**
 * Applies grants. Each matching `require_approval` policy needs a grant. If all have one, the request is allowed, with
 * an alert if an alert policy matched. Otherwise the request waits for the first policy without a grant. Pure.
 */
export function withGrants(judgement: Judgement, grants: GrantIndex, model: string, at: Date): Judgement {
  if (judgement.action !== 'require_approval') return judgement;
  const userId = granteeOf(judgement.subject);
  const asking = judgement.matches.filter(({ policy }) => policy.action === 'require_approval');
  // If the default action requires approval, there is no policy for which a grant could exist.
  if (asking.length === 0) return judgement;
  const approvalPolicy = asking.find(({ policy }) => !grants.holds(policy.id, userId, model, at))?.policy;
  if (approvalPolicy) return { ...judgement, approvalPolicy };
  const isAlert = judgement.matches.some(({ policy }) => policy.action === 'alert');
  return { ...judgement, action: isAlert ? 'alert' : 'allow', reason: 'approval_granted' };
}
