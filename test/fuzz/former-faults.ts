/** A parser and an input that it once failed at, was slow with, or took although it is nonsense. */
export interface FormerFault {
  parser: string;
  /** What was wrong then. */
  was: string;
  input: unknown;
  /** Whether it must be refused; otherwise it may be taken, too. */
  isRefused?: boolean;
}

const many = (part: string, count: number): string => part.repeat(count);

/** Inputs of former faults. They are read by every run; add one for each fault that is mended. */
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
