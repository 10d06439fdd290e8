import { f } from '#access';

/** A field of a response that may contain any JSON value. */
export function jsonValue(example: unknown, description: string) {
  return f.of<unknown>({
    nullable: true,
    oneOf: [
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'array', items: {} },
      { type: 'object' },
    ],
    description,
    example,
  });
}
