import type { Json, JsonObject } from '#core';
import { given, ocsfEvent, otherActivity, type Activity, type OcsfClass, type RecordSource } from './ocsf-event.js';
import { actorOf, apiOf, endpointOf, objectOf, targetUser, textOf } from './ocsf-objects.js';

/** A row of the audit log as `AuditLogReader` returns it. */
export interface AuditRowFacts {
  readonly seq: number;
  readonly id: string;
  /** Time in UTC, with six decimals. */
  readonly occurred_at: string;
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly actor_user_id: string | null;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string;
  /** JSON text. */
  readonly before: string | null;
  /** JSON text. */
  readonly after: string | null;
  /** In hexadecimal. */
  readonly hash: string;
}

/** A row of the audit log with its parsed changes. */
interface Change {
  readonly row: AuditRowFacts;
  readonly verb: string;
  readonly before: Json;
  readonly after: Json;
}

interface Shape {
  readonly class: OcsfClass;
  /** The activity for each verb, such as `created`. For other verbs, the verb itself is the name of the activity. */
  readonly activities: ReadonlyMap<string, Activity>;
  readonly attributes: (change: Change) => JsonObject;
}

const activity = (id: number, name: string): Activity => ({ id, name });

const activitiesOf = (verbs: Readonly<Record<string, Activity>>): ReadonlyMap<string, Activity> =>
  new Map(Object.entries(verbs));

const ACCOUNTS: Shape = {
  class: 'accountChange',
  activities: activitiesOf({
    created: activity(1, 'Create'),
    reinstated: activity(2, 'Enable'),
    suspended: activity(5, 'Disable'),
    deleted: activity(6, 'Delete'),
    erased: activity(6, 'Delete'),
  }),
  attributes: ({ row, before, after }) => ({ user: targetUser(row.resource_id, true, namesOf(before, after)) }),
};

const CREDENTIALS: Shape = {
  class: 'userAccess',
  activities: activitiesOf({
    created: activity(1, 'Assign Privileges'),
    linked: activity(1, 'Assign Privileges'),
    revoked: activity(2, 'Revoke Privileges'),
    deleted: activity(2, 'Revoke Privileges'),
    unlinked: activity(2, 'Revoke Privileges'),
    ended: activity(2, 'Revoke Privileges'),
  }),
  attributes: change => {
    const view = viewOf(change);
    const person = textOf(view, 'user_id');
    const { resource_id: id } = change.row;
    const user = person === undefined ? targetUser(id, false, nameOf(view)) : targetUser(person, true);
    return { user, privileges: privilegesOf(change), resources: resourcesOf(change) };
  },
};

const GROUPS: Shape = {
  class: 'groupManagement',
  activities: activitiesOf({ created: activity(6, 'Create'), deleted: activity(5, 'Delete') }),
  attributes: change => ({ group: { uid: change.row.resource_id, ...nameOf(viewOf(change)) } }),
};

const DEVICES: Shape = {
  class: 'entityManagement',
  activities: activitiesOf({
    enrolled: activity(6, 'Enroll'),
    revoked: activity(7, 'Unenroll'),
    renewed: activity(3, 'Update'),
    created: activity(1, 'Create'),
    cancelled: activity(4, 'Delete'),
  }),
  attributes: change => ({
    entity: { uid: change.row.resource_id, type: change.row.resource_type, type_id: 1, ...nameOf(viewOf(change)) },
  }),
};

/** `status_id` of findings, by the status of the incident. */
const FINDING_STATUSES = new Map([
  ['open', 1],
  ['acknowledged', 2],
  ['resolved', 4],
]);

const INCIDENTS: Shape = {
  class: 'detectionFinding',
  activities: activitiesOf({
    reopened: activity(2, 'Update'),
    acknowledged: activity(2, 'Update'),
    noted: activity(2, 'Update'),
    resolved: activity(3, 'Close'),
  }),
  attributes: ({ row, after }) =>
    given({
      finding_info: { uid: row.resource_id, title: 'Incident' },
      status_id: FINDING_STATUSES.get(textOf(after, 'status') ?? ''),
    }),
};

