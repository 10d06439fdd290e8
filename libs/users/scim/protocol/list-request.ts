import { FILTER_MAX_LENGTH, parseFilter } from './parse-filter.js';
import type { Filter } from './filter.js';
import { readProjection, type Projection } from './projection.js';
import { objectOf, requireSchema, valueOf } from './read-resource.js';
import type { ResourceSchema } from './resource-schema.js';
import { ScimError } from './scim-error.js';
import { SEARCH_URN } from './urns.js';

/** Maximum page size, as published in the ServiceProviderConfig. */
export const RESULTS_MAX = 200;

const RESULTS_DEFAULT = 100;

/** Request of a list or search. */
export interface ListRequest {
  readonly filter?: Filter;
  /** Position of the first result, counted from 1. */
  readonly startIndex: number;
  readonly count: number;
  readonly projection: Projection;
}

/** Reads the query of a list. Ignores unknown parameters. @throws ScimError invalidFilter, invalidValue */
export function readListQuery(schema: ResourceSchema, query: Record<string, unknown>): ListRequest {
  return readList(schema, name => query[name]);
}

/**
 * Reads the body of a search by POST (RFC 7644, section 3.4.3). `others` are the further resource types in which to
 * search.
 * @throws ScimError
 */
export function readSearch(schema: ResourceSchema, body: unknown, others?: readonly ResourceSchema[]): ListRequest {
  const request = objectOf(body);
  requireSchema(request, SEARCH_URN);
  return readList(schema, name => valueOf(request, name), others);
}

function readList(
  schema: ResourceSchema,
  read: (name: string) => unknown,
  others?: readonly ResourceSchema[],
): ListRequest {
  const filter = read('filter') ?? undefined;
  if (filter !== undefined && typeof filter !== 'string') {
    throw new ScimError('invalidFilter', `filter must be one text of at most ${FILTER_MAX_LENGTH} characters.`);
  }
  return {
    ...(filter === undefined ? {} : { filter: parseFilter(schema, filter, others) }),
    // A value below the minimum means the minimum (RFC 7644, section 3.4.2.4).
    startIndex: Math.max(1, wholeNumber('startIndex', read('startIndex'), 1)),
    count: Math.min(RESULTS_MAX, Math.max(0, wholeNumber('count', read('count'), RESULTS_DEFAULT))),
    projection: readProjection(schema, read('attributes'), read('excludedAttributes')),
  };
}

function wholeNumber(name: string, value: unknown, otherwise: number): number {
  if (value === undefined || value === null || value === '') return otherwise;
  const number = typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || Math.abs(number) > 1e9) {
    throw new ScimError('invalidValue', `${name} must be a whole number.`);
  }
  return number;
}
