import type { SuppliedTokenLookup } from '#access';
import type { Finding } from './check-up.js';

const CHECK = 'operator tokens';
const NAMED_MAX = 20;

/** The remedy if the value of GOVERNANCE_ADMIN_TOKEN was revoked. */
export const REVOKED_REMEDY = 'it stays so. Set GOVERNANCE_ADMIN_TOKEN to a new value, or to the newer one.';

const OTHERS_REMEDY =
  'Such a token works without end. To revoke one, send DELETE /v1/tokens/{id} with an admin token of its organization; ' +
  'npx nest-llm-governance token create makes one.';

/** The warning about valid operator tokens that were supplied by earlier settings. */
export function othersFindings(others: readonly { orgId: string; id: string }[]): Finding[] {
  if (others.length === 0) return [];
  const named = others.slice(0, NAMED_MAX).map(({ orgId, id }) => `${id} of organization ${orgId}`);
  const more = others.length > NAMED_MAX ? `, and ${others.length - NAMED_MAX} more` : '';
  const seen = `accepted, and not the value of GOVERNANCE_ADMIN_TOKEN: token ${named.join(', ')}${more}`;
  return [{ check: CHECK, ok: true, seen, remedy: OTHERS_REMEDY }];
}

/** Compares the operator's tokens with the settings. `adminToken` is the current setting. */
export async function operatorTokenFindings(
  supplied: SuppliedTokenLookup,
  { id, adminToken }: { id?: string | undefined; adminToken?: string | undefined },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const found = adminToken === undefined ? undefined : await supplied.find(adminToken);
  if (found && id !== undefined && found.orgId !== id.toLowerCase()) {
    const seen = `the value of GOVERNANCE_ADMIN_TOKEN belongs to organization ${found.orgId}, not to GOVERNANCE_ORG_ID`;
    findings.push({ check: CHECK, ok: false, seen, remedy: 'The next start fails; set it to a new value.' });
  } else if (found?.revoked) {
    const seen = 'the value of GOVERNANCE_ADMIN_TOKEN was revoked, or replaced by a newer one';
    findings.push({ check: CHECK, ok: true, seen, remedy: `It is not accepted, and ${REVOKED_REMEDY}` });
  }
  findings.push(...othersFindings(await supplied.besides(adminToken)));
  return findings.length > 0 ? findings : [{ check: CHECK, ok: true, seen: 'those that the settings name' }];
}
