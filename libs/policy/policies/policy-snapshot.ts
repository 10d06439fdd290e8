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

/** The compiled policies of an organization, for decisions. */
export interface PolicySnapshot {
  readonly compiled: CompiledPolicies;
  /** Creates the shown form of the matching policies. */
  readonly presenter: PolicyPresenter;
  /** Policies that can only be evaluated in part, with the error. Nearly always empty. */
  readonly broken: ReadonlyMap<string, PolicyNotCompilableError>;
  /**
   * Revision of the organization's policies when they were read. It identifies this state in the history. Undefined for
   * policies that were not read from the database, such as drafts.
   */
  readonly revision?: number | undefined;
}

/**
 * Compiles policies, even if one of them uses an operator that is no longer installed. Such a broken policy keeps only
 * its valid conditions. It therefore matches at least the same requests as before. A decision that a broken policy may
 * concern is refused with the name of the policy (see {@link refuseBroken}). All other decisions work. A broken `allow`
 * policy is omitted: `allow` has the lowest precedence, so without it a decision is the same or stricter.
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
 * @throws PolicyNotCompilableError (503) if a broken policy may concern the request. If a valid `block` policy matches,
 * the result is certain; the broken policy is then only omitted from the list
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
