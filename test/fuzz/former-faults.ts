/** A parser and an input of a past fault: the parser failed, was slow, or accepted nonsense. */
export interface FormerFault {
  parser: string;
  /** A description of the fault. */
  was: string;
  input: unknown;
  /** Whether the parser must refuse the input. If not, it may also accept the input. */
  isRefused?: boolean;
}

const many = (part: string, count: number): string => part.repeat(count);

/** Inputs of past faults. Every run reads them. Add one for each fixed fault. */
export const FORMER_FAULTS: readonly FormerFault[] = [
  { parser: 'SCIM filter', was: 'taken for a flag', input: 'active eq "constructor"', isRefused: true },
  { parser: 'SCIM filter', was: 'a TypeError', input: 'userName eq constructor', isRefused: true },
  { parser: 'SCIM filter', was: 'taken for a flag', input: 'emails[primary eq "__proto__"]', isRefused: true },
  {
    parser: 'SCIM user',
    was: 'taken for a flag',
    input: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'a@x.example', active: 'constructor' },
    isRefused: true,
  },
  {
    parser: 'SCIM PATCH of a user',
    was: 'taken for a flag',
    input: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: 'constructor' }],
    },
    isRefused: true,
  },
  { parser: 'SCIM user', was: 'a TypeError', input: { schemas: [{ toString: 1 }] }, isRefused: true },
  { parser: 'SCIM group', was: 'a TypeError', input: { schemas: [{ toString: 1, valueOf: null }] }, isRefused: true },
  { parser: 'cursor', was: 'a tag of four bytes', input: `k1.${'A'.repeat(22)}`, isRefused: true },
  { parser: 'users, CSV', was: 'quadratic time', input: `email,name\n${many('a@x.example,A "B" C\n', 5_000)}` },
  { parser: 'users, CSV', was: 'quadratic time', input: `email,name\na@x.example,A${many('"a', 200_000)}\n` },
  { parser: 'users, CSV', was: 'a list of every column', input: many('x,', 20_000) },
  { parser: 'allowed networks', was: 'a fault for each of too many', input: many('x,', 200_000) },
];
