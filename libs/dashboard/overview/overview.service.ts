import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { Clock, FIRST_STEPS, OverviewSections, type FirstStep } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import type { OverviewResponseDto } from './overview.dto.js';

const NOTHING = {
  incidents: null,
  deliveries: null,
  connectors: null,
  budgets: null,
  own_budgets: null,
  approvals: null,
  anomalies: null,
} satisfies Partial<OverviewResponseDto>;

/** Collects everything that needs attention, from one snapshot of the database. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly overview: OverviewSections,
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
  ) {}

  /** The sections that the actor's scopes allow and whose libraries are composed. All other sections are null. */
  async of({ orgId, scopes, userId }: Pick<Actor, 'orgId' | 'scopes' | 'userId'>): Promise<OverviewResponseDto> {
    const now = this.clock.now();
    const held: ReadonlySet<string> = scopes;
    return this.database.snapshot(orgId, async em => {
      const tx = sqlOf(em);
      const steps: { name: FirstStep; done: boolean }[] = [];
      const answer: OverviewResponseDto = { generated_at: now.toISOString(), ...NOTHING, first_steps: steps };
      for (const section of this.overview.sections) {
        if (held.has(section.scope)) Reflect.set(answer, section.name, await section.read(tx, orgId, now, userId));
      }
      for (const step of this.overview.steps) steps.push({ name: step.name, done: await step.read(tx, orgId) });
      steps.sort((one, other) => FIRST_STEPS.indexOf(one.name) - FIRST_STEPS.indexOf(other.name));
      return answer;
    });
  }
}
