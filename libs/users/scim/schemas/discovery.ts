import type { JsonObject } from '#core';
import type { Attribute } from '../protocol/attribute.js';
import { FILTER_MAX_LENGTH } from '../protocol/parse-filter.js';
import { RESULTS_MAX } from '../protocol/list-request.js';
import type { ResourceSchema, Schema } from '../protocol/resource-schema.js';
import { CONFIG_URN, RESOURCE_TYPE_URN, SCHEMA_URN } from '../protocol/urns.js';
import { GROUP_SCHEMA } from './group.schema.js';
import { USER_SCHEMA } from './user.schema.js';

const RESOURCES: readonly { schema: ResourceSchema; endpoint: string }[] = [
  { schema: USER_SCHEMA, endpoint: 'Users' },
  { schema: GROUP_SCHEMA, endpoint: 'Groups' },
];

const MAX_PAYLOAD = 1024 * 1024;

/** Features of this server (RFC 7643, section 5). */
export function serviceProviderConfig(base: string): JsonObject {
  return {
    schemas: [CONFIG_URN],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: MAX_PAYLOAD },
    filter: { supported: true, maxResults: RESULTS_MAX },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: `An access token of the role scim. Filters may have ${FILTER_MAX_LENGTH} characters.`,
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

/** The resource types (RFC 7643, section 6). */
export function resourceTypes(base: string): JsonObject[] {
  return RESOURCES.map(({ schema, endpoint }) => ({
    schemas: [RESOURCE_TYPE_URN],
    id: schema.core.name,
    name: schema.core.name,
    endpoint: `/${endpoint}`,
    description: schema.core.description,
    schema: schema.core.urn,
    schemaExtensions: schema.extensions.map(({ urn }) => ({ schema: urn, required: false })),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${schema.core.name}` },
  }));
}

/** The schemas with all stored attributes (RFC 7643, section 7). */
export function schemas(base: string): JsonObject[] {
  return RESOURCES.flatMap(({ schema: { core, extensions } }) => [core].concat(extensions)).map(schema => ({
    schemas: [SCHEMA_URN],
    id: schema.urn,
    name: schema.name,
    description: schema.description,
    attributes: describe(schema),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.urn}` },
  }));
}

function describe({ attributes }: Pick<Schema, 'attributes'>): JsonObject[] {
  return attributes.map(({ subAttributes, canonicalValues, referenceTypes, ...traits }: Attribute) => ({
    ...traits,
    ...(canonicalValues ? { canonicalValues: [...canonicalValues] } : {}),
    ...(referenceTypes ? { referenceTypes: [...referenceTypes] } : {}),
    ...(subAttributes ? { subAttributes: describe({ attributes: subAttributes }) } : {}),
  }));
}
