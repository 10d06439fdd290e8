import type { DeviceStatus, DirectoryUser, JsonObject, Tags } from '#core';
import type { DecisionInput } from '../records/decision.js';
import type { AskedRequest } from './comparison.js';

/** A request, read from the record of its decision. */
export interface RecordedRequest extends AskedRequest {
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly department: string | null;
  /** Number of decisions that the record represents: one, unless decisions are sampled. */
  readonly weight: number;
}

/** The column `attributes` of a record. For an unknown person, it contains only attributes of the request. */
interface RecordedAttributes {
  /** The id as sent. Set only if it differs from the column. */
  user_id?: string;
  name?: string;
  department?: string | null;
  role?: string;
  status?: DirectoryUser['status'];
  device_status?: DeviceStatus;
  project?: string;
  tags?: Tags;
  attributes?: JsonObject | null;
}

type Columns = [
  userId: string | null,
  userEmail: string | null,
  provider: string,
  model: string,
  sampleRate: number,
  attributes: RecordedAttributes,
];

/** Parses a record that PostgreSQL has written as JSON. */
export function readRequest(text: string): RecordedRequest {
  // The scan selects these columns, and only the recorder writes them, so their types are known.
  const [userId, userEmail, provider, model, sampleRate, recorded] = JSON.parse(text) as Columns;
  const { user_id: id = userId, name, department, role, status, attributes, device_status: deviceStatus } = recorded;
  const known = {
    ...{ userId, userEmail, deviceStatus },
    department: typeof department === 'string' ? department : null,
    weight: sampleRate > 0 && sampleRate < 1 ? 1 / sampleRate : 1,
  };
  const named = {
    ...(id !== null && { user_id: id }),
    ...(userEmail !== null && { user_email: userEmail }),
    ...(recorded.project !== undefined && { project: recorded.project }),
    ...(recorded.tags && { tags: recorded.tags }),
  };
  if (status === undefined) {
    // Attributes of the request. They were validated, so the type is known.
    const claimed = attributes as DecisionInput['attributes'] | null;
    return { ...known, user: undefined, input: { ...named, provider, model, ...(claimed && { attributes: claimed }) } };
  }
  // If the record lacks an attribute, it stays missing here.
  const user = { id, email: userEmail, name, department, role, status, attributes } as DirectoryUser;
  return { ...known, user, input: { ...named, provider, model } };
}
