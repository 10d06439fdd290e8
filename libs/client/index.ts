import type { Operations as AllOperations, Schemas as AllSchemas } from './operations.js';

export { ApiError, type ErrorBody } from './api.errors.js';
export {
  createClient,
  type Answer,
  type Client,
  type ClientOptions,
  type Input,
  type RequestOptions,
} from './client.js';
export { iterate } from './iterate.js';

/** Input and result of each operation: `Operations['createPolicy']['input']`. */
export type Operations = AllOperations;

/** The schemas of the OpenAPI document: `Schemas['PolicyResponse']`. */
export type Schemas = AllSchemas;
