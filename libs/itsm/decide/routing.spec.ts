import { describe, expect, it } from '@jest/globals';
import { SEVERITIES, type Severity } from '#core';
import { keptRouting, letsThrough, routeOf, type RoutedIncident, type Routing } from './routing.js';

const POLICY = '0199c2a8-6e01-7f20-9c33-2d5b7a1e8f04';
const OTHER = '0199c2a8-6e01-7f20-9c33-2d5b7a1e8f05';
const INCIDENT: RoutedIncident = { severity: 'medium', policyId: POLICY, department: 'Sales' };
const ANOMALY: RoutedIncident = { severity: 'medium', policyId: null, department: null };

const codesOf = (connector: { active?: boolean; isPaused?: boolean; routing?: Routing }, incident = INCIDENT) => {
  const route = routeOf({ active: true, isPaused: false, routing: {}, ...connector }, incident);
  return [route.opensTicket, ...route.reasons.map(({ code }) => code)];
};

describe('routing', () => {
  it('selects every incident if it has no condition', () => {
    for (const incident of [INCIDENT, ANOMALY]) expect(letsThrough({}, incident)).toBe(true);
  });

  it.each<[Severity, Severity[]]>([
    ['critical', ['critical']],
    ['high', ['critical', 'high']],
    ['medium', ['critical', 'high', 'medium']],
    ['low', ['critical', 'high', 'medium', 'low']],
  ])('selects the minimum severity %s and higher ones', (min_severity, through) => {
    expect(SEVERITIES.filter(severity => letsThrough({ min_severity }, { ...ANOMALY, severity }))).toEqual(through);
  });

  it('selects only listed policies, ignoring the case of their ids', () => {
    const policies = [OTHER, POLICY];
    expect(letsThrough({ policies }, INCIDENT)).toBe(true);
    expect(letsThrough({ policies }, { ...INCIDENT, policyId: POLICY.toUpperCase() })).toBe(true);
    expect(letsThrough({ policies: [OTHER] }, INCIDENT)).toBe(false);
    expect(letsThrough({ policies }, ANOMALY)).toBe(false);
  });

  it('selects only listed departments, by exact name', () => {
    expect(letsThrough({ departments: ['Legal', 'Sales'] }, INCIDENT)).toBe(true);
    expect(letsThrough({ departments: ['sales'] }, INCIDENT)).toBe(false);
    expect(letsThrough({ departments: ['Sales'] }, ANOMALY)).toBe(false);
  });

  it('requires every condition', () => {
    const routing = { min_severity: 'medium', policies: [POLICY], departments: ['Sales'] } as const;
    expect(letsThrough(routing, INCIDENT)).toBe(true);
    expect(letsThrough(routing, { ...INCIDENT, severity: 'low' })).toBe(false);
    expect(letsThrough(routing, { ...INCIDENT, policyId: OTHER })).toBe(false);
    expect(letsThrough(routing, { ...INCIDENT, department: 'Legal' })).toBe(false);
  });

  it('is stored with ids in lower case and without duplicates', () => {
    const routing = {
      min_severity: 'low',
      policies: [POLICY, POLICY.toUpperCase()],
      departments: ['B', 'A', 'B'],
    } as const;
    expect(keptRouting(routing)).toEqual({ min_severity: 'low', policies: [POLICY], departments: ['B', 'A'] });
    expect(keptRouting({})).toEqual({});
  });
});

describe('the routing decision for an incident', () => {
  it.each<[string, Parameters<typeof codesOf>[0], (boolean | string)[]]>([
    ['matches', {}, [true, 'matches']],
    ['paused', { isPaused: true }, [true, 'matches', 'paused']],
    ['inactive', { active: false, isPaused: true }, [false, 'inactive']],
    ['below_min_severity', { routing: { min_severity: 'high' } }, [false, 'below_min_severity']],
    ['policy_not_listed', { routing: { policies: [OTHER] } }, [false, 'policy_not_listed']],
    ['department_not_listed', { routing: { departments: ['Legal'] } }, [false, 'department_not_listed']],
  ])('gives the reason %s', (_reason, connector, expected) => {
    expect(codesOf(connector)).toEqual(expected);
  });

  it('gives all reasons against a ticket', () => {
    const routing = { min_severity: 'critical', policies: [OTHER], departments: ['Legal'] } as const;
    expect(codesOf({ active: false, isPaused: true, routing })).toEqual([
      ...[false, 'inactive', 'below_min_severity', 'policy_not_listed', 'department_not_listed'],
    ]);
  });

  it('gives each reason as a sentence, with the minimum of the connector', () => {
    const connector = { active: true, isPaused: false, routing: { min_severity: 'high' } } as const;
    expect(routeOf(connector, INCIDENT).reasons).toEqual([
      { code: 'below_min_severity', message: 'The connector opens tickets from severity high on.' },
    ]);
  });
});
