import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, dtoOf, f, InstantField, PageQueryDto } from '#access';
import { HIT_PERIODS, type HitListQuery, type HitPeriod } from './policy-hits.service.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';

/** Query of `GET /v1/policies/hits`. */
export class PolicyHitQueryDto extends PageQueryDto {
  @InstantField({ optional: true, description: 'Only hits since this time, by whole quarters of an hour.' })
  since?: string;

  @InstantField({ optional: true, description: 'Only hits before this time, by whole quarters of an hour.' })
  until?: string;
}

/** Query of `GET /v1/policies/{id}/hits`. */
export class PolicyHitWindowQueryDto extends PolicyHitQueryDto {
  @ChoiceField(HIT_PERIODS, {
    optional: true,
    default: 'daily',
    description: 'Length of the windows. They begin in the time zone of the organization, weeks on Monday.',
  })
  period?: HitPeriod;
}

const FIGURES = {
  hits: f.integer(42, 'Recorded decisions that the policy matched. With sampling, an estimate of all decisions.'),
  decided: f.integer(40, 'Hits in which the policy determined the action, because no stricter one matched.'),
  refused: f.integer(40, 'Hits whose decision did not allow the call, for whatever reason.'),
  last_hit_at: f.instant('2026-11-20T13:02:11.000Z'),
};

/** How often a policy matched. */
@ApiSchema({ name: 'GovernancePolicyHitsDto' })
export class PolicyHitsDto extends dtoOf({
  policy_id: f.uuid(UUID_EXAMPLE),
  name: f.text('No GPT-4 outside research', 'Name of the policy in its latest version.').nullable(),
  ...FIGURES,
}) {}

/** How often a policy matched in one window. */
@ApiSchema({ name: 'GovernancePolicyHitWindowDto' })
export class PolicyHitWindowDto extends dtoOf({
  policy_id: f.uuid(UUID_EXAMPLE),
  window_start: f.instant('2026-11-19T23:00:00.000Z'),
  window_end: f.instant('2026-11-20T23:00:00.000Z', 'Exclusive.'),
  ...FIGURES,
}) {}

/** The time range of a query in the form that the lists use. */
export function readHitQuery({ cursor, limit, since, until }: PolicyHitQueryDto): HitListQuery {
  return {
    cursor,
    limit,
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
  };
}
