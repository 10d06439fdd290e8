import {
  compilePolicies,
  PolicyNotCompilableError,
  validateConditions,
  type CompiledPolicies,
  type CompileOptions,
  type DecidablePolicy,
  type PolicyMatch,
} from '../decide/index.js';
import { PolicyPresenter } from '../decide/policy-presenter.js';

/** The policies of an organization, ready to decide. */
export interface PolicySnapshot {
  readonly compiled: CompiledPolicies;
  /** Shows those of them that match. */
  readonly presenter: PolicyPresenter;
  /** Policies that can be evaluated in part only, with what is wrong; empty nearly always. */
  readonly broken: ReadonlyMap<string, PolicyNotCompilableError>;
  /**
   * The change of the organization's policies after which these were read: the history has them by it. Undefined for
   * policies that were not read, such as drafts.
   */
  readonly revision?: number | undefined;
}

/**
 * Compiles policies, also where one cannot be evaluated any more because its operator is gone. Such a policy is held to
 * the conditions that can still be evaluated, so it matches at least whom it matched before; a decision that it may
 * concern is refused with its name (see {@link refuseBroken}) and all others go on. A broken `allow` policy is left out:
 * it never wins over another, so without it a decision is the same or stricter.
 */
export function snapshotOf(
  policies: readonly DecidablePolicy[],
  options: Required<CompileOptions>,
  revision?: number,
): PolicySnapshot {
  try {
    const compiled = compilePolicies(policies, options);
    return { compiled, presenter: new PolicyPresenter(), broken: new Map(), revision };
  } catch (error) {
    if (!(error instanceof PolicyNotCompilableError)) throw error;
  }
  const broken = new Map<string, PolicyNotCompilableError>();
  const kept = policies.flatMap(policy => {
    const fault = faultOf(policy, options);
    if (!fault) return [policy];
    broken.set(policy.id, fault);
    return policy.action === 'allow' ? [] : [{ ...policy, conditions: evaluable(policy, options) }];
  });
  return { compiled: compilePolicies(kept, options), presenter: new PolicyPresenter(), broken, revision };
}

/**
 * @throws PolicyNotCompilableError (503) where a broken policy may concern the request. Where a sound `block` policy
 * matches, the answer is certain and the broken one is left out of the list.
 */
export function refuseBroken(snapshot: PolicySnapshot, matches: readonly PolicyMatch[]): readonly PolicyMatch[] {
  if (snapshot.broken.size === 0) return matches;
  const sound = matches.filter(({ policy }) => !snapshot.broken.has(policy.id));
  if (sound.length === matches.length) return matches;
  if (sound[0]?.policy.action === 'block') return sound;
  const suspect = matches.find(({ policy }) => snapshot.broken.has(policy.id));
  throw snapshot.broken.get(suspect?.policy.id ?? '') ?? new Error('a policy is broken and sound at once');
}

function faultOf(policy: DecidablePolicy, options: Required<CompileOptions>): PolicyNotCompilableError | undefined {
  if (!policy.enabled) return undefined;
  try {
    compilePolicies([policy], options);
    return undefined;
  } catch (error) {
    if (error instanceof PolicyNotCompilableError) return error;
    throw error;
  }
}

function evaluable(
  { conditions }: DecidablePolicy,
  { operators }: Required<CompileOptions>,
): DecidablePolicy['conditions'] {
  return Object.fromEntries(
    Object.entries(conditions ?? {}).filter(
      ([attribute, tests]) => validateConditions({ [attribute]: tests }, operators).length === 0,
    ),
  );
}
