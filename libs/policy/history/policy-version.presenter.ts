import type { PolicyDifference } from './policy-history.service.js';
import type { PolicyDiffDto, PolicyVersionDto, PolicyVersionEntryDto } from './policy-version.dto.js';
import type { PolicyVersion, PolicyVersionEntry } from '../policies/policy-version.js';

/** A change of a policy as the API lists it. */
export function presentEntry(entry: PolicyVersionEntry): PolicyVersionEntryDto {
  return {
    policy_id: entry.policyId,
    org_id: entry.orgId,
    version: entry.version,
    name: entry.name,
    change: entry.change,
    changed_fields: entry.changedFields,
    restored_version: entry.restoredVersion,
    changed_at: entry.changedAt.toISOString(),
    changed_by: entry.changedBy,
  };
}

/** A version of a policy as the API shows it. */
export function presentVersion(version: PolicyVersion): PolicyVersionDto {
  return Object.assign(presentEntry(version), { content: version.content });
}

/** The differences between two versions, as the API shows them. */
export function presentDiff({ policyId, version, against, changes }: PolicyDifference): PolicyDiffDto {
  return { policy_id: policyId, version, against, changes };
}
