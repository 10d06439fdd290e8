// Facts of OCSF 1.8.0 (github.com/ocsf/ocsf-schema, 2026-03-16): names of attributes, what is required, and enum values, of
// the classes and objects that are used here. Attributes of optional profiles are left out.

/**
 * An object or a class: its attributes with their types, the required attributes, and the groups of attributes of which
 * at least one is required.
 */
export interface OcsfShape {
  /** `name:type`, or `name:type[]` for arrays, separated by spaces. */
  readonly attributes: string;
  readonly required: string;
  readonly oneOf?: string;
}

/** An object with the same members as a map. */
const mapOf = <T>(members: Readonly<Record<string, T>>): ReadonlyMap<string, T> => new Map(Object.entries(members));

const BASE =
  'activity_id:integer_t activity_name:string_t category_name:string_t category_uid:integer_t class_name:string_t ' +
  'class_uid:integer_t count:integer_t duration:long_t end_time:timestamp_t message:string_t metadata:metadata ' +
  'raw_data:string_t severity:string_t severity_id:integer_t start_time:timestamp_t status:string_t ' +
  'status_code:string_t status_detail:string_t status_id:integer_t time:timestamp_t timezone_offset:integer_t ' +
  'type_name:string_t type_uid:long_t unmapped:object';
const IAM = `${BASE} actor:actor src_endpoint:network_endpoint`;
const REQUIRED = 'activity_id category_uid class_uid metadata severity_id time type_uid';

/** The classes by `class_uid`. */
export const OCSF_CLASSES: ReadonlyMap<string, OcsfShape> = mapOf({
  2004: {
    attributes:
      `${BASE} confidence_id:integer_t is_alert:boolean_t comment:string_t finding_info:finding_info ` +
      'evidences:evidences[] resources:resource_details[] device:device',
    required: `${REQUIRED} finding_info`,
  },
  3001: { attributes: `${IAM} user:user user_result:user`, required: `${REQUIRED} user` },
  3002: {
    attributes:
      `${IAM} auth_protocol_id:integer_t dst_endpoint:network_endpoint is_cleartext:boolean_t is_mfa:boolean_t ` +
      'is_remote:boolean_t logon_type_id:integer_t service:service user:user',
    required: `${REQUIRED} user`,
    oneOf: 'service dst_endpoint',
  },
  3004: {
    attributes: `${IAM} comment:string_t entity:managed_entity entity_result:managed_entity`,
    required: `${REQUIRED} entity`,
  },
  3005: {
    attributes: `${IAM} privileges:string_t[] resources:resource_details[] user:user`,
    required: `${REQUIRED} privileges user`,
  },
  3006: {
    attributes: `${IAM} group:group privileges:string_t[] resource:resource_details subgroup:group user:user`,
    required: `${REQUIRED} group`,
  },
  6003: {
    attributes: `${IAM} api:api dst_endpoint:network_endpoint resources:resource_details[]`,
    required: `${REQUIRED} api actor src_endpoint`,
  },
});

/** The values of `activity_id` by class, besides 0 (unknown) and 99 (other). */
export const OCSF_ACTIVITIES: ReadonlyMap<string, readonly string[]> = mapOf({
  2004: ['Create', 'Update', 'Close'],
  3001: [
    ...['Create', 'Enable', 'Password Change', 'Password Reset', 'Disable', 'Delete', 'Attach Policy', 'Detach Policy'],
    ...['Lock', 'MFA Factor Enable', 'MFA Factor Disable', 'Unlock'],
  ],
  3002: [
    ...['Logon', 'Logoff', 'Authentication Ticket', 'Service Ticket Request', 'Service Ticket Renew', 'Preauth'],
    'Account Switch',
  ],
  3004: [
    ...['Create', 'Read', 'Update', 'Delete', 'Move', 'Enroll', 'Unenroll', 'Enable', 'Disable', 'Activate'],
    ...['Deactivate', 'Suspend', 'Resume'],
  ],
  3005: ['Assign Privileges', 'Revoke Privileges'],
  3006: [
    ...['Assign Privileges', 'Revoke Privileges', 'Add User', 'Remove User', 'Delete', 'Create', 'Add Subgroup'],
    'Remove Subgroup',
  ],
  6003: ['Create', 'Read', 'Update', 'Delete'],
});

