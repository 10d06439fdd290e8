/** Any JSON value, in the OpenAPI document. */
export const JSON_VALUE_SCHEMA = {
  nullable: true,
  oneOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', items: {} },
    { type: 'object' },
  ],
};
