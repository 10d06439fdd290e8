import type { JsonObject, Severity } from '#core';
import { given, ocsfEvent, type RecordSource } from './ocsf-event.js';
import { targetUser } from './ocsf-objects.js';

/** The data of a new incident. It is stored until a sink has accepted it. */
export interface IncidentFacts {
  readonly incident_id: string;
  readonly type: 'policy_violation' | 'anomaly';
  readonly severity: Severity;
  /** ISO 8601. */
  readonly at: string;
  readonly user_id: string | null;
  readonly user_email: string | null;
  readonly policy_id: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly decision_id: string;
  /** The action of the decision; null if there was none. */
  readonly action: string | null;
  readonly details: JsonObject;
}

const TITLES = { policy_violation: 'Policy violation', anomaly: 'Unusual usage' } as const;
/** `type_id` of an analytic: 1 for a rule, 3 for statistics. */
const ANALYTICS = { policy_violation: 1, anomaly: 3 } as const;

/**
 * The OCSF finding of a new incident. Later changes of the incident are sent as rows of the audit log, with the same
 * `finding_info.uid`.
 */
export function incidentEvent(source: RecordSource, facts: IncidentFacts): JsonObject {
  const { type, severity, at, details } = facts;
  const title = TITLES[type];
  return ocsfEvent(
    {
      source,
      log: 'incidents',
      class: 'detectionFinding',
      activity: { id: 1, name: 'Create' },
      code: type,
      at: new Date(Date.parse(at)),
      originalTime: at,
      message: `${title}, severity ${severity}`,
      severity,
      requestId: null,
    },
    {
      finding_info: {
        uid: facts.incident_id,
        title,
        types: [type],
        created_time: Date.parse(at),
        analytic: analyticOf(facts),
      },
      is_alert: true,
      status_id: 1,
      evidences: [evidenceOf(facts)],
      unmapped: { details },
    },
  );
}

function analyticOf({ type, policy_id: policyId, details }: IncidentFacts): JsonObject {
  const name = details['policy_name'];
  return given({
    type_id: ANALYTICS[type],
    uid: policyId ?? undefined,
    name: typeof name === 'string' ? name : undefined,
  });
}

function evidenceOf(facts: IncidentFacts): JsonObject {
  const { user_id: userId, user_email: email, provider, model, decision_id: decision, action } = facts;
  const uid = userId ?? email;
  const names = email === null ? {} : { email };
  return given({
    user: uid === null ? undefined : targetUser(uid, true, names),
    data: { provider, model, decision_id: decision, action },
  });
}
