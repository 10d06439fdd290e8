/**
 * Definition of an attribute (RFC 7643, section 7). `/Schemas` publishes the definition. The parser, filters and PATCH
 * use it.
 */
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable';
  readonly returned: 'always' | 'default';
  readonly uniqueness: 'none' | 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

type Traits = Partial<Omit<Attribute, 'name' | 'description'>>;

/** Creates an attribute with the default characteristics of RFC 7643, section 2.2. */
export function attribute(name: string, description: string, traits: Traits = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...traits,
  };
}

/** Creates a multi-valued attribute with `type` and `primary`. */
export function plural(name: string, description: string, types: string[], valueAttributes?: Attribute[]): Attribute {
  return attribute(name, description, {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      ...(valueAttributes ?? [attribute('value', 'The value itself.')]),
      attribute('display', 'For people to read.'),
      attribute('type', 'What the value is used for.', { canonicalValues: types }),
      attribute('primary', 'Whether this is the one meant first; of one value at most.', { type: 'boolean' }),
    ],
  });
}

/** Finds an attribute by name, regardless of case (RFC 7643, section 2.1). */
export function named(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const key = name.toLowerCase();
  return attributes.find(attribute => attribute.name.toLowerCase() === key);
}