/** Values of other enums, by attribute, or by `class.attribute` if they differ for a class or an object. */
export const OCSF_ENUMS: ReadonlyMap<string, readonly number[]> = mapOf({
  severity_id: [0, 1, 2, 3, 4, 5, 6, 99],
  status_id: [0, 1, 2, 99],
  '2004.status_id': [0, 1, 2, 3, 4, 5, 6, 99],
  'user.type_id': [0, 1, 2, 3, 4, 99],
  'managed_entity.type_id': [0, 1, 2, 3, 4, 5, 6, 7, 99],
  'analytic.type_id': [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99],
});

/** The objects. */
export const OCSF_OBJECTS: ReadonlyMap<string, OcsfShape> = mapOf({
  metadata: {
    attributes:
      'correlation_uid:string_t event_code:string_t is_truncated:boolean_t labels:string_t[] log_format:string_t ' +
      'log_level:string_t log_name:string_t log_provider:string_t log_source:string_t log_version:string_t ' +
      'logged_time:timestamp_t original_event_uid:string_t original_time:string_t processed_time:timestamp_t ' +
      'product:product profiles:string_t[] sequence:integer_t source:string_t tenant_uid:string_t type:string_t ' +
      'uid:string_t version:string_t',
    required: 'product version',
  },
  product: {
    attributes:
      'name:string_t uid:string_t lang:string_t path:string_t url_string:url_t vendor_name:string_t version:string_t',
    required: '',
  },
  actor: {
    attributes: 'app_name:string_t app_uid:string_t session:session user:user',
    required: '',
    oneOf: 'user session app_name app_uid',
  },
  user: {
    attributes:
      'name:string_t uid:string_t display_name:string_t domain:string_t email_addr:email_t full_name:string_t ' +
      'groups:group[] type:string_t type_id:integer_t uid_alt:string_t',
    required: '',
    oneOf: 'account name uid',
  },
  group: { attributes: 'name:string_t uid:string_t desc:string_t privileges:string_t[] type:string_t', required: '' },
  api: { attributes: 'operation:string_t request:request service:service version:string_t', required: 'operation' },
  request: { attributes: 'data:json_t flags:string_t[] uid:string_t', required: 'uid' },
  service: { attributes: 'name:string_t uid:string_t labels:string_t[] version:string_t', required: '' },
  network_endpoint: {
    attributes: 'name:string_t uid:string_t hostname:hostname_t ip:ip_t port:port_t svc_name:string_t',
    required: '',
    oneOf: 'ip uid name hostname svc_name domain',
  },
  resource_details: {
    attributes: 'name:string_t uid:string_t data:json_t labels:string_t[] type:string_t role_id:integer_t owner:user',
    required: '',
  },
  managed_entity: {
    attributes:
      'name:string_t uid:string_t data:json_t device:device group:group policy:policy type:string_t type_id:integer_t user:user',
    required: '',
    oneOf: 'name uid device group org policy user',
  },
  finding_info: {
    attributes:
      'analytic:analytic created_time:timestamp_t desc:string_t first_seen_time:timestamp_t ' +
      'last_seen_time:timestamp_t modified_time:timestamp_t title:string_t types:string_t[] uid:string_t uid_alt:string_t',
    required: 'uid',
  },
  analytic: {
    attributes:
      'name:string_t uid:string_t category:string_t desc:string_t type:string_t type_id:integer_t version:string_t',
    required: 'type_id',
  },
  evidences: {
    attributes:
      'name:string_t uid:string_t actor:actor api:api data:json_t src_endpoint:network_endpoint user:user verdict:string_t',
    required: '',
    oneOf: 'actor api data src_endpoint user',
  },
});