const REST: Shape = {
  class: 'apiActivity',
  activities: activitiesOf({
    ...Object.fromEntries(
      ['created', 'registered', 'imported', 'requested', 'begun'].map(verb => [verb, activity(1, 'Create')]),
    ),
    exported: activity(2, 'Read'),
    ...Object.fromEntries(['deleted', 'cancelled', 'revoked', 'expired'].map(verb => [verb, activity(4, 'Delete')])),
  }),
  attributes: change => ({
    api: apiOf(change.row.action, change.row.request_id),
    resources: resourcesOf(change),
  }),
};

const SHAPES = new Map<string, Shape>([
  ['user', ACCOUNTS],
  ['token', CREDENTIALS],
  ['session', CREDENTIALS],
  ['identity', CREDENTIALS],
  ['sign_in_link', CREDENTIALS],
  ['chat_link', CREDENTIALS],
  ['scim_group', GROUPS],
  ['device', DEVICES],
  ['device_enrollment', DEVICES],
  ['incident', INCIDENTS],
]);

/** The OCSF event of a row of the audit log. */
export function auditEvent(source: Omit<RecordSource, 'uid'>, row: AuditRowFacts): JsonObject {
  const shape = SHAPES.get(row.resource_type) ?? REST;
  const verb = row.action.slice(row.action.lastIndexOf('.') + 1);
  const change: Change = { row, verb, before: parsed(row.before), after: parsed(row.after) };
  const known = shape.activities.get(verb);
  return ocsfEvent(
    {
      source: { ...source, uid: row.id },
      log: 'audit',
      class: shape.class,
      // Any other action on an object of the API counts as an update.
      activity: known ?? (shape === REST ? activity(3, 'Update') : otherActivity(verb)),
      code: row.action,
      at: new Date(Date.parse(row.occurred_at)),
      originalTime: row.occurred_at,
      message: `${row.actor_name}: ${row.action} ${row.resource_id}`,
      severity: 'informational',
      requestId: row.request_id,
      sequence: row.seq,
    },
    {
      ...attributesOf(shape, row),
      ...shape.attributes(change),
      unmapped: unmappedOf(change),
    },
  );
}

/** The actor and the origin. OCSF findings have no attributes for them, so they are in `unmapped`. */
function attributesOf(shape: Shape, row: AuditRowFacts): JsonObject {
  if (shape === INCIDENTS) return {};
  return { ...actorPart(row), src_endpoint: endpointOf(row.address), status_id: 1 };
}

function actorPart({ actor_kind: kind, actor_id: id, actor_name: name, actor_user_id: userId }: AuditRowFacts): {
  actor: JsonObject;
} {
  return { actor: actorOf({ kind, id, name, userId }) };
}

function unmappedOf({ row, before, after }: Change): JsonObject {
  return {
    actor_kind: row.actor_kind,
    actor_id: row.actor_id,
    actor_name: row.actor_name,
    actor_user_id: row.actor_user_id,
    address: row.address,
    resource_type: row.resource_type,
    resource_id: row.resource_id,
    before,
    after,
    hash: row.hash,
  };
}

function resourcesOf(change: Change): JsonObject[] {
  const { resource_type: type, resource_id: uid } = change.row;
  return [{ uid, type, ...nameOf(viewOf(change)) }];
}

/** The privileges of a credential: its scopes, or its role, or its kind. */
function privilegesOf(change: Change): string[] {
  const view = viewOf(change);
  const scopes = view?.['scopes'];
  const named = Array.isArray(scopes) ? scopes.filter(scope => typeof scope === 'string') : [];
  return named.length > 0 ? named : [textOf(view, 'role') ?? change.row.resource_type];
}

/** The resource after the change. If it was removed, the resource before the change. */
function viewOf({ before, after }: Change): JsonObject | undefined {
  return textOf(after, 'name') === undefined && objectOf(before)
    ? { ...objectOf(before), ...objectOf(after) }
    : objectOf(after);
}

function nameOf(view: JsonObject | undefined): { name?: string } {
  const name = textOf(view, 'name') ?? textOf(view, 'display_name');
  return name === undefined ? {} : { name };
}

function namesOf(before: Json, after: Json): { name?: string; email?: string } {
  const name = textOf(after, 'name') ?? textOf(before, 'name');
  const email = textOf(after, 'email') ?? textOf(before, 'email');
  return { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) };
}

function parsed(text: string | null): Json {
  return text === null ? null : (JSON.parse(text) as Json);
}
