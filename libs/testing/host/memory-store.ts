import { OrganizationNotFoundError } from '#access';
import { newId, type Clock } from '#core';
import type { Occurrence } from '#incidents';
import type { DecidablePolicy, Decision, DecisionInput } from '#policy';
import type { FixedAnswer, PolicyMemory } from '#policy/in-memory';
import type { PricedEvent, UsageMemory } from '#usage/in-memory';
import type { RecordedAct } from './recorded.js';

/** The data for decisions and usage in memory, and everything that was recorded. */
export class MemoryStore implements PolicyMemory, UsageMemory {
  readonly acts: RecordedAct[] = [];
  policies: readonly DecidablePolicy[] = [];
  fixedAnswer: FixedAnswer | undefined;

  private readonly organizations: Set<string>;

  /** @param organizations ids of existing organizations */
  constructor(
    private readonly clock: Clock,
    organizations: readonly string[] = [],
  ) {
    this.organizations = new Set(organizations.map(id => id.toLowerCase()));
  }

  hasOrganization(id: string): boolean {
    return this.organizations.has(id.toLowerCase());
  }

  /** Creates the organization if it does not exist. Returns whether the organization is new. */
  addOrganization(id: string): boolean {
    const isNew = !this.hasOrganization(id);
    this.organizations.add(id.toLowerCase());
    return isNew;
  }

  assertOrganization(orgId: string): void {
    if (!this.hasOrganization(orgId)) throw new OrganizationNotFoundError(orgId);
  }

  decided(orgId: string, request: DecisionInput, decision: Decision): void {
    this.acts.push({ kind: 'decision', orgId, request, decision });
  }

  violated(orgId: string, { severity, policyId, userId, decisionId, details }: Occurrence): void {
    const incidentId = newId(this.clock.now());
    this.acts.push({ kind: 'incident', orgId, incidentId, severity, policyId, userId, decisionId, details });
  }

  released(orgId: string, decisionId: string): void {
    this.acts.push({ kind: 'release', orgId, decisionId });
  }

  used(orgId: string, { id, userId, provider, model, tokens, decisionId, cost }: PricedEvent): void {
    const { picodollars, source } = cost;
    this.acts.push({
      ...{ kind: 'usage', orgId, eventId: id, userId, provider, model, decisionId },
      ...{ inputTokens: tokens.input_tokens, outputTokens: tokens.output_tokens },
      price: picodollars === null || source === null ? null : { picodollars, source },
    });
  }
}
