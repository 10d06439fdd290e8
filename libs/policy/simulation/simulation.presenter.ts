import { dollars } from '../decisions/spend.js';
import { OUTCOMES, type Outcome } from './comparison.js';
import type { OtherKeys, TopKeys } from './keyed-counter.js';
import type { SampledDecision } from './sampled-decision.js';
import type { SimulationReport, UsageReport } from './simulation-report.js';
import type { SimulationResponseDto } from './simulation-response.dto.js';

/** A simulation in responses: counts are rounded to whole numbers, and dollars to the nearest JSON number. */
export function presentSimulation(report: SimulationReport): SimulationResponseDto {
  const { users, departments, models, before, after } = report;
  return {
    from: report.from.toISOString(),
    to: report.to.toISOString(),
    evaluated: Math.round(report.evaluated),
    matched: Math.round(report.matched),
    changed: Math.round(report.changed),
    newly_refused: Math.round(report.newlyRefused),
    newly_allowed: Math.round(report.newlyAllowed),
    cost_usd: dollars(report.picodollars),
    estimated: report.isEstimated,
    by_action: OUTCOMES.filter(isShown).map(action => ({
      action,
      before: Math.round(before[action]),
      after: Math.round(after[action]),
    })),
    by_user: users.top.map(({ label: { userId, userEmail }, ...counts }) => ({
      user_id: userId,
      user_email: userEmail,
      ...presentCounts(counts),
    })),
    by_department: departments.top.map(({ label, ...counts }) => ({ department: label, ...presentCounts(counts) })),
    by_model: models.top.map(({ label, ...counts }) => ({ model: label, ...presentCounts(counts) })),
    others: {
      by_user: presentOthers(users),
      by_department: presentOthers(departments),
      by_model: presentOthers(models),
    },
    sample: report.sample.map(presentSampled),
    usage: report.usage && presentUsage(report.usage),
  };

  function isShown(action: Outcome): boolean {
    return action !== 'unavailable' || before[action] + after[action] > 0;
  }
}

function presentCounts({ matched, changed, picodollars }: Omit<OtherKeys, 'keys'>) {
  return { matched: Math.round(matched), changed: Math.round(changed), cost_usd: dollars(picodollars) };
}

function presentOthers({ others }: TopKeys<unknown>) {
  return others ? { keys: others.keys, ...presentCounts(others) } : null;
}

function presentSampled(sampled: SampledDecision): SimulationResponseDto['sample'][number] {
  const { userId, userEmail, department, provider, model, before, after } = sampled;
  return {
    decision_id: sampled.decisionId,
    evaluated_at: sampled.evaluatedAt.toISOString(),
    user_id: userId,
    user_email: userEmail,
    ...{ department, provider, model, before, after },
    matched_conditions: sampled.conditions ?? [],
  };
}

function presentUsage(usage: UsageReport): NonNullable<SimulationResponseDto['usage']> {
  return {
    from: usage.from,
    to: usage.to,
    requests: usage.requests,
    matched_requests: usage.matchedRequests,
    refused_requests: usage.refusedRequests,
    refused_cost_usd: dollars(usage.refusedPicodollars),
  };
}
