import { defined, PACKAGE_VERSION, type Json, type JsonObject } from '#core';

/** Version of the Open Cybersecurity Schema Framework (OCSF) that the events use. */
const OCSF_VERSION = '1.8.0';

/** Name of the product in events. It is also the name of the service to which people sign in. */
export const PRODUCT = 'nest-llm-governance';

/**
 * Label of a record that the sink may already have received. Its `metadata.uid` is the same as in the first delivery.
 */
export const MAY_BE_REPEATED = 'may_be_repeated';

/** The OCSF classes in use. */
export const CLASSES = {
  detectionFinding: { uid: 2004, category: 2, name: 'Detection Finding' },
  accountChange: { uid: 3001, category: 3, name: 'Account Change' },
  authentication: { uid: 3002, category: 3, name: 'Authentication' },
  entityManagement: { uid: 3004, category: 3, name: 'Entity Management' },
  userAccess: { uid: 3005, category: 3, name: 'User Access Management' },
  groupManagement: { uid: 3006, category: 3, name: 'Group Management' },
  apiActivity: { uid: 6003, category: 6, name: 'API Activity' },
} as const;

/** One of {@link CLASSES}. */
export type OcsfClass = keyof typeof CLASSES;

/** `activity_id` of a class, and its name. */
export interface Activity {
  readonly id: number;
  readonly name: string;
}

/** An activity that is not in the list of the class. */
export function otherActivity(name: string): Activity {
  return { id: 99, name };
}

/** Values of `severity_id`. */
export const SEVERITY_IDS = { informational: 1, low: 2, medium: 3, high: 4, critical: 5 } as const;

/** The origin of a record, and whether it may have been sent before. */
export interface RecordSource {
  /** Id of the record. It is the same if the record is sent again. */
  readonly uid: string;
  /** Id of the organization; null if it is unknown. */
  readonly orgId: string | null;
  readonly mayBeRepeated: boolean;
}

/** The common fields of all classes. */
export interface EventHead {
  readonly source: RecordSource;
  readonly log: 'audit' | 'security' | 'incidents';
  readonly class: OcsfClass;
  readonly activity: Activity;
  /** The kind of event in this package's terms, such as `policy.updated`. */
  readonly code: string;
  readonly at: Date;
  /** The time in the format of the source. */
  readonly originalTime: string;
  readonly message: string;
  readonly severity: keyof typeof SEVERITY_IDS;
  readonly requestId: string | null;
  /** Number of the row in the audit log. */
  readonly sequence?: number;
}

/** An OCSF event: the common attributes of all classes, and the attributes of its class. */
export function ocsfEvent(head: EventHead, attributes: JsonObject): JsonObject {
  const { class: name, activity, at, severity, message } = head;
  const { uid, category, name: className } = CLASSES[name];
  return {
    activity_id: activity.id,
    activity_name: activity.name,
    category_uid: category,
    class_uid: uid,
    class_name: className,
    type_uid: uid * 100 + activity.id,
    time: at.getTime(),
    severity_id: SEVERITY_IDS[severity],
    message,
    metadata: metadataOf(head),
    ...attributes,
  };
}

function metadataOf({ source, log, code, originalTime, requestId, sequence }: EventHead): JsonObject {
  return given({
    version: OCSF_VERSION,
    uid: source.uid,
    product: { name: PRODUCT, vendor_name: PRODUCT, version: PACKAGE_VERSION },
    tenant_uid: source.orgId ?? undefined,
    log_name: log,
    event_code: code,
    original_time: originalTime,
    correlation_uid: requestId ?? undefined,
    sequence,
    labels: source.mayBeRepeated ? [MAY_BE_REPEATED] : undefined,
  });
}

/** A copy of an object without undefined members. */
export function given(members: Record<string, Json | undefined>): JsonObject {
  return defined(members) as JsonObject;
}
